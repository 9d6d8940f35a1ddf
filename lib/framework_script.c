/* Configurations in shell text: command lines, scripts, environments. What stands between if and fi, or in a loop, may or may
 * not be run, so its values are not known. lib/framework_words.c reads the flags. */
#include "internal/words.h"

/* ---- assignments ----------------------------------------------------------------------------- */

/* The words inside the quotes of NAME="--flag 1 ...", which may hold flags. Returns 1 when it does. */
static dtc_status read_string(dtci_words *w, int *holds, dtc_error *e)
{
  dtci_shell back = w->shell;
  dtci_shell *sh = &w->shell;
  dtci_run r;
  sh->pos = back.inner;
  sh->end = back.inner + back.inner_n;
  sh->plain = 1;
  sh->literal = back.inner_literal;
  TRY(dtci_shell_next(sh, e));
  TRY(dtci_look_ahead(w, 1, &r, e));
  *holds = r.flags > 0;
  if (r.known > 0)
    TRY(dtci_read_run(w, &r, w->s->dialect.form == DTCI_FORM_SCRIPT ? DTCI_SCOPE_ALL : DTCI_SCOPE_KNOWN, 1, e));
  w->commands += r.known > 0;
  uint8_t continued = sh->continued;
  *sh = back;
  sh->continued |= continued;
  return DTC_OK;
}

/* NAME=( ... ): the words up to the parenthesis. */
static dtc_status read_array(dtci_words *w, dtc_error *e)
{
  dtci_run r;
  size_t name = w->shell.at, n = dtci_assigned(&w->shell);
  TRY(dtci_shell_next(&w->shell, e));
  TRY(dtci_look_ahead(w, 1, &r, e));
  if (!r.closed) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_LINT_QUOTE, DTCI_ARG(TEXT), DTC_NONE);
    e->offset = name;
    return DTC_E_PARSE;
  }
  dtci_scope all = r.known == 0                             ? DTCI_SCOPE_NONE
                   : w->s->dialect.form == DTCI_FORM_SCRIPT ? DTCI_SCOPE_ALL
                                                            : DTCI_SCOPE_KNOWN;
  TRY(dtci_read_run(w, &r, all, 1, e));
  w->commands += r.known > 0;
  dtci_shell_set(&w->shell, name, n, NULL, 0);
  return DTC_OK;
}

/* Bytes of a line that a list is looked for in. */
enum { LIST_MAX = 1024 };

/* Bytes of a list's value in the text, up to the end of the line, when it goes on behind a blank or a ;, as it does in a file
 * of an environment, where a shell would end it; 0 when it does not. */
static size_t goes_on(const dtci_shell *sh, size_t value)
{
  size_t end = sh->pos, from = sh->at + value;
  if (sh->quoted || sh->sure != sh->n || sh->n != sh->pos - sh->at || end >= sh->end || end <= from)
    return 0;
  int comma = sh->text[end - 1] == ',', blank = sh->text[end] == ' ', sign = sh->text[end] == ';';
  while (end < sh->end && end - sh->pos < LIST_MAX && sh->text[end] != '\n' && sh->text[end] != '\r')
    end++;
  size_t next = sh->pos;
  while (next < end && sh->text[next] == ' ')
    next++;
  comma = comma || (next < end && sh->text[next] == ',');
  while (end > from && sh->text[end - 1] == ' ')
    end--;
  for (size_t i = sh->pos + 1; i < end; i++)
    if (sh->text[i] == '=' || (sign && sh->text[i] == ' '))
      return 0;
  return next < end && ((blank && comma) || (sign && sh->pos + 1 < end)) ? end - from : 0;
}

/* NAME=value, where the name may be a key of its own. */
static dtc_status read_assignment(dtci_words *w, dtc_error *e)
{
  dtci_shell *sh = &w->shell;
  const dtci_dialect *d = &w->s->dialect;
  size_t n = dtci_assigned(sh), value = n + 1, prefix = strlen(d->prefix);
  int flags = 0, known = sh->sure == sh->n && sh->n <= sizeof sh->word && w->depth == 0;
  uint32_t key = dtci_key_named(w->s, sh->word, n);
  if (sh->inner_n != 0 && d->form != DTCI_FORM_ENVIRONMENT)
    TRY(read_string(w, &flags, e));
  if (sh->word[n] == '+' || flags)
    known = 0;
  size_t whole = d->form == DTCI_FORM_ENVIRONMENT && known ? goes_on(sh, value) : 0;
  if (key != DTCI_NO_KEY && whole > 0 && dtci_target_of(w->s, key)->kind == DTCI_KEY_TEXT)
    dtci_key_word(w->s, key, sh->text + sh->at + value, whole, sh->at, 0);
  else if (key != DTCI_NO_KEY && known)
    dtci_key_word(w->s, key, sh->word + value, sh->n - value, sh->at, 0);
  else if (key != DTCI_NO_KEY)
    dtci_key_unknown(w->s, key, sh->at);
  else if (prefix != 0 && n >= prefix && memcmp(sh->word, d->prefix, prefix) == 0)
    dtci_lint_unknown(w->s, DTCI_UNKNOWN_WARNING, DTCI_NO_KEY, sh->word, n, sh->at);
  dtci_shell_set(sh, sh->at, n, known ? sh->word + value : NULL, known ? sh->n - value : 0);
  return DTC_OK;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Words before a command: 1 when this is one, and another may follow. */
static int is_before_command(dtci_words *w)
{
  static const char open[][8] = {"if", "case", "for", "while", "until"};
  static const char close[][8] = {"fi", "esac", "done"};
  static const char others[][8] = {"then", "else", "elif", "do",   "{",     "}",
                                   "!",    "time", "exec", "eval", "nohup", "sudo"};
  static const char declaring[][12] = {"export", "declare", "local", "readonly", "typeset"};
  for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
    if (dtci_is_word(&w->shell, open[i])) {
      w->depth++;
      return 1;
    }
  for (size_t i = 0; i < sizeof close / sizeof close[0]; i++)
    if (dtci_is_word(&w->shell, close[i])) {
      w->depth -= w->depth > 0;
      return 1;
    }
  for (size_t i = 0; i < sizeof declaring / sizeof declaring[0]; i++)
    if (dtci_is_word(&w->shell, declaring[i])) {
      w->declares = 1;
      return 1;
    }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (dtci_is_word(&w->shell, others[i]))
      return 1;
  return w->declares && dtci_is_flag(&w->shell);
}

static dtc_status skip_run(dtci_words *w, dtc_error *e)
{
  while (!dtci_is_end(&w->shell, 0))
    TRY(dtci_shell_next(&w->shell, e));
  return DTC_OK;
}

/* [[ ... ]], whose && are no ends of commands. */
static dtc_status skip_test(dtci_words *w, dtc_error *e)
{
  while (w->shell.type != DTCI_SHELL_END && w->shell.type != DTCI_SHELL_LINE && !dtci_is_word(&w->shell, "]]"))
    TRY(dtci_shell_next(&w->shell, e));
  return skip_run(w, e);
}

/* A command that begins with a flag is the rest of one that was cut off. */
static int is_cut(const dtci_words *w)
{
  size_t value = 0;
  if (!dtci_is_flag(&w->shell) || w->depth > 0 || w->commands == 0 || dtci_flag_key(w, &value) == DTCI_NO_KEY)
    return 0;
  return !w->fragment || w->shell.continued;
}

/* NAME = value: a command called NAME. */
static dtc_status find_blanks(dtci_words *w, dtc_error *e)
{
  dtci_shell back = w->shell;
  size_t value = 0;
  int flag = dtci_is_flag(&back);
  uint32_t key =
      flag || back.sure != back.n ? (uint32_t)DTCI_NO_KEY : dtci_key_named(w->s, back.word, dtci_shown(&back));
  if (key == DTCI_NO_KEY)
    return DTC_OK;
  TRY(dtci_shell_next(&w->shell, e));
  if (w->shell.type == DTCI_SHELL_WORD && w->shell.n > 0 && w->shell.word[value] == '=')
    dtci_lint_simple(w->s, DTC_RULE_LINT_BLANKS, key, back.at);
  w->shell = back;
  return DTC_OK;
}

/* Assignments among the words of a command, as of env and of mpirun -x, that name a key. */
static dtc_status read_passed(dtci_words *w, const dtci_run *r, dtc_error *e)
{
  dtci_shell back = w->shell;
  while (!dtci_is_end(&w->shell, 0) && w->shell.at < r->script) {
    size_t n = w->shell.type == DTCI_SHELL_WORD ? dtci_assigned(&w->shell) : 0;
    if (n != 0 && dtci_key_named(w->s, w->shell.word, n) != DTCI_NO_KEY)
      TRY(read_assignment(w, e));
    TRY(dtci_shell_next(&w->shell, e));
  }
  w->shell = back;
  return DTC_OK;
}

/* A command without a launcher. */
static dtc_status read_alone(dtci_words *w, dtc_error *e)
{
  int going = 1;
  w->flag = (dtci_pending){.key = DTCI_NO_KEY, .loose = 1};
  while (!dtci_is_end(&w->shell, 0)) {
    going = going && (w->shell.inner_n != 0 || !dtci_ends_in(&w->shell, ".py"));
    if (going)
      TRY(dtci_read_quoted(w, w->s->dialect.alone, e));
    TRY(dtci_shell_next(&w->shell, e));
  }
  dtci_close_flag(w);
  return DTC_OK;
}

/* A command whose first word was read. */
static dtc_status read_command(dtci_words *w, int first, dtc_error *e)
{
  const dtci_dialect *d = &w->s->dialect;
  dtci_run r;
  size_t value = 0;
  if (dtci_is_word(&w->shell, "[["))
    return skip_test(w, e);
  if (is_cut(w)) {
    dtci_lint_simple(w->s, DTC_RULE_LINT_CUT, dtci_flag_key(w, &value), w->shell.at);
    return skip_run(w, e);
  }
  TRY(find_blanks(w, e));
  TRY(dtci_look_ahead(w, 0, &r, e));
  int flagged = dtci_is_flag(&w->shell);
  if (first && flagged)
    w->fragment = 1;
  TRY(read_passed(w, &r, e));
  size_t begins = d->form == DTCI_FORM_SCRIPT ? r.script : r.program;
  int ours = d->form != DTCI_FORM_ENVIRONMENT && (begins != SIZE_MAX || (flagged && w->fragment));
  w->commands += (uint32_t)ours;
  if (!ours && d->alone != 0)
    return read_alone(w, e);
  return dtci_read_run(w, &r, ours ? DTCI_SCOPE_ALL : DTCI_SCOPE_NONE, 0, e);
}

/* Is it the directive, `skip` bytes behind the # of a comment that begins its line? */
static int is_directive(const dtci_settings *s, const dtci_shell *sh, size_t skip)
{
  const char *word = s->dialect.directive + 1;
  size_t n = strlen(word), at = sh->at + 1 + skip;
  if (sh->at > 0 && sh->text[sh->at - 1] != '\n')
    return 0;
  return at <= sh->pos && sh->pos - at >= n && memcmp(sh->text + at, word, n) == 0;
}

static int has_dollar(const dtci_shell *sh, size_t from)
{
  size_t i = from;
  while (i < sh->pos && sh->text[i] != '$' && sh->text[i] != '#')
    i++;
  return i < sh->pos && sh->text[i] == '$';
}

/* Where the dialect has a rule about it. */
static void find_directive(dtci_settings *s, dtc_rule rule, size_t at)
{
  if (rule == DTC_RULE_NONE)
    return;
  dtc_error e = dtci_lint_told(s, rule, DTCI_NO_KEY, at);
  dtci_lint_found(s, &e);
}

/* A comment that holds flags: #SBATCH --nodes=2. */
static dtc_status read_directive(dtci_words *w, dtc_error *e)
{
  dtci_shell back = w->shell;
  const dtci_dialect *d = &w->s->dialect;
  size_t n = strlen(d->directive), blanks = 0;
  dtci_run r = {.script = SIZE_MAX, .program = SIZE_MAX};
  if (n == 0)
    return DTC_OK;
  while (back.at + 1 + blanks < back.pos && back.text[back.at + 1 + blanks] == ' ')
    blanks++;
  if (!is_directive(w->s, &back, blanks))
    return DTC_OK;
  if (w->begun || blanks > 0) {
    find_directive(w->s, w->begun ? d->late : d->apart, back.at);
    return DTC_OK;
  }
  if (has_dollar(&back, back.at + n))
    find_directive(w->s, d->variable, back.at);
  w->shell.end = back.pos;
  w->shell.pos = back.at + n;
  TRY(dtci_shell_next(&w->shell, e));
  TRY(dtci_read_run(w, &r, DTCI_SCOPE_ALL, 0, e));
  w->shell = back;
  return DTC_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

static dtc_status check_bytes(const dtci_settings *s, dtc_error *e)
{
  for (size_t i = 0; i < s->len; i++) {
    unsigned char c = (unsigned char)s->text[i];
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
      dtci_fail(e, DTC_E_PARSE, DTC_RULE_LINT_BYTES, DTCI_ARG(TEXT), c);
      e->offset = i;
      return DTC_E_PARSE;
    }
  }
  return DTC_OK;
}

dtc_status dtci_read_script(dtci_settings *s, dtc_error *e)
{
  dtci_words w;
  int first = 1;
  TRY(check_bytes(s, e));
  memset(&w, 0, sizeof w);
  memset(s->variables, 0, (size_t)DTCI_VARIABLES * DTCI_VARIABLE_WORDS * sizeof *s->variables);
  w.s = s;
  w.shell.text = s->text;
  w.shell.end = s->len;
  w.shell.variables = s->variables;
  for (;;) {
    TRY(dtci_shell_next(&w.shell, e));
    w.begun = w.begun || w.shell.type == DTCI_SHELL_WORD || w.shell.type == DTCI_SHELL_ARRAY;
    switch (w.shell.type) {
    case DTCI_SHELL_END:
      return DTC_OK;
    case DTCI_SHELL_ARRAY:
      TRY(read_array(&w, e));
      break;
    case DTCI_SHELL_COMMENT:
      TRY(read_directive(&w, e));
      break;
    case DTCI_SHELL_WORD:
      if (dtci_assigned(&w.shell) != 0) {
        TRY(read_assignment(&w, e));
      } else if (!is_before_command(&w)) {
        TRY(read_command(&w, first, e));
        w.declares = 0;
        first = 0;
      }
      break;
    default:
      w.declares = 0;
      break;
    }
  }
}
