/* A space of plans, and what is kept from plan to plan while it is walked. */
#ifndef DTCI_SEARCH_H
#define DTCI_SEARCH_H

#include "internal/step.h"
#include <dtcore/search.h>

enum { DTCI_AXIS_VALUES = 256, DTCI_SPACE_VALUES = 1024 };

/* A space, axis by axis. Plans that share the digits up to an axis lie `stride` of it beside each other. */
typedef struct dtci_space {
  dtci_case base; /* resolved model and cluster, the caller's plan with its framework */
  dtc_space asked;
  uint64_t size;
  uint64_t stride[DTC_SPACE_AXES];
  uint32_t first[DTC_SPACE_AXES + 1]; /* of an axis in value */
  uint32_t value[DTCI_SPACE_VALUES];  /* GPUs in nodes */
} dtci_space;

/* The order of plans: by value, equal ones by index. */
static inline int dtci_before(const dtc_found *a, const dtc_found *b)
{
  return a->value != b->value ? a->value < b->value : a->index < b->index;
}

/* ---- lib/catalog/search_spaces.c ------------------------------------------------------------- */

/* What a framework is searched over, as masks. */
typedef struct dtci_space_row {
  uint32_t shardings;
  uint32_t schedules;
  uint32_t recomputes;
} dtci_space_row;

/* By dtc_framework. */
extern const dtci_space_row dtci_spaces[];

/* ---- lib/search_axes.c ----------------------------------------------------------------------- */

/* Reads the caller's case and writes the axes out. */
dtc_status dtci_space_of(dtci_space *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                         const dtc_space *space, dtc_error *e);
/* The same, before the axes are written out. */
dtc_status dtci_space_in(dtci_space *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                         const dtc_space *space, dtc_error *e);
/* Masks of the framework's own, where the caller's are 0. */
uint32_t dtci_space_shardings(const dtci_space *s);
uint32_t dtci_space_recomputes(const dtci_space *s);
uint32_t dtci_space_offloads(const dtci_space *s);
static inline uint32_t dtci_axis_count(const dtci_space *s, uint32_t axis)
{
  return s->first[axis + 1] - s->first[axis];
}
/* A value as dtc_search_axis() gives it. */
static inline uint64_t dtci_axis_value(const dtci_space *s, uint32_t axis, uint32_t digit)
{
  uint64_t value = s->value[s->first[axis] + digit];
  return axis == DTC_SPACE_AXIS_GPUS ? value * s->base.cluster.gpus_per_node : value;
}
/* Sets the fields of the axes from `from` on, and dp. */
void dtci_space_set(const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES], uint32_t from, dtc_plan *p);
void dtci_space_digits(const dtci_space *s, uint64_t index, uint32_t digit[DTC_SPACE_AXES]);

/* ---- lib/search_rules.c ---------------------------------------------------------------------- */

enum { DTCI_RULES_MOST = 320, DTCI_VERDICTS = 1 << 16, DTCI_VERDICTS_OF_PART = 1 << 15 };

/* What is said of a plan. */
typedef uint8_t dtci_verdict;
enum { DTCI_UNKNOWN, DTCI_HOLDS, DTCI_BROKEN, DTCI_SAME };

/* Rules with the same last axis. */
typedef struct dtci_sieve_part {
  uint32_t axes;    /* that they follow */
  uint32_t plain;   /* 1: before them, has the axis' value an effect, and do the GPUs divide? */
  uint32_t verdict; /* the first one, .. */
  uint32_t kept;    /* .. 1: if they are kept, .. */
  uint32_t weights; /* .. by digits times weights */
  uint32_t base;    /* .. the sum of all but the fastest */
  uint32_t weight[DTC_SPACE_AXES];
  uint8_t axis[DTC_SPACE_AXES];
  uint16_t rule; /* its first one */
  uint16_t rules;
} dtci_sieve_part;

enum { DTCI_PARTS_MOST = 160 };

/* The rules about plans of a space. */
typedef struct dtci_sieve {
  uint32_t parts;
  uint16_t first[DTC_SPACE_AXES + 2]; /* parts by the last axis that their rules follow */
  uint16_t rule[DTCI_RULES_MOST];     /* index in dtci_rules */
  dtci_sieve_part part[DTCI_PARTS_MOST];
  dtci_verdict verdict[DTCI_VERDICTS];
} dtci_sieve;

/* `any` is a plan of the space. */
dtc_status dtci_sieve_of(dtci_sieve *sieve, const dtci_space *s, const dtci_case *any, dtc_error *e);
/* To be called before others when slower digits than an axis' have moved. */
void dtci_sieve_enter(dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t axis);
/* What parts of an axis, from `part` on, are known to say of these digits: the first that does not hold, in *part. */
dtci_verdict dtci_sieve_known(const dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t axis,
                              uint32_t *part);
/* Keeps what a part says, and returns it. */
dtci_verdict dtci_sieve_keep(dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t part,
                             dtci_verdict verdict);
/* What it says of their plan before its rules, .. */
dtci_verdict dtci_sieve_plain(const dtci_sieve *sieve, const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES],
                              const dtc_plan *p, uint32_t part);
/* .. and what these say of the plan filled, with its traits. */
dtci_verdict dtci_sieve_judge(const dtci_sieve *sieve, const dtci_case *c, uint32_t part);
/* Copies the fields that follow this axis or a faster one. */
void dtci_varied_copy(dtc_plan *to, const dtc_plan *from, uint32_t axis);

#endif
