/* pipe_layers.csv: which layers each pipeline stage has, as the frameworks' own functions split them. */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WEIGHTS = 4096, PARTS = 4096, LAYOUT = 1 << 16, NUMBER = 48, BEFORE_DYNAMIC = 12004 };

/* The row's params, "L=32;pp=4;vp=2", and what dtc_pipe_layers() is asked with. */
typedef struct request {
  const char *params;
  dtc_pipe_split s;
  char layout[LAYOUT];
  size_t len;
  uint64_t weights[WEIGHTS];
  size_t n;
} request;

/* The value of a param up to the next ';', NULL when it is not there. */
static const char *param(const request *r, const char *name, size_t *len)
{
  size_t n = strlen(name);
  for (const char *at = r->params; *at != 0; at += strcspn(at, ";"), at += *at == ';')
    if (strncmp(at, name, n) == 0 && at[n] == '=') {
      *len = strcspn(at + n + 1, ";");
      return at + n + 1;
    }
  *len = 0;
  return NULL;
}

static uint64_t number(const request *r, const char *name, uint64_t otherwise)
{
  size_t len;
  const char *value = param(r, name, &len);
  return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

static int is(const request *r, const char *name, const char *wanted)
{
  size_t len;
  const char *value = param(r, name, &len);
  return value != NULL && len == strlen(wanted) && memcmp(value, wanted, len) == 0;
}

static dtc_bool on(const request *r, const char *name)
{
  return is(r, name, "True") ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A letter of the layout for a word of the list form, '?' for one that has none. */
static char letter_of(const char *word, size_t len)
{
  static const char words[][12] = {"embedding", "decoder", "mtp", "loss"};
  for (size_t i = 0; i < 4; i++)
    if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
      return "EtmL"[i];
  return '?';
}

/* A list of stages, each a list of quoted words, as text: [['embedding', 'decoder'], ['loss']] is "Et|L". */
static void read_stages(request *r, const char *at, const char *end)
{
  int depth = 0;
  for (; at < end && r->len + 1 < LAYOUT; at++) {
    if (*at == '[' && ++depth == 2 && at[-1] != '[')
      r->layout[r->len++] = '|';
    depth -= *at == ']';
    if (*at != '\'')
      continue;
    size_t word = strcspn(++at, "'");
    r->layout[r->len++] = letter_of(at, word);
    at += word;
  }
}

/* The layout, and how many m it has: Megatron was asked with as many. */
static void read_layout(request *r)
{
  size_t len;
  const char *text = param(r, "layout", &len);
  if (text == NULL || len >= LAYOUT)
    return;
  if (text[0] == '[') {
    read_stages(r, text, text + len);
  } else {
    memcpy(r->layout, text, len);
    r->len = len;
  }
  for (size_t i = 0; i < r->len; i++)
    if (r->layout[i] == 'm')
      r->s.mtp_layers += i + 1 < r->len && r->layout[i + 1] == '*' ? strtoull(&r->layout[i + 2], NULL, 10) : 1;
  r->s.mtp_layers = number(r, "mtp", r->s.mtp_layers);
}

/* A decimal number times ten to the power of `digits`. */
static uint64_t scaled(const char *s, size_t digits)
{
  char *at;
  uint64_t v = strtoull(s, &at, 10);
  at += *at == '.';
  for (; digits > 0; digits--)
    v = v * 10 + (uint64_t)(*at >= '0' && *at <= '9' ? *at++ - '0' : 0);
  return v;
}

/* Numbers between commas, perhaps in brackets. Fractions are all multiplied alike: only their ratios count. */
static void read_weights(request *r, const char *name)
{
  size_t len, digits = 0;
  const char *begin = param(r, name, &len);
  if (begin == NULL)
    return;
  for (const char *at = begin; at < begin + len; at++)
    if (*at == '.' && strspn(at + 1, "0123456789") > digits)
      digits = strspn(at + 1, "0123456789");
  for (const char *at = begin; at < begin + len && r->n < WEIGHTS; at += strcspn(at, ",;"), at += *at == ',') {
    at += strspn(at, "[ ");
    r->weights[r->n++] = scaled(at, digits);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_megatron(golden *g, request *r)
{
  r->s.splitter = golden_is(g, "rule", "layout") ? DTC_SPLITTER_LAYOUT : DTC_SPLITTER_MEGATRON;
  r->s.layers = number(r, "L", 0);
  r->s.pp = number(r, "pp", 1);
  r->s.vpp = number(r, "vp", 0);
  r->s.first = number(r, "first", 0);
  r->s.last = number(r, "last", 0);
  r->s.account_embedding = on(r, "emb");
  r->s.account_loss = on(r, "loss");
  if (r->s.splitter == DTC_SPLITTER_LAYOUT)
    read_layout(r);
}

static void read_deepspeed(golden *g, request *r)
{
  r->s.pp = number(r, "parts", 0);
  r->s.layers = number(r, "items", 0);
  r->s.splitter = DTC_SPLITTER_UNIFORM;
  if (golden_is(g, "rule", "uniform"))
    return;
  r->s.splitter = DTC_SPLITTER_BALANCED;
  r->s.version = golden_is(g, "rule", "balanced") ? 0 : BEFORE_DYNAMIC;
  read_weights(r, "weights");
  r->s.layers = r->n;
}

/* A schedule of one stage per rank says so; of the others a rank has two, or what the layers per stage make. */
static void read_torchtitan(request *r)
{
  int single = is(r, "schedule", "1F1B") || is(r, "schedule", "GPipe");
  uint64_t first = number(r, "first_less", 1);
  uint64_t last = number(r, "last_less", 1);
  r->s.splitter = DTC_SPLITTER_TORCHTITAN;
  r->s.layers = number(r, "L", 0);
  r->s.pp = number(r, "pp", 1);
  r->s.per_stage = number(r, "layers_per_stage", 0);
  r->s.vpp = single ? 1 : r->s.per_stage != 0 ? 0 : 2;
  r->s.first_less = first != 0 ? first : DTC_NONE;
  r->s.last_less = last != 0 ? last : DTC_NONE;
  r->s.v_shape = is(r, "schedule", "ZBVZeroBubble") || is(r, "schedule", "DualPipeV") ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static void read_colossalai(request *r)
{
  r->s.splitter = DTC_SPLITTER_COLOSSALAI;
  r->s.layers = number(r, "L", 0);
  r->s.pp = number(r, "pp", 1);
  r->s.vpp = number(r, "chunks", 1);
  r->s.v_shape = on(r, "zbv");
  read_weights(r, "num_layers_per_stage");
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct text {
  char s[1 << 16];
  size_t len;
} text;

static void put(text *t, const char *between, const char *words, uint64_t n)
{
  char digits[NUMBER];
  snprintf(digits, sizeof digits, "%" PRIu64, n);
  t->len += (size_t)snprintf(t->s + t->len, sizeof t->s - t->len, "%s%s", between, words != NULL ? words : digits);
}

/* "offset+layers", chunks of a rank by ',', ranks by ';'. */
static void put_ranks(text *t, const dtc_pipe_part *parts, size_t count, uint64_t pp)
{
  for (uint64_t rank = 0; rank < pp; rank++)
    for (uint64_t chunk = 0; chunk < count / pp; chunk++)
      for (size_t i = 0; i < count; i++)
        if (parts[i].rank == rank && parts[i].chunk == chunk) {
          put(t, chunk > 0 ? "," : rank > 0 ? ";" : "", NULL, parts[i].first);
          put(t, "+", NULL, parts[i].layers);
        }
}

static void put_bounds(text *t, const dtc_pipe_part *parts, size_t count)
{
  put(t, "", NULL, 0);
  for (size_t i = 0; i < count; i++)
    put(t, ";", NULL, parts[i].first + parts[i].layers);
}

/* Modules by '+', stages by ';': E embedding, layers by number, N norm, H head. */
static void put_modules(text *t, const dtc_pipe_part *parts, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *between = i > 0 ? ";" : "";
    if (parts[i].embedding) {
      put(t, between, "E", 0);
      between = "+";
    }
    for (uint64_t layer = 0; layer < parts[i].layers; layer++, between = "+")
      put(t, between, NULL, parts[i].first + layer);
    if (parts[i].head)
      put(t, between, "N+H", 0);
  }
}

static void answer(golden *g, const request *r, const dtc_pipe_part *parts, size_t count)
{
  static text t;
  t.len = 0;
  if (golden_is(g, "framework", "deepspeed"))
    put_bounds(&t, parts, count);
  else if (golden_is(g, "framework", "torchtitan"))
    put_modules(&t, parts, count);
  else
    put_ranks(&t, parts, count, r->s.pp);
  golden_text(g, "split", t.s);
}

void golden_pipe_layers(golden *g)
{
  static request r;
  static dtc_pipe_part parts[PARTS];
  static uint64_t *scratch;
  dtc_error err;
  uint64_t needed = 0;
  size_t count = 0;
  memset(&r, 0, sizeof r);
  DTC_INIT(&r.s);
  DTC_INIT(&err);
  r.params = golden_cell(g, "params");
  if (golden_is(g, "framework", "megatron"))
    read_megatron(g, &r);
  else if (golden_is(g, "framework", "deepspeed"))
    read_deepspeed(g, &r);
  else if (golden_is(g, "framework", "torchtitan"))
    read_torchtitan(&r);
  else
    read_colossalai(&r);
  dtc_status status = dtc_pipe_layers_scratch(&r.s, &needed, &err);
  scratch = realloc(scratch, (needed + 1) * sizeof *scratch);
  if (scratch == NULL)
    abort();
  if (status == DTC_OK)
    status = dtc_pipe_layers(&r.s, r.layout, r.len, r.weights, r.n, parts, PARTS, &count, scratch, needed, &err);
  if (!golden_is(g, "result", "ok")) { /* why is not compared */
    if (status == DTC_OK)
      golden_not_refused(g);
    else
      golden_text(g, "result", golden_cell(g, "result"));
  } else if (golden_ok(g, status, &err)) {
    golden_text(g, "result", "ok");
    answer(g, &r, parts, count);
  }
}
