/* A hostfile of DeepSpeed, and the flags of its launcher on lines of their own: launcher/runner.py, parse_resource_filter(). */
#include "internal/chars.h"
#include "internal/hostfile.h"
#include "internal/settings.h"

/* A host in the hash of hosts: 1 + place of its line, and how --include or --exclude names it. */
#define WHOLE (UINT64_C(1) << 63)
#define SLOTS (UINT64_C(1) << 62)
#define PLACE (SLOTS - 1)

/* The value of --include or --exclude in the text. */
typedef struct filter {
  uint32_t key;
  size_t at;
  size_t n;
} filter;

typedef struct hosts {
  dtci_settings *s;
  uint64_t *slot;
  uint64_t count;
  uint64_t total;
  uint64_t known; /* in the hash */
  uint64_t whole; /* hosts that are left out as a whole */
  size_t local;   /* the first host whose LOCAL_RANK does not begin with 0; SIZE_MAX */
  filter include;
  filter exclude;
} hosts;

static dtc_error told(const hosts *h, dtc_rule rule, size_t at)
{
  return dtci_lint_told(h->s, rule, DTCI_NO_KEY, at);
}

static void tell(hosts *h, dtc_rule rule, size_t at)
{
  dtc_error e = told(h, rule, at);
  dtci_lint_found(h->s, &e);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

/* Does the name of the host at `at` end n bytes later? */
static int name_ends(const char *text, size_t len, size_t at, size_t n)
{
  if (n >= len - at)
    return n == len - at;
  return dtci_is_python_space(text[at + n]);
}

/* The slot of a host in the hash: it holds it, or is empty. */
static uint64_t *slot_of(const hosts *h, const char *name, size_t n)
{
  const char *text = h->s->text;
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
  for (uint64_t i = hash ^ hash >> 32;; i++) {
    uint64_t *slot = &h->slot[i & (DTCI_HOSTS_WORDS - 1)];
    size_t at = (size_t)(*slot & PLACE);
    if (at == 0)
      return slot;
    at--;
    if (name_ends(text, h->s->len, at, n) && memcmp(text + at, name, n) == 0)
      return slot;
  }
}

static int has_junk(const char *text, const dtci_hostfile *f)
{
  size_t i = f->rest, end = f->line + f->line_n;
  while (i < end && (text[i] == ' ' || text[i] == '\t'))
    i++;
  return i < end && text[i] != '#';
}

/* The host of a line: its global ranks begin at total. */
static void add_host(hosts *h, const dtci_hostfile *f)
{
  uint64_t *slot = slot_of(h, f->text + f->host, f->host_n);
  int bad = 0;
  if (*slot != 0) {
    dtc_error e = told(h, DTC_RULE_HOST_TWICE, f->host);
    e.status = DTC_E_CONFLICT;
    dtci_lint_found(h->s, &e);
    return;
  }
  if (h->known < DTCI_HOSTS_WORDS / 2) {
    h->known++;
    *slot = 1 + (uint64_t)f->host;
  }
  if (f->slots == 0 || f->slots > DTCI_SLOTS_MAX) {
    dtc_error e = told(h, DTC_RULE_HOST_SLOTS, f->digits);
    e.status = DTC_E_RANGE;
    e.severity = DTC_SEVERITY_WARNING; /* DeepSpeed takes it */
    e.got = f->slots;
    e.min = 1;
    e.max = DTCI_SLOTS_MAX;
    dtci_lint_found(h->s, &e);
  }
  if (has_junk(f->text, f))
    tell(h, DTC_RULE_HOSTS_JUNK, f->rest);
  if (f->slots != 0 && h->total % f->slots != 0 && h->local == SIZE_MAX)
    h->local = f->host;
  h->count++;
  h->total = dtci_add(h->total, f->slots, &bad);
  h->total = bad ? UINT64_MAX : h->total;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static size_t skip_blanks(const char *text, size_t i, size_t end)
{
  while (i < end && (text[i] == ' ' || text[i] == '\t'))
    i++;
  return i;
}

/* Blanks inside quotes belong to a word. */
static size_t word_end(const char *text, size_t i, size_t end)
{
  char quote = 0;
  for (; i < end && (quote != 0 || (text[i] != ' ' && text[i] != '\t')); i++)
    if (quote == 0 && (text[i] == '"' || text[i] == '\''))
      quote = text[i];
    else if (text[i] == quote)
      quote = 0;
  return i;
}

static void give(hosts *h, uint32_t key, size_t at, size_t value, size_t end)
{
  dtci_settings *s = h->s;
  const char *text = s->text;
  if (end - value >= 2 && (text[value] == '"' || text[value] == '\'') && text[end - 1] == text[value]) {
    value++;
    end--;
  }
  dtci_key_word(s, key, text + value, end - value, at, 0);
  if (s->dialect.keys[key].kind == DTCI_KEY_ALIAS)
    key = s->dialect.keys[key].to;
  if (key == DTCI_HOSTS_INCLUDE)
    h->include = (filter){key, value, end - value};
  if (key == DTCI_HOSTS_EXCLUDE)
    h->exclude = (filter){key, value, end - value};
}

/* A line of flags; it ends at the first word that belongs to none, which is the script. */
static void read_flags(hosts *h, const dtci_hostfile *f)
{
  const char *text = f->text;
  size_t end = f->line + f->line_n;
  for (size_t i = f->line; i < end && text[i] == '-';) {
    size_t at = i, stop = word_end(text, i, end), name = at;
    while (name < stop && text[name] != '=')
      name++;
    i = skip_blanks(text, stop, end);
    uint32_t key = dtci_key_named(h->s, text + at, name - at);
    if (key == DTCI_NO_KEY) {
      dtci_lint_unknown(h->s, h->s->dialect.unknown, DTCI_NO_KEY, text + at, name - at, at);
      if (name == stop && i < end && text[i] != '-') /* its value, it seems */
        i = skip_blanks(text, word_end(text, i, end), end);
    } else if (h->s->dialect.keys[key].kind == DTCI_KEY_FLAG) {
      dtci_key_flag(h->s, key, at);
    } else if (name < stop) {
      give(h, key, at, name + 1, stop);
    } else if (i < end) {
      give(h, key, at, i, word_end(text, i, end));
      i = skip_blanks(text, word_end(text, i, end), end);
    } else {
      dtci_lint_simple(h->s, DTC_RULE_LINT_ARGS, key, at);
    }
  }
}

/* ---- --include and --exclude ----------------------------------------------------------------- */

/* Does a rule hold for this version of the launcher? */
static int applies(const dtci_settings *s, dtc_rule rule)
{
  for (uint32_t i = 0; i < s->dialect.rules_count; i++)
    if (s->dialect.rules[i].row.rule == rule &&
        dtci_setting_has(s->dialect.rules[i].since, s->dialect.rules[i].until, s->version))
      return 1;
  return 0;
}

static size_t find(const char *text, size_t i, size_t end, char c)
{
  while (i < end && text[i] != c)
    i++;
  return i;
}

/* Python's int(): blanks and a sign around digits; 0 when it is none. */
static int read_slot(const char *s, size_t n, int64_t *v)
{
  while (n > 0 && s[n - 1] == ' ')
    n--;
  while (n > 0 && s[0] == ' ') {
    s++;
    n--;
  }
  return dtci_text_i64(s, n, v);
}

static uint64_t slots_at(const hosts *h, uint64_t slot)
{
  dtci_hostfile f = {.text = h->s->text, .len = h->s->len, .pos = (size_t)(slot & PLACE) - 1};
  return dtci_next_line(&f) && dtci_read_host(&f) ? f.slots : 0;
}

/* The slots 0,1 of an entry, of a host that is known. */
static int check_slots(hosts *h, const filter *f, uint64_t slots, size_t at, size_t end)
{
  const char *text = h->s->text;
  dtc_rule rule = f->key == DTCI_HOSTS_INCLUDE && applies(h->s, DTC_RULE_HOSTS_UNCHECKED) ? DTC_RULE_HOSTS_UNCHECKED
                                                                                          : DTC_RULE_HOSTS_SLOT;
  for (size_t i = at, stop; i <= end; i = stop + 1) {
    int64_t v = 0;
    stop = find(text, i, end, ',');
    if (!read_slot(text + i, stop - i, &v)) {
      tell(h, DTC_RULE_HOSTS_FILTER, i);
      return 0;
    }
    if (v >= 0 && (uint64_t)v < slots)
      continue;
    dtc_error e = told(h, rule, i);
    e.got = (uint64_t)v;
    e.max = slots;
    dtci_lint_found(h->s, &e);
  }
  return 1;
}

/* `host` or `host:0,1`. */
static void check_entry(hosts *h, const filter *f, size_t at, size_t end)
{
  const char *text = h->s->text;
  size_t colon = find(text, at, end, ':');
  uint64_t *slot = slot_of(h, text + at, colon - at);
  if (colon < end && find(text, colon + 1, end, ':') < end) {
    tell(h, DTC_RULE_HOSTS_FILTER, at);
  } else if (*slot == 0) {
    if (h->known == h->count)
      tell(h, DTC_RULE_HOSTS_UNKNOWN, at);
  } else if (colon == end) {
    h->whole += (*slot & WHOLE) == 0;
    *slot |= WHOLE;
  } else if (check_slots(h, f, slots_at(h, *slot), colon + 1, end)) {
    *slot |= SLOTS;
  }
}

/* Hosts that are named without slots, and never with. */
static uint64_t tell_dropped(hosts *h, const filter *f)
{
  const char *text = h->s->text;
  uint64_t kept = 0;
  for (size_t i = f->at, stop; i <= f->at + f->n; i = stop + 1) {
    stop = find(text, i, f->at + f->n, '@');
    uint64_t slot = *slot_of(h, text + i, find(text, i, stop, ':') - i);
    kept += (slot & SLOTS) != 0;
    if ((slot & WHOLE) && !(slot & SLOTS))
      tell(h, DTC_RULE_HOSTS_DROPPED, i);
  }
  return kept;
}

static void check_filter(hosts *h, const filter *f)
{
  const char *text = h->s->text;
  uint64_t kept = 1;
  size_t before = h->s->count;
  for (size_t i = f->at, stop; i <= f->at + f->n; i = stop + 1) {
    stop = find(text, i, f->at + f->n, '@');
    check_entry(h, f, i, stop);
  }
  if (f->key == DTCI_HOSTS_EXCLUDE)
    kept = h->whole < h->count;
  else if (applies(h->s, DTC_RULE_HOSTS_DROPPED) && before == h->s->count)
    kept = tell_dropped(h, f);
  if (kept == 0)
    tell(h, DTC_RULE_HOSTS_NOTHING, f->at);
}

/* ---- the text -------------------------------------------------------------------------------- */

static void put(dtci_settings *s, uint32_t key, uint64_t value, int known)
{
  s->value[key] = value;
  s->state[key] = known ? DTCI_STATE_WORKED : DTCI_STATE_NONE;
}

dtc_status dtci_read_hosts(dtci_settings *s, dtc_error *e)
{
  hosts h = {.s = s, .slot = s->variables, .local = SIZE_MAX};
  dtci_hostfile f = {.text = s->text, .len = s->len};
  (void)e;
  memset(h.slot, 0, (size_t)DTCI_HOSTS_WORDS * sizeof *h.slot);
  while (dtci_next_line(&f)) {
    if (f.text[f.line] == '-')
      read_flags(&h, &f);
    else if (dtci_read_host(&f))
      add_host(&h, &f);
    else
      tell(&h, DTC_RULE_HOST_LINE, f.line);
  }
  if (h.count == 0)
    tell(&h, DTC_RULE_HOST_NONE, s->len);
  int filtered = h.include.n > 0 || h.exclude.n > 0;
  if (!filtered && h.local != SIZE_MAX)
    tell(&h, DTC_RULE_HOSTS_LOCAL, h.local);
  put(s, DTCI_HOSTS_SLOTS, h.total, h.count > 0 && !filtered && h.total <= INT64_MAX);
  put(s, DTCI_HOSTS_COUNT, h.count, h.count > 0 && !filtered);
  if (h.include.n > 0 && h.exclude.n > 0)
    tell(&h, DTC_RULE_HOSTS_BOTH, h.exclude.at);
  else if (h.count > 0 && filtered)
    check_filter(&h, h.include.n > 0 ? &h.include : &h.exclude);
  return DTC_OK;
}
