/* A pair of structs that grows from one release to the next; GROW_VERSION says which release's header this is. */
#ifndef GROW_H
#define GROW_H

#include <dtcore/base.h>

typedef struct grow_in {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t width;
  uint64_t height;
  uint64_t unused[5];
#if GROW_VERSION >= 2
  uint64_t depth; /* 0 means as before: 1 */
#endif
} grow_in;

typedef struct grow_out {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t area;
  uint64_t unused[4];
#if GROW_VERSION >= 2
  uint64_t volume;
#endif
} grow_out;

DTC_API dtc_status grow_measure(const grow_in *in, grow_out *out, dtc_error *err);

#endif
