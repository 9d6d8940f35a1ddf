/* Speed of each function of the public API, with the arguments of a usual question. */
#ifndef BENCH_H
#define BENCH_H

#include <dtcore.h>

typedef struct bench_entry {
  const char *name;         /* the function, or the rate that it stands for */
  dtc_status (*call)(void); /* calls it once; named call_NAME, which is how scripts/bench finds it in a profile */
} bench_entry;

/* Ranks of the table that dtc_mesh_table's entry makes. */
enum { BENCH_RANKS = 4096 };

extern const bench_entry bench_entries[];
extern const size_t bench_entries_count;

/* Makes the arguments; returns 0 when the library refuses one. */
int bench_setup(void);

#endif
