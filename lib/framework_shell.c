/* The words of shell text; see internal/shell.h. */
#include "internal/chars.h"
#include "internal/shell.h"
#include "internal/settings.h"

/* ---- characters ------------------------------------------------------------------------------ */

/* The byte `ahead` of the position; NUL at the end. */
static char peek(const dtci_shell *sh, size_t ahead)
{
  if (sh->pos >= sh->end || ahead >= sh->end - sh->pos)
    return 0;
  return sh->text[sh->pos + ahead];
}

static int is_over(const dtci_shell *sh)
{
  return sh->pos >= sh->end;
}

/* Bytes of the name at the position. */
static size_t name_here(const dtci_shell *sh, size_t ahead)
{
  size_t n = 0;
  while (dtci_is_name(peek(sh, ahead + n)))
    n++;
  return n;
}

static dtc_status endless(size_t at, dtc_error *e)
{
  dtci_fail(e, DTC_E_PARSE, DTC_RULE_LINT_QUOTE, DTCI_ARG(TEXT), DTC_NONE);
  e->offset = at;
  return DTC_E_PARSE;
}

/* ---- the word -------------------------------------------------------------------------------- */

static void add(dtci_shell *sh, char c)
{
  if (sh->n < sizeof sh->word)
    sh->word[sh->n] = c;
  if (sh->sure == sh->n)
    sh->sure++;
  sh->n++;
}

/* Something that is not known stands here. */
static void add_unknown(dtci_shell *sh)
{
  if (sh->n < sizeof sh->word)
    sh->word[sh->n] = '?';
  sh->n++;
}

static void add_all(dtci_shell *sh, const char *s, size_t n)
{
  for (size_t i = 0; i < n; i++)
    add(sh, s[i]);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* A variable in DTCI_VARIABLE_WORDS words: hash of the name (0: free), place of the name, its bytes, 1 + bytes of the value
 * (0: not known), and the value. */
enum { HASH, NAME, NAME_N, VALUE_N, VALUE, VALUE_BYTES = 8 * (DTCI_VARIABLE_WORDS - VALUE) };

static uint64_t hash_of(const char *s, size_t n)
{
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001B3);
  h ^= h >> 32;
  return h != 0 ? h : 1;
}

/* The variable of this name, or a free one; NULL when all are taken. */
static uint64_t *variable(const dtci_shell *sh, const char *name, size_t n)
{
  uint64_t hash = hash_of(name, n);
  for (uint64_t i = 0; i < DTCI_VARIABLES; i++) {
    uint64_t *v = sh->variables + (hash + i) % DTCI_VARIABLES * DTCI_VARIABLE_WORDS;
    if (v[HASH] == 0 || (v[HASH] == hash && v[NAME_N] == n && memcmp(sh->text + v[NAME], name, n) == 0))
      return v;
  }
  return NULL;
}

void dtci_shell_set(dtci_shell *sh, size_t name, size_t n, const char *value, size_t value_n)
{
  uint64_t *v = variable(sh, sh->text + name, n);
  if (v == NULL)
    return;
  v[HASH] = hash_of(sh->text + name, n);
  v[NAME] = name;
  v[NAME_N] = n;
  v[VALUE_N] = value != NULL && value_n <= VALUE_BYTES ? 1 + (uint64_t)value_n : 0;
  if (v[VALUE_N] != 0)
    memcpy(&v[VALUE], value, value_n);
}

/* Bytes of a variable's value that is known; NULL. */
static const char *value_of(const dtci_shell *sh, const char *name, size_t n, size_t *value_n)
{
  const uint64_t *v = variable(sh, name, n);
  if (n == 0 || v == NULL || v[HASH] == 0 || v[VALUE_N] == 0)
    return NULL;
  *value_n = (size_t)v[VALUE_N] - 1;
  return (const char *)&v[VALUE];
}

/* Does the text give it a value, be it one that is not known? With a full table it may. */
static int may_be_set(const dtci_shell *sh, const char *name, size_t n)
{
  const uint64_t *v = variable(sh, name, n);
  return n != 0 && (v == NULL || v[HASH] != 0);
}

static void add_variable(dtci_shell *sh, const char *name, size_t n)
{
  size_t value_n = 0;
  const char *value = value_of(sh, name, n, &value_n);
  if (value != NULL)
    add_all(sh, value, value_n);
  else
    add_unknown(sh);
}

/* ---- expansions ------------------------------------------------------------------------------ */

/* A number or a variable at s[*i] of an arithmetic expression. */
static int arithmetic_term(const dtci_shell *sh, const char *s, size_t n, size_t *i, int64_t *v)
{
  int brace = 0;
  while (*i < n && dtci_is_blank(s[*i]))
    ++*i;
  if (*i < n && s[*i] == '$')
    ++*i;
  if (*i < n && s[*i] == '{') {
    brace = 1;
    ++*i;
  }
  size_t from = *i;
  while (*i < n && dtci_is_name(s[*i]))
    ++*i;
  const char *word = s + from;
  size_t word_n = *i - from;
  if (brace && (*i >= n || s[(*i)++] != '}'))
    return 0;
  while (*i < n && dtci_is_blank(s[*i]))
    ++*i;
  if (word_n > 0 && !dtci_is_digit(word[0]))
    word = value_of(sh, word, word_n, &word_n);
  return word != NULL && word_n > 0 && dtci_is_digit(word[0]) && dtci_text_i64(word, word_n, v);
}

/* a + b * c - d / e of whole numbers, without parentheses; 0 when it is something else. */
static int arithmetic(const dtci_shell *sh, const char *s, size_t n, int64_t *result)
{
  int64_t sum = 0, term = 0, next = 0;
  size_t i = 0;
  int bad = 0;
  if (!arithmetic_term(sh, s, n, &i, &term))
    return 0;
  while (i < n) {
    char op = s[i++];
    if (!arithmetic_term(sh, s, n, &i, &next))
      return 0;
    switch (op) {
    case '*':
      bad |= __builtin_mul_overflow(term, next, &term);
      break;
    case '/':
    case '%':
      if (next == 0)
        return 0;
      term = op == '/' ? term / next : term % next;
      break;
    case '+':
    case '-':
      bad |= __builtin_add_overflow(sum, term, &sum);
      term = op == '+' ? next : -next;
      break;
    default:
      return 0;
    }
  }
  bad |= __builtin_add_overflow(sum, term, result);
  return !bad;
}

/* Moves behind the parenthesis that belongs to the open one just read. */
static dtc_status skip_parentheses(dtci_shell *sh, size_t at, dtc_error *e)
{
  int quoted = 0;
  for (size_t depth = 1; !is_over(sh); sh->pos++) {
    char c = sh->text[sh->pos];
    if (c == '\\')
      sh->pos++;
    else if (c == '"')
      quoted = !quoted;
    else if (c == '\'' && !quoted) {
      do
        sh->pos++;
      while (!is_over(sh) && sh->text[sh->pos] != '\'');
    } else if (!quoted && c == '(')
      depth++;
    else if (!quoted && c == ')' && --depth == 0) {
      sh->pos++;
      return DTC_OK;
    }
  }
  return endless(at, e);
}

static dtc_status read_parentheses(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos;
  int64_t v = 0;
  int arithmetical = peek(sh, 2) == '(';
  sh->pos += 2;
  TRY(skip_parentheses(sh, at, e));
  size_t n = sh->pos - at;
  if (!arithmetical || n < 6 || sh->text[sh->pos - 2] != ')' || !arithmetic(sh, sh->text + at + 3, n - 5, &v)) {
    add_unknown(sh);
    return DTC_OK;
  }
  char digits[24];
  dtci_text t = {digits, sizeof digits, 0};
  dtci_puts(&t, v < 0 ? "-" : "");
  dtci_put_u64(&t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
  add_all(sh, digits, t.len);
  return DTC_OK;
}

/* ${NAME}, ${NAME:-word}; of everything else in braces the value is not known. */
static dtc_status read_braces(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos, depth = 1, n = name_here(sh, 2), value_n = 0, i = 0;
  const char *name = sh->text + at + 2;
  for (sh->pos += 2; !is_over(sh) && depth > 0; sh->pos++) {
    char c = sh->text[sh->pos];
    depth += c == '{';
    depth -= c == '}';
    if (c == '\\')
      sh->pos++;
  }
  if (depth > 0)
    return endless(at, e);
  const char *rest = name + n;
  size_t rest_n = (size_t)(sh->text + sh->pos - 1 - rest), colon = rest_n > 0 && rest[0] == ':';
  int simple = rest_n > colon && rest[colon] == '-';
  for (i = 0; i < rest_n; i++)
    simple = simple && rest[i] != '$' && rest[i] != '`' && rest[i] != '"' && rest[i] != '\'' && rest[i] != '\\';
  int empty = colon != 0 && value_of(sh, name, n, &value_n) != NULL && value_n == 0;
  if (rest_n == 0 || (simple && may_be_set(sh, name, n) && !empty))
    add_variable(sh, name, n);
  else if (simple)
    add_all(sh, rest + colon + 1, rest_n - colon - 1);
  else
    add_unknown(sh);
  return DTC_OK;
}

/* At a dollar. */
static dtc_status read_dollar(dtci_shell *sh, dtc_error *e)
{
  char c = peek(sh, 1);
  size_t n = name_here(sh, 1);
  if (c == '(')
    return read_parentheses(sh, e);
  if (c == '{')
    return read_braces(sh, e);
  if (n > 0 && !dtci_is_digit(c)) {
    add_variable(sh, sh->text + sh->pos + 1, n);
    sh->pos += 1 + n;
  } else if (dtci_is_digit(c) || c == '@' || c == '*' || c == '#' || c == '?' || c == '!' || c == '$' || c == '-') {
    add_unknown(sh);
    sh->pos += 2;
  } else {
    if (c != '"' && c != '\'')
      add(sh, '$');
    sh->pos++;
  }
  return DTC_OK;
}

/* At a backtick. */
static dtc_status read_backticks(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos++;
  for (; !is_over(sh) && sh->text[sh->pos] != '`'; sh->pos++)
    if (sh->text[sh->pos] == '\\')
      sh->pos++;
  if (is_over(sh))
    return endless(at, e);
  sh->pos++;
  add_unknown(sh);
  return DTC_OK;
}

/* ---- quotes ---------------------------------------------------------------------------------- */

static void note_inner(dtci_shell *sh, size_t from, int literal)
{
  sh->quoted = 1;
  if (sh->inner_n != 0)
    return;
  sh->inner = from;
  sh->inner_n = sh->pos - from;
  sh->inner_literal = (uint8_t)literal;
}

/* At a backslash; inside double quotes it quotes four characters only. */
static void read_backslash(dtci_shell *sh, int inside)
{
  char c = peek(sh, 1);
  if (c == '\n') {
    sh->continued = 1;
  } else if (inside && c != '$' && c != '`' && c != '"' && c != '\\') {
    add(sh, '\\');
    sh->pos++;
    return;
  } else if (sh->pos + 1 < sh->end) {
    sh->continued = (uint8_t)(sh->continued | dtci_is_blank(c));
    sh->quoted = 1;
    add(sh, c);
  }
  sh->pos += sh->pos + 1 < sh->end ? 2 : 1;
}

static dtc_status read_single(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos++;
  for (; !is_over(sh) && sh->text[sh->pos] != '\''; sh->pos++)
    add(sh, sh->text[sh->pos]);
  if (is_over(sh))
    return endless(at, e);
  note_inner(sh, at + 1, 1);
  sh->pos++;
  return DTC_OK;
}

static dtc_status read_double(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos++;
  while (!is_over(sh) && sh->text[sh->pos] != '"') {
    switch (sh->text[sh->pos]) {
    case '\\':
      read_backslash(sh, 1);
      break;
    case '$':
      TRY(read_dollar(sh, e));
      break;
    case '`':
      TRY(read_backticks(sh, e));
      break;
    default:
      add(sh, sh->text[sh->pos++]);
    }
  }
  if (is_over(sh))
    return endless(at, e);
  note_inner(sh, at + 1, 0);
  sh->pos++;
  return DTC_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int ends_word(const dtci_shell *sh)
{
  char c = peek(sh, 0);
  if (is_over(sh) || dtci_is_blank(c) || c == '\n')
    return 1;
  return !sh->plain && (c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')');
}

/* Is the word so far NAME= or NAME+=? */
static int is_assigning(const dtci_shell *sh)
{
  size_t n = sh->n;
  if (n < 2 || n > sizeof sh->word || sh->quoted || sh->sure != n || sh->word[n - 1] != '=')
    return 0;
  n -= n > 2 && sh->word[n - 2] == '+' ? 2 : 1;
  for (size_t i = 0; i < n; i++)
    if (!dtci_is_name(sh->word[i]))
      return 0;
  return 1;
}

/* One part of a word. */
static dtc_status read_part(dtci_shell *sh, dtc_error *e)
{
  char c = peek(sh, 0);
  if (c == '\\' && !sh->literal)
    read_backslash(sh, sh->plain);
  else if (c == '\'' && !sh->plain)
    return read_single(sh, e);
  else if (c == '"' && !sh->plain)
    return read_double(sh, e);
  else if (c == '$' && !sh->literal)
    return read_dollar(sh, e);
  else if (c == '`' && !sh->literal)
    return read_backticks(sh, e);
  else {
    add(sh, c);
    sh->pos++;
  }
  return DTC_OK;
}

static dtc_status read_word(dtci_shell *sh, dtc_error *e)
{
  sh->type = DTCI_SHELL_WORD;
  sh->at = sh->pos;
  sh->n = 0;
  sh->sure = 0;
  sh->inner_n = 0;
  sh->quoted = 0;
  while (!ends_word(sh))
    TRY(read_part(sh, e));
  if (peek(sh, 0) == '(' && !sh->plain && is_assigning(sh)) {
    sh->type = DTCI_SHELL_ARRAY;
    sh->pos++;
  }
  return DTC_OK;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Blanks, and ends of lines behind a backslash. */
static void skip_blanks(dtci_shell *sh)
{
  for (;;) {
    if (dtci_is_blank(peek(sh, 0))) {
      sh->pos++;
    } else if (!sh->literal && peek(sh, 0) == '\\' && peek(sh, 1) == '\n') {
      sh->continued = 1;
      sh->pos += 2;
    } else {
      return;
    }
  }
}

/* Behind the end of a line: the here-document, up to its last line. */
static void skip_document(dtci_shell *sh)
{
  while (sh->document_n != 0 && !is_over(sh)) {
    size_t from = sh->pos;
    while (!is_over(sh) && sh->text[sh->pos] != '\n')
      sh->pos++;
    size_t to = sh->pos;
    while (from < to && dtci_is_blank(sh->text[from]))
      from++;
    while (to > from && dtci_is_blank(sh->text[to - 1]))
      to--;
    if (to - from == sh->document_n && memcmp(sh->text + from, sh->text + sh->document, to - from) == 0)
      sh->document_n = 0;
    sh->pos += !is_over(sh);
  }
  sh->document_n = 0;
}

/* At < or >: the sign and its file. */
static dtc_status skip_redirection(dtci_shell *sh, dtc_error *e)
{
  size_t at = sh->pos;
  while (peek(sh, 0) == '<' || peek(sh, 0) == '>' || peek(sh, 0) == '&' || peek(sh, 0) == '|')
    sh->pos++;
  int document = sh->pos - at == 2 && sh->text[at] == '<' && sh->text[at + 1] == '<';
  if (peek(sh, 0) == '(') {
    sh->pos++;
    return skip_parentheses(sh, at, e);
  }
  if (document && peek(sh, 0) == '-')
    sh->pos++;
  skip_blanks(sh);
  TRY(read_word(sh, e));
  if (document) {
    sh->document = sh->inner_n != 0 ? sh->inner : sh->at;
    sh->document_n = sh->inner_n != 0 ? sh->inner_n : sh->pos - sh->at;
  }
  return DTC_OK;
}

static void read_comment(dtci_shell *sh)
{
  sh->type = DTCI_SHELL_COMMENT;
  sh->at = sh->pos;
  while (!is_over(sh) && sh->text[sh->pos] != '\n')
    sh->pos++;
}

static void read_sign(dtci_shell *sh)
{
  char c = peek(sh, 0);
  sh->at = sh->pos++;
  sh->type = c == '\n'  ? DTCI_SHELL_LINE
             : c == '(' ? DTCI_SHELL_OPEN
             : c == ')' ? DTCI_SHELL_CLOSE
                        : DTCI_SHELL_OPERATOR;
  if (c == '\n')
    skip_document(sh);
  while (sh->type == DTCI_SHELL_OPERATOR && (peek(sh, 0) == ';' || peek(sh, 0) == '&' || peek(sh, 0) == '|'))
    sh->pos++;
}

/* Digits before < and > belong to the sign: 2>&1. */
static int is_channel(const dtci_shell *sh)
{
  char c = peek(sh, 0);
  int all = !sh->plain && !sh->quoted && sh->n == 1 && (c == '<' || c == '>');
  return all && dtci_is_digit(sh->word[0]);
}

dtc_status dtci_shell_next(dtci_shell *sh, dtc_error *e)
{
  for (;;) {
    skip_blanks(sh);
    char c = peek(sh, 0);
    if (is_over(sh)) {
      sh->type = DTCI_SHELL_END;
      sh->at = sh->end;
      return DTC_OK;
    }
    if (!sh->plain && (c == '<' || c == '>' || (c == '&' && peek(sh, 1) == '>'))) {
      TRY(skip_redirection(sh, e));
      continue;
    }
    if (c == '#' && !sh->plain) {
      read_comment(sh);
      return DTC_OK;
    }
    if (c == '\n' || ends_word(sh)) {
      read_sign(sh);
      return DTC_OK;
    }
    TRY(read_word(sh, e));
    if (!is_channel(sh))
      return DTC_OK;
  }
}
