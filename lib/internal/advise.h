/* Traits of frameworks, the ways that advice looks at, and what weighs how much. */
#ifndef DTCI_ADVISE_H
#define DTCI_ADVISE_H

#include "internal/internal.h"
#include <dtcore/advise.h>

/* ---- lib/catalog/traits.c -------------------------------------------------------------------- */

typedef struct dtci_traits_row {
  char name[16];
  char source[224];
  dtc_traits traits;
} dtci_traits_row;

extern const dtci_traits_row dtci_traits[];
extern const uint32_t dtci_traits_count;

typedef struct dtci_note_row {
  char about[16]; /* name of a row of dtci_traits; empty: of several */
  char old_en[112];
  char old_zh[112];
  char en[256];
  char zh[256];
  char source[160];
  dtc_vendor vendor; /* whose GPUs it is about; default: all */
} dtci_note_row;

extern const dtci_note_row dtci_notes[];
extern const uint32_t dtci_notes_count;

/* ---- lib/catalog/advise_weights.c ------------------------------------------------------------ */

typedef struct dtci_reason_row {
  dtc_reason reason;
  int32_t weight[3]; /* by goal: what it adds to a score */
  char en[80];
  char zh[96];
} dtci_reason_row;

extern const dtci_reason_row dtci_reasons[];
extern const uint32_t dtci_reasons_count;

/* What a score has beside reasons, by goal. */
typedef struct dtci_score_row {
  double speed;  /* times the shortest step over its own */
  double code;   /* for each kind of change beyond flags */
  double work;   /* for each degree of effort beyond little */
  double beyond; /* for each kind or degree more than is wished */
} dtci_score_row;

extern const dtci_score_row dtci_scores[];

/* A way of training that is searched. */
typedef struct dtci_variant {
  dtc_framework framework;
  dtc_sharding sharding;
  uint32_t traits;    /* row of dtci_traits */
  uint32_t shardings; /* mask of a space */
  uint32_t splits;    /* 1: degrees beside dp are searched */
  uint32_t offloads;  /* mask of a space, where nothing fits without */
} dtci_variant;

enum { DTCI_VARIANTS = 8 };

extern const dtci_variant dtci_variants[];
extern const uint32_t dtci_variants_count;

#endif
