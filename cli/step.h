/* dtcore step: what cmd_step.c, step_simulate.c, step_calibrate.c and step_run.c find out, and step_print.c,
 * step_explain.c, step_run.c and step_json.c show. */
#ifndef STEP_H
#define STEP_H

#include "options.h"
#include "plan_arg.h"
#include "report.h"
#include "text.h"

enum { STEP_ITEMS = 17, STEP_TERMS = 192, STEP_FINDINGS = 64 };

/* An item of dtc_step. */
typedef struct step_item {
  dtc_step_item item;
  size_t colour; /* of its bar: compute, memory, host, messages, bubble, stragglers */
  msg name;
  msg attempt;   /* what makes it smaller */
  size_t offset; /* in dtc_step */
} step_item;

extern const step_item step_items[STEP_ITEMS]; /* in the order of their numbers, from 1 */
double step_item_seconds(const dtc_step *s, const step_item *item);
const char *step_item_key(dtc_step_item item); /* in JSON; NULL for none */

/* The order of the pipeline, run op by op. */
typedef struct step_simulated {
  bool asked;
  bool ran;
  bool only;       /* the schedule has no closed form: the estimate is this one */
  double makespan; /* of the pipeline, seconds */
  double bubble;   /* of it, the busiest rank waits, for messages too */
  double closed;   /* bubble and messages of the closed form */
  double seconds;  /* of the step with it */
} step_simulated;

/* What --measured and --nccl found. */
typedef struct step_calibrated {
  size_t steps;
  dtc_step_fitted fitted; /* factors of both rounds together */
  size_t points;          /* of --nccl */
  double messages;        /* factor on them from --nccl */
} step_calibrated;

typedef struct step_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_plan resolved;
  dtc_error findings[STEP_FINDINGS]; /* warnings */
  size_t finding_count;
  double measured; /* --seconds; 0 without */
  dtc_flops_convention convention;
  bool all_conventions;
  dtc_step_params params; /* resolved, and calibrated */
  dtc_step step;
  dtc_error refused; /* why there is no estimate beside --seconds; DTC_OK when there is one */
  dtc_memory memory;
  bool memory_known;
  dtc_step_term terms[STEP_TERMS];
  size_t term_count;
  step_simulated simulated;
  step_calibrated calibrated;
  dtc_run_call call; /* of --tokens; tokens 0 without */
  dtc_run run;
} step_question;

/* NULL when no GPU was named. */
const dtc_cluster *step_cluster(const step_question *q);

/* There is an estimate. */
bool step_known(const step_question *q);

/* What the answer is about: the measured step, else the estimated one. */
double step_seconds(const step_question *q);

/* Rates by a convention; false where it does not know the model. */
bool step_rates(const step_question *q, dtc_flops_convention convention, double seconds, dtc_step_rate *out);

/* ---- finding out: 0, or EXIT_BAD_INPUT with the reason printed ---------------------------------------------------- */

int step_calibrate(const cli *c, const args *a, step_question *q);
/* Runs the pipeline; the estimate is made of it when there is none. */
int step_simulate(const cli *c, step_question *q);
int step_run(const cli *c, const args *a, step_question *q);
/* The items as a table with a bar for each; and that as a file, --svg. */
picture step_items_picture(const cli *c, const step_question *q);
int step_picture(const cli *c, const char *path, const step_question *q);

/* ---- showing ------------------------------------------------------------------------------------------------------ */

void step_print(const cli *c, const step_question *q);
/* Time, rates, a bar for each item, what limits; all but the plan. */
void step_print_estimate(const cli *c, const step_question *q);
void step_print_terms(const cli *c, const step_question *q);
void step_print_run(const cli *c, const step_question *q);
void step_print_json(const cli *c, const args *a, const step_question *q);
void step_json(json *j, const dtc_step *s);
void step_json_run(json *j, const step_question *q);

/* "12.3 days", "8.7 hours", "31.0 min", "45.0 s". */
text step_span(const cli *c, double seconds);

/* "measured": what an estimate rests on. */
const char *step_confidence(const cli *c, dtc_confidence confidence);

#endif
