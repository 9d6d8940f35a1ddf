/* Configurations in JSON: nested objects become dotted names. The text is read once, without recursion. */
#include "internal/json.h"
#include "internal/settings.h"

enum {
  PATH_SIZE = 160, /* longer than any name of the tables; what does not fit is no name */
  WORD_SIZE = 160,
  LEVELS = 12, /* blocks that the tables nest */
};

typedef struct reader {
  dtci_settings *s;
  dtci_json json;
  char path[PATH_SIZE];
  size_t ends[LEVELS];     /* bytes of the path at each level */
  uint32_t blocks[LEVELS]; /* key of the block */
  uint32_t level;
} reader;

/* ---- values ---------------------------------------------------------------------------------- */

static void give(reader *r, uint32_t key, size_t at, int more)
{
  char word[WORD_SIZE];
  size_t n = dtci_json_chars(&r->json, word, sizeof word);
  dtci_key_word(r->s, key, word, n < sizeof word ? n : sizeof word, at, more);
}

/* A number token as an integer, 5e8 and 16.0 among them. */
static int integer(const dtci_json *j, int64_t *v)
{
  dtci_json positive = *j;
  uint64_t size = 0;
  int minus = j->text[j->at] == '-';
  positive.at += (size_t)minus;
  positive.n -= (size_t)minus;
  if (j->type != DTCI_JSON_NUMBER || !dtci_json_u64(&positive, &size) || size > INT64_MAX)
    return 0;
  *v = minus ? -(int64_t)size : (int64_t)size;
  return 1;
}

static void give_integer(reader *r, uint32_t key, int64_t v, size_t at, int more)
{
  char digits[24];
  dtci_text t = {digits, sizeof digits, 0};
  dtci_puts(&t, v < 0 ? "-" : "");
  dtci_put_u64(&t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
  dtci_key_word(r->s, key, digits, t.len, at, more);
}

static int is_truth(const dtci_json *j)
{
  return j->type == DTCI_JSON_TRUE || j->type == DTCI_JSON_FALSE;
}

static int is_auto(const dtci_json *j, const dtci_key *row)
{
  return (row->flags & (DTCI_AUTO | DTCI_AUTO_DROP)) != 0 && dtci_json_is(j, "auto");
}

/* A number or word, alone or in a list; 0 when it is of another type. */
static int scalar(reader *r, uint32_t key, const dtci_key *row, size_t at, int more)
{
  const dtci_json *j = &r->json;
  int lax = (row->flags & DTCI_LAX) != 0, text = j->type == DTCI_JSON_STRING, taken = 0;
  int64_t v = 0;
  switch (row->kind) {
  case DTCI_KEY_INTEGER:
  case DTCI_KEY_LIST:
    if (integer(j, &v) || (lax && is_truth(j))) {
      give_integer(r, key, is_truth(j) ? j->type == DTCI_JSON_TRUE : v, at, more);
      return 1;
    }
    taken = lax && text;
    break;
  case DTCI_KEY_NUMBER:
    taken = j->type == DTCI_JSON_NUMBER || (lax && text);
    break;
  case DTCI_KEY_SWITCH:
    taken = is_truth(j) || (lax && (text || j->type == DTCI_JSON_NUMBER));
    break;
  case DTCI_KEY_WORD:
  case DTCI_KEY_WORDS:
    taken = text || is_truth(j) || j->type == DTCI_JSON_NUMBER;
    break;
  default:
    taken = text;
  }
  if (taken || is_auto(j, row))
    give(r, key, at, more);
  return taken || is_auto(j, row);
}

/* The elements of a list. */
static dtc_status list(reader *r, uint32_t key, const dtci_key *row, size_t at, dtc_error *e)
{
  int more = 0, wrong = 0;
  for (;; more = 1) {
    TRY(dtci_json_next(&r->json, e));
    if (r->json.type == DTCI_JSON_ARRAY_END)
      break;
    if (!wrong && !scalar(r, key, row, at, more)) {
      wrong = 1;
      dtci_lint_simple(r->s, DTC_RULE_LINT_TYPE, key, at);
      dtci_key_unknown(r->s, key, at);
    }
    TRY(dtci_json_skip(&r->json, e));
  }
  if (!more)
    dtci_key_put(r->s, key, 0, at);
  return DTC_OK;
}

/* Goes into a block. The path there is that of its row, also when an alias named it. */
static int enter(reader *r, uint32_t key, size_t at)
{
  if (r->level + 1 == LEVELS)
    return 0;
  dtci_key_put(r->s, key, 1, at);
  r->level++;
  r->ends[r->level] = strlen(r->s->dialect.keys[key].name);
  r->blocks[r->level] = key;
  return 1;
}

/* The value whose first token was read. */
static dtc_status value(reader *r, uint32_t named, size_t at, dtc_error *e)
{
  const dtci_key *row = &r->s->dialect.keys[named];
  uint32_t key = row->kind == DTCI_KEY_ALIAS ? row->to : named;
  dtci_json_type type = r->json.type;
  int wrong = 0;
  row = &r->s->dialect.keys[key];
  if (row->kind == DTCI_KEY_GONE || row->kind == DTCI_KEY_IGNORED)
    dtci_key_unknown(r->s, key, at);
  else if (type == DTCI_JSON_NULL && (row->flags & DTCI_NULL))
    dtci_key_null(r->s, key, at);
  else if (row->kind == DTCI_KEY_ANY)
    dtci_key_put(r->s, key, type != DTCI_JSON_FALSE, at);
  else if (row->kind == DTCI_KEY_BLOCK && type == DTCI_JSON_OBJECT && enter(r, key, at))
    return DTC_OK;
  else if (row->kind == DTCI_KEY_BLOCK && is_truth(&r->json) && (row->flags & DTCI_LAX))
    dtci_key_put(r->s, key, type == DTCI_JSON_TRUE ? 2 : 0, at);
  else if ((row->kind == DTCI_KEY_LIST || row->kind == DTCI_KEY_WORDS) && type == DTCI_JSON_ARRAY)
    return list(r, key, row, at, e);
  else
    wrong = row->kind == DTCI_KEY_BLOCK || row->kind == DTCI_KEY_LIST || row->kind == DTCI_KEY_WORDS ||
            !scalar(r, key, row, at, 0);
  if (wrong) {
    dtci_lint_simple(r->s, DTC_RULE_LINT_TYPE, key, at);
    dtci_key_unknown(r->s, key, at);
  }
  return dtci_json_skip(&r->json, e);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* A key and the first token of its value. */
static dtc_status pair(reader *r, dtc_error *e)
{
  const dtci_dialect *d = &r->s->dialect;
  size_t at = r->json.at, n = r->ends[r->level];
  if (r->level > 0) {
    memcpy(r->path, d->keys[r->blocks[r->level]].name, n);
    r->path[n++] = '.';
  }
  n += dtci_json_chars(&r->json, r->path + n, sizeof r->path - n);
  TRY(dtci_json_next(&r->json, e));
  uint32_t key = n <= sizeof r->path ? dtci_key_named(r->s, r->path, n) : (uint32_t)DTCI_NO_KEY;
  if (key != DTCI_NO_KEY)
    return value(r, key, at, e);
  uint32_t block = r->level > 0 ? r->blocks[r->level] : (uint32_t)DTCI_NO_KEY;
  uint32_t unknown = r->level > 0 ? d->keys[block].unknown : d->unknown;
  dtci_lint_unknown(r->s, unknown, block, r->path, n < sizeof r->path ? n : sizeof r->path, at);
  return dtci_json_skip(&r->json, e);
}

dtc_status dtci_read_json(dtci_settings *s, dtc_error *e)
{
  reader r;
  memset(&r, 0, sizeof r);
  r.s = s;
  dtci_json_start(&r.json, s->text, s->len);
  TRY(dtci_json_next(&r.json, e));
  if (r.json.type != DTCI_JSON_OBJECT) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_JSON_SYNTAX, DTCI_ARG(TEXT), DTC_NONE);
    e->offset = r.json.at;
    return DTC_E_PARSE;
  }
  for (;;) {
    TRY(dtci_json_next(&r.json, e));
    if (r.json.type == DTCI_JSON_KEY)
      TRY(pair(&r, e));
    else if (r.level > 0)
      r.level--;
    else
      return dtci_json_next(&r.json, e);
  }
}
