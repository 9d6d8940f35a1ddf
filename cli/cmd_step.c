/* dtcore step: how long a step takes, how fast that is, and what a whole run takes. */
#include "cmd.h"
#include "plan_legal.h"
#include "step.h"
#include "table.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

const dtc_cluster *step_cluster(const step_question *q)
{
  return q->cluster.given ? &q->cluster.cluster : NULL;
}

bool step_known(const step_question *q)
{
  return q->step.seconds > 0;
}

double step_seconds(const step_question *q)
{
  return q->measured > 0 ? q->measured : q->step.seconds;
}

bool step_rates(const step_question *q, dtc_flops_convention convention, double seconds, dtc_step_rate *out)
{
  DTC_INIT(out);
  return dtc_step_rates(&q->model.model, step_cluster(q), &q->plan.plan, convention, seconds, out, NULL) == DTC_OK;
}

/* ---- --softwares ------------------------------------------------------------------------------------------------- */

static int list_softwares(const cli *c, const args *a)
{
  size_t n = dtc_software_count();
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_array(&j, "softwares");
    for (size_t i = 0; i < n; i++) {
      json_object(&j, NULL);
      json_text(&j, "name", dtc_software_name(i));
      json_text(&j, "source", dtc_software_source(i));
      json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return EXIT_YES;
  }
  for (size_t i = 0; i < n; i++) {
    char line[512];
    snprintf(line, sizeof line, "%-20s %s", dtc_software_name(i), dtc_software_source(i));
    text_wrap(line, 21);
  }
  return EXIT_YES;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int read_software(const cli *c, const args *a, step_question *q)
{
  const char *given = a->value[OPT_SOFTWARE];
  char list[512];
  uint64_t index;
  dtc_error err;
  DTC_INIT(&err);
  if (given == NULL)
    return 0;
  if (dtc_software_find(given, &index, &err) != DTC_OK) {
    software_list(c, list, sizeof list);
    return fail_as(c, &err, MSG_UNKNOWN_VALUE, "software", given, list);
  }
  q->params.software = (uint32_t)index + 1;
  return 0;
}

static int read_flops(const cli *c, const args *a, step_question *q)
{
  const uint32_t field = DTC_FIELD(step_rate, convention);
  const char *given = a->value[OPT_FLOPS];
  char list[512];
  q->convention = DTC_FLOPS_MEGATRON;
  q->all_conventions = given != NULL && strcmp(given, "all") == 0;
  if (given == NULL || q->all_conventions)
    return 0;
  q->convention = value_find(field, given, strlen(given));
  if (q->convention != DTC_FLOPS_DEFAULT)
    return 0;
  value_list(c, field, list, sizeof list);
  list_add(c, list, sizeof list, "all");
  return fail(c, MSG_UNKNOWN_VALUE, "flops", given, list);
}

/* What has no use without another option. */
static int check_needs(const cli *c, const args *a)
{
  static const struct {
    option_id option;
    option_id needs;
  } needs[] = {{OPT_CHECKPOINT_WRITE, OPT_TOKENS},
               {OPT_RESTART, OPT_TOKENS},
               {OPT_RUN_INTERVAL, OPT_TOKENS},
               {OPT_PUE, OPT_TOKENS},
               {OPT_MTBF, OPT_TOKENS},
               {OPT_PRICE, OPT_TOKENS},
               {OPT_STORAGE_BANDWIDTH, OPT_TOKENS},
               {OPT_NCCL_OP, OPT_STEP_NCCL},
               {OPT_NCCL_GPUS, OPT_STEP_NCCL}};
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
    if (a->value[needs[i].option] != NULL && a->value[needs[i].needs] == NULL)
      return fail(c, MSG_OPTION_NEEDS, options[needs[i].option].name, options[needs[i].needs].name);
  }
  return 0;
}

static int read(const cli *c, const args *a, step_question *q)
{
  const char *seconds = a->value[OPT_SECONDS];
  q->simulated.asked = a->value[OPT_SIMULATE] != NULL;
  DTC_INIT(&q->params);
  DTC_INIT(&q->step);
  DTC_INIT(&q->refused);
  DTC_INIT(&q->memory);
  if (plan_arg_read(c, a, &q->plan) != 0 || model_arg_read(c, a, &q->plan, &q->model) != 0 ||
      cluster_arg_read(c, a, &q->cluster) != 0)
    return EXIT_BAD_INPUT;
  if (q->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model.name);
  if (seconds != NULL && !text_read_positive(seconds, &q->measured))
    return fail(c, MSG_BAD_VALUE, "seconds", seconds, options[OPT_SECONDS].value);
  if (!q->cluster.given && seconds == NULL)
    return fail(c, MSG_NEEDS_GPU);
  return check_needs(c, a) != 0 || read_software(c, a, q) != 0 || read_flops(c, a, q) != 0 ? EXIT_BAD_INPUT : 0;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static int explain(const cli *c, step_question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  if (!step_known(q) || q->simulated.only) /* step_simulate() has them */
    return 0;
  return dtc_step_terms(&q->model.model, step_cluster(q), &q->plan.plan, NULL, 0, &q->params, q->terms, STEP_TERMS,
                        &q->term_count, &err) == DTC_OK
             ? 0
             : fail_with(c, NULL, &err);
}

/* What the catalogue does not say of the machine, an option can. */
static int fail_estimate(const cli *c, const dtc_error *err)
{
  static const struct {
    uint32_t field;
    option_id option;
  } own[] = {{DTC_FIELD(cluster, host_bandwidth), OPT_HOST_BANDWIDTH},
             {DTC_FIELD(cluster, nvme_bandwidth), OPT_NVME_BANDWIDTH}};
  char why[1024];
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    const option *o = &options[own[i].option];
    if (err->field != own[i].field)
      continue;
    dtc_error_format(err, c->lang, why, sizeof why);
    return fail_as(c, err, MSG_TIME_GIVE, why, o->name, o->value);
  }
  return fail_with(c, NULL, err);
}

/* The closed form, or the simulation where there is none. What cannot be estimated can still be measured. */
static int estimate(const cli *c, const args *a, step_question *q)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *on = step_cluster(q);
  dtc_status status = dtc_step_resolve(m, on, &q->plan.plan, &q->params, &q->params, &q->refused);
  if (status == DTC_OK && step_calibrate(c, a, q) != 0)
    return EXIT_BAD_INPUT;
  if (status == DTC_OK)
    status = dtc_step_estimate(m, on, &q->plan.plan, NULL, 0, &q->params, &q->step, &q->refused);
  bool open = q->refused.rule == DTC_RULE_STEP_SCHEDULE || q->refused.rule == DTC_RULE_PIPE_CLOSED;
  if (status != DTC_OK && open) {
    q->simulated.only = true;
    return step_simulate(c, q);
  }
  if (status != DTC_OK)
    return q->measured > 0 ? 0 : fail_estimate(c, &q->refused);
  return q->simulated.asked && q->resolved.pp > 1 ? step_simulate(c, q) : 0;
}

/* A convention that was asked for must know the model. */
static int check_rates(const cli *c, const args *a, const step_question *q)
{
  dtc_step_rate rate;
  dtc_error err;
  DTC_INIT(&rate);
  DTC_INIT(&err);
  dtc_status status =
      dtc_step_rates(&q->model.model, step_cluster(q), &q->plan.plan, q->convention, step_seconds(q), &rate, &err);
  bool asked = a->value[OPT_FLOPS] != NULL && !q->all_conventions;
  return status == DTC_OK || (status == DTC_E_UNSUPPORTED && !asked) ? 0 : fail_with(c, NULL, &err);
}

int cmd_step(const cli *c, const args *a)
{
  static step_question q; /* holds a path, findings and terms: large */
  const char *svg = a->value[OPT_STEP_SVG];
  if (a->value[OPT_SOFTWARES] != NULL)
    return list_softwares(c, a);
  if (read(c, a, &q) != 0 || plan_legal(c, &q.model.model, step_cluster(&q), &q.plan.plan, q.findings, STEP_FINDINGS,
                                        &q.finding_count, &q.resolved) != 0)
    return EXIT_BAD_INPUT;
  if (q.cluster.given && estimate(c, a, &q) != 0)
    return EXIT_BAD_INPUT;
  q.memory_known = q.cluster.given && dtc_memory_estimate(&q.model.model, step_cluster(&q), &q.plan.plan, NULL, 0,
                                                          &q.memory, NULL) == DTC_OK;
  if (check_rates(c, a, &q) != 0 || explain(c, &q) != 0 || step_run(c, a, &q) != 0 ||
      (svg != NULL && step_picture(c, svg, &q) != 0))
    return EXIT_BAD_INPUT;
  if (c->json) {
    step_print_json(c, a, &q);
    return EXIT_YES;
  }
  step_print(c, &q);
  if (a->value[OPT_STEP_EXPLAIN] != NULL)
    step_print_terms(c, &q);
  if (q.call.tokens > 0)
    step_print_run(c, &q);
  return EXIT_YES;
}
