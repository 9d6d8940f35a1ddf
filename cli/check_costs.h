/* dtcore check: what a legal plan loses, and what each finding costs. */
#ifndef CHECK_COSTS_H
#define CHECK_COSTS_H

#include "cluster_arg.h"
#include "json_out.h"
#include "model_arg.h"

enum { COSTS_MOST = 32 };

/* A finding, the nearest plan without it, and what both come to. */
typedef struct check_cost {
  dtc_error finding;
  bool known; /* there is such a plan */
  dtc_plan next;
  dtc_advice cost;
} check_cost;

typedef struct check_costs {
  check_cost list[COSTS_MOST];
  size_t count;
  double ethernet; /* bytes/s of --ethernet */
} check_costs;

/* Findings about a legal plan on a machine; nothing where a size of it is not known. 0, or EXIT_BAD_INPUT. */
int check_costs_find(const cli *c, const args *a, const model_arg *m, const dtc_cluster *cluster, const dtc_plan *plan,
                     check_costs *out);
void check_costs_print(const cli *c, const dtc_plan *plan, const check_costs *l);
/* Into an array "losses". */
void check_costs_json(json *j, const cli *c, const model_arg *m, const check_costs *l);

#endif
