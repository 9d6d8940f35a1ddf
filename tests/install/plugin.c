/* A plugin with the archive inside: it shows its own function and none of the library's. */
#include <dtcore.h>

DTC_API uint64_t plugin_layers(const char *name);

uint64_t plugin_layers(const char *name)
{
  dtc_model model;
  DTC_INIT(&model);
  return dtc_model_find(name, &model, NULL) == DTC_OK ? model.layers : 0;
}
