/* dtcore step --explain: every term, by item. */
#include "step.h"

#include "table.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHAPE = 46 }; /* column of the shapes */

/* "8192 x 1024 x 8192", with " x 4" where several run as one. */
static text shape_of(const dtc_step_term *t)
{
  text out = {""};
  if (t->m == 0)
    return out;
  int n = snprintf(out.s, sizeof out.s, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, t->m, t->n, t->k);
  if (t->batch > 1 && n > 0)
    snprintf(out.s + n, sizeof out.s - (size_t)n, " (%" PRIu64 ")", t->batch);
  return out;
}

/* What it is, and its shape behind it: those without one are the long ones. */
static void first_cell(table *t, const char *words, const char *shape)
{
  char line[192];
  size_t width = text_width(words);
  int blanks = *shape == 0 ? 0 : width < SHAPE ? (int)(SHAPE - width) : 1;
  snprintf(line, sizeof line, "%s%*s%s", words, blanks, "", shape);
  table_cell(t, line);
}

static void term_row(const cli *c, table *t, const dtc_step_term *term)
{
  const char *words = dtc_step_term_text(term->index, c->lang);
  char line[128];
  char count[32];
  snprintf(line, sizeof line, " %s", words != NULL ? words : "?");
  snprintf(count, sizeof count, term->count < 10 ? "%.3g" : "%.0f", term->count);
  first_cell(t, line, shape_of(term).s);
  table_cell(t, text_seconds(term->each).s);
  table_cell(t, count);
  table_cell(t, text_seconds(term->seconds).s);
}

static void item_row(const cli *c, table *t, const step_question *q, const step_item *item)
{
  first_cell(t, say(c, item->name), "");
  table_cell(t, "");
  table_cell(t, "");
  table_cell(t, text_seconds(step_item_seconds(&q->step, item)).s);
}

void step_print_terms(const cli *c, const step_question *q)
{
  table t = table_new("lrrr");
  if (q->term_count == 0)
    return;
  print_line(c, MSG_TIME_TERMS_TITLE, text_u64(q->step.stage).s);
  first_cell(&t, say(c, MSG_TIME_TERM), say(c, MSG_TIME_SHAPE));
  table_cell(&t, say(c, MSG_EACH));
  table_cell(&t, say(c, MSG_COUNT_HEAD));
  table_cell(&t, say(c, MSG_TIME_SECONDS));
  for (size_t i = 0; i < STEP_ITEMS; i++) {
    bool any = false;
    for (size_t k = 0; k < q->term_count; k++) {
      if (q->terms[k].item != step_items[i].item)
        continue;
      if (!any)
        item_row(c, &t, q, &step_items[i]);
      any = true;
      term_row(c, &t, &q->terms[k]);
    }
  }
  table_print(c, &t, 2);
  puts(say(c, MSG_TIME_TERMS_NOTE));
}
