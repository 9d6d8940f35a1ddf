#include "pipeline_draw.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS = 64,          /* ranks of a terminal */
  SVG_NARROW = 12000, /* cells of an SVG whose ops are wide enough for a label */
  SVG_WIDE = 20000,   /* cells of any SVG */
  MARKS = 12,         /* cells from one mark of the axis to the next, or more */
  CLASSES = 9,        /* idle, then the four kinds of op, light and dark */
};

/* Boxes that a file may hold. */
static const uint64_t most_boxes = (uint64_t)1 << 20;

typedef struct canvas {
  const cli *c;
  const pipe_run *r;
  picture p;
  bool svg;
  size_t head;   /* columns of the name of a rank */
  size_t top;    /* line of the axis */
  uint64_t rows; /* ranks that are drawn */
  double scale;  /* columns of a unit of time */
  double least;  /* time of the shortest op that takes any */
  bool dense;    /* ops are narrower than columns, which show them in their shares */
} canvas;

/* ---- classes and labels ------------------------------------------------------------------------------------------ */

/* Colours of forward, backward, and its two parts. */
static const size_t colours[] = {0, 0, 1, 6, 2};

static size_t class_of(const dtc_pipe_op *op)
{
  return op->kind + (op->chunk > 0 ? 4u : 0u);
}

static char letter_of(size_t class)
{
  static const char letters[CLASSES + 1] = "-FBIWfbiw";
  return letters[class];
}

static void put_class(picture *p, size_t x, size_t y, size_t w, size_t class, const char *label)
{
  if (class > 4)
    picture_dark(p, x, y, w, 1, colours[class - 4], label);
  else
    picture_box(p, x, y, w, 1, colours[class], label);
}

/* The longest of these that fits: letter, micro-batch and chunk; without the chunk; one of both, a number where colours
 * tell the letter. */
static text label_of(const canvas *v, const dtc_pipe_op *op, size_t room)
{
  text t = pipe_token(&v->r->job, op);
  char letter = letter_of(class_of(op));
  t.s[0] = letter;
  bool colours_tell = v->svg || v->c->bold;
  if (strlen(t.s) > room || (v->r->job.vpp == 2 && !v->svg))
    snprintf(t.s, sizeof t.s, "%c%" PRIu32, letter, op->micro_batch);
  if (strlen(t.s) > room || (colours_tell && !v->svg)) {
    if (colours_tell)
      snprintf(t.s, sizeof t.s, "%" PRIu32, op->micro_batch);
    else
      snprintf(t.s, sizeof t.s, "%c", letter);
  }
  if (strlen(t.s) > room)
    t.s[0] = 0;
  return t;
}

/* ---- scale ------------------------------------------------------------------------------------------------------- */

/* Times of the shortest op and of all together; how many there are. */
static double measure(const pipe_run *r, double *least)
{
  double sum = 0;
  size_t n = 0;
  *least = 0;
  for (size_t row = 0; row < r->rows * (size_t)r->job.pp; row++) {
    dtc_pipe_time t = pipe_op_time(r, row);
    double time = r->ops[row].kind == DTC_PIPE_KIND_NONE ? 0 : t.stop - t.start;
    if (time <= 0)
      continue;
    *least = *least == 0 || time < *least ? time : *least;
    sum += time;
    n++;
  }
  return n == 0 ? 0 : sum / (double)n;
}

/* Whole columns for the shortest op where the width has room for them. */
static void find_scale(canvas *v)
{
  double makespan = v->r->totals.makespan;
  double mean = measure(v->r, &v->least);
  double room = v->svg ? SVG_WIDE : (double)(TABLE_WIDTH - v->head);
  double columns = makespan > 0 ? room / makespan : 0;
  dtc_pipe_op widest = {.micro_batch = (uint32_t)v->r->job.micro_batches - 1,
                        .chunk = (uint16_t)(v->r->job.vpp - 1),
                        .kind = DTC_PIPE_KIND_FORWARD};
  double label = (double)strlen(pipe_token(&v->r->job, &widest).s);
  label += v->svg ? 1 : 2; /* a gap beside it */
  if (v->svg && makespan * label > v->least * SVG_NARROW)
    label = 1;
  if (columns * v->least >= label)
    columns = label / v->least;
  else if (columns * v->least >= 1)
    columns = (double)(size_t)(columns * v->least) / v->least;
  v->scale = columns;
  v->dense = columns * mean < 1;
}

static size_t column(const canvas *v, double time)
{
  return (size_t)(time * v->scale + 0.5);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void draw_ops(canvas *v, uint64_t rank, size_t y)
{
  for (size_t row = (size_t)rank * v->r->rows; row < ((size_t)rank + 1) * v->r->rows; row++) {
    const dtc_pipe_op *op = &v->r->ops[row];
    dtc_pipe_time t = pipe_op_time(v->r, row);
    size_t x = column(v, t.start);
    size_t w = column(v, t.stop) - x;
    if (op->kind == DTC_PIPE_KIND_NONE || w == 0)
      continue;
    put_class(&v->p, v->head + x, y, w, class_of(op), label_of(v, op, w).s);
  }
}

/* Adds an op's time to the columns that it lies in. */
static void add_shares(double (*shares)[CLASSES], size_t columns, double from, double to, size_t class)
{
  for (size_t x = (size_t)from; x < columns && (double)x < to; x++) {
    double left = from > (double)x ? from : (double)x;
    double right = to < (double)(x + 1) ? to : (double)(x + 1);
    shares[x][class] += right - left;
  }
}

/* What a column shows, so that over the columns before it everything has had its share: `owed` is what it still lacks. */
static size_t next_class(const double shares[CLASSES], double owed[CLASSES])
{
  double idle = 1;
  size_t most = 0;
  for (size_t i = 1; i < CLASSES; i++) {
    owed[i] += shares[i];
    idle -= shares[i];
  }
  owed[0] += idle;
  for (size_t i = 1; i < CLASSES; i++)
    most = owed[i] > owed[most] ? i : most;
  owed[most] -= 1;
  return most;
}

static void draw_shares(canvas *v, uint64_t rank, size_t y)
{
  size_t columns = column(v, v->r->totals.makespan);
  double(*shares)[CLASSES] = grow(NULL, (columns + 1) * sizeof *shares);
  memset(shares, 0, (columns + 1) * sizeof *shares);
  for (size_t row = (size_t)rank * v->r->rows; row < ((size_t)rank + 1) * v->r->rows; row++) {
    dtc_pipe_time t = pipe_op_time(v->r, row);
    if (v->r->ops[row].kind != DTC_PIPE_KIND_NONE)
      add_shares(shares, columns, t.start * v->scale, t.stop * v->scale, class_of(&v->r->ops[row]));
  }
  double owed[CLASSES] = {0};
  for (size_t x = 0; x < columns; x++) {
    size_t class = next_class(shares[x], owed);
    char label[] = {letter_of(class), 0};
    if (class != 0)
      put_class(&v->p, v->head + x, y, 1, class, label);
  }
  free(shares);
}

static void rank_name(const cli *c, uint64_t rank, char out[64])
{
  write_line(c, out, 64, MSG_SHARD_MAP_RANK, text_u64(rank).s);
}

static void draw_rows(canvas *v)
{
  size_t width = column(v, v->r->totals.makespan);
  for (uint64_t rank = 0; rank < v->rows; rank++) {
    size_t y = v->top + 1 + (size_t)rank;
    char name[64];
    rank_name(v->c, rank, name);
    picture_text(&v->p, 0, y, name);
    if (width != 0)
      picture_empty(&v->p, v->head, y, width, 1);
    if (v->dense)
      draw_shares(v, rank, y);
    else
      draw_ops(v, rank, y);
  }
}

/* ---- axis and legend --------------------------------------------------------------------------------------------- */

/* Marks 1, 2 or 5 times a power of ten apart, in columns that their numbers fit into. */
static void draw_axis(canvas *v)
{
  static const double steps[] = {1, 2, 5, 10};
  double makespan = v->r->totals.makespan;
  double power = 1;
  double step = 0;
  if (v->scale <= 0)
    return;
  while (power * v->scale > MARKS)
    power /= 10;
  while (power * v->scale * 10 < MARKS)
    power *= 10;
  for (size_t i = 0; i < sizeof steps / sizeof *steps && step * v->scale < MARKS; i++)
    step = power * steps[i];
  size_t marks = (size_t)(makespan / step); /* SVG_WIDE / MARKS at most */
  for (size_t i = 0; i <= marks; i++) {
    size_t x = v->head + column(v, (double)i * step);
    text label = text_time((double)i * step);
    if (v->svg || x + strlen(label.s) <= TABLE_WIDTH)
      picture_text(&v->p, x, v->top, label.s);
  }
}

static bool has_class(const pipe_run *r, size_t class)
{
  for (size_t row = 0; row < r->rows * (size_t)r->job.pp; row++) {
    if (r->ops[row].kind != DTC_PIPE_KIND_NONE && class_of(&r->ops[row]) == class)
      return true;
  }
  return false;
}

/* A box of the legend, in the next line when this one is full. */
static void put_legend(canvas *v, size_t *x, size_t *y, size_t class, const char *label)
{
  size_t w = text_width(label);
  if (*x + w > TABLE_WIDTH) {
    *x = 0;
    ++*y;
  }
  if (class != 0)
    put_class(&v->p, *x, *y, w, class, label);
  else
    picture_text(&v->p, *x, *y, label);
  *x += w + 1;
}

static void draw_legend(canvas *v)
{
  static const msg names[] = {MSG_PIPE_FORWARD, MSG_PIPE_BACKWARD_OP, MSG_PIPE_INPUT, MSG_PIPE_WEIGHT};
  size_t y = v->top + 2 + (size_t)v->rows;
  size_t x = 0;
  bool dual = v->r->job.schedule == DTC_SCHEDULE_DUALPIPE;
  for (size_t class = 1; class < CLASSES; class ++) {
    char label[128];
    if (!has_class(v->r, class))
      continue;
    if (class <= 4)
      snprintf(label, sizeof label, " %s ", say(v->c, names[class - 1]));
    else
      snprintf(label, sizeof label, " %c ", letter_of(class));
    put_legend(v, &x, &y, class, label);
  }
  if (v->r->job.vpp > 1)
    put_legend(v, &x, &y, 0, say(v->c, dual ? MSG_PIPE_OTHER : MSG_PIPE_CHUNKS));
}

/* ---- both back ends ---------------------------------------------------------------------------------------------- */

void timeline_title(const cli *c, const pipe_run *r, char *out, size_t cap)
{
  const dtc_pipe *job = &r->job;
  const char *framework = schedule_home(job);
  if (job->vpp > 1)
    write_line(c, out, cap, MSG_PIPE_TITLE_CHUNKS, schedule_name(job->schedule), framework, text_u64(job->pp).s,
               text_u64(job->micro_batches).s, text_u64(job->vpp).s);
  else
    write_line(c, out, cap, MSG_PIPE_TITLE, schedule_name(job->schedule), framework, text_u64(job->pp).s,
               text_u64(job->micro_batches).s);
}

static canvas draw(const cli *c, const pipe_run *r, bool svg)
{
  char name[64];
  char title[256];
  canvas v = {.c = c, .r = r, .svg = svg, .rows = svg || r->job.pp < ROWS ? r->job.pp : ROWS};
  rank_name(c, v.rows - 1, name);
  timeline_title(c, r, title, sizeof title);
  v.p = picture_new(title);
  v.head = text_width(name) + 2;
  if (svg) {
    picture_text(&v.p, 0, 0, title);
    v.top = 2;
  }
  find_scale(&v);
  draw_axis(&v);
  draw_rows(&v);
  draw_legend(&v);
  return v;
}

void timeline_print(const cli *c, const pipe_run *r)
{
  canvas v = draw(c, r, false);
  picture_terminal(c, &v.p, stdout);
  picture_free(&v.p);
  if (v.scale > 0)
    print_line(c,
               v.dense                 ? MSG_PIPE_DENSE
               : v.scale * v.least < 1 ? MSG_PIPE_NARROW
                                       : MSG_PIPE_COLUMN,
               text_time(1 / v.scale).s);
  if (v.rows < r->job.pp)
    print_line(c, MSG_MAP_PART, text_u64(v.rows).s, text_u64(r->job.pp).s);
}

int timeline_svg(const cli *c, const pipe_run *r, const char *path)
{
  uint64_t ops = r->rows * r->job.pp;
  if (ops > most_boxes)
    return fail(c, MSG_PIPE_SVG_MOST, text_thousands(ops).s, text_thousands(most_boxes).s);
  canvas v = draw(c, r, true);
  int code = picture_write(c, path, &v.p);
  picture_free(&v.p);
  return code;
}
