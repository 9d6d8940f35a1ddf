/* A program built against the header of release GROW_VERSION; its argument is the release of the library it runs with.
 * It knows what must happen: the old meaning for who says nothing new, a refusal for a request that is not understood. */
#include "grow.h"

#include <stdio.h>
#include <stdlib.h>

static int failed;

static void must(int ok, const char *what)
{
  if (!ok)
    fprintf(stderr, "growth: %s\n", what);
  failed |= !ok;
}

static grow_in new_in(void)
{
  grow_in in;
  DTC_INIT(&in);
  in.width = 3;
  in.height = 5;
  return in;
}

static grow_out new_out(void)
{
  grow_out out;
  memset(&out, 0xA5, sizeof out);
  out.struct_size = sizeof out;
  return out;
}

/* Nothing new is said: every library understands. */
static void check_old_meaning(int library)
{
  grow_in in = new_in();
  grow_out out = new_out();
  must(grow_measure(&in, &out, NULL) == DTC_OK, "a struct without news is refused");
  must(out.area == 15 && out.struct_size == sizeof out, "an old result changed");
#if GROW_VERSION >= 2
  must(out.volume == (library >= 2 ? 15u : 0u), "a result that the library does not know is not zero");
#endif
  (void)library;
}

#if GROW_VERSION >= 2
/* A new field is set: a library that does not know it must refuse, and touch nothing. */
static void check_new_field(int library)
{
  grow_in in = new_in();
  grow_out out = new_out();
  grow_out before = out;
  dtc_error err;
  DTC_INIT(&err);
  in.depth = 7;
  dtc_status status = grow_measure(&in, &out, &err);
  if (library >= 2) {
    must(status == DTC_OK && out.volume == 105, "a new field has no effect");
    return;
  }
  must(status == DTC_E_NEWER && err.status == DTC_E_NEWER, "a field that the library does not know was ignored");
  must(err.max == sizeof in - sizeof in.depth, "the error does not tell the size that the library knows");
  must(memcmp(&out, &before, sizeof out) == 0, "an output was touched on error");
}
#endif

/* Smaller than any release's, or larger than any struct can be. */
static void check_bad_sizes(void)
{
  grow_in in = new_in();
  grow_out out = new_out();
  in.struct_size = 56;
  must(grow_measure(&in, &out, NULL) == DTC_E_SIZE, "a struct smaller than the first release's is accepted");
  in.struct_size = 4104;
  must(grow_measure(&in, &out, NULL) == DTC_E_SIZE, "a struct of more than 4096 bytes is accepted");
  in = new_in();
  out.struct_size = 40;
  must(grow_measure(&in, &out, NULL) == DTC_E_SIZE, "a result smaller than the first release's is accepted");
}

int main(int argc, char **argv)
{
  int library = argc > 1 ? atoi(argv[1]) : 0;
  check_old_meaning(library);
#if GROW_VERSION >= 2
  check_new_field(library);
#endif
  check_bad_sizes();
  return failed;
}
