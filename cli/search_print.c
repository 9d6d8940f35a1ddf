/* dtcore plan: the answer in words and pictures. */
#include "search.h"

#include "fields.h"
#include "plan_short.h"
#include "step.h"
#include "table.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES = 3, SHORT_BAR = 8, PLAN_ROOM = 60 };

/* ---- the space --------------------------------------------------------------------------------------------------- */

void search_print_space(const cli *c, const search_question *q)
{
  print_model(c, &q->model);
  print_cluster(c, &q->cluster);
  print_line(c, MSG_SEARCH_SIZE, text_thousands(q->size).s);
  for (dtc_space_axis axis = 0; axis < DTC_SPACE_AXES; axis++) {
    uint64_t values[AXIS_VALUES];
    size_t count = search_axis(q, axis, values);
    char line[8192];
    char list[8000] = "";
    for (size_t i = 0; i < count; i++) {
      const char *word = search_axis_word(axis, values[i]);
      list_add(c, list, sizeof list, word != NULL ? word : text_u64(values[i]).s);
    }
    snprintf(line, sizeof line, "  %-18s %s", search_axis_name(axis), list);
    text_wrap(line, 21);
  }
}

/* ---- how far the search came ------------------------------------------------------------------------------------- */

static void print_counts(const cli *c, const search_question *q)
{
  const dtc_search *s = &q->sum;
  char line[1024];
  write_line(c, line, sizeof line, MSG_SEARCH_COUNTS, text_thousands(s->tried).s, text_thousands(q->size).s,
             text_thousands(s->same).s, text_thousands(s->illegal).s, text_thousands(s->unknown).s,
             text_thousands(s->over).s, text_thousands(s->fit).s);
  text_wrap(line, 2);
  if (q->done < q->size && q->done != 0)
    print_line(c, MSG_SEARCH_INDICES, text_u64(q->first).s, text_u64(q->first + q->done - 1).s);
  if (q->done < q->number)
    print_line(c, MSG_SEARCH_STOPPED, text_u64(q->first + q->done).s, text_u64(q->number - q->done).s);
}

/* ---- the best ---------------------------------------------------------------------------------------------------- */

static bool is_varied(uint32_t id)
{
  const uint32_t follows[] = {DTC_FIELD(plan, dp), DTC_FIELD(plan, recompute_method), DTC_FIELD(plan, account_loss),
                              DTC_FIELD(plan, account_embedding), DTC_FIELD(plan, last_layers)};
  for (size_t i = 0; i < sizeof follows / sizeof *follows; i++) {
    if (follows[i] == id)
      return true;
  }
  for (dtc_space_axis axis = 0; axis < DTC_SPACE_AXES; axis++) {
    if (strcmp(search_axis_name(axis), dtc_field_name(id)) == 0)
      return true;
  }
  return false;
}

/* What a plan says of the axes, behind "dtcore:"; the rest is the same in all. */
static const char *varied_words(const search_question *q, const dtc_cluster *cluster, const dtc_plan *plan,
                                char out[PLAN_LINE])
{
  field fields[MAX_FIELDS];
  dtc_plan shown = plan_shorten(&q->model.model, cluster, plan);
  size_t n = fields_of(DTC_STRUCT_plan, fields);
  size_t len = 0;
  dtc_error err;
  DTC_INIT(&err);
  for (size_t i = 0; i < n; i++) {
    if (!is_varied(fields[i].id))
      field_clear(&shown, &fields[i]);
  }
  if (dtc_plan_format(NULL, &shown, out, PLAN_LINE, &len, &err) != DTC_OK || len >= PLAN_LINE)
    snprintf(out, PLAN_LINE, "?");
  const char *words = strchr(out, ' ');
  return words != NULL ? words + 1 : out;
}

/* MFU, or tokens per second and GPU where no convention knows the model. */
static text speed_of(const search_plan *p)
{
  text t = text_rate(p->step.tokens_per_gpu_second);
  if (p->rate.mfu > 0)
    snprintf(t.s, sizeof t.s, "%.1f %%", p->rate.mfu * 100);
  return t;
}

/* A plan with more words than a line has room for goes on in the next. */
static void print_row(const cli *c, table *t, const search_question *q, size_t index)
{
  const search_plan *p = &q->plans[index];
  char line[PLAN_LINE];
  const char *words = varied_words(q, &q->cluster.cluster, &p->plan, line);
  table_cell(t, text_u64(index + 1).s);
  table_cell(t, text_seconds(p->found.seconds).s);
  table_cell(t, speed_of(p).s);
  table_cell(t, q->space.gpus_least != 0 ? text_u64(p->found.gpus).s : "");
  table_cell(t, text_gib(p->found.device).s);
  table_cell(t, bar_of(c, (double)p->found.device, (double)p->memory.capacity * BAR_WIDTH / SHORT_BAR).s);
  for (bool first = true; first || *words != 0; first = false) {
    size_t n = text_fits(words, PLAN_ROOM);
    char part[PLAN_LINE];
    for (size_t i = 0; !first && i + 1 < t->columns; i++)
      table_cell(t, "");
    snprintf(part, sizeof part, "%.*s", (int)(n > 0 && words[n - 1] == ' ' ? n - 1 : n), words);
    table_cell(t, part);
    words += n;
  }
}

static void print_table(const cli *c, const search_question *q)
{
  const msg head[] = {MSG_EMPTY,      MSG_TIME_SECONDS, q->plans[0].rate.mfu > 0 ? MSG_SEARCH_MFU : MSG_SEARCH_TOKENS,
                      MSG_GPUS,       MSG_MEMORY_GIB,   MSG_EMPTY,
                      MSG_SEARCH_PLAN};
  table t = table_new("rrrrrll");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < q->count; i++)
    print_row(c, &t, q, i);
  puts("");
  table_print(c, &t, 2);
}

/* ---- against another --------------------------------------------------------------------------------------------- */

typedef struct change {
  const char *name;
  double more; /* than the other */
} change;

static double size_of(double v)
{
  return v < 0 ? -v : v;
}

static int larger_first(const void *a, const void *b)
{
  double left = size_of(((const change *)a)->more);
  double right = size_of(((const change *)b)->more);
  return left < right ? 1 : left > right ? -1 : 0;
}

/* "pipeline bubble -120 ms, waiting for the host +20 ms": the largest of the changes. */
static void list_changes(const cli *c, change *changes, size_t count, bool bytes, char *out, size_t cap)
{
  qsort(changes, count, sizeof *changes, larger_first);
  *out = 0;
  for (size_t i = 0; i < count && i < CHANGES && size_of(changes[i].more) > 0; i++) {
    char one[256];
    double size = size_of(changes[i].more);
    text number = bytes ? text_gib((uint64_t)size) : text_seconds(size);
    write_line(c, one, sizeof one, MSG_SEARCH_CHANGE, changes[i].name, changes[i].more < 0 ? "-" : "+", number.s);
    list_add(c, out, cap, one);
  }
}

static void print_time_ahead(const cli *c, const search_question *q, size_t index)
{
  const search_plan *best = &q->plans[0];
  const search_plan *other = &q->plans[index];
  change changes[STEP_ITEMS];
  char list[512];
  char line[768];
  double less = other->found.seconds - best->found.seconds;
  for (size_t i = 0; i < STEP_ITEMS; i++)
    changes[i] = (change){say(c, step_items[i].name), step_item_seconds(&best->step, &step_items[i]) -
                                                          step_item_seconds(&other->step, &step_items[i])};
  list_changes(c, changes, STEP_ITEMS, false, list, sizeof list);
  write_line(c, line, sizeof line, less < 0 ? MSG_SEARCH_BEHIND : MSG_SEARCH_AHEAD, text_u64(index + 1).s,
             text_seconds(size_of(less)).s, list);
  text_wrap(line, 2);
}

static void print_memory_ahead(const cli *c, const search_question *q, size_t index)
{
  const search_plan *best = &q->plans[0];
  const search_plan *other = &q->plans[index];
  change changes[MEMORY_ITEMS];
  char list[512];
  char line[768];
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    changes[i] =
        (change){say(c, memory_items[i].name), (double)memory_item_bytes(&best->memory, &memory_items[i]) -
                                                   (double)memory_item_bytes(&other->memory, &memory_items[i])};
  list_changes(c, changes, MEMORY_ITEMS, true, list, sizeof list);
  write_line(c, line, sizeof line, MSG_SEARCH_SMALLER, text_u64(index + 1).s,
             text_gib(other->found.device - best->found.device).s, list);
  text_wrap(line, 2);
}

/* Against the first plan that is not as good. */
static void print_ahead(const cli *c, const search_question *q)
{
  size_t next = 1;
  while (next < q->count && q->plans[next].found.value <= q->plans[0].found.value)
    next++;
  if (next == 2)
    print_line(c, MSG_SEARCH_EQUAL_ONE);
  else if (next > 2)
    print_line(c, MSG_SEARCH_EQUAL, text_u64(next).s);
  if (next == q->count)
    return;
  if (q->space.objective == DTC_OBJECTIVE_MEMORY)
    print_memory_ahead(c, q, next);
  else
    print_time_ahead(c, q, next);
}

static void print_plan(const cli *c, const search_question *q, const dtc_plan *plan)
{
  char line[PLAN_LINE];
  dtc_plan shown = plan_shorten(&q->model.model, &q->cluster.cluster, plan);
  plan_line(&q->model, &shown, line);
  puts(line);
  print_line(c, MSG_WORLD, text_u64(plan->tp * plan->cp * plan->pp * plan->dp).s, text_u64(plan->tp).s,
             text_u64(plan->cp).s, text_u64(plan->pp).s, text_u64(plan->dp).s);
}

/* The step as `dtcore step` shows it. */
static void print_step(const cli *c, const search_question *q, const search_plan *best)
{
  static step_question s; /* holds a path and findings: large */
  s.model = q->model;
  s.cluster = q->cluster;
  s.plan.plan = s.resolved = best->plan;
  s.convention = DTC_FLOPS_MEGATRON;
  s.step = best->step;
  DTC_INIT(&s.params);
  if (dtc_step_resolve(&q->model.model, &q->cluster.cluster, &best->plan, NULL, &s.params, NULL) == DTC_OK)
    step_print_estimate(c, &s);
}

static void print_best(const cli *c, const search_question *q)
{
  const search_plan *best = &q->plans[0];
  print_line(c, MSG_SEARCH_BEST, text_u64(best->found.gpus).s);
  print_plan(c, q, &best->plan);
  if (q->space.objective == DTC_OBJECTIVE_MEMORY)
    print_memory(c, &best->memory);
  else
    print_step(c, q, best);
  print_verdict(c, best->memory.device, best->memory.capacity);
  print_ahead(c, q);
}

/* ---- nothing fits ------------------------------------------------------------------------------------------------ */

static const struct {
  msg name;
  msg no_help;
} kinds[SEARCH_KINDS + 1] = {
    [DTC_SEARCH_KIND_RECOMPUTE] = {MSG_SEARCH_BY_RECOMPUTE, MSG_SEARCH_NO_HELP},
    [DTC_SEARCH_KIND_SHARDING] = {MSG_SEARCH_BY_SHARDING, MSG_SEARCH_NO_HELP},
    [DTC_SEARCH_KIND_OFFLOAD] = {MSG_SEARCH_BY_OFFLOAD, MSG_SEARCH_NO_HELP},
    [DTC_SEARCH_KIND_SEQ] = {MSG_SEARCH_BY_SEQ, MSG_SEARCH_NO_HELP_SEQ},
    [DTC_SEARCH_KIND_GPUS] = {MSG_SEARCH_BY_GPUS, MSG_SEARCH_NO_HELP_GPUS},
};

/* "twice the GPUs (16)" */
static void name_step(const cli *c, const search_question *q, const search_change *x, char *out, size_t cap)
{
  uint64_t gpus = x->cluster.nodes * x->cluster.gpus_per_node;
  switch (x->kind) {
  case DTC_SEARCH_KIND_OFFLOAD:
    write_line(c, out, cap, MSG_SEARCH_OFFLOAD, dtc_value_name(DTC_FIELD(plan, offload), x->plan.offload));
    break;
  case DTC_SEARCH_KIND_SEQ:
    write_line(c, out, cap, MSG_SEARCH_SEQ, text_thousands(x->plan.seq).s);
    break;
  case DTC_SEARCH_KIND_GPUS:
    write_line(c, out, cap, x->step == 1 ? MSG_SEARCH_TWICE : MSG_SEARCH_TIMES, text_thousands(gpus).s,
               text_thousands(gpus / q->cluster.gpus).s);
    break;
  default:
    snprintf(out, cap, "%s", say(c, kinds[x->kind].name));
  }
}

static void name_help(const cli *c, const search_question *q, const search_change *x, char *out, size_t cap)
{
  char step[256];
  char words[PLAN_LINE];
  name_step(c, q, x, step, sizeof step);
  write_line(c, out, cap, x->complete ? MSG_SEARCH_FITS : MSG_SEARCH_FITS_SO_FAR, step, text_seconds(x->seconds).s,
             varied_words(q, &x->cluster, &x->plan, words));
}

static void name_no_help(const cli *c, const search_change *x, char *out, size_t cap)
{
  const char *name = say(c, kinds[x->kind].name);
  const memory_item *item = memory_item_of(x->memory.largest);
  uint64_t most = x->kind == DTC_SEARCH_KIND_SEQ ? x->plan.seq : x->cluster.nodes * x->cluster.gpus_per_node;
  if (!x->known)
    write_line(c, out, cap, MSG_SEARCH_NO_HELP_LEGAL, name);
  else
    write_line(c, out, cap, kinds[x->kind].no_help, name, text_gib(x->memory.device).s,
               item == NULL ? "-" : say(c, item->name), text_thousands(most).s);
}

static void print_change(const cli *c, const search_question *q, const search_change *x)
{
  char line[PLAN_LINE + 512];
  char name[256];
  char why[1024];
  if (x->refused.status != DTC_OK) {
    dtc_error_format(&x->refused, c->lang, why, sizeof why);
    snprintf(name, sizeof name, "%s", say(c, kinds[x->kind].name));
    if (x->untimed)
      name_step(c, q, x, name, sizeof name);
    write_line(c, line, sizeof line, x->untimed ? MSG_SEARCH_NO_TIME : MSG_SEARCH_REFUSED, name, why);
  } else if (x->fits)
    name_help(c, q, x, line, sizeof line);
  else if (x->complete)
    name_no_help(c, x, line, sizeof line);
  else if (x->tried == 0)
    write_line(c, line, sizeof line, MSG_SEARCH_SKIPPED, say(c, kinds[x->kind].name));
  else
    write_line(c, line, sizeof line, MSG_SEARCH_NOT_ALL, say(c, kinds[x->kind].name), text_thousands(x->tried).s);
  text_wrap(line, 2);
}

static void print_none(const cli *c, const search_question *q)
{
  const search_least *l = &q->least;
  char why[1024];
  char line[PLAN_LINE];
  print_line(c, MSG_SEARCH_NONE, text_u64(q->cluster.gpus).s, q->cluster.name);
  if (!l->known) {
    if (l->refused.status == DTC_OK)
      return;
    dtc_error_format(&l->refused, c->lang, why, sizeof why);
    write_line(c, line, sizeof line, MSG_SEARCH_FIRST, text_u64(q->first).s, why);
    text_wrap(line, 2);
    return;
  }
  print_line(c, MSG_SEARCH_LEAST);
  print_plan(c, q, &l->plan);
  print_memory(c, &l->memory);
  print_verdict(c, q->space.surely == DTC_BOOL_ON ? l->memory.device_high : l->memory.device,
                l->memory.capacity > q->space.reserve ? l->memory.capacity - q->space.reserve : 1);
  if (l->refused.status != DTC_OK) {
    dtc_error_format(&l->refused, c->lang, why, sizeof why);
    write_line(c, line, sizeof line, MSG_SEARCH_UNTIMED, why);
    text_wrap(line, 2);
    return;
  }
  memory_print_remedies(c, &l->memory, l->remedies, l->remedy_count);
  for (size_t i = 0; i < q->change_count; i++)
    print_change(c, q, &q->changes[i]);
}

void search_print(const cli *c, const search_question *q)
{
  print_model(c, &q->model);
  print_cluster(c, &q->cluster);
  print_counts(c, q);
  if (q->count == 0) {
    print_none(c, q);
    return;
  }
  print_table(c, q);
  print_best(c, q);
}
