/* dtcore step: the answer in words and pictures. */
#include "step.h"

#include "plan_short.h"
#include "table.h"
#include "values.h"

#include <stdio.h>

const char *step_confidence(const cli *c, dtc_confidence confidence)
{
  static const msg names[] = {MSG_EMPTY, MSG_TIME_MEASURED_ON, MSG_TIME_RELATIVE, MSG_TIME_EXTRAPOLATED};
  return say(c, names[confidence < sizeof names / sizeof *names ? confidence : 0]);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* ", MFU 43.2 % (megatron), HFU 45.0 %"; "" where it is not known. */
static void mfu_of(const cli *c, const step_question *q, double seconds, char *out, size_t cap)
{
  dtc_step_rate r;
  char mfu[32];
  char hfu[32];
  *out = 0;
  if (!step_rates(q, q->convention, seconds, &r) || !(r.mfu > 0))
    return;
  snprintf(mfu, sizeof mfu, "%.1f", r.mfu * 100);
  snprintf(hfu, sizeof hfu, "%.1f", r.hfu * 100);
  write_line(c, out, cap, MSG_TIME_MFU, mfu, dtc_value_name(DTC_FIELD(step_rate, convention), q->convention), hfu);
}

static void print_speed(const cli *c, const step_question *q, msg id, double seconds, const char *range)
{
  const dtc_plan *p = &q->resolved;
  double tokens = (double)p->global_batch * (double)p->seq / seconds;
  double gpus = (double)p->tp * (double)p->cp * (double)p->pp * (double)p->dp;
  char mfu[128];
  char line[512];
  mfu_of(c, q, seconds, mfu, sizeof mfu);
  write_line(c, line, sizeof line, id, text_seconds(seconds).s, range, text_rate(tokens).s, text_rate(tokens / gpus).s,
             mfu);
  text_wrap(line, 2);
}

static void print_gap(const cli *c, const step_question *q)
{
  const dtc_step *s = &q->step;
  double gap = q->measured - s->seconds;
  bool more = gap >= 0;
  char line[512];
  write_line(c, line, sizeof line, more ? MSG_TIME_MORE : MSG_TIME_LESS, text_seconds(more ? gap : -gap).s,
             text_whole_percent((more ? gap : -gap) / s->seconds).s,
             say(c, q->measured > s->high  ? MSG_TIME_BEYOND
                    : q->measured < s->low ? MSG_TIME_BELOW
                                           : MSG_TIME_WITHIN));
  text_wrap(line, 2);
  if (more)
    text_wrap(say(c, MSG_TIME_ALONE_NOTE), 2);
}

static void print_limit(const cli *c, const step_question *q)
{
  const dtc_step *s = &q->step;
  char line[512];
  if (s->limit == DTC_STEP_ITEM_NONE || s->limit > STEP_ITEMS)
    return;
  const step_item *item = &step_items[s->limit - 1];
  double seconds = step_item_seconds(s, item);
  write_line(c, line, sizeof line, MSG_TIME_LIMIT, say(c, item->name), text_seconds(seconds).s,
             text_whole_percent(seconds / s->seconds).s, say(c, item->attempt));
  text_wrap(line, 2);
}

static void print_simulated(const cli *c, const step_question *q)
{
  const step_simulated *sim = &q->simulated;
  char line[512];
  if (sim->asked && !sim->ran)
    print_line(c, MSG_TIME_NO_PIPE);
  if (!sim->ran)
    return;
  write_line(c, line, sizeof line, MSG_TIME_SIMULATED, text_seconds(sim->makespan).s, text_seconds(sim->bubble).s,
             text_seconds(sim->seconds).s);
  text_wrap(line, 2);
  if (sim->only)
    write_line(c, line, sizeof line, MSG_TIME_ONLY, dtc_value_name(DTC_FIELD(plan, schedule), q->resolved.schedule));
  else
    write_line(c, line, sizeof line, MSG_TIME_CLOSED, text_seconds(sim->closed).s, text_seconds(q->step.seconds).s);
  text_wrap(line, 2);
}

static void print_factor(table *t, const cli *c, msg name, double factor)
{
  char n[32];
  snprintf(n, sizeof n, "x %.3g", factor);
  table_cell(t, say(c, name));
  table_cell(t, n);
}

static void print_calibrated(const cli *c, const step_question *q)
{
  const step_calibrated *k = &q->calibrated;
  table t = table_new("lr");
  char messages[32];
  snprintf(messages, sizeof messages, "%.3g", k->messages);
  if (k->points != 0)
    print_line(c, MSG_TIME_FIT_NCCL, text_u64(k->points).s, messages);
  if (k->steps == 0)
    return;
  print_line(c, MSG_TIME_FIT, text_u64(k->steps).s, text_whole_percent(k->fitted.before).s,
             text_whole_percent(k->fitted.after).s);
  table_cell(&t, "");
  table_cell(&t, "");
  print_factor(&t, c, MSG_TIME_FIT_PRODUCTS, k->fitted.products);
  print_factor(&t, c, MSG_TIME_ATTENTION, k->fitted.attention);
  print_factor(&t, c, MSG_TIME_FIT_MEMORY, k->fitted.memory);
  print_factor(&t, c, MSG_TIME_FIT_MESSAGES, k->fitted.communication);
  print_factor(&t, c, MSG_TIME_LAUNCH, k->fitted.host);
  table_print(c, &t, 2);
}

static void print_software(const cli *c, const step_question *q)
{
  size_t i = q->params.software - 1;
  print_line(c, MSG_TIME_SOFTWARE, dtc_software_name(i), step_confidence(c, q->step.confidence));
  print_source(c, dtc_software_source(i));
}

/* ---- --flops all -------------------------------------------------------------------------------------------------- */

static void print_conventions(const cli *c, const step_question *q)
{
  static const msg head[] = {MSG_TIME_CONVENTION, MSG_TIME_PFLOP, MSG_TIME_TFLOPS, MSG_TIME_MFU_HEAD,
                             MSG_TIME_HFU_HEAD};
  const uint32_t field = DTC_FIELD(step_rate, convention);
  table t = table_new("lrrrr");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  for (uint32_t v = 1; v <= value_count(field); v++) {
    dtc_step_rate r;
    char cells[4][32] = {"-", "", "", ""};
    if (step_rates(q, v, step_seconds(q), &r)) {
      snprintf(cells[0], sizeof cells[0], "%.4g", r.model_flops / 1e15);
      snprintf(cells[1], sizeof cells[1], "%.4g", r.flops_per_gpu_second / 1e12);
      snprintf(cells[2], sizeof cells[2], "%.1f", r.mfu * 100);
      snprintf(cells[3], sizeof cells[3], "%.1f", r.hfu * 100);
    }
    if (!step_cluster(q))
      cells[2][0] = cells[3][0] = 0;
    table_cell(&t, dtc_value_name(field, v));
    for (size_t i = 0; i < 4; i++)
      table_cell(&t, cells[i]);
  }
  puts("");
  table_print(c, &t, 2);
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static void print_plan(const cli *c, const step_question *q)
{
  const dtc_plan *p = &q->resolved;
  char line[PLAN_LINE];
  print_model(c, &q->model);
  if (q->cluster.given)
    print_cluster(c, &q->cluster);
  dtc_plan shown = plan_shorten(&q->model.model, step_cluster(q), p);
  plan_line(&q->model, &shown, line);
  puts(line);
  print_line(c, MSG_WORLD, text_u64(p->tp * p->cp * p->pp * p->dp).s, text_u64(p->tp).s, text_u64(p->cp).s,
             text_u64(p->pp).s, text_u64(p->dp).s);
  print_line(c, MSG_BATCH, text_u64(p->global_batch).s, text_u64(p->micro_batch).s, text_u64(p->dp).s,
             text_u64(p->accumulation).s);
}

static void print_warnings(const cli *c, const step_question *q)
{
  char warning[1024];
  for (size_t i = 0; i < q->finding_count; i++) {
    dtc_error_format(&q->findings[i], c->lang, warning, sizeof warning);
    print_line(c, MSG_WARNING, warning);
  }
  if (q->memory_known && q->memory.fits == DTC_BOOL_OFF) {
    write_line(c, warning, sizeof warning, MSG_TIME_NO_FIT, text_gib(q->memory.device).s,
               text_gib(q->memory.capacity).s);
    print_line(c, MSG_WARNING, warning);
  }
  if (q->refused.status != DTC_OK) {
    char line[1200];
    dtc_error_format(&q->refused, c->lang, warning, sizeof warning);
    write_line(c, line, sizeof line, MSG_TIME_REFUSED, warning);
    text_wrap(line, 2);
  }
}

void step_print_estimate(const cli *c, const step_question *q)
{
  char range[96];
  write_line(c, range, sizeof range, MSG_TIME_RANGE, text_seconds(q->step.low).s, text_seconds(q->step.high).s);
  print_speed(c, q, q->measured > 0 ? MSG_TIME_ESTIMATED : MSG_TIME_LINE_ONE, q->step.seconds, range);
  puts("");
  picture items = step_items_picture(c, q);
  picture_terminal(c, &items, stdout);
  picture_free(&items);
  puts("");
  if (q->resolved.pp > 1)
    print_line(c, MSG_TIME_SLOWEST, text_u64(q->step.stage).s);
  if (q->measured > 0)
    print_gap(c, q);
  print_limit(c, q);
  print_simulated(c, q);
  print_calibrated(c, q);
  print_software(c, q);
}

void step_print(const cli *c, const step_question *q)
{
  print_plan(c, q);
  print_warnings(c, q);
  puts("");
  if (q->measured > 0)
    print_speed(c, q, MSG_TIME_MEASURED, q->measured, "");
  if (step_known(q))
    step_print_estimate(c, q);
  if (q->all_conventions)
    print_conventions(c, q);
}
