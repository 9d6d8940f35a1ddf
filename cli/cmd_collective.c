/* dtcore collective: how long a collective takes, what bounds it, and what measured times say. */
#include "cmd.h"
#include "collective_nccl.h"
#include "collective_print.h"
#include "collective_runs.h"
#include "report.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

/* ---- one size ---------------------------------------------------------------------------------------------------- */

/* A size, and what is known about it. */
typedef struct sized {
  uint64_t bytes;
  dtc_collective_time time;
  bool chosen;
  dtc_nccl_choice choice;
} sized;

static int sized_read(const cli *c, const collective_arg *arg, const collective_nccl *n, uint64_t bytes, sized *out)
{
  dtc_collective_call call = arg->call;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->time);
  call.bytes = out->bytes = bytes;
  if (dtc_collective_estimate(&arg->cluster, &call, &out->time, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  out->chosen = collective_nccl_choose(n, arg, bytes, &out->choice);
  return 0;
}

/* The size for 80 % of the best busbw; false for what moves nothing. */
static bool size_for_most(const collective_arg *arg, uint64_t *bytes)
{
  return dtc_collective_size(&arg->cluster, &arg->call, 0.8, bytes, NULL) == DTC_OK;
}

/* Rounded up to a size that people use: three digits in binary. */
static text text_about(uint64_t bytes)
{
  uint64_t unit = 1;
  while (bytes / unit >= 1024)
    unit *= 1024;
  return text_binary((bytes + unit - 1) / unit * unit);
}

static void row(table *t, const char *name, const char *value)
{
  table_cell(t, name);
  table_cell(t, value);
}

static const char *gb_per_second(char out[160], double bytes)
{
  snprintf(out, 160, "%s GB/s", text_gb(bytes).s);
  return out;
}

static void size_text(const cli *c, const collective_arg *arg, const collective_nccl *n, const sized *s)
{
  const dtc_collective_time *e = &s->time;
  char line[160];
  uint64_t most;
  table t = table_new("ll");
  bool moves = e->algbw > 0;
  print_call(c, arg, s->bytes > 0 ? text_binary(s->bytes).s : "");
  row(&t, "", "");
  write_line(c, line, sizeof line, MSG_COLL_RANGE, text_seconds(e->seconds).s, text_seconds(e->low).s,
             text_seconds(e->high).s);
  row(&t, say(c, MSG_COLL_TIME), line);
  if (moves) {
    row(&t, "algbw", gb_per_second(line, e->algbw));
    row(&t, "busbw", gb_per_second(line, e->busbw));
  }
  if (moves && e->nodes > 1)
    row(&t, say(c, MSG_COLL_NIC), gb_per_second(line, e->nic_bandwidth));
  row(&t, say(c, MSG_COLL_BOUND), say_bound(c, e->bound));
  write_line(c, line, sizeof line, MSG_COLL_REACHED, text_seconds(e->lower_bound).s,
             text_whole_percent(e->seconds > 0 ? e->lower_bound / e->seconds : 1).s);
  if (moves)
    row(&t, say(c, MSG_COLL_LOWER), line);
  if (s->chosen) {
    write_line(c, line, sizeof line, MSG_COLL_CHANNELS, text_choice(&s->choice).s, text_u64(s->choice.channels).s,
               n->system);
    row(&t, say(c, MSG_COLL_NCCL), line);
  }
  if (moves && size_for_most(arg, &most))
    row(&t, say(c, MSG_COLL_MOST), text_about(most).s);
  row(&t, say(c, MSG_COLL_RESTS), say_confidence(c, e->confidence));
  table_print(c, &t, 2);
}

static void json_sized(json *j, const collective_nccl *n, const sized *s)
{
  const dtc_collective_time *e = &s->time;
  json_u64(j, "bytes", s->bytes);
  json_f64(j, "seconds", e->seconds);
  json_f64(j, "low", e->low);
  json_f64(j, "high", e->high);
  json_f64(j, "lower_bound", e->lower_bound);
  json_f64(j, "of_bound", e->seconds > 0 ? e->lower_bound / e->seconds : 1);
  json_f64(j, "algbw", e->algbw);
  json_f64(j, "busbw", e->busbw);
  json_f64(j, "nic_bandwidth", e->nic_bandwidth);
  json_text(j, "bound", dtc_value_name(DTC_FIELD(collective_time, bound), e->bound));
  json_text(j, "confidence", dtc_value_name(DTC_FIELD(collective_time, confidence), e->confidence));
  json_choice(j, "nccl", n->system, s->chosen ? &s->choice : NULL);
}

static void json_most(json *j, const collective_arg *arg)
{
  uint64_t most;
  if (size_for_most(arg, &most))
    json_u64(j, "size_for_80_percent", most);
  else
    json_null(j, "size_for_80_percent");
}

static int answer_size(const cli *c, const args *a, const collective_arg *arg, const collective_nccl *n)
{
  uint64_t bytes = 0;
  sized s;
  if (arg->call.op != DTC_COLLECTIVE_BARRIER && a->more_count == 0)
    return fail(c, MSG_NEEDS_SIZE);
  if (a->more_count > 0 && strcmp(a->more[0], "0") != 0 && !text_read_vector(a->more[0], &bytes))
    return fail(c, MSG_BAD_WORD, a->more[0], "256M, 1G, 4KiB");
  if (sized_read(c, arg, n, bytes, &s) != 0)
    return EXIT_BAD_INPUT;
  if (!c->json) {
    size_text(c, arg, n, &s);
    return EXIT_YES;
  }
  json j;
  json_start(&j, a->command);
  json_call(&j, arg);
  json_u64(&j, "nodes", s.time.nodes);
  json_sized(&j, n, &s);
  json_most(&j, arg);
  json_end(&j);
  return EXIT_YES;
}

/* ---- --curve ----------------------------------------------------------------------------------------------------- */

enum { FIRST = 10, LAST = 34, SIZES = LAST - FIRST + 1 }; /* 1 KiB to 16 GiB */

static void curve_text(const cli *c, const collective_arg *arg, const sized *list)
{
  static const msg head[] = {MSG_COLL_SIZE, MSG_COLL_TIME, MSG_COLL_BUSBW, MSG_COLL_NCCL_SHORT, MSG_COLL_BOUND};
  double best = 0;
  table t = table_new("rrrlll");
  print_call(c, arg, "");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  table_cell(&t, "");
  for (size_t i = 0; i < SIZES; i++)
    best = list[i].time.busbw > best ? list[i].time.busbw : best;
  for (size_t i = 0; i < SIZES; i++) {
    const sized *s = &list[i];
    table_cell(&t, text_binary(s->bytes).s);
    table_cell(&t, text_seconds(s->time.seconds).s);
    table_cell(&t, text_gb(s->time.busbw).s);
    table_cell(&t, s->chosen ? text_choice(&s->choice).s : "");
    table_cell(&t, say_bound(c, s->time.bound));
    table_cell(&t, bar_of(c, s->time.busbw, best * 2).s); /* half the width */
  }
  table_print(c, &t, 2);
}

/* A bar for each size, coloured by what binds, with the numbers behind it. */
static picture curve_picture(const cli *c, const collective_arg *arg, const sized *list)
{
  enum { LEFT = 9, WIDE = 60 };
  double best = 0;
  uint32_t seen = 0;
  size_t x = LEFT;
  char line[256];
  snprintf(line, sizeof line, "%s: busbw", dtc_value_name(DTC_FIELD(collective_call, op), arg->call.op));
  picture p = picture_new(line);
  for (size_t i = 0; i < SIZES; i++)
    best = list[i].time.busbw > best ? list[i].time.busbw : best;
  for (size_t i = 0; i < SIZES; i++) {
    const sized *s = &list[i];
    size_t wide = best > 0 ? (size_t)(s->time.busbw / best * WIDE) : 0;
    snprintf(line, sizeof line, "%s GB/s, %s%s%s", text_gb(s->time.busbw).s, text_seconds(s->time.seconds).s,
             s->chosen ? ", " : "", s->chosen ? text_choice(&s->choice).s : "");
    picture_text(&p, 0, i, text_binary(s->bytes).s);
    picture_box(&p, LEFT, i, wide > 0 ? wide : 1, 1, s->time.bound, "");
    picture_text(&p, LEFT + (wide > 0 ? wide : 1) + 1, i, line);
    seen |= 1u << s->time.bound;
  }
  for (uint32_t bound = 0; bound < 32; bound++)
    if (seen >> bound & 1) {
      const char *name = say_bound(c, bound);
      picture_box(&p, x, SIZES + 1, 2, 1, bound, "");
      picture_text(&p, x + 3, SIZES + 1, name);
      x += 3 + strlen(name) + 3;
    }
  return p;
}

static int answer_curve(const cli *c, const args *a, const collective_arg *arg, const collective_nccl *n)
{
  const char *svg = a->value[OPT_CURVE_SVG];
  sized list[SIZES];
  for (size_t i = 0; i < SIZES; i++) {
    if (sized_read(c, arg, n, (uint64_t)1 << (FIRST + i), &list[i]) != 0)
      return EXIT_BAD_INPUT;
  }
  if (svg != NULL) {
    picture p = curve_picture(c, arg, list);
    int code = picture_write(c, svg, &p);
    picture_free(&p);
    if (code != 0)
      return code;
  }
  if (!c->json) {
    if (svg != NULL)
      print_line(c, MSG_WRITTEN, svg);
    else
      curve_text(c, arg, list);
    return EXIT_YES;
  }
  json j;
  json_start(&j, a->command);
  json_call(&j, arg);
  json_u64(&j, "nodes", list[0].time.nodes);
  json_text(&j, "svg", svg);
  json_array(&j, "curve");
  for (size_t i = 0; i < SIZES; i++) {
    json_object(&j, NULL);
    json_sized(&j, n, &list[i]);
    json_end(&j);
  }
  json_end(&j);
  json_most(&j, arg);
  json_end(&j);
  return EXIT_YES;
}

int cmd_collective(const cli *c, const args *a)
{
  collective_arg arg;
  collective_nccl n;
  bool curve = a->value[OPT_CURVE] != NULL;
  bool judge = a->value[OPT_JUDGE] != NULL;
  bool law = a->value[OPT_FIT] != NULL;
  bool tuner = a->value[OPT_TUNER] != NULL;
  if (curve + judge + law + tuner + (a->more_count > 0) > 1)
    return fail(c, MSG_ONE_OF_COLLECTIVES);
  if (a->value[OPT_CURVE_SVG] != NULL && !curve)
    return fail(c, MSG_SVG_NEEDS_CURVE);
  if (tuner)
    return answer_tuner(c, a);
  if (collective_arg_read(c, a, &arg) != 0)
    return EXIT_BAD_INPUT;
  if (judge)
    return answer_judge(c, a, &arg);
  if (law)
    return answer_law(c, a, &arg);
  if (collective_arg_resolve(c, &arg) != 0 || collective_nccl_find(c, a, &arg, &n) != 0)
    return EXIT_BAD_INPUT;
  return curve ? answer_curve(c, a, &arg, &n) : answer_size(c, a, &arg, &n);
}
