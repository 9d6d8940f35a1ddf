#include "fit.h"

#include "table.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *recompute_name(dtc_recompute mode)
{
  return dtc_value_name(DTC_FIELD(plan, recompute), mode);
}

/* A catalogue family has a name of its own; a user's own mix is named by its sharding. */
static const char *family_name(const cli *c, const fit_family *family)
{
  return family->name == MSG_FAMILY_OTHER ? dtc_value_name(DTC_FIELD(plan, sharding), family->sharding)
                                          : say(c, family->name);
}

static void print_activations(const cli *c, const fit_answer *f)
{
  print_line(c, MSG_ACTIVATIONS_TITLE, text_u64(f->base.micro_batch).s, text_u64(f->base.seq).s,
             text_u64(f->base.tp == 0 ? 1 : f->base.tp).s);
  table t = table_new(f->form_count == 1 ? "lrr" : "lrrrr");
  table_cell(&t, say(c, MSG_RECOMPUTE));
  for (size_t i = 0; i < f->form_count; i++) {
    for (size_t k = 0; k < FIT_ATTENTIONS; k++) {
      char head[64];
      snprintf(head, sizeof head, "%s %s", dtc_value_name(DTC_FIELD(plan, framework), f->forms[i]),
               dtc_value_name(DTC_FIELD(plan, attention), fit_attentions[k]));
      table_cell(&t, head);
    }
  }
  for (size_t r = 0; r < FIT_RECOMPUTES; r++) {
    table_cell(&t, recompute_name(fit_recomputes[r]));
    for (size_t i = 0; i < f->form_count; i++) {
      for (size_t k = 0; k < FIT_ATTENTIONS; k++)
        table_cell(&t, text_gib(f->activations[i][r][k]).s);
    }
  }
  table_print(c, &t, 2);
}

/* Why a cell is no answer; empty when it is one. */
static void print_reason(const cli *c, const fit_question *q, const fit_cell *cell, char out[128])
{
  const memory_item *item = memory_item_of(cell->fit.limit);
  *out = 0;
  if (cell->fit.gpus != 0 && !fit_cell_fits(q, cell))
    write_line(c, out, 128, MSG_MORE_THAN, text_u64(q->cluster.gpus).s);
  else if (cell->fit.gpus == 0 && item != NULL && cell->limit_bytes != 0)
    write_line(c, out, 128, MSG_STAYS_GIB, say(c, item->name), text_gib(cell->limit_bytes).s);
  else if (cell->fit.gpus == 0 && item != NULL)
    write_line(c, out, 128, MSG_STAYS, say(c, item->name));
}

static void fewest_row(const cli *c, const fit_question *q, table *t, const char *name, const fit_cell *cell)
{
  char reason[128];
  bool any = cell->fit.gpus != 0;
  print_reason(c, q, cell, reason);
  table_cell(t, name);
  table_cell(t, recompute_name(cell->plan.recompute));
  table_cell(t, any ? text_thousands(cell->fit.gpus).s : say(c, MSG_NEVER));
  table_cell(t, any ? text_thousands(cell->fit.nodes).s : "");
  table_cell(t, any ? text_layout(&cell->fit).s : "");
  table_cell(t, text_gib(cell->fit.device).s);
  table_cell(t, reason);
}

/* Full recomputation is shown where it needs fewer GPUs, and alone where nothing fits without it. */
static void print_fewest(const cli *c, const fit_question *q, const fit_answer *f)
{
  static const msg head[] = {MSG_SHARDING, MSG_RECOMPUTE, MSG_GPUS, MSG_NODES, MSG_LAYOUT, MSG_MEMORY_GIB, MSG_EMPTY};
  table t = table_new("llrrrrl");
  bool never = false;
  print_line(c, MSG_FEWEST_TITLE, text_gib(q->cluster.cluster.usable).s);
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t r = 0; r < f->row_count; r++) {
    const fit_cell *cells = f->rows[r].cells;
    const char *name = family_name(c, &f->rows[r].family);
    bool first = cells[0].fit.gpus != 0 || f->mode_count == 1;
    bool second = f->mode_count > 1 && (!first || (cells[1].fit.gpus != 0 && cells[1].fit.gpus < cells[0].fit.gpus));
    never = never || cells[f->mode_count - 1].fit.gpus == 0;
    if (first)
      fewest_row(c, q, &t, name, &cells[0]);
    if (second)
      fewest_row(c, q, &t, first ? "" : name, &cells[1]);
  }
  table_print(c, &t, 2);
  if (never)
    print_line(c, MSG_STAYS_NOTE);
}

/* "70b" in "llama-2-70b": the size that people call the model by. */
static void called_size(const char *name, char out[32])
{
  for (const char *s = name; *s != 0;) {
    size_t n = strcspn(s, "-_/ ");
    uint64_t params;
    snprintf(out, 32, "%.*s", (int)n, s);
    if (text_read_params(out, &params)) {
      for (char *p = out; *p != 0; p++)
        *p = (char)toupper((unsigned char)*p);
      return;
    }
    s += n + (s[n] != 0);
  }
  *out = 0;
}

static void print_difference(const cli *c, const fit_question *q, const fit_answer *f)
{
  char size[32];
  char each[32];
  called_size(q->model.name, size);
  snprintf(each, sizeof each, "%.4g", (double)f->per_param.total / (double)q->model.params);
  if (size[0] != 0 && f->per_param.total != 0)
    print_line(c, MSG_DIFFERENCE, size, q->model.name, text_thousands(q->model.params).s,
               dtc_value_name(DTC_FIELD(plan, framework), f->plan.framework), each);
}

static void print_best(const cli *c, const fit_question *q, const fit_answer *f)
{
  const dtc_plan *p = &f->plan;
  uint64_t gpus = p->tp * p->pp * p->dp * (p->cp == 0 ? 1 : p->cp);
  uint64_t per_node = q->cluster.cluster.gpus_per_node;
  char line[PLAN_LINE];
  print_line(c, MSG_GOOD_PLAN, text_u64(gpus).s, text_u64(gpus / per_node + (gpus % per_node != 0)).s,
             family_name(c, &f->best->family));
  plan_line(&q->model, p, line);
  printf("  %s\n", line);
  print_memory(c, &f->memory);
  print_verdict(c, f->memory.device, f->memory.capacity);
}

void fit_print(const cli *c, const fit_question *q, const fit_answer *f)
{
  print_model(c, &q->model);
  print_cluster(c, &q->cluster);
  print_activations(c, f);
  print_fewest(c, q, f);
  if (f->best == NULL) {
    if (q->cluster.gpus != 0)
      print_line(c, MSG_NOTHING_FITS_N, text_u64(q->cluster.gpus).s, q->cluster.name);
    else
      print_line(c, MSG_NOTHING_FITS, q->cluster.name);
    return;
  }
  print_best(c, q, f);
  print_difference(c, q, f);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_cell(json *j, const fit_question *q, const fit_family *family, const fit_cell *cell)
{
  const memory_item *item = memory_item_of(cell->fit.limit);
  json_object(j, NULL);
  json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), family->framework));
  json_text(j, "sharding", dtc_value_name(DTC_FIELD(plan, sharding), family->sharding));
  json_text(j, "recompute", recompute_name(cell->plan.recompute));
  json_bool(j, "fits", fit_cell_fits(q, cell));
  json_u64(j, "min_gpus", cell->fit.gpus);
  json_u64(j, "nodes", cell->fit.nodes);
  json_u64(j, "tp", cell->fit.tp);
  json_u64(j, "pp", cell->fit.pp);
  json_u64(j, "dp", cell->fit.dp);
  json_u64(j, "ep", cell->fit.ep);
  json_bool(j, "sequence_parallel", cell->fit.sequence_parallel == DTC_BOOL_ON);
  json_u64(j, "device", cell->fit.device);
  json_text(j, "limit", cell->fit.gpus == 0 && item != NULL ? item->key : NULL);
  json_u64(j, "limit_bytes", cell->limit_bytes);
  json_end(j);
}

static void json_activations(json *j, const fit_answer *f)
{
  json_array(j, "activations");
  for (size_t i = 0; i < f->form_count * FIT_RECOMPUTES * FIT_ATTENTIONS; i++) {
    size_t form = i / (FIT_RECOMPUTES * FIT_ATTENTIONS);
    size_t r = i / FIT_ATTENTIONS % FIT_RECOMPUTES;
    size_t k = i % FIT_ATTENTIONS;
    json_object(j, NULL);
    json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), f->forms[form]));
    json_text(j, "recompute", recompute_name(fit_recomputes[r]));
    json_text(j, "attention", dtc_value_name(DTC_FIELD(plan, attention), fit_attentions[k]));
    json_u64(j, "bytes", f->activations[form][r][k]);
    json_end(j);
  }
  json_end(j);
}

void fit_print_json(const args *a, const fit_question *q, const fit_answer *f)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_u64(&j, "micro_batch", f->base.micro_batch);
  json_u64(&j, "seq", f->base.seq);
  json_activations(&j, f);
  json_array(&j, "families");
  for (size_t r = 0; r < f->row_count; r++) {
    for (size_t m = 0; m < f->mode_count; m++)
      json_cell(&j, q, &f->rows[r].family, &f->rows[r].cells[m]);
  }
  json_end(&j);
  json_bool(&j, "fits", f->best != NULL);
  if (f->best == NULL) {
    json_null(&j, "plan");
    json_null(&j, "memory");
  } else {
    char line[PLAN_LINE];
    plan_line(&q->model, &f->plan, line);
    json_text(&j, "plan", line);
    json_memory(&j, "memory", &f->memory);
  }
  json_end(&j);
}
