/* NCCL's tuning inside the library: constants and search results as data, the job that the formulas read. Latencies are
 * in us and bandwidths in GB/s, NCCL's own units; only the public structs have seconds and bytes/s. */
#ifndef DTCI_NCCL_H
#define DTCI_NCCL_H

#include "internal/internal.h"
#include <dtcore/nccl.h>

enum {
  DTCI_NCCL_ALGORITHMS = DTC_NCCL_ALGORITHM_PAT + 1,
  DTCI_NCCL_PROTOCOLS = DTC_NCCL_PROTOCOL_SIMPLE + 1,
};

/* Generations of GPUs, and how many nodes, as the constants count them. */
enum { DTCI_NCCL_VOLTA, DTCI_NCCL_AMPERE, DTCI_NCCL_HOPPER, DTCI_NCCL_BLACKWELL, DTCI_NCCL_GENERATIONS };
enum { DTCI_NCCL_ONE, DTCI_NCCL_TWO, DTCI_NCCL_MORE, DTCI_NCCL_SCALES };

/* What a hop crosses. */
enum { DTCI_NCCL_NVLINK, DTCI_NCCL_PCI, DTCI_NCCL_NET, DTCI_NCCL_LINKS };

/* In what the formulas of versions differ. */
enum {
  DTCI_NCCL_FLAT_NVLS = 1,      /* NVLS as fast as its channels and 5/6 of that, not by an efficiency of the GPU */
  DTCI_NCCL_FLAT_GATHER = 2,    /* 5/6 also for all-gather and reduce-scatter, in place of (g - 1)/g */
  DTCI_NCCL_NVLS_FACTORS = 4,   /* corrections by size for NVLS trees on Blackwell beside x86 */
  DTCI_NCCL_DISCOUNT_ALONE = 8, /* LL128 rings of one rank a node lose 30 %, not 8 */
  DTCI_NCCL_EXTRA_HOPS = 16,    /* an all-reduce ring crosses the network 2N times, not 2(N - 1) */
  DTCI_NCCL_OLD_LL128 = 32,     /* LL128 only on compute capability 7.0, 8.0 and 9.0 */
};

/* Constants of a version. Bandwidths are per channel but for ll. */
typedef struct dtci_nccl_constants {
  uint32_t release;
  uint32_t generations; /* rows below; a newer GPU has the last */
  uint32_t differs;     /* DTCI_NCCL_FLAT_NVLS ... */
  uint32_t algorithms;  /* bit of each algorithm that exists */
  double base[DTCI_NCCL_ALGORITHMS][DTCI_NCCL_PROTOCOLS];
  double hop[DTCI_NCCL_LINKS][DTCI_NCCL_ALGORITHMS][DTCI_NCCL_PROTOCOLS];
  double ll[DTCI_NCCL_GENERATIONS][DTCI_NCCL_SCALES]; /* on several nodes row 1 is AMD's hosts, row 0 any other */
  double ring_ll128[DTCI_NCCL_GENERATIONS];
  double tree[DTCI_NCCL_GENERATIONS][DTCI_NCCL_SCALES];
  double tree_ll128[DTCI_NCCL_GENERATIONS][DTCI_NCCL_SCALES];
  double nvls_tree[DTCI_NCCL_GENERATIONS][DTCI_NCCL_SCALES];
  double nvls_efficiency[DTCI_NCCL_GENERATIONS];
} dtci_nccl_constants;

extern const dtci_nccl_constants dtci_nccl_versions[]; /* ascending */
extern const size_t dtci_nccl_versions_count;

/* Corrections of a tree's bandwidth by the power of two of bytes / 64; 1 behind the last. */
enum { DTCI_NCCL_FACTORS = 24, DTCI_NCCL_TREE_FACTORS = 23 };
extern const double dtci_nccl_factors[DTCI_NCCL_PROTOCOLS][DTCI_NCCL_FACTORS];

/* The result of a search: channels, and GB/s of each. */
typedef struct dtci_nccl_graph {
  uint32_t channels;
  uint32_t pattern;
  double intra;
  double inter;
} dtci_nccl_graph;

typedef struct dtci_nccl_system {
  char name[24];
  char source[160];
  uint32_t since; /* first version whose search is known */
  uint32_t compute;
  dtc_nccl_cpu cpu;
  dtc_bool collnet;
  uint32_t searches; /* its rows in dtci_nccl_searches, several systems may share some */
  uint32_t per_node; /* all GPUs of a node */
} dtci_nccl_system;

typedef struct dtci_nccl_search {
  uint16_t system; /* value of dtci_nccl_system.searches */
  uint16_t per_node;
  uint16_t several; /* 0 one node, 1 more */
  uint16_t pad;
  uint32_t since;
  uint32_t until; /* first version that it does not hold for; 0 none */
  dtci_nccl_graph ring;
  dtci_nccl_graph tree;
  dtci_nccl_graph nvls;
  dtci_nccl_graph direct;
  dtci_nccl_graph chain;
} dtci_nccl_search;

extern const dtci_nccl_system dtci_nccl_systems[];
extern const size_t dtci_nccl_systems_count;
extern const dtci_nccl_search dtci_nccl_searches[];
extern const size_t dtci_nccl_searches_count;

/* Reads a caller's communicator into a local one, checks it and fills its defaults. */
dtc_status dtci_nccl_in(const dtc_nccl *user, dtc_nccl *local, dtc_error *e);

/* Constants of a version: the newest that is not above it; NULL when there is none. */
const dtci_nccl_constants *dtci_nccl_constants_of(dtc_release version);

/* An operation on a communicator. */
typedef struct dtci_nccl_job {
  const dtci_nccl_constants *constants;
  dtc_nccl n; /* resolved */
  dtc_collective op;
  uint32_t generation; /* row of the constants' tables */
  uint32_t scale;      /* column of them */
  uint32_t x86;
  double ranks;
  double per_node;
  double nodes_log2; /* floor */
} dtci_nccl_job;

/* Prepares a resolved communicator for an operation. */
dtc_status dtci_nccl_begin(const dtc_nccl *n, dtc_collective op, dtci_nccl_job *job, dtc_error *e);

/* Rows of the table; us and GB/s. Returns how many. */
size_t dtci_nccl_rows(const dtci_nccl_job *job, dtc_nccl_row rows[DTC_NCCL_ROWS]);

/* us of a corrected row. */
double dtci_nccl_time(const dtc_nccl_row *corrected, uint64_t bytes);
/* The corrected row that NCCL takes for a size. */
dtc_nccl_row dtci_nccl_best(const dtci_nccl_job *job, uint64_t bytes);
/* Channels that an algorithm and protocol use for a size. */
uint64_t dtci_nccl_channels(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol,
                            uint64_t bytes);

/* A walk over ranges of sizes with one choice. */
typedef struct dtci_nccl_walk {
  dtc_nccl_row rows[DTC_NCCL_ROWS];      /* of the table */
  dtc_nccl_row corrected[DTC_NCCL_ROWS]; /* for the piece of sizes in which no correction changes */
  size_t n;
  uint64_t at;   /* where the next range is looked for */
  uint64_t end;  /* last size of the piece */
  uint64_t last; /* size of all */
  uint32_t left; /* bit of each row that was taken in this piece before */
  uint32_t algorithm;
  uint32_t protocol; /* of the range before */
  uint32_t done;
} dtci_nccl_walk;

void dtci_nccl_walk_from(const dtci_nccl_job *job, uint64_t first, uint64_t last, dtci_nccl_walk *w);
/* The next range; 0 when there is none. */
int dtci_nccl_next(const dtci_nccl_job *job, dtci_nccl_walk *w, dtc_nccl_range *range);

#endif
