/* Which tensor an allocation was for: every suspect's bytes held against the printed ones, what is free solved for. */
#include "internal/explain.h"
#include "internal/remedy.h"

/* Tensors of the parameter list that are looked at for the name of one; micro-batches, ranks of a node. */
enum { NAMED_MOST = 4096, BATCH_MOST = 64, RANKS_MOST = 1 << 20, NODE = 8, SEQ_STEP = 64 };
/* A number is settled when one size in so many, or fewer, would be printed for some value of it. */
enum { LUCK = 8 };
enum { CANDIDATES = 64 };

typedef struct found {
  dtc_candidate list[CANDIDATES];
  size_t n;
} found;

/* ---- order ----------------------------------------------------------------------------------- */

/* How much is left open: nothing, a small number, any number. */
static int openness(const dtc_candidate *a)
{
  return a->solved == DTC_SOLVED_NONE ? 0 : a->solved == DTC_SOLVED_PARAMS ? 2 : a->solved == DTC_SOLVED_TOKENS ? 3 : 1;
}

/* Some number of tokens always comes near. */
static uint64_t remoteness(const dtc_candidate *a)
{
  return a->solved == DTC_SOLVED_TOKENS ? 0 : a->distance;
}

static int compare(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

/* Below 0: a comes first. */
static int in_order(const dtc_candidate *a, const dtc_candidate *b)
{
  const int by[] = {
      openness(a) - openness(b),
      (a->usual != DTC_BOOL_ON) - (b->usual != DTC_BOOL_ON),
      compare(remoteness(a), remoteness(b)),
      compare(a->suspect, b->suspect),
      compare(b->dtype_bytes, a->dtype_bytes),
      compare(a->elements, b->elements),
  };
  for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
    if (by[i] != 0)
      return by[i];
  return 0;
}

static int is_known(const found *f, const dtc_candidate *c)
{
  for (size_t i = 0; i < f->n; i++)
    if (f->list[i].suspect == c->suspect && f->list[i].dtype_bytes == c->dtype_bytes && f->list[i].bytes == c->bytes &&
        f->list[i].solved == c->solved)
      return 1;
  return 0;
}

/* Puts it where it belongs; the last one gives way when there are too many. */
static void insert(found *f, const dtc_candidate *c)
{
  size_t at = f->n < CANDIDATES ? f->n++ : CANDIDATES;
  for (; at > 0 && in_order(&f->list[at - 1], c) > 0; at--)
    if (at < CANDIDATES)
      f->list[at] = f->list[at - 1];
  if (at < CANDIDATES)
    f->list[at] = *c;
}

/* ---- what a message prints ------------------------------------------------------------------- */

static uint64_t apart(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

/* Would a request of so many bytes be printed like this one? */
static int is_printed(const dtc_alloc *a, uint64_t bytes, uint64_t *distance)
{
  *distance = apart(bytes, a->bytes);
  if (a->device != DTC_ALLOC_DEVICE_HOST)
    *distance = dtci_smaller(*distance, apart(dtci_alloc_rounded(bytes), a->bytes));
  return bytes >= a->low && bytes <= a->high && *distance <= dtci_less(a->high, a->bytes);
}

/* Would tensors of so many bytes make up what is resident? The range is that of the memory model. */
static int is_resident(const dtci_explain *x, uint64_t bytes, uint64_t *distance)
{
  const dtc_alloc *a = &x->alloc;
  dtc_memory m;
  int bad = 0;
  dtci_memory_shown(&x->c, bytes, &m, &bad);
  int device = a->kind == DTC_ALLOC_KIND_DEVICE && a->device != DTC_ALLOC_DEVICE_HOST;
  *distance = apart(device ? m.device : bytes, a->bytes);
  return !bad && (device ? m.device_low <= a->high && m.device_high >= a->low
                         : m.allocated_low <= a->high && m.allocated_high >= a->low);
}

static int is_like(const dtci_explain *x, uint64_t bytes, uint64_t *distance)
{
  if (bytes == 0)
    return 0;
  return x->alloc.kind == DTC_ALLOC_KIND_REQUEST ? is_printed(&x->alloc, bytes, distance)
                                                 : is_resident(x, bytes, distance);
}

/* ---- one candidate --------------------------------------------------------------------------- */

static dtc_bool is_usual(const dtci_explain *x, uint32_t needs)
{
  return (x->holds & needs) == needs ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

/* Those of a row that the plan can make; of a micro-batch that it does not say, the half. */
static uint64_t avoid_of(const dtci_explain *x, const dtc_candidate *c)
{
  const uint64_t halves = UINT64_C(1) << DTC_REMEDY_MICRO_BATCH_HALF;
  uint64_t kept = c->solved == DTC_SOLVED_MICRO_BATCH && c->value > 1 ? c->avoid & halves : 0;
  for (dtc_remedy r = 1; r < 64; r++)
    if ((c->avoid >> r & 1) != 0 && (!x->has_model || dtci_remedy_applies(&x->c, r)))
      kept |= UINT64_C(1) << r;
  return kept;
}

/* Adds it when its bytes are like what was printed. */
static int add(const dtci_explain *x, found *f, dtc_candidate c)
{
  int bad = 0;
  if (c.dtype_bytes != 0)
    c.bytes = dtci_mul(c.elements, c.dtype_bytes, &bad);
  if (bad || !is_like(x, c.bytes, &c.distance))
    return 0;
  if (!is_known(f, &c)) {
    c.avoid = avoid_of(x, &c);
    insert(f, &c);
  }
  return 1;
}

/* Do sizes that lie `step` apart say more than any size would? */
static int tells(const dtc_alloc *a, uint64_t step)
{
  return step / LUCK > a->high - a->low;
}

/* Solves elements = each * value for a small number, which the printed range settles. */
static void solve(const dtci_explain *x, found *f, dtc_candidate c, uint64_t each, uint64_t most)
{
  const dtc_alloc *a = &x->alloc;
  int bad = 0;
  uint64_t step = dtci_mul(each, c.dtype_bytes, &bad);
  if (bad || step == 0 || (c.solved != DTC_SOLVED_TOKENS && !tells(a, step)))
    return;
  uint64_t nearest = a->bytes / step + (a->bytes % step > step / 2);
  const uint64_t tries[] = {nearest, a->high / step, a->bytes / step};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    c.value = tries[i];
    c.elements = dtci_mul(each, c.value, &bad);
    if (c.value != 0 && c.value <= most && !bad && add(x, f, c))
      return;
  }
}

/* ---- tensors that grow with tokens ----------------------------------------------------------- */

/* micro_batch * heads * seq^2 of a round length. */
static void solve_seq(const dtci_explain *x, found *f, dtc_candidate c, uint64_t each)
{
  int bad = 0;
  uint64_t pairs = dtci_mul(each, x->c.plan.micro_batch, &bad);
  if (bad || pairs == 0)
    return;
  c.solved = DTC_SOLVED_SEQ;
  c.value = (dtci_root(x->alloc.high / c.dtype_bytes / pairs, 2) / SEQ_STEP) * SEQ_STEP;
  c.elements = dtci_mul(pairs, dtci_mul(c.value, c.value, &bad), &bad);
  uint64_t next = dtci_mul(dtci_mul(pairs, 2 * SEQ_STEP * c.dtype_bytes, &bad), c.value, &bad);
  if (c.value != 0 && !bad && tells(&x->alloc, next))
    (void)add(x, f, c);
}

/* Tokens of one sequence that count. */
static uint64_t counted(const dtc_plan *p, dtci_growth growth, int *bad)
{
  uint64_t own = dtci_ceil_div(p->seq, p->cp);
  if (growth == DTCI_GROWS_NEXT)
    return p->cp == 1 ? p->seq - 1 : 0;
  return growth == DTCI_GROWS_PAIRS ? dtci_mul(own, p->seq, bad) : own;
}

/* `each` elements of a token, or of a pair. */
static void try_tokens(const dtci_explain *x, found *f, const dtci_suspect_row *row, dtc_candidate c, uint64_t each)
{
  int bad = 0;
  uint64_t sequence = dtci_mul(each, counted(&x->c.plan, row->growth, &bad), &bad);
  int known = x->knows_seq && x->knows_batch;
  int like = 0;
  if (known) {
    c.elements = dtci_mul(sequence, x->c.plan.micro_batch, &bad);
    like = !bad && add(x, f, c);
  } else if (x->knows_seq && !bad) {
    size_t before = f->n;
    c.solved = DTC_SOLVED_MICRO_BATCH;
    solve(x, f, c, sequence, BATCH_MOST);
    like = f->n != before;
  } else if (row->growth == DTCI_GROWS_PAIRS) {
    solve_seq(x, f, c, each);
  }
  if (!like && row->suspect == DTC_SUSPECT_LOGITS) {
    c.solved = DTC_SOLVED_TOKENS;
    solve(x, f, c, each, UINT32_MAX);
  }
}

/* Split over the tensor parallel group as the plan has it, and whole. */
static void grows(const dtci_explain *x, found *f, const dtci_suspect_row *row, dtc_candidate c)
{
  const dtc_plan *p = &x->c.plan;
  uint64_t each = x->q.of[row->quantity];
  int splits = row->over_tp == 1 ? row->suspect != DTC_SUSPECT_LOGITS || p->vocab_parallel == DTC_BOOL_ON
                                 : row->over_tp == 2 && p->sequence_parallel == DTC_BOOL_ON;
  if (row->over_tp != 0 && p->tp > 1) {
    dtc_candidate part = c;
    part.ranks = p->tp;
    part.usual = splits ? c.usual : DTC_BOOL_OFF;
    try_tokens(x, f, row, part, dtci_ceil_div(each, p->tp));
    c.usual = splits && row->over_tp == 1 ? DTC_BOOL_OFF : c.usual;
  }
  try_tokens(x, f, row, c, each);
}

/* ---- tensors of a stage ---------------------------------------------------------------------- */

/* Numbers of ranks that jobs have: a few, whole nodes. */
static int is_world(uint64_t n)
{
  return n > 1 && n <= RANKS_MOST && (n <= NODE || n % NODE == 0);
}

/* Ranks that the parameters are divided over, when a printed size tells them apart. */
static void solve_ranks(const dtci_explain *x, found *f, dtc_candidate c, uint64_t params)
{
  const dtc_alloc *a = &x->alloc;
  int bad = 0;
  uint64_t whole = dtci_mul(params, c.dtype_bytes, &bad);
  uint64_t n = dtci_smaller(whole / a->bytes, RANKS_MOST);
  c.solved = DTC_SOLVED_RANKS;
  for (c.value = dtci_larger(n, 2) - 1; !bad && c.value <= n + 1; c.value++) {
    uint64_t next = whole / dtci_larger(c.value, 1) - whole / (c.value + 1);
    c.ranks = c.value;
    c.elements = dtci_ceil_div(params, dtci_larger(c.value, 1));
    if (is_world(c.value) && tells(a, next))
      (void)add(x, f, c);
  }
}

/* Parameters of which a rank's fp32 part is this, when they are about as many as the model has: it is trained with others
 * beside it, an encoder of images say. */
static void solve_params(const dtci_explain *x, found *f, dtc_candidate c, uint64_t params)
{
  int bad = 0;
  c.elements = x->alloc.bytes / c.dtype_bytes;
  c.value = dtci_mul(c.elements, c.ranks, &bad);
  c.solved = DTC_SOLVED_PARAMS;
  if (!bad && c.dtype_bytes == 4 && x->alloc.params == 0 && c.value >= params / 10 * 9 && c.value <= params / 10 * 11)
    (void)add(x, f, c);
}

static void shard(const dtci_explain *x, found *f, dtc_candidate c, const uint64_t of[DTCI_QUANTITIES])
{
  const dtc_plan *p = &x->c.plan;
  c.ranks = p->dp_shard;
  int request = x->alloc.kind == DTC_ALLOC_KIND_REQUEST;
  if (x->knows_ranks && c.ranks > 1) {
    c.elements = of[DTCI_Q_SHARD];
    int like = add(x, f, c);
    if (!like && request && p->tp * p->pp * p->ep == 1 && (x->holds & DTCI_IF_SHARDED) != 0)
      solve_params(x, f, c, of[DTCI_Q_COPY]);
  } else if (!x->knows_ranks && request && p->ep == 1) {
    solve_ranks(x, f, c, of[DTCI_Q_COPY]);
  }
}

static void staged(const dtci_explain *x, found *f, const dtci_suspect_row *row, dtc_candidate c)
{
  for (uint64_t i = 0; i < x->q.stages; i++) {
    const uint64_t *of = x->q.staged[i];
    c.stage = x->q.stages > 1 ? x->q.stage[i] : DTC_NONE;
    if (row->quantity == DTCI_Q_SHARD) {
      shard(x, f, c, of);
    } else if (row->dtypes == 0) { /* states: bytes */
      c.bytes = of[row->quantity];
      (void)add(x, f, c);
    } else {
      c.elements = of[row->quantity];
      (void)add(x, f, c);
    }
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void try_dtype(const dtci_explain *x, found *f, const dtci_suspect_row *row, dtc_candidate c)
{
  if (row->quantity >= DTCI_Q_COPY) {
    staged(x, f, row, c);
  } else if (row->growth != DTCI_GROWS_NOT) {
    grows(x, f, row, c);
  } else {
    c.elements = x->q.of[row->quantity];
    c.ranks = row->suspect == DTC_SUSPECT_SUB_GROUP ? x->c.plan.dp_shard : 1;
    (void)add(x, f, c);
  }
}

static void try_row(const dtci_explain *x, found *f, const dtci_suspect_row *row)
{
  int asked = x->alloc.kind == DTC_ALLOC_KIND_REQUEST ? row->request : row->resident;
  if (!asked)
    return;
  dtc_candidate c = {.suspect = row->suspect, .ranks = 1, .stage = DTC_NONE, .tensor = DTC_NONE, .avoid = row->avoid};
  c.usual = DTC_BOOL_ON;
  if (row->dtypes == 0)
    try_dtype(x, f, row, c);
  for (uint32_t i = 0; i < DTCI_DTYPES; i++) {
    c.dtype_bytes = 1u << i;
    c.usual = is_usual(x, row->usual[i]);
    if ((row->dtypes & c.dtype_bytes) != 0)
      try_dtype(x, f, row, c);
  }
}

/* ---- single weights -------------------------------------------------------------------------- */

/* Index of the first tensor of a row's kind and size. */
static uint64_t index_of(const dtc_model *m, const dtci_tensor_row *row, uint64_t numel)
{
  dtc_error unused;
  dtc_tensor t;
  uint64_t count = 0;
  if (dtci_model_tensors(m, &count, &unused) != DTC_OK)
    return DTC_NONE;
  for (uint64_t k = 0; k < dtci_smaller(count, NAMED_MOST); k++) {
    uint64_t i = row->part == DTCI_AFTER ? count - 1 - k : k;
    if (dtci_model_describe(m, i, &t, &unused) == DTC_OK && t.kind == row->kind && t.numel == numel)
      return i;
  }
  return DTC_NONE;
}

/* One type, whole or a tensor parallel part. */
static void try_weight(const dtci_explain *x, found *f, const dtci_tensor_row *row, dtc_candidate c, uint64_t numel)
{
  size_t before = f->n;
  dtc_candidate probe = c;
  uint64_t unused = 0;
  int bad = 0;
  probe.bytes = dtci_mul(c.elements, c.dtype_bytes, &bad);
  if (bad || !is_like(x, probe.bytes, &unused) || is_known(f, &probe) || before == CANDIDATES)
    return;
  c.tensor = index_of(&x->c.model, row, numel);
  (void)add(x, f, c);
}

static void try_matrix(const dtci_explain *x, found *f, const dtci_tensor_row *row)
{
  const dtc_plan *p = &x->c.plan;
  const dtc_model *m = &x->c.model;
  uint64_t over = row->split != DTCI_SPLIT_TP ? 1 : row->part == DTCI_EXPERT ? p->etp : p->tp;
  int bad = 0;
  uint64_t numel = dtci_tensor_numel(m, row, &bad);
  uint64_t padded = row->dims[0] == DTCI_DIM_VOCAB ? dtci_mul(dtci_padded_vocab(m, p), m->hidden, &bad) : numel;
  dtc_candidate c = {.suspect = DTC_SUSPECT_TENSOR, .stage = DTC_NONE, .avoid = dtci_tensor_avoid};
  if (bad || row->dims[1] == DTCI_DIM_NONE)
    return;
  for (uint32_t i = 0; i < DTCI_DTYPES; i++) {
    c.dtype_bytes = 1u << i;
    c.ranks = over;
    c.elements = dtci_ceil_div(padded, over);
    c.usual = is_usual(x, dtci_tensor_usual[i]);
    try_weight(x, f, row, c, numel);
    c.ranks = 1;
    c.elements = padded;
    c.usual = over > 1 ? DTC_BOOL_OFF : c.usual;
    try_weight(x, f, row, c, numel);
  }
}

/* Every row that a layer, or what stands outside, has. */
static void try_weights(const dtci_explain *x, found *f)
{
  const dtc_model *m = &x->c.model;
  uint32_t count = 0;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  dtci_layers n = dtci_layers_until(m, m->layers);
  uint32_t outside = dtci_model_features(m);
  for (uint32_t i = 0; i < count; i++) {
    int in_layer = rows[i].part == DTCI_LAYER || rows[i].part == DTCI_EXPERT;
    int has = !in_layer && (rows[i].when & outside) == rows[i].when;
    for (uint32_t k = 0; k < DTCI_LAYER_KINDS && in_layer; k++) {
      uint32_t features = dtci_layer_features(m, (dtci_layer_kind)k);
      has = has || (n.of[k] != 0 && (rows[i].when & features) == rows[i].when);
    }
    if (has)
      try_matrix(x, f, &rows[i]);
  }
}

/* ---- the question ---------------------------------------------------------------------------- */

static void settle(dtc_alloc *a)
{
  a->kind = a->kind != DTC_ALLOC_KIND_DEFAULT ? a->kind : DTC_ALLOC_KIND_REQUEST;
  a->device = a->device != DTC_ALLOC_DEVICE_DEFAULT ? a->device : DTC_ALLOC_DEVICE_GPU;
  if (a->bytes == 0)
    a->bytes = a->low / 2 + a->high / 2;
  if (a->low == 0 && a->high == 0) {
    a->low = a->high = a->bytes;
    dtci_alloc_widen(a);
  }
  a->high = dtci_larger(a->high, a->low);
}

static dtc_status ask(dtci_explain *x, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                      const dtc_alloc *alloc, found *f, dtc_error *e)
{
  TRY(dtci_in(&x->alloc, DTC_STRUCT_alloc, alloc, e));
  settle(&x->alloc);
  if (x->alloc.bytes == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_EXPLAIN_BYTES, DTC_FIELD(alloc, bytes), 0);
  TRY(dtci_explain_count(x, model, cluster, plan, e));
  f->n = 0;
  for (uint32_t i = 0; i < dtci_suspects_count; i++)
    if (x->has_model || dtci_suspects[i].quantity >= DTCI_Q_COPY)
      try_row(x, f, &dtci_suspects[i]);
  if (x->has_model && x->alloc.kind == DTC_ALLOC_KIND_REQUEST)
    try_weights(x, f);
  return DTC_OK;
}

static dtc_status give(const found *f, dtc_candidate *out, size_t cap, size_t *count, dtc_error *e)
{
  *count = f->n;
  if (f->n > cap)
    return dtci_fail_space(e, cap, f->n);
  if (f->n != 0)
    memcpy(out, f->list, f->n * sizeof *out);
  return DTC_OK;
}

dtc_status dtc_explain_alloc(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                             const dtc_alloc *alloc, dtc_candidate *candidates, size_t cap, size_t *count,
                             dtc_error *err)
{
  dtc_error e;
  dtci_explain x;
  found f;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = ask(&x, model, cluster, plan, alloc, &f, &e);
  return dtci_end(s != DTC_OK ? s : give(&f, candidates, cap, count, &e), &e, err);
}

const char *dtc_explain_text(dtc_suspect suspect, dtc_lang lang)
{
  if (suspect >= dtci_suspect_texts_count || dtci_suspect_texts[suspect].en[0] == 0)
    return NULL;
  return lang == DTC_LANG_ZH ? dtci_suspect_texts[suspect].zh : dtci_suspect_texts[suspect].en;
}
