/* dtcore plan: what cmd_plan.c, search_arg.c, search_run.c, search_found.c and search_change.c find out, and
 * search_print.c and search_json.c show. */
#ifndef SEARCH_H
#define SEARCH_H

#include "memory.h"
#include "plan_arg.h"
#include "report.h"

/* A plan that was found, looked at as `step` and `memory` do. */
typedef struct search_plan {
  dtc_found found;
  dtc_plan plan; /* resolved */
  dtc_memory memory;
  dtc_step step;
  dtc_step_rate rate; /* all 0 where no convention knows the model */
} search_plan;

/* When nothing fits. */
typedef struct search_least {
  bool known; /* some plan is legal, and its memory is modelled */
  dtc_plan plan;
  dtc_memory memory;
  dtc_memory_remedy remedies[MAX_REMEDIES]; /* those that make it fit */
  size_t remedy_count;
  dtc_error refused; /* why its time is not modelled where it fits; else what is wrong with the first plan, or DTC_OK */
} search_least;

/* A change of one kind, the smallest with which a plan fits. */
typedef struct search_change {
  dtc_search_kind kind;
  bool fits;
  bool complete;       /* all steps were searched, or those up to the one that fits */
  bool known;          /* some plan is legal, and its memory is modelled: */
  dtc_cluster cluster; /* of the step */
  uint64_t step;
  dtc_plan plan; /* the best that fits, else the one that needs least; resolved */
  dtc_memory memory;
  double seconds; /* of a step, when it fits */
  uint64_t tried;
  bool untimed;      /* the plan would fit, but its time is not modelled */
  dtc_error refused; /* why that is so, or why a step could not be searched; else status DTC_OK */
} search_change;

enum { SEARCH_KINDS = DTC_SEARCH_KIND_GPUS };

typedef struct search_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan; /* what is not varied */
  dtc_space space;
  uint64_t size;   /* plans of it */
  uint64_t first;  /* of those asked for */
  uint64_t number; /* how many */
  uint64_t done;   /* of them; less than `number` when the user has stopped it */
  dtc_search sum;
  dtc_found *best;
  size_t count;
  search_plan *plans; /* `count` */
  search_least least;
  search_change changes[SEARCH_KINDS]; /* of the kinds that there is something to change of */
  size_t change_count;                 /* 0 unless nothing of the whole space fits */
} search_question;

/* ---- finding out: 0, or EXIT_BAD_INPUT with the reason printed ---------------------------------------------------- */

/* The space that the options describe; `number` is all of it without --range. */
int search_arg_read(const cli *c, const args *a, search_question *q);
/* From here to the other an interrupt ends a search, and not the program. */
void search_listen(void);
void search_listen_end(void);
/* Searches the range, up to its end or an interrupt; search_run() also tells how long it took. */
dtc_status search_range(const cli *c, search_question *q, dtc_error *err);
int search_run(const cli *c, search_question *q);
/* A plan of the space, resolved, and its memory. */
dtc_status search_plan_at(const search_question *q, uint64_t index, dtc_plan *plan, dtc_memory *memory, dtc_error *err);
/* Of a plan that no search gives as one that fits: DTC_OK when it is too large, else why its time is not modelled. */
dtc_status search_timed(const search_question *q, const dtc_plan *plan, const dtc_memory *memory, dtc_error *err);
int search_look(const cli *c, search_question *q);
/* When nothing of the whole space fits: searches what dtc_search_change() makes of it. */
void search_changes(const cli *c, search_question *q);

/* Values of an axis, at most AXIS_VALUES; gives how many. */
enum { AXIS_VALUES = 256 };
size_t search_axis(const search_question *q, dtc_space_axis axis, uint64_t values[AXIS_VALUES]);
const char *search_axis_name(dtc_space_axis axis);
/* "full" of an axis whose values have names; NULL for a number. */
const char *search_axis_word(dtc_space_axis axis, uint64_t value);

/* ---- showing ------------------------------------------------------------------------------------------------------ */

void search_print_space(const cli *c, const search_question *q);
void search_print(const cli *c, const search_question *q);
void search_print_json(const cli *c, const args *a, const search_question *q);

#endif
