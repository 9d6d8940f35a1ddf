/* dtcore advise: which framework suits a model, a machine and its people. */
#include "advise.h"
#include "cmd.h"
#include "fields.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A wish that is a value of an enum. */
static int read_wish(const cli *c, const args *a, option_id id, uint32_t *to)
{
  const option *o = &options[id];
  const char *given = a->value[id];
  char list[256];
  *to = given == NULL ? 0 : value_find(o->field, given, strlen(given));
  if (given == NULL || *to != 0)
    return 0;
  value_list(c, o->field, list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, o->name, given, list);
}

static int read_wishes(const cli *c, const args *a, dtc_wishes *w)
{
  DTC_INIT(w);
  w->hidden = a->value[OPT_HIDDEN] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  return read_wish(c, a, OPT_GOAL, &w->goal) != 0 || read_wish(c, a, OPT_CODE, &w->code) != 0 ||
                 read_wish(c, a, OPT_WORK, &w->work) != 0 || read_wish(c, a, OPT_VENDOR, &w->vendor) != 0 ||
                 read_wish(c, a, OPT_IN_USE, &w->framework) != 0
             ? EXIT_BAD_INPUT
             : 0;
}

/* What dtc_framework_advise() looks for itself, or does not read. */
static const uint32_t sought[] = {DTC_FIELD(plan, framework),
                                  DTC_FIELD(plan, framework_version),
                                  DTC_FIELD(plan, sharding),
                                  DTC_FIELD(plan, tp),
                                  DTC_FIELD(plan, cp),
                                  DTC_FIELD(plan, pp),
                                  DTC_FIELD(plan, vpp),
                                  DTC_FIELD(plan, dp),
                                  DTC_FIELD(plan, dp_shard),
                                  DTC_FIELD(plan, ep),
                                  DTC_FIELD(plan, etp),
                                  DTC_FIELD(plan, sequence_parallel),
                                  DTC_FIELD(plan, schedule),
                                  DTC_FIELD(plan, micro_batch),
                                  DTC_FIELD(plan, accumulation),
                                  DTC_FIELD(plan, account_embedding),
                                  DTC_FIELD(plan, account_loss),
                                  DTC_FIELD(plan, p2p_overlap),
                                  DTC_FIELD(plan, moe_overlap),
                                  DTC_FIELD(plan, first_layers),
                                  DTC_FIELD(plan, last_layers),
                                  DTC_FIELD(plan, group),
                                  DTC_FIELD(plan, recompute),
                                  DTC_FIELD(plan, recompute_method),
                                  DTC_FIELD(plan, recompute_core_attn),
                                  DTC_FIELD(plan, recompute_mlp),
                                  DTC_FIELD(plan, recompute_layernorm),
                                  DTC_FIELD(plan, recompute_moe_act),
                                  DTC_FIELD(plan, recompute_mla_up_proj),
                                  DTC_FIELD(plan, recompute_moe),
                                  DTC_FIELD(plan, recompute_shared_experts),
                                  DTC_FIELD(plan, recompute_layers),
                                  DTC_FIELD(plan, recompute_distributed),
                                  DTC_FIELD(plan, transformer_engine),
                                  DTC_FIELD(plan, grad_fusion),
                                  DTC_FIELD(plan, attention_mask),
                                  DTC_FIELD(plan, defer_wgrad),
                                  DTC_FIELD(plan, offload),
                                  DTC_FIELD(plan, live),
                                  DTC_FIELD(plan, persistence),
                                  DTC_FIELD(plan, softmax_fp32),
                                  DTC_FIELD(plan, router_fp32),
                                  DTC_FIELD(plan, activation_fusion),
                                  DTC_FIELD(plan, whole_tensors),
                                  DTC_FIELD(plan, param_overlap),
                                  DTC_FIELD(plan, cuda_graph)};

static bool is_sought(uint32_t id)
{
  for (size_t i = 0; i < sizeof sought / sizeof *sought; i++)
    if (sought[i] == id)
      return true;
  return false;
}

static void note_ignored(advise_question *q)
{
  field fields[MAX_FIELDS];
  dtc_plan without = q->plan.plan;
  char line[PLAN_LINE];
  for (size_t i = fields_of(DTC_STRUCT_plan, fields); i-- > 0;)
    if (!is_sought(fields[i].id))
      field_clear(&without, &fields[i]);
  size_t len = 0;
  if (dtc_plan_format(NULL, &without, line, sizeof line, &len, NULL) != DTC_OK)
    *line = 0;
  const char *words = strncmp(line, "dtcore:", 7) == 0 ? line + 7 : line;
  snprintf(q->ignored, sizeof q->ignored, "%s", words + strspn(words, " "));
}

static int read(const cli *c, const args *a, advise_question *q)
{
  if (plan_arg_read(c, a, &q->plan) != 0 || model_arg_read(c, a, &q->plan, &q->model) != 0 ||
      cluster_arg_read(c, a, &q->cluster) != 0 || read_wishes(c, a, &q->wishes) != 0)
    return EXIT_BAD_INPUT;
  if (q->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model.name);
  if (!q->cluster.given)
    return fail(c, MSG_NEEDS_GPU);
  note_ignored(q);
  return q->cluster.gpus == 0 ? fail(c, MSG_SEARCH_GPUS) : 0;
}

static void note_plans(advise_question *q)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *cl = &q->cluster.cluster;
  for (size_t i = 0; i < q->count; i++) {
    dtc_plan *p = &q->plans[i];
    DTC_INIT(p);
    if (dtc_framework_advise_plan(m, cl, &q->plan.plan, &q->advice[i], p, NULL) != DTC_OK ||
        dtc_plan_resolve(m, cl, p, p, NULL) != DTC_OK)
      DTC_INIT(p);
  }
}

static int ask(const cli *c, advise_question *q)
{
  dtc_error err;
  uint64_t needed = 0;
  DTC_INIT(&err);
  if (dtc_framework_advise_scratch(&needed, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  uint64_t *scratch = grow(NULL, (size_t)needed * sizeof *scratch);
  dtc_status status = dtc_framework_advise(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->wishes, q->advice,
                                           ADVICE_MOST, &q->count, scratch, (size_t)needed, &err);
  free(scratch);
  if (status != DTC_OK)
    return fail_with(c, NULL, &err);
  note_plans(q);
  return 0;
}

int cmd_advise(const cli *c, const args *a)
{
  static advise_question q; /* holds a path: large */
  if (read(c, a, &q) != 0 || ask(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    advise_json(c, a, &q);
  else
    advise_print(c, &q);
  return q.advice[0].fits == DTC_BOOL_ON ? EXIT_YES : EXIT_NO;
}
