/* Configurations from their tables: what may be said, and saying it. */
#include "internal/launch.h"
#include "internal/lint_megatron.h"
#include "internal/plan.h"

enum { DEPTH = 3 };

static int in_versions(const dtci_launch_work *w, uint32_t since, uint32_t until)
{
  uint32_t v = w->c.plan.framework_version;
  return v >= since && (until == 0 || v < until);
}

static int all_meet(const dtci_launch_work *w, const dtci_when *when, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    if (!dtci_condition_meets(&w->c, &when[i]))
      return 0;
  return 1;
}

static uint64_t value_of(const dtci_launch_work *w, uint32_t operand)
{
  const uint32_t one[DTCI_OPERANDS] = {operand};
  return dtci_rule_product(&w->c, one, 1, 0);
}

static int is_unlike(const dtci_launch_work *w, const dtci_launch_row *row)
{
  const uint32_t product[DTCI_OPERANDS] = {row->unlike[0], row->unlike[1]};
  return row->unlike[0] == 0 || dtci_rule_product(&w->c, product, 1, 0) != value_of(w, row->unlike[2]);
}

static int split_suits(const dtci_launch_work *w, uint32_t split)
{
  const dtc_plan *p = &w->c.plan;
  int is_split = p->tp > 1 || p->pp > 1 || p->cp > 1 || p->ep > 1;
  return split == DTCI_LAUNCH_ANY || (split == DTCI_LAUNCH_SPLIT && is_split) ||
         (split == DTCI_LAUNCH_ALONE && !is_split) ||
         (split == DTCI_LAUNCH_NO_DDP && (is_split || p->sharding != DTC_SHARDING_DDP));
}

static int row_holds(const dtci_launch_work *w, const dtci_launch_row *row)
{
  return in_versions(w, row->since, row->until) && all_meet(w, row->when, DTCI_LAUNCH_WHENS) && is_unlike(w, row) &&
         split_suits(w, row->split);
}

dtc_launch_target dtci_launch_config_of(const dtc_plan *p)
{
  const dtci_launch_usual *usual = &dtci_launch_usuals[p->framework];
  return p->framework_version < usual->since ? usual->earlier : usual->config;
}

/* Not a table of functions: the stack of a call can then be bounded. */
int dtci_launch_form_of(dtc_launch_target target, dtci_launch_form *f)
{
  memset(f, 0, sizeof *f);
  if (target == DTC_LAUNCH_TARGET_MEGATRON)
    dtci_launch_megatron(f);
  else if (target == DTC_LAUNCH_TARGET_DS_CONFIG)
    dtci_launch_deepspeed(f);
  else if (target == DTC_LAUNCH_TARGET_ACCELERATE)
    dtci_launch_accelerate(f);
  else if (target == DTC_LAUNCH_TARGET_TRAINER)
    dtci_launch_trainer(f);
  else if (target == DTC_LAUNCH_TARGET_TITAN_TOML)
    dtci_launch_titan_toml(f);
  else if (target == DTC_LAUNCH_TARGET_TITAN_PYTHON)
    dtci_launch_titan_python(f);
  else if (target == DTC_LAUNCH_TARGET_COLOSSALAI)
    dtci_launch_colossalai(f);
  else if (target == DTC_LAUNCH_TARGET_ENVIRONMENT)
    dtci_launch_environment(f);
  return f->rows != NULL;
}

/* ---- what may be said ------------------------------------------------------------------------ */

static int among(const uint32_t *list, uint32_t n, uint32_t field)
{
  for (uint32_t i = 0; i < n && list[i] != 0; i++)
    if (DTCI_FIELD(list[i]) == field)
      return 1;
  return 0;
}

static int condition_reads(const dtci_when *when, uint32_t n, uint32_t field)
{
  for (uint32_t i = 0; i < n; i++)
    if (when[i].field != 0 && DTCI_FIELD(when[i].field) == field)
      return 1;
  return 0;
}

/* Does the configuration know the field? */
static int mentions(const dtci_launch_work *w, const dtci_launch_form *f, uint32_t field)
{
  for (uint32_t i = 0; i < f->rows_count; i++) {
    const dtci_launch_row *row = &f->rows[i];
    if (!split_suits(w, row->split))
      continue;
    if (among(row->left, DTCI_OPERANDS, field) || among(row->right, DTCI_OPERANDS, field) ||
        condition_reads(row->when, DTCI_LAUNCH_WHENS, field))
      return 1;
  }
  for (uint32_t i = 0; i < f->limits_count; i++)
    if (DTCI_FIELD(f->limits[i].field) == field || condition_reads(f->limits[i].when, 2, field))
      return 1;
  return among(f->others, f->others_count, field);
}

/* Has the field to be said? */
static int counts(const dtci_launch_form *f, uint32_t field)
{
  if (field == DTC_FIELD(plan, struct_size) || field == DTC_FIELD(plan, framework) ||
      field == DTC_FIELD(plan, framework_version) || among(dtci_launch_assumed, UINT32_MAX, field))
    return 0;
  return f->whole || among(dtci_launch_split, UINT32_MAX, field);
}

/* Fields that the configuration does not know have the value that they have by themselves. */
static dtc_status check_dropped(const dtci_launch_work *w, const dtci_launch_form *f)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  dtci_case base = w->c;
  dtc_error unused;
  base.plan = w->c.given;
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *field = &dtci_fields[s->first + i];
    uint32_t id = (uint32_t)DTC_STRUCT_plan << 16 | field->offset;
    if (counts(f, id) && !mentions(w, f, id))
      dtci_write(&base.plan, field, 0);
  }
  base.plan.framework = w->c.plan.framework;
  if (dtci_plan_fill(&base, &unused) != DTC_OK)
    base.plan = w->c.given;
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *field = &dtci_fields[s->first + i];
    uint32_t id = (uint32_t)DTC_STRUCT_plan << 16 | field->offset;
    uint64_t v = dtci_read(&w->c.plan, field);
    if (counts(f, id) && !mentions(w, f, id) && v != dtci_read(&base.plan, field)) {
      dtci_fail(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_SETTING, id, v);
      w->e->other = DTC_FIELD(launch, target);
      w->e->other_got = w->launch.target;
      return DTC_E_UNSUPPORTED;
    }
  }
  return DTC_OK;
}

static dtc_status check_limit(const dtci_launch_work *w, const dtci_launch_limit *limit)
{
  uint64_t v = value_of(w, limit->field);
  const uint32_t product[DTCI_OPERANDS] = {limit->equals[0], limit->equals[1]};
  uint64_t equal = limit->equals[0] != 0 ? dtci_rule_product(&w->c, product, 1, 0) : v;
  int inside = limit->equals[0] != 0 ? v == equal
               : limit->mask != 0    ? v < 64 && (limit->mask >> v & 1)
                                     : v >= limit->min && v <= limit->max;
  if (inside || !in_versions(w, limit->since, limit->until) || !all_meet(w, limit->when, 2) ||
      !split_suits(w, limit->split))
    return DTC_OK;
  uint32_t with = limit->when[0].field;
  dtci_fail(w->e, DTC_E_UNSUPPORTED, with != 0 ? DTC_RULE_LAUNCH_TOGETHER : DTC_RULE_LAUNCH_VALUE,
            DTCI_FIELD(limit->field), v);
  w->e->other = with != 0 ? DTCI_FIELD(with) : DTC_FIELD(launch, target);
  w->e->other_got = with != 0 ? value_of(w, with) : w->launch.target;
  if (limit->mask == 0) {
    w->e->min = limit->equals[0] != 0 ? equal : limit->min;
    w->e->max = limit->equals[0] != 0 ? equal : limit->max;
  }
  return DTC_E_UNSUPPORTED;
}

static int is_number(const dtci_launch_row *row)
{
  return row->kind == DTCI_LAUNCH_NUMBER || row->kind == DTCI_LAUNCH_CEIL || row->kind == DTCI_LAUNCH_PERCENT ||
         row->kind == DTCI_LAUNCH_MOST;
}

/* Numbers that do not come out even are refused: the field that does not divide is named. */
static dtc_status check_even(const dtci_launch_work *w, const dtci_launch_row *row)
{
  if (!row_holds(w, row) || row->kind != DTCI_LAUNCH_NUMBER)
    return DTC_OK;
  uint64_t left = dtci_rule_product(&w->c, row->left, 1, 0), right = dtci_rule_product(&w->c, row->right, 1, 0);
  if (right != 0 && left % right == 0)
    return DTC_OK;
  dtci_fail(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VALUE, DTCI_FIELD(row->left[0]), value_of(w, row->left[0]));
  w->e->other = DTC_FIELD(launch, target);
  w->e->other_got = w->launch.target;
  return DTC_E_UNSUPPORTED;
}

/* Megatron's pattern repeats behind the leading dense layers. */
static dtc_status check_layers(const dtci_launch_work *w, const dtci_launch_row *row)
{
  const dtc_model *m = &w->c.model;
  if (row->kind != DTCI_LAUNCH_LAYERS || !row_holds(w, row) || (m->layers - m->dense_layers) % m->moe_every == 0)
    return DTC_OK;
  dtci_fail(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VALUE, DTC_FIELD(model, moe_every), m->moe_every);
  w->e->other = DTC_FIELD(launch, target);
  w->e->other_got = w->launch.target;
  return DTC_E_UNSUPPORTED;
}

dtc_status dtci_launch_allowed(const dtci_launch_work *w, const dtci_launch_form *f)
{
  uint32_t v = w->c.plan.framework_version;
  if (v < f->least || (f->newest != 0 && v > f->newest))
    return dtci_fail_within(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VERSION, DTC_FIELD(plan, framework_version), v,
                            f->least, f->newest != 0 ? f->newest : DTC_MAIN);
  for (uint32_t i = 0; i < f->limits_count; i++)
    TRY(check_limit(w, &f->limits[i]));
  for (uint32_t i = 0; i < f->rows_count; i++) {
    TRY(check_even(w, &f->rows[i]));
    TRY(check_layers(w, &f->rows[i]));
  }
  return check_dropped(w, f);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_times(dtci_text *t, const char *what, uint64_t n)
{
  dtci_puts(t, what);
  dtci_puts(t, "*");
  dtci_put_u64(t, n);
}

/* 1 in moe_every layers, or "([0]*3+[1]*58)". Which layer is MoE is counted from the first of the model, the pattern from
 * behind the leading dense ones. */
static void put_layers(dtci_text *t, const dtc_model *m)
{
  uint64_t every = m->moe_every, rest = m->layers - m->dense_layers;
  uint64_t first = (m->moe_offset + every - m->dense_layers % every) % every; /* dense layers in front of the MoE one */
  if (m->dense_layers == 0 && m->moe_offset == 0) {
    dtci_put_u64(t, every);
    return;
  }
  dtci_puts(t, "'(");
  if (m->dense_layers != 0) {
    put_times(t, "[0]", m->dense_layers);
    dtci_puts(t, "+");
  }
  if (every == 1) {
    put_times(t, "[1]", rest);
  } else {
    put_times(t, "([0]", first);
    put_times(t, "+[1]+[0]", every - first - 1);
    put_times(t, ")", rest / every);
  }
  dtci_puts(t, ")'");
}

static void put_number(dtci_launch_work *w, const dtci_launch_row *row)
{
  uint64_t left = dtci_rule_product(&w->c, row->left, 1, 0), right = dtci_rule_product(&w->c, row->right, 1, 0);
  if (row->kind == DTCI_LAUNCH_PERCENT) {
    dtci_put_u64(w->t, left / 100);
    dtci_puts(w->t, ".");
    dtci_put_u64(w->t, left / 10 % 10);
    dtci_put_u64(w->t, left % 10);
  } else if (row->kind == DTCI_LAUNCH_MOST) {
    dtci_put_u64(w->t, dtci_larger(value_of(w, row->left[0]), value_of(w, row->left[1])));
  } else {
    dtci_put_u64(w->t, right == 0 ? 0 : dtci_ceil_div(left, right));
  }
}

static void put_quoted(dtci_launch_work *w, const dtci_launch_form *f, const char *s, size_t n)
{
  const char *quote = f->style == DTCI_STYLE_SHELL ? "" : f->style == DTCI_STYLE_YAML ? "'" : "\"";
  dtci_puts(w->t, quote);
  dtci_put(w->t, s, n);
  dtci_puts(w->t, quote);
}

static void put_value(dtci_launch_work *w, const dtci_launch_form *f, const dtci_launch_row *row)
{
  const char *host = "";
  size_t n = 0;
  if (is_number(row))
    put_number(w, row);
  else if (row->kind == DTCI_LAUNCH_WORD)
    put_quoted(w, f, row->word, strlen(row->word));
  else if (row->kind == DTCI_LAUNCH_BARE)
    dtci_puts(w->t, row->word);
  else if (row->kind == DTCI_LAUNCH_LAYERS)
    put_layers(w->t, &w->c.model);
  else if (row->kind == DTCI_LAUNCH_HOST && dtci_launch_host(w, 0, &host, &n)) /* whoever has the row asks for hosts */
    put_quoted(w, f, host, n);
  else
    dtci_put_u64(w->t, row->kind == DTCI_LAUNCH_NODES ? w->nodes : row->kind == DTCI_LAUNCH_WORLD ? w->world : w->port);
}

/* ---- nesting --------------------------------------------------------------------------------- */

static const char *name_of(const dtci_launch_row *row)
{
  return row->name[0] != 0 ? row->name : dtci_megatron_keys[row->key].name;
}

/* Sections of a dotted name: how many, and where each ends. */
static uint32_t sections(const char *name, size_t ends[DEPTH])
{
  uint32_t n = 0;
  for (size_t i = 0; name[i] != 0; i++)
    if (name[i] == '.' && n < DEPTH)
      ends[n++] = i;
  return n;
}

/* Sections that two names share. */
static uint32_t shared(const char *a, const char *b)
{
  size_t ends[DEPTH], others[DEPTH];
  uint32_t n = sections(a, ends), m = sections(b, others), k = 0;
  while (k < n && k < m && ends[k] == others[k] && memcmp(a, b, ends[k]) == 0)
    k++;
  return k;
}

static void indent(dtci_text *t, uint32_t depth)
{
  for (uint32_t i = 0; i < depth; i++)
    dtci_puts(t, "  ");
}

static void close_json(dtci_text *t, uint32_t from, uint32_t to)
{
  for (uint32_t d = from; d > to; d--) {
    dtci_puts(t, "\n");
    indent(t, d);
    dtci_puts(t, "}");
  }
}

/* Opens the sections of `name` behind those of `before`. */
static void open_sections(dtci_text *t, const dtci_launch_form *f, const char *name, const char *before)
{
  size_t ends[DEPTH], old[DEPTH];
  uint32_t n = sections(name, ends), k = shared(before, name);
  int json = f->style == DTCI_STYLE_JSON;
  if (json) {
    close_json(t, sections(before, old), k);
    dtci_puts(t, before[0] != 0 ? ",\n" : "");
  }
  for (; k < n; k++) {
    size_t start = k == 0 ? 0 : ends[k - 1] + 1;
    indent(t, k + (uint32_t)json);
    dtci_puts(t, json ? "\"" : "");
    dtci_put(t, name + start, ends[k] - start);
    dtci_puts(t, json ? "\": {\n" : ":\n");
  }
  indent(t, n + (uint32_t)json);
}

static void put_name(dtci_launch_work *w, const dtci_launch_form *f, const char *name, const char *before)
{
  size_t ends[DEPTH];
  uint32_t n = sections(name, ends);
  const char *last = n == 0 ? name : name + ends[n - 1] + 1;
  dtci_text *t = w->t;
  if (f->style == DTCI_STYLE_JSON || f->style == DTCI_STYLE_YAML) {
    open_sections(t, f, name, before);
    dtci_puts(t, f->style == DTCI_STYLE_JSON ? "\"" : "");
    dtci_puts(t, last);
    dtci_puts(t, f->style == DTCI_STYLE_JSON ? "\": " : ": ");
  } else if (f->style == DTCI_STYLE_TOML) {
    if (shared(before, name) == 0) {
      dtci_puts(t, "\n[");
      dtci_put(t, name, ends[0]);
      dtci_puts(t, "]\n");
    }
    dtci_puts(t, last);
    dtci_puts(t, " = ");
  } else {
    dtci_puts(t, f->style == DTCI_STYLE_PYTHON ? "    config." : "");
    dtci_puts(t, name);
    dtci_puts(t, f->style == DTCI_STYLE_PYTHON ? " = " : f->style == DTCI_STYLE_CALL ? "=" : "");
  }
}

void dtci_launch_put_form(dtci_launch_work *w, const dtci_launch_form *f, const char *before, const char *behind)
{
  int flags = f->style == DTCI_STYLE_SHELL;
  const char *last = "";
  size_t old[DEPTH];
  for (uint32_t i = 0; i < f->rows_count; i++) {
    const dtci_launch_row *row = &f->rows[i];
    if (!row_holds(w, row))
      continue;
    if (row->kind == DTCI_LAUNCH_MORE) {
      dtci_puts(w->t, " ");
      dtci_puts(w->t, row->word);
      continue;
    }
    if (last[0] != 0)
      dtci_puts(w->t, behind);
    dtci_puts(w->t, before);
    put_name(w, f, name_of(row), last);
    if (row->kind != DTCI_LAUNCH_FLAG) {
      dtci_puts(w->t, flags && name_of(row)[0] == '-' ? " " : "");
      put_value(w, f, row);
    }
    last = name_of(row);
    dtci_puts(w->t, f->style >= DTCI_STYLE_YAML && f->style <= DTCI_STYLE_PYTHON ? "\n" : "");
  }
  if (f->style == DTCI_STYLE_JSON)
    close_json(w->t, sections(last, old), 0);
}
