/* Loads a plugin as a scheduler does. usage: host PLUGIN */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
  uint64_t (*layers)(const char *) = NULL;
  void *plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_LAZY);
  void *symbol = plugin != NULL ? dlsym(plugin, "plugin_layers") : NULL;
  if (symbol == NULL) {
    fprintf(stderr, "host: %s\n", dlerror());
    return 1;
  }
  memcpy(&layers, &symbol, sizeof layers);
  return layers("llama-2-70b") != 80;
}
