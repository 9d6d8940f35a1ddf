/* dtcore memory --explain: which formula gave which bytes. */
#include "memory.h"

#include "table.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

/* "always", the moments that a term is there, or that the allocator keeps it. */
static void moments_of(const cli *c, const memory_question *q, uint32_t mask, char *out, size_t cap)
{
  uint32_t all = 0;
  for (size_t i = 0; i < q->held_count; i++)
    all |= 1u << q->held[i].moment;
  snprintf(out, cap, "%s", mask == 1 ? say(c, MSG_POOL) : (mask & all) == all ? say(c, MSG_ALWAYS) : "");
  for (size_t i = 0; i < q->held_count && (mask & all) != all; i++)
    if ((mask >> q->held[i].moment & 1) != 0)
      list_add(c, out, cap, dtc_value_name(DTC_FIELD(memory, moment), q->held[i].moment));
}

/* "12.34  logits in fp32", and below it "131072 x 4 B / 8; loss, head". */
static void print_term(const cli *c, const memory_question *q, const dtc_memory_term *t)
{
  const char *words = dtc_memory_term_text(t->index, c->lang);
  char when[256];
  char line[512];
  moments_of(c, q, t->moments, when, sizeof when);
  printf("  %10s  %s\n", text_gib_small(t->bytes).s, words != NULL ? words : "?");
  snprintf(line, sizeof line, "              %s x %s B%s%s; %s", text_thousands(t->count).s, text_thousands(t->each).s,
           t->ranks > 1 ? " / " : "", t->ranks > 1 ? text_u64(t->ranks).s : "", when);
  text_wrap(line, 16);
}

/* What a layer of each kind keeps of one micro-batch, operator by operator. */
static void print_saved(const cli *c, const memory_question *q)
{
  table t = table_new("llr");
  size_t filled = 0;
  for (size_t i = 0; i < 3; i++)
    table_cell(&t, i == 1 ? say(c, MSG_OPERATOR) : i == 2 ? "MiB" : "");
  for (dtc_layer_kind kind = DTC_LAYER_KIND_DENSE; kind <= LAYER_KINDS; kind++) {
    dtc_ledger_row rows[OPERATORS];
    size_t count = 0;
    const char *name = layer_kind_name(kind);
    if (dtc_ledger_rows(&q->model.model, &q->resolved, kind, rows, OPERATORS, &count, NULL) != DTC_OK)
      continue; /* the model has no such layer */
    for (size_t i = 0; i < count; i++) {
      char mib[32];
      if (rows[i].saved == 0)
        continue;
      snprintf(mib, sizeof mib, "%.2f", (double)rows[i].saved / (1 << 20));
      table_cell(&t, name);
      table_cell(&t, dtc_value_name(DTC_FIELD(ledger_row, op), rows[i].op));
      table_cell(&t, mib);
      name = "";
      filled++;
    }
  }
  if (filled != 0)
    print_line(c, MSG_SAVED_TITLE);
  table_print(c, &t, 2);
}

void memory_print_terms(const cli *c, const memory_question *q)
{
  print_line(c, MSG_TERMS_TITLE, text_u64(q->told).s);
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    bool any = false;
    for (size_t k = 0; k < q->term_count; k++) {
      if (q->terms[k].item != memory_items[i].item)
        continue;
      if (!any)
        puts(say(c, memory_items[i].name));
      any = true;
      print_term(c, q, &q->terms[k]);
    }
  }
  print_saved(c, q);
}
