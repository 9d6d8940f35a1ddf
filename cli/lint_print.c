#include "lint_print.h"

#include "fields.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

enum {
  SHOWN = 100,       /* findings of a file; JSON lists them all */
  QUOTE = 90,        /* columns of a quoted line */
  QUOTE_BEFORE = 50, /* of them, before the place when the line is long */
};

/* ---- the line that a finding is in ------------------------------------------------------------------------------- */

/* Bytes of the character at s, of n that are left, and what it is; 1 and 0 when it is none. */
static size_t character(const char *s, size_t n, uint32_t *v)
{
  const unsigned char *b = (const unsigned char *)s;
  size_t more = *b >= 0xf0 && *b < 0xf5 ? 3 : *b >= 0xe0 && *b < 0xf0 ? 2 : *b >= 0xc2 && *b < 0xe0 ? 1 : 0;
  *v = *b < 0x80 ? *b : *b & (0x3fu >> more);
  if ((*b >= 0x80 && more == 0) || more >= n)
    return *v = 0, 1;
  for (size_t i = 1; i <= more; i++) {
    if ((b[i] & 0xc0) != 0x80)
      return *v = 0, 1;
    *v = *v << 6 | (b[i] & 0x3fu);
  }
  return more + 1;
}

/* What a terminal would not show as it stands: control characters, among them those that turn the direction of text. */
static bool is_hidden(uint32_t v)
{
  return v < 0x20 || (v >= 0x7f && v < 0xa0) || (v >= 0xd800 && v < 0xe000) || (v >= 0x200b && v <= 0x200f) ||
         (v >= 0x2028 && v <= 0x202e) || (v >= 0x2060 && v <= 0x206f) || v == 0xfeff;
}

typedef struct quote {
  char text[QUOTE * 4 + 8];
  size_t used;
  size_t width;
  size_t caret; /* columns before the place */
  size_t mark;  /* columns that are marked */
} quote;

static void put_character(quote *q, const char *s, size_t n, uint32_t v)
{
  char one[8] = "?";
  if (v == '\t')
    one[0] = ' ';
  else if (!is_hidden(v))
    memcpy(one, s, n);
  size_t len = strlen(one);
  memcpy(q->text + q->used, one, len + 1);
  q->used += len;
  q->width += text_width(one);
}

/* The first byte to show: all of the line, or some columns before the place. */
static size_t first_shown(const lint_file *f, const lint_finding *e)
{
  size_t at = (size_t)e->err.offset;
  size_t first = at - e->begin > QUOTE_BEFORE ? at - QUOTE_BEFORE : e->begin;
  while (first > e->begin && first < f->len && ((unsigned char)f->text[first] & 0xc0) == 0x80)
    first--;
  return first;
}

/* The byte behind the word at `at`. */
static size_t word_end(const lint_file *f, size_t at)
{
  static const char ends[] = " \t\r\n,:;()[]{}<>|&";
  bool quoted = at < f->len && (f->text[at] == '"' || f->text[at] == '\'');
  size_t end = at + 1;
  while (end < f->len && f->text[end] != '\n' &&
         (quoted ? f->text[end] != f->text[at] : strchr(ends, f->text[end]) == NULL))
    end++;
  return end + (quoted && end < f->len && f->text[end] == f->text[at]);
}

static void quote_line(const lint_file *f, const lint_finding *e, quote *q)
{
  size_t at = (size_t)e->err.offset;
  size_t first = first_shown(f, e);
  size_t end = word_end(f, at);
  uint32_t v;
  *q = (quote){0};
  if (first > e->begin)
    for (size_t i = 0; i < 3; i++)
      put_character(q, ".", 1, '.');
  for (size_t i = first, n; i < f->len && f->text[i] != '\n' && q->width < QUOTE; i += n) {
    n = character(f->text + i, f->len - i, &v);
    if (f->text[i] == '\r' && (i + 1 == f->len || f->text[i + 1] == '\n'))
      break;
    if (i == at)
      q->caret = q->width;
    put_character(q, f->text + i, n, v);
    if (i >= at && i < end)
      q->mark = q->width - q->caret;
  }
  if (q->mark == 0)
    q->caret = q->width; /* the place is the end of the line */
}

static void print_quote(const cli *c, const lint_file *f, const lint_finding *e)
{
  quote q;
  quote_line(f, e, &q);
  int gutter = printf("%6s", text_u64(e->line).s);
  printf(" | %s\n%*s | %*s%s^", q.text, gutter, "", (int)q.caret, "", c->bold ? "\033[1;32m" : "");
  for (size_t i = 1; i < q.mark; i++)
    putchar('~');
  puts(c->bold ? "\033[0m" : "");
}

/* ---- findings and what was read ---------------------------------------------------------------------------------- */

static void print_finding(const cli *c, const lint_file *f, const lint_finding *e)
{
  char line[LINT_LINE];
  bool warning = e->err.severity == DTC_SEVERITY_WARNING;
  const char *color = !c->bold ? "" : warning ? "\033[1;35m" : "\033[1;31m";
  const char *plain = c->bold ? "\033[0m" : "";
  lint_text(c, e, e->line != 0, line);
  printf("%s%s:", c->bold ? "\033[1m" : "", f->name);
  if (e->line != 0)
    printf("%s:%s:", text_u64(e->line).s, text_u64(e->column).s);
  printf("%s %s%s%s%s [%s]\n", plain, color, say(c, warning ? MSG_LINT_WARNING : MSG_LINT_ERROR), plain, line,
         dtc_value_name(DTC_FIELD(error, rule), e->err.rule));
  if (e->line != 0)
    print_quote(c, f, e);
}

static void print_model_read(const cli *c, const lint_file *f)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(DTC_STRUCT_model, fields);
  char line[2048];
  size_t used = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t value = field_get(&f->model, &fields[i]);
    const char *word = field_word(&fields[i], value);
    if (value != 0 && used < sizeof line)
      used += (size_t)snprintf(line + used, sizeof line - used, " %s=%s", dtc_field_name(fields[i].id),
                               word != NULL ? word : text_u64(value).s);
  }
  if (used == 0)
    return;
  char all[sizeof line + 64];
  write_line(c, all, sizeof all, MSG_LINT_MODEL, line + 1);
  text_wrap(all, 4);
}

/* A script of a shell whose lines end as on Windows: no finding of a tool, but of what reads it. */
static bool has_returns(const lint_file *f)
{
  const uint32_t scripts = 1u << DTC_DIALECT_MEGATRON | 1u << DTC_DIALECT_TRAINER | 1u << DTC_DIALECT_SLURM |
                           1u << DTC_DIALECT_TORCHRUN | 1u << DTC_DIALECT_NCCL;
  const char *end = f->len > 0 ? memchr(f->text, '\n', f->len) : NULL;
  return (f->dialects & scripts) != 0 && end != NULL && end > f->text && end[-1] == '\r';
}

static void print_sums(const cli *c, const lint_file *f)
{
  char dialects[256] = "";
  char plan[LINT_PLAN];
  for (dtc_dialect d = 1; d < DIALECTS; d++) {
    if ((f->dialects & 1u << d) != 0)
      list_add(c, dialects, sizeof dialects, dtc_value_name(DTC_FIELD(lint, dialect), d));
  }
  if (f->n == 0)
    print_line(c, MSG_LINT_CLEAN, f->name, dialects);
  else
    print_line(c, MSG_LINT_SUMS, f->name, dialects, text_u64(f->errors).s, text_u64(f->warnings).s);
  if (has_returns(f))
    print_line(c, MSG_LINT_RETURNS);
  lint_file_plan(f, plan);
  if (*plan != 0)
    print_line(c, MSG_LINT_PLAN, plan);
  print_model_read(c, f);
}

void lint_print(const cli *c, const lint_file *f)
{
  if (*f->failure != 0) {
    fflush(stdout);
    fprintf(stderr, "dtcore: %s\n", f->failure);
    return;
  }
  for (size_t i = 0; i < f->n && i < SHOWN; i++)
    print_finding(c, f, &f->list[i]);
  if (f->n > SHOWN)
    print_line(c, MSG_LINT_MORE, f->name, text_u64(f->n - SHOWN).s);
  print_sums(c, f);
}
