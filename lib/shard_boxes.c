/* Checkpoints of torch.distributed.checkpoint: boxes of tensors that tensor parallelism and fully_shard() cut.
 * Sources: PyTorch 2.15 torch/distributed/checkpoint/planner_helpers.py (what a rank writes), resharding.py (what it
 * reads), _dedup_save_plans.py (who writes what several ranks hold); tensor/_utils.py (the box of a rank). */
#include "internal/reshard.h"

/* ---- equal cuts ------------------------------------------------------------------------------ */

/* Cuts inside of `numel` elements. */
static uint64_t cuts(uint64_t numel, uint64_t part)
{
  return (numel - 1) / part;
}

uint64_t dtci_overlaps(uint64_t numel, uint64_t a, uint64_t b)
{
  if (numel == 0 || a == 0 || b == 0)
    return 0;
  uint64_t times = b / dtci_common_divisor(a, b); /* cuts that are common lie a * times apart */
  uint64_t common = cuts(numel, a) / times;
  return cuts(numel, a) + cuts(numel, b) - common + 1;
}

/* Parts r of p < q elements share [r * q, (r + 1) * p): one less (q - p) with each r. Only the last may end at numel. */
uint64_t dtci_overlap_same(uint64_t numel, uint64_t a, uint64_t b)
{
  uint64_t p = a < b ? a : b;
  uint64_t q = a < b ? b : a;
  if (numel == 0)
    return 0;
  if (p == q)
    return numel;
  uint64_t parts = dtci_ceil_div(p, q - p);
  uint64_t most = dtci_ceil_div(numel, q);
  parts = parts < most ? parts : most;
  uint64_t end = parts * p;
  uint64_t sum = end - (q - p) * (parts - 1) * parts / 2;
  return end > numel ? sum - (end - numel) : sum;
}

dtc_status dtci_steps_in(uint64_t steps, uint32_t field, dtc_error *e)
{
  if (steps <= DTCI_STEPS_MOST)
    return DTC_OK;
  dtci_fail(e, DTC_E_RANGE, DTC_RULE_RESHARD_STEPS, field, steps);
  e->max = DTCI_STEPS_MOST;
  return DTC_E_RANGE;
}

/* ---- grids of ranks -------------------------------------------------------------------------- */

/* Ranks of a job: tensor parallel ones are neighbours. */
typedef struct side {
  uint64_t world;
  uint64_t tp;
} side;

typedef struct boxing {
  side source;
  side target;
  dtc_shards s; /* of the checkpoint: its type of elements */
  const dtc_shape *shapes;
  size_t n;
  uint64_t *scratch;
} boxing;

static dtc_status side_in(const dtc_shards *shards, uint64_t tp, uint32_t arg, dtc_shards *s, side *out, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << 32;
  TRY(dtci_shards_in(shards, s, e));
  if (s->scheme != DTC_SHARD_SCHEME_FSDP2)
    return dtci_fail_scheme(s, e);
  *out = (side){s->world, tp != 0 ? tp : 1};
  if (out->tp > most / s->world)
    return dtci_fail_range(e, arg, tp, 0, most / s->world);
  return DTC_OK;
}

static dtc_cut cut_of(const dtc_shape *shape)
{
  if (shape->cut != DTC_CUT_DEFAULT)
    return shape->cut;
  if (dtci_dims(shape) <= 1)
    return DTC_CUT_WHOLE;
  return dtci_dims(shape) == 2 && shape->rows < shape->cols ? DTC_CUT_COLS : DTC_CUT_ROWS;
}

/* Refuses a degree that leaves a rest: DTensor's boxes are uneven then, and follow rules of their own. */
static dtc_status divides(const dtc_shape *shape, uint64_t tp, uint32_t arg, dtc_error *e)
{
  dtc_cut cut = cut_of(shape);
  uint64_t size = cut == DTC_CUT_COLS ? shape->cols : shape->rows;
  if (cut == DTC_CUT_WHOLE || size % tp == 0)
    return DTC_OK;
  dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_RESHARD_CUT, arg, tp);
  e->other = cut == DTC_CUT_COLS ? DTC_FIELD(shape, cols) : DTC_FIELD(shape, rows);
  e->other_got = size;
  e->lower = dtci_common_divisor(size, tp);
  return DTC_E_DIVIDE;
}

static uint64_t ranks_of(const side *s)
{
  return s->world * s->tp;
}

/* Reads both sides; shapes, n and scratch are set already. */
static dtc_status boxing_in(boxing *b, const dtc_shards *source, uint64_t source_tp, const dtc_shards *target,
                            uint64_t target_tp, size_t n_scratch, dtc_error *e)
{
  dtc_shards other;
  uint64_t numel = 0;
  TRY(side_in(source, source_tp, DTCI_ARG(SOURCE_TP), &b->s, &b->source, e));
  TRY(side_in(target, target_tp, DTCI_ARG(TARGET_TP), &other, &b->target, e));
  uint64_t ranks = b->source.tp > 1 ? ranks_of(&b->source) : 0; /* places whose plans are followed */
  TRY(dtci_shapes_in(b->shapes, b->n, &numel, e));
  for (size_t i = 0; i < b->n; i++) {
    TRY(divides(&b->shapes[i], b->source.tp, DTCI_ARG(SOURCE_TP), e));
    TRY(divides(&b->shapes[i], b->target.tp, DTCI_ARG(TARGET_TP), e));
  }
  TRY(dtci_steps_in(b->n * ranks, DTC_FIELD(shards, world), e));
  return dtci_scratch_in(b->scratch, n_scratch, ranks, e);
}

/* Rows of fully_shard()'s parts when `rows` are cut: the last ones have fewer, or none. */
static uint64_t chunk_of(uint64_t rows, uint64_t world)
{
  return dtci_ceil_div(rows, world);
}

static dtci_span part_of(uint64_t rows, uint64_t world, uint64_t place)
{
  uint64_t chunk = chunk_of(rows, world);
  uint64_t low = place < world && chunk != 0 && place < dtci_ceil_div(rows, chunk) ? place * chunk : rows;
  return (dtci_span){low, rows - low < chunk ? rows : low + chunk};
}

/* The box of a rank. */
typedef struct box {
  dtci_span rows;
  dtci_span cols;
} box;

static box box_of(const dtc_shape *shape, const side *s, uint64_t rank)
{
  uint64_t tp = s->tp > 1 ? s->tp : 1;
  dtc_cut cut = tp > 1 ? cut_of(shape) : DTC_CUT_WHOLE;
  uint64_t q = rank % tp;
  uint64_t rows = cut == DTC_CUT_ROWS ? shape->rows / tp : shape->rows;
  uint64_t cols = cut == DTC_CUT_COLS ? shape->cols / tp : shape->cols;
  dtci_span part = part_of(rows, s->world, rank / tp);
  uint64_t row = cut == DTC_CUT_ROWS ? q * rows : 0;
  uint64_t col = cut == DTC_CUT_COLS ? q * cols : 0;
  return (box){{row + part.low, row + part.high}, {col, col + cols}};
}

static uint64_t volume(const box *x)
{
  return dtci_span_length(x->rows) * dtci_span_length(x->cols);
}

static box common_box(const box *a, const box *b)
{
  return (box){dtci_span_common(a->rows, b->rows), dtci_span_common(a->cols, b->cols)};
}

/* ---- who wrote what all tensor parallel ranks hold ------------------------------------------- */

/* Plans of the tensor parallel ranks at one place: bytes so far. Such tensors are met in the plan of the first of them, so
 * that its own boxes of the tensors before are booked already, and no others'. Empty boxes are booked as one byte. */
static uint64_t book(const boxing *b, size_t i, uint64_t place, uint64_t *plans)
{
  uint64_t keeper = 0;
  const dtc_shape *shape = &b->shapes[i];
  box own = box_of(shape, &b->source, place * b->source.tp);
  uint64_t bytes = volume(&own) * dtci_dtype_bytes(dtci_dtype_of(&b->s, shape));
  for (uint64_t q = 1; q < b->source.tp && cut_of(shape) == DTC_CUT_WHOLE; q++)
    keeper = plans[q] < plans[keeper] ? q : keeper;
  plans[keeper] += bytes != 0 ? bytes : 1;
  return keeper;
}

/* ---- boxes of one target --------------------------------------------------------------------- */

typedef struct sink {
  dtc_reshard_box *out;
  size_t cap;
  uint64_t n; /* those without room too */
} sink;

static void put_box(sink *found, size_t i, uint64_t source, const box *a, const box *b)
{
  box c = common_box(a, b);
  if (found->n < found->cap)
    found->out[found->n] = (dtc_reshard_box){
        .tensor = (uint32_t)i,
        .source = source,
        .source_row = c.rows.low - a->rows.low,
        .target_row = c.rows.low - b->rows.low,
        .rows = c.rows.high - c.rows.low,
        .source_col = c.cols.low - a->cols.low,
        .target_col = c.cols.low - b->cols.low,
        .cols = c.cols.high - c.cols.low,
    };
  found->n++;
}

/* Parts that the elements of a span lie in, first and last; parts are 0 only where there are no elements. */
static dtci_span parts_of(dtci_span s, uint64_t part)
{
  return part != 0 ? (dtci_span){s.low / part, (s.high - 1) / part} : (dtci_span){0, 0};
}

/* Tensor parallel ranks of the checkpoint that hold a part of the wanted box, first and last. */
static dtci_span tp_sources(const dtc_shape *shape, const side *source, const box *wanted)
{
  dtc_cut cut = source->tp > 1 ? cut_of(shape) : DTC_CUT_WHOLE;
  if (cut == DTC_CUT_WHOLE)
    return (dtci_span){0, 0};
  if (cut == DTC_CUT_COLS)
    return parts_of(wanted->cols, shape->cols / source->tp);
  return parts_of(wanted->rows, shape->rows / source->tp);
}

/* Places of the checkpoint's tensor parallel rank q whose rows meet the wanted, first and last. */
static dtci_span place_sources(const dtc_shape *shape, const side *source, const box *wanted, uint64_t q)
{
  dtc_cut cut = source->tp > 1 ? cut_of(shape) : DTC_CUT_WHOLE;
  uint64_t rows = cut == DTC_CUT_ROWS ? shape->rows / source->tp : shape->rows;
  uint64_t row = cut == DTC_CUT_ROWS ? q * rows : 0;
  uint64_t chunk = chunk_of(rows, source->world);
  dtci_span s = dtci_span_common(wanted->rows, (dtci_span){row, row + rows});
  return parts_of((dtci_span){s.low - row, s.high - row}, chunk);
}

/* Boxes of a tensor whose parts each have one holder. */
static void put_cut(const boxing *b, size_t i, const box *wanted, sink *found)
{
  const dtc_shape *shape = &b->shapes[i];
  dtci_span tp = tp_sources(shape, &b->source, wanted);
  for (uint64_t q = tp.low; q <= tp.high; q++) {
    dtci_span places = place_sources(shape, &b->source, wanted, q);
    for (uint64_t k = places.low; k <= places.high && found->n < found->cap; k++, places.low++) {
      box a = box_of(shape, &b->source, k * b->source.tp + q);
      put_box(found, i, k * b->source.tp + q, &a, wanted);
    }
    found->n += places.high + 1 - places.low;
  }
}

/* Places whose plans decide what the target reads: where it meets tensors that all tensor parallel ranks hold. */
static dtci_span places_met(const boxing *b, uint64_t rank)
{
  dtci_span met = {UINT64_MAX, 0};
  for (size_t i = 0; i < b->n; i++) {
    box wanted = box_of(&b->shapes[i], &b->target, rank);
    if (cut_of(&b->shapes[i]) != DTC_CUT_WHOLE || volume(&wanted) == 0)
      continue;
    dtci_span places = place_sources(&b->shapes[i], &b->source, &wanted, 0);
    met.low = places.low < met.low ? places.low : met.low;
    met.high = places.high + 1 > met.high ? places.high + 1 : met.high;
  }
  return met;
}

/* Books tensor i in the plans of the places, and gives the boxes that the target reads from their keepers. */
static void put_kept(const boxing *b, size_t i, dtci_span met, const box *wanted, sink *found)
{
  const dtc_shape *shape = &b->shapes[i];
  int reads = cut_of(shape) == DTC_CUT_WHOLE && volume(wanted) != 0;
  dtci_span places = reads ? place_sources(shape, &b->source, wanted, 0) : (dtci_span){1, 0};
  for (uint64_t k = met.low; k < met.high; k++) {
    uint64_t keeper = book(b, i, k, b->scratch + (k - met.low) * b->source.tp);
    uint64_t source = k * b->source.tp + keeper;
    box a = box_of(shape, &b->source, source);
    if (k >= places.low && k <= places.high)
      put_box(found, i, source, &a, wanted);
  }
}

static dtc_status boxes(const boxing *b, uint64_t rank, sink *found, size_t *count, dtc_error *e)
{
  int kept = b->source.tp > 1;
  if (rank >= ranks_of(&b->target))
    return dtci_fail_range(e, DTCI_ARG(RANK), rank, 0, ranks_of(&b->target) - 1);
  dtci_span met = kept ? places_met(b, rank) : (dtci_span){0, 0};
  if (met.low < met.high)
    memset(b->scratch, 0, (size_t)((met.high - met.low) * b->source.tp) * sizeof *b->scratch);
  for (size_t i = 0; i < b->n; i++) {
    box wanted = box_of(&b->shapes[i], &b->target, rank);
    if (kept)
      put_kept(b, i, met, &wanted, found);
    if ((!kept || cut_of(&b->shapes[i]) != DTC_CUT_WHOLE) && volume(&wanted) != 0)
      put_cut(b, i, &wanted, found);
  }
  *count = dtci_count(found->n);
  return found->n <= found->cap ? DTC_OK : dtci_fail_space(e, found->cap, found->n);
}

dtc_status dtc_reshard_scratch(const dtc_shards *source, uint64_t source_tp, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  dtc_shards s;
  side a = {1, 1};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = side_in(source, source_tp, DTCI_ARG(SOURCE_TP), &s, &a, &e);
  if (status == DTC_OK)
    *needed = a.tp > 1 ? ranks_of(&a) : 0;
  return dtci_end(status, &e, err);
}

dtc_status dtc_reshard_boxes(const dtc_shards *source, uint64_t source_tp, const dtc_shards *target, uint64_t target_tp,
                             const dtc_shape *shapes, size_t n_shapes, uint64_t rank, dtc_reshard_box *out, size_t cap,
                             size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  boxing b = {.source = {1, 1}, .target = {1, 1}, .shapes = shapes, .n = n_shapes, .scratch = scratch};
  sink found = {out, cap, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = boxing_in(&b, source, source_tp, target, target_tp, n_scratch, &e);
  return dtci_end(status != DTC_OK ? status : boxes(&b, rank, &found, count, &e), &e, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Elements that rank r reads from rank r of the checkpoint. */
static uint64_t shared_with_self(const boxing *b, size_t i, uint64_t rank)
{
  box x = box_of(&b->shapes[i], &b->source, rank);
  box y = box_of(&b->shapes[i], &b->target, rank);
  box c = common_box(&x, &y);
  return volume(&c);
}

/* Tensors whose parts have one holder each, with tensor parallelism: boxes of each target counted, not made. */
static void sum_cut(const boxing *b, size_t i, dtc_reshard_sums *sums)
{
  sink none = {0};
  uint64_t targets = ranks_of(&b->target);
  uint64_t sources = ranks_of(&b->source);
  for (uint64_t rank = 0; rank < targets; rank++) {
    box wanted = box_of(&b->shapes[i], &b->target, rank);
    if (volume(&wanted) == 0)
      continue;
    put_cut(b, i, &wanted, &none);
    sums->needed += volume(&wanted);
    sums->same += rank < sources ? shared_with_self(b, i, rank) : 0;
  }
  sums->items += none.n;
}

/* Tensors that every tensor parallel rank of the checkpoint held: boxes, and elements where the keeper reads itself. */
static void sum_kept(const boxing *b, dtc_reshard_sums *sums)
{
  uint64_t targets = ranks_of(&b->target);
  for (uint64_t k = 0; k < b->source.world; k++) {
    memset(b->scratch, 0, (size_t)b->source.tp * sizeof *b->scratch);
    for (size_t i = 0; i < b->n; i++) {
      uint64_t rank = k * b->source.tp + book(b, i, k, b->scratch);
      if (cut_of(&b->shapes[i]) == DTC_CUT_WHOLE && rank < targets)
        sums->same += shared_with_self(b, i, rank);
    }
  }
  for (size_t i = 0; i < b->n; i++) {
    const dtc_shape *shape = &b->shapes[i];
    if (cut_of(shape) != DTC_CUT_WHOLE || dtci_numel(shape) == 0)
      continue;
    uint64_t pieces =
        dtci_overlaps(shape->rows, chunk_of(shape->rows, b->source.world), chunk_of(shape->rows, b->target.world));
    sums->items += b->target.tp * pieces;
    sums->needed += b->target.tp * dtci_numel(shape);
  }
}

/* Without tensor parallelism rows are cut twice. */
static void sum_rows(const boxing *b, dtc_reshard_sums *sums)
{
  for (size_t i = 0; i < b->n; i++) {
    const dtc_shape *shape = &b->shapes[i];
    uint64_t x = chunk_of(shape->rows, b->source.world);
    uint64_t y = chunk_of(shape->rows, b->target.world);
    if (shape->cols == 0)
      continue;
    sums->items += dtci_overlaps(shape->rows, x, y);
    sums->needed += dtci_numel(shape);
    sums->same += dtci_overlap_same(shape->rows, x, y) * shape->cols;
  }
}

/* Elements that all ranks read: times the tensor parallel degree at most. */
static dtc_status sum_boxes(const boxing *b, dtc_reshard_sums *sums, dtc_error *e)
{
  int bad = 0;
  uint64_t numel = 0;
  *sums = (dtc_reshard_sums){.struct_size = sizeof *sums};
  if (b->source.tp == 1 && b->target.tp == 1) {
    sum_rows(b, sums);
    sums->moved = sums->needed - sums->same;
    return DTC_OK;
  }
  uint64_t meetings = dtci_mul(b->n, dtci_mul(b->target.world, b->source.tp + b->target.tp, &bad), &bad);
  TRY(dtci_steps_in(bad ? UINT64_MAX : meetings, DTC_FIELD(shards, world), e));
  TRY(dtci_shapes_in(b->shapes, b->n, &numel, e));
  (void)dtci_mul(numel, b->target.tp, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTCI_ARG(TARGET_TP), b->target.tp);
  if (b->source.tp > 1)
    sum_kept(b, sums);
  for (size_t i = 0; i < b->n; i++)
    if (b->source.tp == 1 || cut_of(&b->shapes[i]) != DTC_CUT_WHOLE)
      sum_cut(b, i, sums);
  sums->moved = sums->needed - sums->same;
  return DTC_OK;
}

dtc_status dtc_reshard_box_totals(const dtc_shards *source, uint64_t source_tp, const dtc_shards *target,
                                  uint64_t target_tp, const dtc_shape *shapes, size_t n_shapes, dtc_reshard_sums *out,
                                  uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtc_reshard_sums sums;
  boxing b = {.source = {1, 1}, .target = {1, 1}, .shapes = shapes, .n = n_shapes, .scratch = scratch};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = boxing_in(&b, source, source_tp, target, target_tp, n_scratch, &e);
  if (status == DTC_OK)
    status = sum_boxes(&b, &sums, &e);
  return dtci_end(status != DTC_OK ? status : dtci_out(out, DTC_STRUCT_reshard_sums, &sums, &e), &e, err);
}
