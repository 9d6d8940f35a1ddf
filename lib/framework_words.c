/* Flags and their values in shell text, of the commands that are the tool's, and of arrays and strings that collect flags. */
#include "internal/chars.h"
#include "internal/words.h"

/* ---- names ----------------------------------------------------------------------------------- */

size_t dtci_shown(const dtci_shell *sh)
{
  return sh->n < sizeof sh->word ? sh->n : sizeof sh->word;
}

int dtci_is_word(const dtci_shell *sh, const char *word)
{
  return sh->type == DTCI_SHELL_WORD && sh->sure == sh->n && dtci_same(sh->word, dtci_shown(sh), word);
}

/* A word that argparse takes as a flag: -x, --xyz, but no number. */
int dtci_is_flag(const dtci_shell *sh)
{
  if (sh->type != DTCI_SHELL_WORD || sh->sure < 2 || sh->word[0] != '-')
    return 0;
  return !dtci_is_digit(sh->word[1]) && !(sh->word[1] == '.' && sh->n > 2 && dtci_is_digit(sh->word[2])) &&
         !dtci_is_word(sh, "--");
}

int dtci_ends_in(const dtci_shell *sh, const char *tail)
{
  size_t n = strlen(tail);
  return sh->type == DTCI_SHELL_WORD && sh->n >= n && sh->n <= sizeof sh->word &&
         memcmp(sh->word + sh->n - n, tail, n) == 0;
}

/* Where the last part of a path begins in the word. */
static size_t last_part(const dtci_shell *sh)
{
  size_t from = sh->n <= sizeof sh->word ? sh->n : 0;
  while (from > 0 && sh->word[from - 1] != '/')
    from--;
  return from;
}

/* Bytes of the name of NAME=value; 0 when the word is none. */
size_t dtci_assigned(const dtci_shell *sh)
{
  size_t n = 0, most = sh->sure < sizeof sh->word ? sh->sure : sizeof sh->word;
  while (n < most && dtci_is_name(sh->word[n]) && !(n == 0 && dtci_is_digit(sh->word[n])))
    n++;
  int plus = n < most && sh->word[n] == '+';
  return n + (size_t)plus < most && sh->word[n + (size_t)plus] == '=' ? n : 0;
}

/* The key of a shortened flag, if there is one alone. */
static uint32_t shortened(const dtci_settings *s, const char *name, size_t n)
{
  uint32_t found = DTCI_NO_KEY;
  for (uint32_t i = 0; i < s->dialect.keys_count; i++) {
    const char *known = s->dialect.keys[i].name;
    if (known[0] != '-' || strlen(known) <= n || memcmp(known, name, n) != 0)
      continue;
    if (found != DTCI_NO_KEY)
      return DTCI_NO_KEY;
    found = i;
  }
  return found;
}

/* The key of the flag, and in *value where its value begins in the word (0: not in it). */
uint32_t dtci_flag_key(const dtci_words *w, size_t *value)
{
  const dtci_shell *sh = &w->shell;
  size_t n = 0, most = sh->sure < dtci_shown(sh) ? sh->sure : dtci_shown(sh);
  int two = sh->word[1] == '-';
  while (n < most && !(two && sh->word[n] == '='))
    n++;
  *value = n < most ? n + 1 : 0;
  uint32_t key = dtci_key_named(w->s, sh->word, n);
  if (key == DTCI_NO_KEY && two && n > 2 && w->s->dialect.shortened)
    key = shortened(w->s, sh->word, n);
  if (key == DTCI_NO_KEY && !two) {
    key = dtci_key_named(w->s, sh->word, 2); /* -N4 */
    *value = 2;
  }
  return key;
}

/* ---- flags and their values ------------------------------------------------------------------ */

const dtci_key *dtci_target_of(const dtci_settings *s, uint32_t key)
{
  const dtci_key *row = &s->dialect.keys[key];
  return row->kind == DTCI_KEY_ALIAS ? &s->dialect.keys[row->to] : row;
}

/* No more values for the flag. */
void dtci_close_flag(dtci_words *w)
{
  dtci_pending *p = &w->flag;
  if (p->key != DTCI_NO_KEY && !p->loose && p->took < p->least) {
    dtci_lint_simple(w->s, DTC_RULE_LINT_ARGS, p->key, p->at);
    dtci_key_unknown(w->s, p->key, p->at);
  } else if (p->key != DTCI_NO_KEY && !p->loose && p->took == 0 && p->most > 0) {
    uint32_t kind = dtci_target_of(w->s, p->key)->kind;
    if (w->depth > 0 || (kind != DTCI_KEY_SWITCH && kind != DTCI_KEY_WORDS))
      dtci_key_unknown(w->s, p->key, p->at);
    else if (kind == DTCI_KEY_WORDS)
      dtci_key_put(w->s, p->key, 0, p->at);
    else
      dtci_key_word(w->s, p->key, "true", 4, p->at, 0);
  }
  p->key = DTCI_NO_KEY;
  p->loose = 1;
}

static void give(dtci_words *w, const char *word, size_t n, int known)
{
  dtci_pending *p = &w->flag;
  if (known && w->depth == 0)
    dtci_key_word(w->s, p->key, word, n, p->at, p->took > 0);
  else
    dtci_key_unknown(w->s, p->key, p->at);
  p->took++;
}

/* A flag that the tables know. */
static void open_flag(dtci_words *w, uint32_t key, size_t value)
{
  const dtci_shell *sh = &w->shell;
  const dtci_key *row = dtci_target_of(w->s, key);
  dtci_pending *p = &w->flag;
  int inside = value != 0 && value <= dtci_shown(sh);
  *p = (dtci_pending){.key = key, .least = 1, .most = 1, .at = sh->at};
  if (row->kind == DTCI_KEY_FLAG) {
    p->least = p->most = 0;
    if (inside)
      dtci_lint_simple(w->s, DTC_RULE_LINT_TYPE, key, sh->at);
    if (w->depth > 0)
      dtci_key_unknown(w->s, key, sh->at);
    else
      dtci_key_flag(w->s, row->to == 0 && row != &w->s->dialect.keys[key] ? w->s->dialect.keys[key].to : key, sh->at);
    return;
  }
  if (row->kind == DTCI_KEY_GONE || row->kind == DTCI_KEY_IGNORED) {
    dtci_key_unknown(w->s, key, sh->at);
    p->loose = 1;
    return;
  }
  if (row->args == DTCI_ARGS_INSIDE) {
    p->least = p->most = 0;
    p->loose = !inside;
    if (!inside)
      dtci_key_put(w->s, key, 1, sh->at);
  } else if (row->args == DTCI_ARGS_SOME || row->args == DTCI_ARGS_ANY)
    p->most = UINT32_MAX;
  else if (row->args != 0 && row->args != DTCI_ARGS_OPTIONAL)
    p->least = p->most = row->args;
  if (row->args == DTCI_ARGS_ANY || row->args == DTCI_ARGS_OPTIONAL)
    p->least = 0;
  if (inside) {
    give(w, sh->word + value, dtci_shown(sh) - value, sh->sure == sh->n);
    p->least = p->most = p->took;
  }
}

static void read_flag(dtci_words *w, dtci_scope which)
{
  const dtci_shell *sh = &w->shell;
  size_t value = 0;
  dtci_close_flag(w);
  uint32_t key = dtci_flag_key(w, &value);
  size_t name = value != 0 && sh->word[1] == '-' ? value - 1 : dtci_shown(sh);
  if (key != DTCI_NO_KEY)
    open_flag(w, key, value);
  else if (which == DTCI_SCOPE_ALL && (value != 0 || sh->sure == sh->n))
    dtci_lint_unknown(w->s, w->s->dialect.unknown, DTCI_NO_KEY, sh->word, name, sh->at);
}

/* A word that is no flag; returns 0 when it belongs to none. */
static int read_value(dtci_words *w)
{
  const dtci_shell *sh = &w->shell;
  dtci_pending *p = &w->flag;
  if (p->loose)
    return 1;
  if (p->took >= p->most)
    return 0;
  give(w, sh->word, dtci_shown(sh), sh->sure == sh->n);
  return 1;
}

/* A word that belongs to no flag. One that a variable may be is not told, nor one of blanks behind a backslash. */
static void stray(dtci_words *w)
{
  const dtci_shell *sh = &w->shell;
  int blank = sh->n > 0 && sh->quoted && dtci_is_blank(sh->word[0]);
  if (sh->sure != sh->n || blank || w->s->dialect.unknown != DTCI_UNKNOWN_ERROR)
    return;
  dtci_lint_simple(w->s, DTC_RULE_LINT_STRAY, w->flag.key, sh->at);
  dtci_close_flag(w);
}

/* ---- runs of words --------------------------------------------------------------------------- */

int dtci_is_end(const dtci_shell *sh, int array)
{
  if (array)
    return sh->type == DTCI_SHELL_CLOSE || sh->type == DTCI_SHELL_END;
  return sh->type != DTCI_SHELL_WORD && sh->type != DTCI_SHELL_ARRAY && sh->type != DTCI_SHELL_COMMENT;
}

static int is_program(const dtci_words *w)
{
  const dtci_dialect *d = &w->s->dialect;
  const dtci_shell *sh = &w->shell;
  size_t from = last_part(sh);
  for (size_t i = 0; i < sizeof d->programs / sizeof d->programs[0]; i++)
    if (d->programs[i][0] != 0 && sh->type == DTCI_SHELL_WORD && sh->sure == sh->n &&
        dtci_same(sh->word + from, dtci_shown(sh) - from, d->programs[i]))
      return 1;
  return 0;
}

/* python -m torch.distributed.run: the script comes behind it. */
static int is_launcher(const dtci_shell *sh)
{
  static const char package[] = "torch.distributed.";
  return sh->n >= sizeof package - 1 && memcmp(sh->word, package, sizeof package - 1) == 0;
}

/* From the token last read on; the words are read again afterwards. */
dtc_status dtci_look_ahead(dtci_words *w, int array, dtci_run *r, dtc_error *e)
{
  dtci_shell back = w->shell;
  int module = 0;
  size_t value = 0;
  *r = (dtci_run){.script = SIZE_MAX, .program = SIZE_MAX};
  while (!dtci_is_end(&w->shell, array)) {
    const dtci_shell *sh = &w->shell;
    if (r->program == SIZE_MAX && is_program(w))
      r->program = sh->at;
    else if (r->script == SIZE_MAX && ((module && !is_launcher(sh)) || dtci_ends_in(sh, ".py")))
      r->script = sh->at;
    module = dtci_is_word(sh, "-m");
    if (dtci_is_flag(sh)) {
      r->flags++;
      r->known += dtci_flag_key(w, &value) != DTCI_NO_KEY;
    }
    TRY(dtci_shell_next(&w->shell, e));
  }
  r->closed = w->shell.type == DTCI_SHELL_CLOSE;
  w->shell = back;
  return DTC_OK;
}

/* Of a script's flags those behind it count, of a launcher's those before the first other word. */
static dtci_scope scope_at(const dtci_words *w, const dtci_run *r, dtci_scope all, size_t at)
{
  int launcher = w->s->dialect.form == DTCI_FORM_LAUNCHER;
  if (launcher)
    return r->program != SIZE_MAX && at <= r->program ? DTCI_SCOPE_NONE : all;
  return r->script != SIZE_MAX && at <= r->script ? DTCI_SCOPE_KNOWN : all;
}

/* Gives the key the word when it is one of the programs that the key takes, by the last part of its path. */
static int read_program(dtci_words *w, uint32_t key)
{
  const dtci_dialect *d = &w->s->dialect;
  const dtci_shell *sh = &w->shell;
  size_t from = last_part(sh);
  if (key == 0 || sh->type != DTCI_SHELL_WORD || sh->sure != sh->n)
    return 0;
  for (uint32_t i = 0; i < d->words_count; i++)
    if (d->words[i].set == d->keys[key].words && dtci_same(sh->word + from, dtci_shown(sh) - from, d->words[i].word)) {
      dtci_key_word(w->s, key, sh->word + from, dtci_shown(sh) - from, sh->at, 0);
      return 1;
    }
  return 0;
}

/* A word behind a launcher's own flags: the program that it starts, and flags of that. */
static void read_behind(dtci_words *w, uint32_t program)
{
  const dtci_shell *sh = &w->shell;
  size_t value = 0;
  if (sh->type != DTCI_SHELL_WORD || read_program(w, program))
    return;
  if (!dtci_is_flag(sh)) {
    (void)read_value(w);
    return;
  }
  dtci_close_flag(w);
  uint32_t key = dtci_flag_key(w, &value);
  if (key != DTCI_NO_KEY && (w->s->dialect.keys[key].flags & DTCI_BEHIND))
    open_flag(w, key, value);
}

/* The same, and the words inside the quotes of bash -c "...". */
dtc_status dtci_read_quoted(dtci_words *w, uint32_t program, dtc_error *e)
{
  dtci_shell back = w->shell;
  dtci_shell *sh = &w->shell;
  read_behind(w, program);
  if (sh->type != DTCI_SHELL_WORD || sh->inner_n == 0)
    return DTC_OK;
  sh->pos = back.inner;
  sh->end = back.inner + back.inner_n;
  sh->plain = 1;
  sh->literal = back.inner_literal;
  TRY(dtci_shell_next(sh, e));
  while (sh->type != DTCI_SHELL_END && !dtci_ends_in(sh, ".py")) {
    read_behind(w, program);
    TRY(dtci_shell_next(sh, e));
  }
  *sh = back;
  return DTC_OK;
}

/* A flag, a value or another word; returns 0 when a launcher's flags end here. */
static int read_one(dtci_words *w, const dtci_run *r, dtci_scope all, int command)
{
  const dtci_shell *sh = &w->shell;
  int launcher = w->s->dialect.form == DTCI_FORM_LAUNCHER;
  dtci_scope which = scope_at(w, r, all, sh->at);
  if (which == DTCI_SCOPE_NONE || sh->type != DTCI_SHELL_WORD)
    return 1;
  if (read_program(w, w->s->dialect.behind)) {
    dtci_close_flag(w);
    return !command;
  }
  if (sh->at == r->script) {
    dtci_close_flag(w);
    return !launcher;
  }
  if (dtci_is_flag(sh)) {
    read_flag(w, which);
    return 1;
  }
  if (read_value(w))
    return !(launcher && command && w->flag.loose && w->flag.key == DTCI_NO_KEY);
  if (launcher)
    return 0;
  if (which == DTCI_SCOPE_ALL && w->flag.key != DTCI_NO_KEY)
    stray(w);
  return 1;
}

/* Reads a run whose first token was read, up to and without its end. */
dtc_status dtci_read_run(dtci_words *w, const dtci_run *r, dtci_scope all, int array, dtc_error *e)
{
  int going = all != DTCI_SCOPE_NONE, hash = 0, behind = going && w->s->dialect.behind != 0;
  w->flag = (dtci_pending){.key = DTCI_NO_KEY, .loose = 1};
  for (; !dtci_is_end(&w->shell, array);) {
    const dtci_shell *sh = &w->shell;
    if (sh->plain && going && sh->n > 0 && sh->word[0] == '#' && sh->type == DTCI_SHELL_WORD) {
      dtci_close_flag(w);
      if (!hash)
        dtci_lint_simple(w->s, DTC_RULE_LINT_HASH, DTCI_NO_KEY, sh->at);
      hash = 1;
    }
    int own = going;
    going = going && read_one(w, r, all, !array);
    behind = behind && (sh->inner_n != 0 || !dtci_ends_in(sh, ".py"));
    if (!own && behind)
      TRY(dtci_read_quoted(w, w->s->dialect.behind, e));
    TRY(dtci_shell_next(&w->shell, e));
  }
  dtci_close_flag(w);
  return DTC_OK;
}
