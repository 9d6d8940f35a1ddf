/* Keys of a configuration: finding them by name, what they are called in messages, and the values that a text gives them. */
#include "internal/settings.h"

/* ---- tables ---------------------------------------------------------------------------------- */

int dtci_dialect_of(dtc_dialect number, dtci_dialect *d)
{
  memset(d, 0, sizeof *d);
  switch (number) {
  case DTC_DIALECT_DEEPSPEED:
    dtci_lint_deepspeed(d);
    return 1;
  case DTC_DIALECT_MEGATRON:
    dtci_lint_megatron(d);
    return 1;
  case DTC_DIALECT_TORCHTITAN:
    dtci_lint_torchtitan(d);
    return 1;
  case DTC_DIALECT_COLOSSALAI:
    dtci_lint_colossalai(d);
    return 1;
  case DTC_DIALECT_ACCELERATE:
    dtci_lint_accelerate(d);
    return 1;
  case DTC_DIALECT_TRAINER:
    dtci_lint_trainer(d);
    return 1;
  case DTC_DIALECT_TORCHRUN:
    dtci_lint_torchrun(d);
    return 1;
  case DTC_DIALECT_HOSTFILE:
    dtci_lint_hosts(d);
    return 1;
  case DTC_DIALECT_SLURM:
    dtci_lint_slurm(d);
    return 1;
  case DTC_DIALECT_NCCL:
    dtci_lint_nccl(d);
    return 1;
  default:
    return 0;
  }
}

const dtci_rule_row *dtci_setting_rule_of(dtc_rule rule)
{
  dtci_dialect d;
  for (uint32_t i = 0; i < dtci_lint_rules_count; i++)
    if (dtci_lint_rules[i].rule == rule)
      return &dtci_lint_rules[i];
  for (dtc_dialect n = 1; n <= DTC_DIALECT_NCCL; n++) {
    (void)dtci_dialect_of(n, &d);
    for (uint32_t i = 0; i < d.rules_count; i++)
      if (d.rules[i].row.rule == rule)
        return &d.rules[i].row;
  }
  return NULL;
}

const dtci_rule_row *dtci_setting_rule_about(const dtci_rule_row *row, uint32_t field)
{
  dtci_dialect d;
  if (field >> 16 != DTC_STRUCT_setting || !dtci_dialect_of(field >> DTCI_KEY_BITS & 15, &d))
    return row;
  for (uint32_t i = 0; i < d.rules_count; i++)
    if (d.rules[i].row.rule == row->rule && DTCI_FIELD(d.rules[i].row.fix) == field)
      return &d.rules[i].row;
  return row;
}

/* The row of a field id; NULL when there is none. */
static const dtci_key *key_of(uint32_t field, dtci_dialect *d)
{
  uint32_t index = field & (DTCI_KEYS_MAX - 1);
  if (field >> 16 != DTC_STRUCT_setting || !dtci_dialect_of(field >> DTCI_KEY_BITS & 15, d) || index >= d->keys_count)
    return NULL;
  return &d->keys[index];
}

const char *dtci_setting_name(uint32_t field)
{
  dtci_dialect d;
  const dtci_key *key = key_of(field, &d);
  return key != NULL ? key->name : "?";
}

/* ---- values in messages ---------------------------------------------------------------------- */

const char *dtci_setting_value_name(uint32_t field, uint64_t value)
{
  dtci_dialect d;
  const dtci_key *key = key_of(field, &d);
  if (key == NULL || value > UINT8_MAX)
    return "?";
  if (key->kind == DTCI_KEY_SWITCH && value <= 1)
    return value ? "true" : "false";
  if (key->kind == DTCI_KEY_FLAG && value <= 1)
    return value ? "on" : "off";
  if (key->kind != DTCI_KEY_WORD)
    return "?";
  for (uint32_t i = 0; i < d.words_count; i++)
    if (d.words[i].set == key->words && d.words[i].value == value)
      return d.words[i].word;
  return "?";
}

int dtci_setting_tells(uint32_t field)
{
  dtci_dialect d;
  const dtci_key *key = key_of(field, &d);
  if (key != NULL && key->kind == DTCI_KEY_TEXT)
    return key->list >= DTCI_TEXT_NODES;
  return key != NULL && key->kind != DTCI_KEY_BLOCK && key->kind != DTCI_KEY_ANY && key->kind != DTCI_KEY_ALIAS &&
         key->kind != DTCI_KEY_GONE && key->kind != DTCI_KEY_IGNORED;
}

/* The words of a set, of those in the mask, each value by its first spelling. */
static void put_words(dtci_text *t, const dtci_dialect *d, uint32_t set, uint64_t mask)
{
  uint64_t told = 0;
  for (uint32_t i = 0; i < d->words_count; i++) {
    const dtci_word *w = &d->words[i];
    uint64_t bit = w->value < 64 ? UINT64_C(1) << w->value : 0;
    if (w->set != set || w->gone || w->word[0] == 0 || (told & bit) != 0 || (mask & bit) == 0)
      continue;
    dtci_puts(t, told != 0 ? ", " : "");
    dtci_puts(t, w->word);
    told |= bit;
  }
}

static void put_signed(dtci_text *t, int64_t v)
{
  dtci_puts(t, v < 0 ? "-" : "");
  dtci_put_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void put_number(dtci_text *t, uint64_t bits)
{
  double d = 0;
  memcpy(&d, &bits, sizeof d);
  dtci_put_f64(t, d);
}

void dtci_setting_put(dtci_text *t, uint32_t field, uint64_t value)
{
  dtci_dialect d;
  const dtci_key *key = key_of(field, &d);
  if (key != NULL && key->kind == DTCI_KEY_NUMBER)
    put_number(t, value);
  else if (key != NULL && key->kind == DTCI_KEY_WORDS)
    put_words(t, &d, key->words, value);
  else
    put_signed(t, (int64_t)value);
}

static int bounded(const dtci_key *key)
{
  return key->min.i != 0 || key->max.i != 0;
}

/* ", 0 to 3", of integers and numbers. */
static void put_bounds(dtci_text *t, const dtci_key *key, int zh)
{
  int number = key->kind == DTCI_KEY_NUMBER, open = number ? key->max.d >= 1e300 : key->max.i == INT64_MAX;
  if (!bounded(key))
    return;
  dtci_puts(t, zh ? "，" : ", ");
  if (number)
    dtci_put_f64(t, key->min.d);
  else
    put_signed(t, key->min.i);
  dtci_puts(t, open ? (zh ? " 或更大" : " or more") : (zh ? " 到 " : " to "));
  if (!open && number)
    dtci_put_f64(t, key->max.d);
  else if (!open)
    put_signed(t, key->max.i);
}

void dtci_setting_put_takes(dtci_text *t, uint32_t field, int zh)
{
  static const char what[][2][32] = {
      [DTCI_KEY_INTEGER] = {"an integer", "整数"},     [DTCI_KEY_NUMBER] = {"a number", "数值"},
      [DTCI_KEY_SWITCH] = {"true or false", "布尔值"}, [DTCI_KEY_FLAG] = {"no value", "无值"},
      [DTCI_KEY_WORD] = {"one of ", "其一："},         [DTCI_KEY_TEXT] = {"text", "文本"},
      [DTCI_KEY_LIST] = {"integers", "整数列表"},      [DTCI_KEY_WORDS] = {"some of ", "若干："},
      [DTCI_KEY_BLOCK] = {"an object", "对象"},        [DTCI_KEY_ANY] = {"a value", "值"},
      [DTCI_KEY_IGNORED] = {"a value", "值"},
  };
  dtci_dialect d;
  const dtci_key *key = key_of(field, &d);
  if (key != NULL && key->kind == DTCI_KEY_ALIAS)
    key = &d.keys[key->to];
  if (key == NULL || key->kind >= sizeof what / sizeof what[0])
    return;
  dtci_puts(t, what[key->kind][zh]);
  if (key->kind == DTCI_KEY_WORD || key->kind == DTCI_KEY_WORDS)
    put_words(t, &d, key->words, UINT64_MAX);
  else if (key->kind == DTCI_KEY_INTEGER || key->kind == DTCI_KEY_NUMBER || key->kind == DTCI_KEY_LIST)
    put_bounds(t, key, zh);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A character of a name, where '_' in flags may be as good as '-'. */
static char letter(const dtci_settings *s, const char *name, size_t i)
{
  if (s->dialect.dashes && name[0] == '-' && name[i] == '_')
    return '-';
  return name[i];
}

/* FNV-1a. */
static uint64_t hash_of(const dtci_settings *s, const char *name, size_t n)
{
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)letter(s, name, i)) * UINT64_C(0x100000001B3);
  return h ^ h >> 32;
}

static int same_name(const dtci_settings *s, const char *known, const char *name, size_t n)
{
  size_t i = 0;
  for (; i < n && known[i] != 0; i++)
    if (letter(s, known, i) != letter(s, name, i))
      return 0;
  return i == n && known[i] == 0;
}

/* The slot of this name: it holds 1 + its key, or is empty. */
static uint64_t *slot_of(const dtci_settings *s, const char *name, size_t n)
{
  uint64_t i = hash_of(s, name, n) & (s->slots - 1);
  while (s->slot[i] != 0 && !same_name(s, s->dialect.keys[s->slot[i] - 1].name, name, n))
    i = (i + 1) & (s->slots - 1);
  return &s->slot[i];
}

uint32_t dtci_key_named(const dtci_settings *s, const char *name, size_t n)
{
  uint64_t found = n == 0 ? 0 : *slot_of(s, name, n);
  return found == 0 ? (uint32_t)DTCI_NO_KEY : (uint32_t)found - 1;
}

int dtci_setting_has(uint32_t since, uint32_t until, uint32_t version)
{
  return version >= since && (until == 0 || version < until);
}

void dtci_settings_open(dtci_settings *s)
{
  const dtci_dialect *d = &s->dialect;
  memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
  for (uint32_t i = 0; i < d->keys_count; i++) {
    const dtci_key *key = &d->keys[i];
    int has = dtci_setting_has(key->since, key->until, s->version);
    s->value[i] = (uint64_t)key->fill.i;
    s->state[i] = has && (key->flags & DTCI_HAS) ? DTCI_STATE_DEFAULT : DTCI_STATE_NONE;
    s->at[i] = DTC_NONE;
    if (!has || key->kind == DTCI_KEY_WORKED)
      continue;
    uint64_t *slot = slot_of(s, key->name, strlen(key->name));
    if (*slot == 0)
      *slot = 1 + (uint64_t)i;
  }
}

/* ---- findings -------------------------------------------------------------------------------- */

void dtci_lint_found(dtci_settings *s, const dtc_error *e)
{
  dtc_error unused;
  if (s->count < s->cap)
    (void)dtci_out_at(s->out, s->count, DTC_STRUCT_error, e, &unused);
  s->count++;
}

/* A finding with a key, by a row of dtci_lint_rules; to be filled further. */
static dtc_error finding(const dtci_settings *s, dtc_rule rule, uint32_t key, size_t at)
{
  const dtci_rule_row *row = &dtci_lint_rules[rule - DTC_RULE_LINT_UNKNOWN];
  dtc_error e;
  (void)dtci_fail(&e, row->status, rule,
                  key < s->dialect.keys_count ? DTCI_KEY_FIELD(s->dialect.number, key) : DTCI_ARG(TEXT), DTC_NONE);
  e.severity = row->severity;
  e.offset = at;
  return e;
}

void dtci_lint_simple(dtci_settings *s, dtc_rule rule, uint32_t key, size_t at)
{
  dtc_error e = finding(s, rule, key, at);
  const dtci_key *row = &s->dialect.keys[key < s->dialect.keys_count ? key : 0];
  if ((rule == DTC_RULE_LINT_GONE || rule == DTC_RULE_LINT_IGNORED) && row->to != 0)
    e.other = DTCI_KEY_FIELD(s->dialect.number, row->to);
  if (rule == DTC_RULE_LINT_TWICE)
    e.severity = s->dialect.twice;
  if ((rule == DTC_RULE_LINT_WORD || rule == DTC_RULE_LINT_TYPE) && (row->flags & DTCI_WARN))
    e.severity = DTC_SEVERITY_WARNING;
  dtci_lint_found(s, &e);
}

dtc_error dtci_lint_told(const dtci_settings *s, dtc_rule rule, uint32_t key, size_t at)
{
  const dtci_rule_row *row = dtci_rule_of(rule);
  dtc_error e;
  (void)dtci_fail(&e, row != NULL && row->status != DTC_OK ? row->status : DTC_E_PARSE, rule,
                  key < s->dialect.keys_count ? DTCI_KEY_FIELD(s->dialect.number, key) : DTCI_ARG(TEXT), DTC_NONE);
  e.severity = row != NULL ? row->severity : DTC_SEVERITY_ERROR;
  e.offset = at;
  return e;
}

void dtci_lint_unknown(dtci_settings *s, uint32_t unknown, uint32_t block, const char *name, size_t n, size_t at)
{
  const dtci_dialect *d = &s->dialect;
  uint64_t nearest = DTC_NONE;
  uint32_t first = 0;
  if (unknown == DTCI_UNKNOWN_FREE)
    return;
  dtc_rule rule = unknown == DTCI_UNKNOWN_ERROR ? DTC_RULE_LINT_UNKNOWN : DTC_RULE_LINT_UNHEARD;
  dtc_error e = finding(s, rule, block, at);
  if (s->nearest_left > 0) { /* a search costs the whole table */
    s->nearest_left--;
    while (first < d->keys_count && d->keys[first].kind == DTCI_KEY_WORKED)
      first++;
    size_t count = d->keys_count - first;
    size_t found = dtci_name_find(d->keys[first].name, count, sizeof *d->keys, name, n, &nearest);
    if (found < count)
      nearest = found;
    if (nearest != DTC_NONE)
      e.other = DTCI_KEY_FIELD(d->number, first + (uint32_t)nearest);
  }
  dtci_lint_found(s, &e);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The text has the key: says so when it had it before. */
static void note(dtci_settings *s, uint32_t key, size_t at)
{
  if (s->at[key] != DTC_NONE && s->dialect.twice != DTCI_TWICE_FINE)
    dtci_lint_simple(s, DTC_RULE_LINT_TWICE, key, at);
  s->at[key] = at;
}

static void put(dtci_settings *s, uint32_t key, uint64_t value)
{
  s->value[key] = value;
  s->state[key] = DTCI_STATE_GIVEN;
}

/* The value is wrong, which was said: rules leave it alone. */
static void put_unknown(dtci_settings *s, uint32_t key)
{
  s->state[key] = DTCI_STATE_UNKNOWN;
}

void dtci_key_unknown(dtci_settings *s, uint32_t key, size_t at)
{
  const dtci_key *row = &s->dialect.keys[key];
  uint32_t target = row->kind == DTCI_KEY_ALIAS || (row->kind == DTCI_KEY_FLAG && row->to != 0) ? row->to : key;
  if (row->kind == DTCI_KEY_GONE || row->kind == DTCI_KEY_IGNORED)
    dtci_lint_simple(s, row->kind == DTCI_KEY_GONE ? DTC_RULE_LINT_GONE : DTC_RULE_LINT_IGNORED, key, at);
  s->at[target] = at;
  put_unknown(s, target);
}

static int out_of_range(dtci_settings *s, uint32_t key, uint64_t got, uint64_t min, uint64_t max, int below, size_t at)
{
  dtc_error e = finding(s, DTC_RULE_LINT_RANGE, key, at);
  e.got = got;
  e.min = min;
  e.max = max;
  e.lower = below ? DTC_NONE : max;
  e.upper = below ? min : DTC_NONE;
  if (s->dialect.keys[key].flags & DTCI_WARN)
    e.severity = DTC_SEVERITY_WARNING;
  dtci_lint_found(s, &e);
  return 0;
}

static int integer_ok(dtci_settings *s, uint32_t key, int64_t v, size_t at)
{
  const dtci_key *row = &s->dialect.keys[key];
  if (!bounded(row) || (v >= row->min.i && v <= row->max.i))
    return 1;
  uint64_t max = row->max.i == INT64_MAX ? DTC_NONE : (uint64_t)row->max.i;
  return out_of_range(s, key, (uint64_t)v, (uint64_t)row->min.i, max, v < row->min.i, at);
}

static int number_ok(dtci_settings *s, uint32_t key, double v, size_t at)
{
  const dtci_key *row = &s->dialect.keys[key];
  if (!bounded(row) || (v >= row->min.d && v <= row->max.d))
    return 1;
  uint64_t max = row->max.d >= 1e300 ? DTC_NONE : (uint64_t)row->max.i;
  return out_of_range(s, key, dtci_word_of(v), (uint64_t)row->min.i, max, !(v > row->max.d), at);
}

/* The value of a word of the key's set; DTC_NONE. */
static uint64_t word_value(const dtci_settings *s, const dtci_key *row, const char *word, size_t n)
{
  const dtci_dialect *d = &s->dialect;
  for (uint32_t i = 0; i < d->words_count; i++)
    if (d->words[i].set == row->words && !d->words[i].gone &&
        (row->flags & DTCI_NO_CASE ? dtci_same_letters(word, n, d->words[i].word)
                                   : dtci_same(word, n, d->words[i].word)))
      return d->words[i].value;
  return DTC_NONE;
}

/* 1 or 0 for what Python's tools take as true or false; DTC_NONE. */
static uint64_t truth(const char *word, size_t n)
{
  static const char words[][8] = {"false", "true", "no", "yes", "off", "on", "0", "1", "f", "t", "n", "y"};
  for (uint64_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (dtci_same_letters(word, n, words[i]))
      return i & 1;
  return DTC_NONE;
}

static void put_auto(dtci_settings *s, uint32_t key)
{
  const dtci_key *row = &s->dialect.keys[key];
  if (row->flags & DTCI_AUTO)
    s->state[key] = DTCI_STATE_AUTO;
  else
    s->state[key] = row->flags & DTCI_HAS ? DTCI_STATE_DEFAULT : DTCI_STATE_NONE;
  s->value[key] = (uint64_t)row->fill.i;
}

/* One more integer of a list. */
static void add_to_list(dtci_settings *s, uint32_t key, uint64_t v, int more)
{
  uint64_t *sum = &s->value[key];
  int bad = 0;
  switch (s->dialect.keys[key].list) {
  case DTCI_LIST_PRODUCT:
    *sum = more ? dtci_mul(*sum, v, &bad) : v;
    break;
  case DTCI_LIST_SUM:
    *sum = more ? dtci_add(*sum, v, &bad) : v;
    break;
  case DTCI_LIST_MOST:
    *sum = more && *sum > v ? *sum : v;
    break;
  default:
    *sum = more ? *sum + 1 : 1;
  }
  if (!more)
    s->state[key] = DTCI_STATE_GIVEN;
  if (bad)
    put_unknown(s, key);
}

static void keep(dtci_settings *s, const char *word, size_t n)
{
  s->kept_n = n < sizeof s->kept ? n : 0; /* words that are longer come cut */
  memcpy(s->kept, word, s->kept_n);
}

/* Integers between commas or colons: "0,1,2", "1:4". */
static int read_list(dtci_settings *s, uint32_t key, const char *word, size_t n, size_t at, int more)
{
  for (size_t from = 0, to = 0; from <= n; from = to + 1, more = 1) {
    int64_t v = 0;
    for (to = from; to < n && word[to] != ',' && word[to] != ':';)
      to++;
    if (!dtci_text_i64(word + from, to - from, &v))
      return 0;
    if (!integer_ok(s, key, v, at) && !(s->dialect.keys[key].flags & DTCI_WARN))
      put_unknown(s, key);
    else
      add_to_list(s, key, (uint64_t)v, more);
  }
  return 1;
}

/* Words between blanks: "full_shard auto_wrap". Without one the key is not given. */
static void read_words(dtci_settings *s, uint32_t key, const char *word, size_t n, size_t at, int more)
{
  const dtci_key *row = &s->dialect.keys[key];
  size_t from = 0, to = 0;
  if (!more)
    s->state[key] = DTCI_STATE_NONE;
  for (; from < n; from = to + 1) {
    for (to = from; to < n && word[to] != ' ' && word[to] != '\t' && word[to] != '\n';)
      to++;
    if (to == from)
      continue;
    uint64_t v = word_value(s, row, word + from, to - from);
    if (v == DTC_NONE) {
      dtci_lint_simple(s, DTC_RULE_LINT_WORD, key, at);
      put_unknown(s, key);
    } else if (s->state[key] != DTCI_STATE_UNKNOWN) {
      put(s, key, (more ? s->value[key] : 0) | UINT64_C(1) << (v & 63));
      more = 1;
    }
  }
}

/* The value of a key of its own kind; 0 when it is of the wrong type. */
static int read_word(dtci_settings *s, uint32_t key, const char *word, size_t n, size_t at, int more)
{
  const dtci_key *row = &s->dialect.keys[key];
  int64_t integer = 0;
  double number = 0;
  uint64_t v = 0;
  switch (row->kind) {
  case DTCI_KEY_INTEGER:
    if (row->words != 0 && word_value(s, row, word, n) != DTC_NONE) {
      s->state[key] = DTCI_STATE_AUTO;
      return 1;
    }
    if (row->flags & DTCI_C_NUMBER && n == 0) {
      s->state[key] = row->flags & DTCI_HAS ? DTCI_STATE_DEFAULT : DTCI_STATE_NONE;
      return 1;
    }
    if (!(row->flags & DTCI_C_NUMBER ? dtci_get_c_number(word, n, &integer) : dtci_text_i64(word, n, &integer)))
      return 0;
    if (!integer_ok(s, key, integer, at) && !(row->flags & DTCI_WARN))
      put_unknown(s, key);
    else
      put(s, key, (uint64_t)integer);
    return 1;
  case DTCI_KEY_LIST:
    return read_list(s, key, word, n, at, more);
  case DTCI_KEY_NUMBER:
    if (!dtci_text_f64(word, n, &number))
      return 0;
    put(s, key, dtci_word_of(number));
    if (!number_ok(s, key, number, at) && !(row->flags & DTCI_WARN))
      put_unknown(s, key);
    return 1;
  case DTCI_KEY_SWITCH:
    v = truth(word, n);
    put(s, key, v);
    return v != DTC_NONE;
  case DTCI_KEY_WORD:
    v = word_value(s, row, word, n);
    if (v == DTC_NONE && (row->flags & DTCI_OTHERS))
      v = DTCI_OTHER_WORD;
    if (v != DTC_NONE) {
      put(s, key, v);
    } else {
      dtci_lint_simple(s, DTC_RULE_LINT_WORD, key, at);
      put_unknown(s, key);
    }
    return 1;
  case DTCI_KEY_WORDS:
    read_words(s, key, word, n, at, more);
    return 1;
  case DTCI_KEY_TEXT:
    if (key == s->dialect.keeps)
      keep(s, word, n);
    put(s, key, dtci_value_of_text(row->list, word, n));
    if (s->value[key] == DTC_NONE)
      put_unknown(s, key);
    return 1;
  default:
    put(s, key, n);
    return 1;
  }
}

void dtci_key_word(dtci_settings *s, uint32_t key, const char *word, size_t n, size_t at, int more)
{
  const dtci_key *row = &s->dialect.keys[key];
  if (row->kind == DTCI_KEY_GONE || row->kind == DTCI_KEY_IGNORED) {
    if (!more)
      dtci_key_unknown(s, key, at);
    return;
  }
  if (row->kind == DTCI_KEY_ALIAS) {
    key = row->to;
    row = &s->dialect.keys[key];
  }
  if (row->kind == DTCI_KEY_FLAG) {
    dtci_key_flag(s, key, at);
    return;
  }
  if (!more)
    note(s, key, at);
  if (!more)
    s->state[key] = DTCI_STATE_GIVEN;
  if (row->flags & (DTCI_AUTO | DTCI_AUTO_DROP) && dtci_same(word, n, "auto")) {
    put_auto(s, key);
  } else if (!read_word(s, key, word, n, at, more)) {
    dtci_lint_simple(s, DTC_RULE_LINT_TYPE, key, at);
    put_unknown(s, key);
  }
}

void dtci_key_flag(dtci_settings *s, uint32_t key, size_t at)
{
  const dtci_key *row = &s->dialect.keys[key];
  uint32_t target = row->to != 0 ? row->to : key;
  note(s, target, at);
  put(s, target, row->to == 0 && row->puts == 0 ? 1 : (uint64_t)row->puts);
}

void dtci_key_null(dtci_settings *s, uint32_t key, size_t at)
{
  note(s, key, at);
  s->state[key] = DTCI_STATE_NONE;
}

void dtci_key_put(dtci_settings *s, uint32_t key, uint64_t value, size_t at)
{
  note(s, key, at);
  put(s, key, value);
}
