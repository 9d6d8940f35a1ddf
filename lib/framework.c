/* dtc_framework_lint(): which dialect a text is in, and the way from the text to findings. */
#include "internal/json.h"
#include "internal/settings.h"

/* Names that are searched for a similar one in one text; then only their place is told. */
enum { NEAREST_NAMES = 64 };

/* Words that tell a dialect from the others, in order of precedence. */
static const struct hint {
  dtc_dialect dialect;
  char words[3][24];
} hints[] = {
    {DTC_DIALECT_SLURM, {"#SBATCH", "srun ", "sbatch "}},
    {DTC_DIALECT_MEGATRON, {"--num-layers", "model-parallel-size", "--micro-batch-size"}},
    {DTC_DIALECT_TRAINER, {"--per_device_train", "--deepspeed", "--fsdp"}},
    {DTC_DIALECT_TORCHRUN, {"torchrun", "torch.distributed.run", "--nproc"}},
    {DTC_DIALECT_NCCL, {"NCCL_"}},
    {DTC_DIALECT_HOSTFILE, {"slots="}},
};

static int contains(const char *text, size_t len, const char *word)
{
  size_t n = strlen(word);
  for (size_t i = 0; n != 0 && i + n <= len; i++)
    if (text[i] == word[0] && memcmp(text + i, word, n) == 0)
      return 1;
  return 0;
}

static dtc_dialect told_by(const char *text, size_t len)
{
  size_t first = 0;
  while (first < len && (text[first] == ' ' || text[first] == '\t' || text[first] == '\n' || text[first] == '\r'))
    first++;
  if (first < len && text[first] == '{')
    return DTC_DIALECT_DEEPSPEED;
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
    for (size_t k = 0; k < sizeof hints[i].words / sizeof hints[i].words[0]; k++)
      if (contains(text, len, hints[i].words[k]))
        return hints[i].dialect;
  return DTC_DIALECT_MEGATRON;
}

/* ---- working memory -------------------------------------------------------------------------- */

/* Arrays by key: value, state, at, and twice value and state for trials. */
enum { ARRAYS = 7 };

/* Slots of the hash of names: a power of two, at least half of them empty. */
static uint64_t slots_of(const dtci_dialect *d)
{
  uint64_t n = 16;
  while (n < 2 * (uint64_t)d->keys_count)
    n *= 2;
  return n;
}

static uint64_t scratch_of(const dtci_dialect *d)
{
  uint64_t variables = d->form == DTCI_FORM_JSON    ? 0
                       : d->form == DTCI_FORM_LINES ? DTCI_HOSTS_WORDS
                                                    : (uint64_t)DTCI_VARIABLES * DTCI_VARIABLE_WORDS;
  return ARRAYS * (uint64_t)d->keys_count + slots_of(d) + variables;
}

/* The most that a dialect needs; of all when it is told from the text. */
static uint64_t scratch_for(dtc_dialect dialect)
{
  uint64_t most = 0;
  dtci_dialect d;
  for (dtc_dialect n = 1; n <= DTC_DIALECT_NCCL; n++)
    if ((dialect == DTC_DIALECT_DEFAULT || dialect == n) && dtci_dialect_of(n, &d) && scratch_of(&d) > most)
      most = scratch_of(&d);
  return most;
}

static void lay_out(dtci_settings *s, uint64_t *scratch)
{
  uint64_t **arrays[ARRAYS] = {&s->value,      &s->state,       &s->at,         &s->said_value,
                               &s->said_state, &s->tried_value, &s->tried_state};
  for (int i = 0; i < ARRAYS; i++)
    *arrays[i] = scratch + (uint64_t)i * s->dialect.keys_count;
  s->slots = slots_of(&s->dialect);
  s->slot = scratch + ARRAYS * (uint64_t)s->dialect.keys_count;
  s->variables = s->slot + s->slots;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* What the caller says about the machine, as if the text did. */
static void put_lint(dtci_settings *s, const dtc_lint *lint)
{
  const uint64_t values[DTCI_KEY_FIRST] = {
      [DTCI_KEY_WORLD] = lint->world, [DTCI_KEY_NODES] = lint->nodes, [DTCI_KEY_COMPUTE] = lint->compute};
  for (int i = 0; i < DTCI_KEY_FIRST; i++)
    if (values[i] != 0) {
      s->value[i] = values[i];
      s->state[i] = DTCI_STATE_GIVEN;
    }
}

static dtc_status open_text(dtci_settings *s, const dtc_lint *lint, const char *text, size_t len, uint64_t *scratch,
                            size_t n_scratch, dtc_error *e)
{
  dtc_dialect dialect = lint->dialect != DTC_DIALECT_DEFAULT ? lint->dialect : told_by(text, len);
  uint64_t needed = scratch_for(lint->dialect);
  (void)dtci_dialect_of(dialect, &s->dialect); /* there is one of every number that lint may have */
  TRY(dtci_scratch_in(scratch, n_scratch, needed, e));
  s->text = text;
  s->len = len;
  s->asked = lint->version;
  s->version = lint->version != 0 ? lint->version : s->dialect.newest;
  s->nearest_left = NEAREST_NAMES;
  lay_out(s, scratch);
  dtci_settings_open(s);
  put_lint(s, lint);
  return DTC_OK;
}

static dtc_status read_text(dtci_settings *s, dtc_error *e)
{
  switch (s->dialect.form) {
  case DTCI_FORM_JSON:
    return dtci_read_json(s, e);
  case DTCI_FORM_ENVIRONMENT:
    return dtci_read_environment(s, e);
  case DTCI_FORM_LINES:
    return dtci_read_hosts(s, e);
  default:
    return dtci_read_script(s, e);
  }
}

/* Reads the text; *model and *plan are local. */
static dtc_status lint_text(dtci_settings *s, dtc_model *model, dtc_plan *plan, size_t *count, dtc_error *e)
{
  TRY(read_text(s, e));
  if (s->dialect.number == DTC_DIALECT_MEGATRON)
    dtci_megatron_look(s);
  dtci_find_phrases(s);
  dtci_settings_work(s);
  dtci_settings_check(s);
  DTC_INIT(model);
  DTC_INIT(plan);
  dtci_settings_fill(s, model, plan);
  *count = s->count;
  return s->count > s->cap ? dtci_fail_space(e, s->cap, s->count) : DTC_OK;
}

static dtc_status lint_call(const dtc_lint *user, const char *text, size_t len, dtc_model *model, dtc_plan *plan,
                            dtci_settings *s, size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *e)
{
  enum { LEN_MAX = 1 << 27 };
  dtc_lint lint;
  dtc_model local_model;
  dtc_plan local_plan;
  TRY(dtci_in(&lint, DTC_STRUCT_lint, user, e));
  TRY(dtci_out_ok(model, DTC_STRUCT_model, e));
  TRY(dtci_out_ok(plan, DTC_STRUCT_plan, e));
  if (s->cap > 0)
    TRY(dtci_out_ok(s->out, DTC_STRUCT_error, e));
  TRY(dtci_check_range(e, DTCI_ARG(TEXT), len, 0, LEN_MAX));
  TRY(open_text(s, &lint, text, len, scratch, n_scratch, e));
  TRY(lint_text(s, &local_model, &local_plan, count, e));
  TRY(dtci_out(model, DTC_STRUCT_model, &local_model, e));
  return dtci_out(plan, DTC_STRUCT_plan, &local_plan, e);
}

dtc_status dtc_framework_lint(const dtc_lint *lint, const char *text, size_t len, dtc_model *model, dtc_plan *plan,
                              dtc_error *out, size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                              dtc_error *err)
{
  dtc_error e;
  dtci_settings s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  memset(&s, 0, sizeof s);
  s.out = out;
  s.cap = out != NULL ? cap : 0;
  return dtci_end(lint_call(lint, text, len, model, plan, &s, count, scratch, n_scratch, &e), &e, err);
}

dtc_status dtc_framework_lint_scratch(const dtc_lint *lint, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  dtc_lint local;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_in(&local, DTC_STRUCT_lint, lint, &e);
  if (s == DTC_OK)
    *needed = scratch_for(local.dialect);
  return dtci_end(s, &e, err);
}
