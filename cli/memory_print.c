/* dtcore memory: the answer in words and pictures. */
#include "memory.h"

#include "plan_short.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 24, BAR = 66, BEST_REMEDIES = 3 };

const char *moment_text(const cli *c, dtc_moment moment)
{
  static const msg texts[] = {MSG_MOMENT_NONE, MSG_MOMENT_FORWARD,  MSG_MOMENT_FORWARDED, MSG_MOMENT_LOSS,
                              MSG_MOMENT_HEAD, MSG_MOMENT_BACKWARD, MSG_MOMENT_EXPERTS,   MSG_MOMENT_BOUNDARY,
                              MSG_MOMENT_END,  MSG_MOMENT_REDUCED,  MSG_MOMENT_STEP,      MSG_MOMENT_REST};
  return say(c, texts[moment < sizeof texts / sizeof *texts ? moment : 0]);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static dtc_stage stage_of(const memory_question *q, size_t stage)
{
  dtc_stage s;
  DTC_INIT(&s);
  if (dtc_plan_stage(&q->model.model, &q->plan.plan, stage, &s, NULL) != DTC_OK)
    s.layers = 0;
  return s;
}

/* "20", or "20+1" with a multi-token-prediction module. */
static text layers_of(const memory_question *q, size_t stage)
{
  dtc_stage s = stage_of(q, stage);
  text t = text_u64(s.layers);
  if (s.mtp_layers != 0)
    snprintf(t.s, sizeof t.s, "%" PRIu64 "+%" PRIu64, s.layers, s.mtp_layers);
  return t;
}

/* Last of the stages that need and hold the same as `first`; the worst one stands alone. */
static size_t equal_until(const memory_question *q, size_t first)
{
  dtc_stage held = stage_of(q, first);
  size_t last = first;
  for (size_t i = first + 1; i < q->stage_count && i != q->worst && first != q->worst; i++, last++) {
    dtc_memory same = q->stages[i];
    dtc_stage holds = stage_of(q, i);
    same.stage = q->stages[first].stage;
    if (memcmp(&same, &q->stages[first], sizeof same) != 0 || memcmp(&holds, &held, sizeof held) != 0)
      break;
  }
  return last;
}

/* "0 *" for the worst of several, "1-6" for equal ones. */
static text name_of(const memory_question *q, size_t first, size_t last)
{
  text t = text_u64(first);
  if (first == q->worst && q->stage_count > 1)
    snprintf(t.s, sizeof t.s, "%zu *", first);
  else if (last > first)
    snprintf(t.s, sizeof t.s, "%zu-%zu", first, last);
  return t;
}

static void stage_row(table *t, const memory_question *q, size_t first, size_t last)
{
  const dtc_memory *m = &q->stages[first];
  table_cell(t, name_of(q, first, last).s);
  table_cell(t, layers_of(q, first).s);
  table_cell(t, text_u64(m->in_flight).s);
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    uint64_t bytes = memory_item_bytes(m, &memory_items[i]);
    table_cell(t, bytes == 0 ? "" : text_gib(bytes).s);
  }
  table_cell(t, text_gib(m->allocated).s);
  table_cell(t, text_gib(m->reserved).s);
  table_cell(t, text_gib(m->device).s);
}

static void print_stages(const cli *c, const memory_question *q)
{
  static const msg last[] = {MSG_COL_ALLOCATED, MSG_COL_RESERVED, MSG_COL_DEVICE};
  table t = table_new("lrrrrrrrrrrrrr");
  table_cell(&t, say(c, MSG_STAGE));
  table_cell(&t, say(c, MSG_LAYERS));
  table_cell(&t, say(c, MSG_IN_FLIGHT));
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    table_cell(&t, say(c, memory_items[i].column));
  for (size_t i = 0; i < 3; i++)
    table_cell(&t, say(c, last[i]));
  for (size_t s = 0; s < q->stage_count;) {
    size_t end = equal_until(q, s);
    stage_row(&t, q, s, end);
    s = end + 1;
  }
  table_print(c, &t, 2);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A stacked bar: items in their colours, `rest` as dots; what a label has no room for is left out. */
static void stack(const cli *c, picture *p, size_t y, const char *label, const uint64_t items[MEMORY_ITEMS],
                  uint64_t rest, uint64_t whole)
{
  uint64_t sum = 0;
  size_t x = LABEL;
  picture_text(p, 0, y, label);
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    const char *name = say(c, memory_items[i].column);
    sum += items[i];
    size_t end = LABEL + (size_t)((double)sum / (double)whole * BAR + 0.5);
    if (end > x)
      picture_box(p, x, y, end - x, 1, i, text_width(name) <= end - x ? name : "");
    x = end > x ? end : x;
  }
  sum += rest;
  size_t end = LABEL + (size_t)((double)sum / (double)whole * BAR + 0.5);
  if (end > x)
    picture_empty(p, x, y, end - x, 1);
  picture_text(p, LABEL + BAR + 2, y, text_gib(sum).s);
}

/* The items' colours, two lines of four. */
static size_t legend(const cli *c, picture *p, size_t y)
{
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    picture_box(p, i % 4 * 24, y + i / 4, 23, 1, i, say(c, memory_items[i].name));
  return y + 3;
}

picture memory_picture(const cli *c, const memory_question *q)
{
  uint64_t capacity = q->stages[q->worst].capacity;
  uint64_t whole = q->stages[q->worst].device > capacity ? q->stages[q->worst].device : capacity;
  picture p = picture_new(q->model.name);
  size_t y = legend(c, &p, 0);
  char label[64];
  for (size_t s = 0; s < q->stage_count; y++) {
    size_t end = equal_until(q, s);
    const dtc_memory *m = &q->stages[s];
    uint64_t items[MEMORY_ITEMS];
    for (size_t i = 0; i < MEMORY_ITEMS; i++)
      items[i] = memory_item_bytes(m, &memory_items[i]);
    write_line(c, label, sizeof label, MSG_STAGE_LABEL, name_of(q, s, end).s);
    stack(c, &p, y, label, items, m->device - m->allocated, whole);
    s = end + 1;
  }
  const uint64_t none[MEMORY_ITEMS] = {0};
  if (capacity != 0)
    stack(c, &p, y, say(c, MSG_USABLE_LABEL), none, capacity, whole);
  return p;
}

void memory_print_moments(const cli *c, const memory_question *q)
{
  uint64_t whole = 0;
  table t = table_new("lrrrrrrrrr");
  print_line(c, MSG_MOMENTS_TITLE, text_u64(q->told).s);
  table_cell(&t, "");
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    table_cell(&t, say(c, memory_items[i].column));
  table_cell(&t, say(c, MSG_COL_ALLOCATED));
  for (size_t i = 0; i < q->held_count; i++) {
    const dtc_memory_held *h = &q->held[i];
    table_cell(&t, moment_text(c, h->moment));
    for (size_t k = 0; k < MEMORY_ITEMS; k++)
      table_cell(&t, held_item_bytes(h, &memory_items[k]) == 0 ? "" : text_gib(held_item_bytes(h, &memory_items[k])).s);
    table_cell(&t, text_gib(h->allocated).s);
    whole = h->allocated > whole ? h->allocated : whole;
  }
  table_print(c, &t, 2);
  picture p = picture_new(q->model.name);
  size_t y = legend(c, &p, 1);
  for (size_t i = 0; i < q->held_count && whole != 0; i++) {
    uint64_t items[MEMORY_ITEMS];
    for (size_t k = 0; k < MEMORY_ITEMS; k++)
      items[k] = held_item_bytes(&q->held[i], &memory_items[k]);
    stack(c, &p, y + i, moment_text(c, q->held[i].moment), items, 0, whole);
  }
  picture_terminal(c, &p, stdout);
  picture_free(&p);
}

/* ---- what would cut it ------------------------------------------------------------------------------------------- */

void memory_print_remedies(const cli *c, const dtc_memory *worst, const dtc_memory_remedy *remedies, size_t count)
{
  const memory_item *item = memory_item_of(worst->largest);
  table t = table_new("lrrrl");
  if (item != NULL)
    print_line(c, MSG_LARGEST_ITEM, say(c, item->name), text_gib(memory_item_bytes(worst, item)).s,
               text_whole_percent((double)memory_item_bytes(worst, item) / (double)worst->allocated).s);
  if (count == 0)
    return;
  table_cell(&t, say(c, MSG_REMEDY));
  table_cell(&t, say(c, MSG_SAVES));
  table_cell(&t, say(c, MSG_COL_DEVICE));
  table_cell(&t, say(c, MSG_GPUS));
  table_cell(&t, "");
  for (size_t i = 0; i < count && i < BEST_REMEDIES; i++) {
    const dtc_memory_remedy *r = &remedies[i];
    const char *word = dtc_value_name(r->field, r->value);
    char change[128];
    snprintf(change, sizeof change, "%s = %s", dtc_field_name(r->field),
             strcmp(word, "?") != 0 ? word : text_u64(r->value).s);
    table_cell(&t, change);
    table_cell(&t, text_gib(r->saved).s);
    table_cell(&t, text_gib(r->device).s);
    table_cell(&t, text_thousands(r->gpus).s);
    table_cell(&t, r->fits == DTC_BOOL_ON    ? say(c, MSG_WOULD_FIT)
                   : r->fits == DTC_BOOL_OFF ? say(c, MSG_TOO_LARGE)
                                             : "");
  }
  print_line(c, MSG_REMEDIES_TITLE);
  table_print(c, &t, 2);
}

static void print_host(const cli *c, const dtc_memory *m)
{
  if (m->host_node != 0)
    print_line(c, MSG_HOST_NODE, text_gib(m->host_node).s, text_gib(m->host).s);
  if (m->nvme != 0)
    print_line(c, MSG_NVME_RANK, text_gib(m->nvme).s);
}

void memory_print(const cli *c, const memory_question *q)
{
  const dtc_plan *p = &q->resolved;
  const dtc_memory *worst = &q->stages[q->worst];
  char line[PLAN_LINE];
  print_model(c, &q->model);
  if (q->cluster.given)
    print_cluster(c, &q->cluster);
  dtc_plan shown = plan_shorten(&q->model.model, memory_cluster(q), p);
  plan_line(&q->model, &shown, line);
  puts(line);
  print_line(c, MSG_WORLD, text_u64(p->tp * p->cp * p->pp * p->dp).s, text_u64(p->tp).s, text_u64(p->cp).s,
             text_u64(p->pp).s, text_u64(p->dp).s);
  for (size_t i = 0; i < q->finding_count; i++) {
    char warning[1024];
    dtc_error_format(&q->findings[i], c->lang, warning, sizeof warning);
    print_line(c, MSG_WARNING, warning);
  }
  print_line(c, MSG_PER_GPU);
  print_stages(c, q);
  if (q->stage_count > 1) {
    print_line(c, MSG_WORST_STAGE, text_u64(worst->stage).s);
    picture stages = memory_picture(c, q);
    puts("");
    picture_terminal(c, &stages, stdout);
    picture_free(&stages);
  }
  print_line(c, MSG_PEAK, moment_text(c, worst->moment), text_u64(worst->in_flight).s);
  print_memory(c, worst);
  print_host(c, worst);
  print_verdict(c, worst->device, worst->capacity);
  memory_print_remedies(c, worst, q->remedies, q->remedy_count);
}
