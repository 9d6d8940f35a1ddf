/* dtcore plan: the options of a space. */
#include "search.h"

#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* The field of the plan that an axis varies; the GPUs are the cluster's, and several fields split the layers. */
static const uint32_t axis_fields[DTC_SPACE_AXES] = {
    [DTC_SPACE_AXIS_TP] = DTC_FIELD(plan, tp),
    [DTC_SPACE_AXIS_CP] = DTC_FIELD(plan, cp),
    [DTC_SPACE_AXIS_EP] = DTC_FIELD(plan, ep),
    [DTC_SPACE_AXIS_ETP] = DTC_FIELD(plan, etp),
    [DTC_SPACE_AXIS_SEQUENCE_PARALLEL] = DTC_FIELD(plan, sequence_parallel),
    [DTC_SPACE_AXIS_MICRO_BATCH] = DTC_FIELD(plan, micro_batch),
    [DTC_SPACE_AXIS_RECOMPUTE] = DTC_FIELD(plan, recompute),
    [DTC_SPACE_AXIS_RECOMPUTE_LAYERS] = DTC_FIELD(plan, recompute_layers),
    [DTC_SPACE_AXIS_PP] = DTC_FIELD(plan, pp),
    [DTC_SPACE_AXIS_VPP] = DTC_FIELD(plan, vpp),
    [DTC_SPACE_AXIS_SCHEDULE] = DTC_FIELD(plan, schedule),
    [DTC_SPACE_AXIS_SHARDING] = DTC_FIELD(plan, sharding),
    [DTC_SPACE_AXIS_DP_SHARD] = DTC_FIELD(plan, dp_shard),
    [DTC_SPACE_AXIS_OFFLOAD] = DTC_FIELD(plan, offload),
};

const char *search_axis_name(dtc_space_axis axis)
{
  if (axis_fields[axis] != 0)
    return dtc_field_name(axis_fields[axis]);
  return axis == DTC_SPACE_AXIS_LAYERS ? "layers" : "gpus";
}

const char *search_axis_word(dtc_space_axis axis, uint64_t value)
{
  static const char *const layers[] = {[DTC_SPACE_LAYERS_EVEN] = "even",
                                       [DTC_SPACE_LAYERS_LOSS] = "loss",
                                       [DTC_SPACE_LAYERS_BOTH] = "both",
                                       [DTC_SPACE_LAYERS_LAST] = "last"};
  uint32_t field = axis_fields[axis];
  if (axis == DTC_SPACE_AXIS_LAYERS)
    return value < sizeof layers / sizeof *layers ? layers[value] : "?";
  if (field == 0 || value_count(field) == 0)
    return NULL;
  return value == 0 ? "none" : dtc_value_name(field, (uint32_t)value);
}

size_t search_axis(const search_question *q, dtc_space_axis axis, uint64_t values[AXIS_VALUES])
{
  size_t count = 0;
  dtc_status status = dtc_search_axis(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->space, axis, values,
                                      AXIS_VALUES, &count, NULL);
  return status == DTC_OK ? count : 0;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* "full,none" as a mask of values; "none" is bit 0 where no value has that name. */
static int read_mask(const cli *c, const args *a, option_id id, uint32_t *mask)
{
  const option *o = &options[id];
  const char *given = a->value[id];
  for (const char *at = given; at != NULL; at = *at == ',' ? at + 1 : NULL) {
    size_t len = strcspn(at, ",");
    uint32_t value = value_find(o->field, at, len);
    bool none = len == 4 && memcmp(at, "none", 4) == 0 && o->field == DTC_FIELD(plan, offload);
    if (value == 0 && !none) {
      char list[512];
      char word[64];
      value_list(c, o->field, list, sizeof list);
      if (o->field == DTC_FIELD(plan, offload))
        list_add(c, list, sizeof list, "none");
      snprintf(word, sizeof word, "%.*s", (int)len, at);
      return fail(c, MSG_UNKNOWN_VALUE, dtc_field_name(o->field), word, list);
    }
    *mask |= 1u << value;
    at += len;
  }
  return 0;
}

static int read_limits(const cli *c, const args *a, dtc_space *s)
{
  const struct {
    option_id option;
    uint64_t *to;
  } limits[] = {{OPT_GPUS_LEAST, &s->gpus_least},    {OPT_TP_MOST, &s->tp_most}, {OPT_CP_MOST, &s->cp_most},
                {OPT_EP_MOST, &s->ep_most},          {OPT_PP_MOST, &s->pp_most}, {OPT_VPP_MOST, &s->vpp_most},
                {OPT_MBS_MOST, &s->micro_batch_most}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    if (args_number(c, a, limits[i].option, 1, 0, limits[i].to) != 0)
      return EXIT_BAD_INPUT;
  }
  return args_number(c, a, OPT_TOP, 1, 5, &s->keep);
}

static int read_objective(const cli *c, const args *a, dtc_space *s)
{
  const uint32_t field = DTC_FIELD(space, objective);
  const char *given = a->value[OPT_OBJECTIVE];
  char list[256];
  s->objective = given == NULL ? DTC_OBJECTIVE_TIME : value_find(field, given, strlen(given));
  if (s->objective != DTC_OBJECTIVE_DEFAULT)
    return 0;
  value_list(c, field, list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, "objective", given, list);
}

static int read_reserve(const cli *c, const args *a, dtc_space *s)
{
  const char *given = a->value[OPT_RESERVE];
  return given == NULL || text_read_bytes(given, &s->reserve)
             ? 0
             : fail(c, MSG_BAD_VALUE, "reserve", given, options[OPT_RESERVE].value);
}

/* --range FIRST:COUNT */
static int read_range(const cli *c, const args *a, search_question *q)
{
  const char *given = a->value[OPT_RANGE];
  const char *colon = given == NULL ? NULL : strchr(given, ':');
  char first[32];
  q->number = q->size;
  if (given == NULL)
    return 0;
  snprintf(first, sizeof first, "%.*s", colon == NULL ? 0 : (int)(colon - given), given);
  if (colon == NULL || !text_read_u64(first, &q->first) || !text_read_u64(colon + 1, &q->number) || q->number == 0)
    return fail(c, MSG_BAD_VALUE, "range", given, options[OPT_RANGE].value);
  if (q->first >= q->size || q->number > q->size - q->first)
    return fail(c, MSG_SEARCH_RANGE, given, text_u64(q->size).s);
  return 0;
}

int search_arg_read(const cli *c, const args *a, search_question *q)
{
  dtc_space *s = &q->space;
  dtc_error err;
  DTC_INIT(s);
  DTC_INIT(&err);
  s->recompute_layers = a->value[OPT_RECOMPUTE_LAYERS] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  s->dp_split = a->value[OPT_DP_SPLIT] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  s->surely = a->value[OPT_SURELY] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  if (read_objective(c, a, s) != 0 || read_limits(c, a, s) != 0 || read_reserve(c, a, s) != 0 ||
      read_mask(c, a, OPT_SHARDINGS, &s->shardings) != 0 || read_mask(c, a, OPT_RECOMPUTES, &s->recomputes) != 0 ||
      read_mask(c, a, OPT_SCHEDULES, &s->schedules) != 0 || read_mask(c, a, OPT_OFFLOADS, &s->offloads) != 0)
    return EXIT_BAD_INPUT;
  if (dtc_search_size(&q->model.model, &q->cluster.cluster, &q->plan.plan, s, &q->size, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return read_range(c, a, q);
}
