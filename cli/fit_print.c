#include "fit.h"

#include "table.h"
#include "text.h"
#include "values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A catalogue family has a name of its own; a user's own mix is named by its sharding. */
static const char *family_name(const cli *c, const fit_row *row)
{
  return row->family.name == MSG_FAMILY_OTHER ? dtc_value_name(DTC_FIELD(plan, sharding), row->cells[0].plan.sharding)
                                              : say(c, row->family.name);
}

static const char *recompute_name(dtc_recompute mode)
{
  return dtc_value_name(DTC_FIELD(plan, recompute), mode);
}

/* A line for each kind of recomputation, a column for each framework and attention. */
static void print_activations(const cli *c, const fit_answer *f)
{
  const fit_activation *a = f->activations;
  char align[TABLE_COLUMNS + 1] = "l";
  size_t columns = 0;
  print_line(c, MSG_ACTIVATIONS_TITLE, text_u64(f->base.micro_batch).s, text_u64(f->base.seq).s,
             text_u64(f->base.tp == 0 ? 1 : f->base.tp).s);
  while (columns < f->activation_count && columns + 1 < TABLE_COLUMNS && a[columns].recompute == a[0].recompute)
    align[++columns] = 'r';
  table t = table_new(align);
  table_cell(&t, say(c, MSG_RECOMPUTE));
  for (size_t i = 0; i < columns; i++) {
    char head[64];
    snprintf(head, sizeof head, "%s %s", dtc_value_name(DTC_FIELD(plan, framework), a[i].framework),
             dtc_value_name(DTC_FIELD(plan, attention), a[i].attention));
    table_cell(&t, head);
  }
  for (size_t i = 0; i < f->activation_count; i++) {
    if (i % columns == 0)
      table_cell(&t, recompute_name(a[i].recompute));
    table_cell(&t, text_gib(a[i].bytes).s);
  }
  table_print(c, &t, 2);
  print_line(c, MSG_ACTIVATIONS_NOTE);
}

/* Why a cell is no answer; empty when it is one. */
static void print_reason(const cli *c, const fit_question *q, const fit_cell *cell, char out[128])
{
  const memory_item *item = memory_item_of(cell->fit.limit);
  *out = 0;
  if (cell->fit.gpus != 0 && !fit_cell_fits(q, cell))
    write_line(c, out, 128, MSG_MORE_THAN, text_u64(q->cluster.gpus).s);
  else if (cell->fit.gpus == 0 && item != NULL)
    write_line(c, out, 128, MSG_STAYS, say(c, item->name), text_gib(cell->fit.limit_bytes).s);
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
  table_cell(t, any ? text_layout(&cell->plan).s : "");
  table_cell(t, text_gib(cell->fit.device).s);
  table_cell(t, reason);
}

/* Full recomputation is shown where it needs fewer GPUs, and alone where nothing fits without it. */
static void print_fewest(const cli *c, const fit_question *q, const fit_answer *f)
{
  static const msg head[] = {MSG_SHARDING, MSG_RECOMPUTE, MSG_GPUS, MSG_NODES, MSG_LAYOUT, MSG_MEMORY_GIB, MSG_EMPTY};
  table t = table_new("llrrrrl");
  bool never = false;
  bool even = false;
  print_line(c, MSG_FEWEST_TITLE, text_gib(q->cluster.cluster.usable).s);
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t r = 0; r < f->row_count; r++) {
    const fit_cell *cells = f->rows[r].cells;
    const char *name = family_name(c, &f->rows[r]);
    if (f->rows[r].refused.status != DTC_OK)
      continue;
    even = even || f->rows[r].family.framework == DTC_FRAMEWORK_MEGATRON;
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
  if (even)
    print_line(c, MSG_EVEN_NOTE);
}

/* True when an earlier row is refused for the same reason. */
static bool told(const fit_answer *f, size_t row)
{
  size_t r = 0;
  while (r < row && memcmp(&f->rows[r].refused, &f->rows[row].refused, sizeof f->rows[r].refused) != 0)
    r++;
  return r < row;
}

/* The families that cannot do what the user asks, and why: a line for each reason. */
static void print_refused(const cli *c, const fit_answer *f)
{
  bool any = false;
  for (size_t r = 0; r < f->row_count; r++) {
    const dtc_error *why = &f->rows[r].refused;
    char names[128] = "";
    char line[1024];
    if (why->status == DTC_OK || told(f, r))
      continue;
    if (!any)
      print_line(c, MSG_REFUSED_TITLE);
    any = true;
    for (size_t i = r; i < f->row_count; i++) {
      if (memcmp(&f->rows[i].refused, why, sizeof *why) == 0)
        list_add(c, names, sizeof names, family_name(c, &f->rows[i]));
    }
    dtc_error_format(why, c->lang, line, sizeof line);
    print_line(c, MSG_REFUSED, names, line);
  }
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

/* Only a name of the catalogue is one that people know the size of. */
static void print_difference(const cli *c, const model_arg *model)
{
  const char *slash = strrchr(model->name, '/'); /* behind a Hugging Face owner */
  const char *name = slash != NULL ? slash + 1 : model->name;
  char line[512];
  char size[32];
  called_size(name, size);
  if (size[0] == 0 || model->plan_name == NULL)
    return;
  write_line(c, line, sizeof line, MSG_DIFFERENCE, size, name);
  if (text_width(line) > TABLE_WIDTH)
    write_line(c, line, sizeof line, MSG_DIFFERENCE, size, say(c, MSG_THIS_MODEL));
  printf("\n%s\n", line);
}

/* "Largest micro-batch: 4 (5 needs 81.20 GiB: activations)" */
static void print_most(const cli *c, msg line, const dtc_max_setting *m)
{
  const memory_item *item = memory_item_of(m->limit);
  char next[128];
  if (m->next == 0 || item == NULL)
    write_line(c, next, sizeof next, MSG_MOST_ALL);
  else
    write_line(c, next, sizeof next, MSG_MOST_NEXT, text_thousands(m->next).s, text_gib(m->next_device).s,
               say(c, item->name));
  print_line(c, line, text_thousands(m->value).s, next);
}

static void print_best(const cli *c, const fit_question *q, const fit_answer *f)
{
  const dtc_plan *p = &f->plan;
  uint64_t gpus = p->tp * p->cp * p->pp * p->dp;
  uint64_t per_node = q->cluster.cluster.gpus_per_node;
  char line[PLAN_LINE];
  print_line(c, MSG_GOOD_PLAN, text_u64(gpus).s, text_u64(gpus / per_node + (gpus % per_node != 0)).s,
             family_name(c, f->best));
  plan_line(&q->model, &f->shown, line);
  printf("  %s\n", line);
  print_memory(c, &f->memory);
  print_verdict(c, f->memory.device, f->memory.capacity);
  print_line(c, MSG_MOST_TITLE);
  print_most(c, MSG_MOST_MBS, &f->micro_batch);
  print_most(c, MSG_MOST_SEQ, &f->seq);
}

void fit_print(const cli *c, const fit_question *q, const fit_answer *f)
{
  print_model(c, &q->model);
  print_cluster(c, &q->cluster);
  print_activations(c, f);
  print_fewest(c, q, f);
  print_refused(c, f);
  if (f->best == NULL) {
    if (q->cluster.gpus != 0)
      print_line(c, MSG_NOTHING_FITS_N, text_u64(q->cluster.gpus).s, q->cluster.name);
    else
      print_line(c, MSG_NOTHING_FITS, q->cluster.name);
    return;
  }
  print_best(c, q, f);
  print_difference(c, &q->model);
}
