/* Reads the size in a pasted message: what PyTorch, its CPU allocator, NumPy and nvidia-smi print. */
#include "internal/chars.h"
#include "internal/explain.h"

/* Sizes of more digits are no sizes; those that stand alone stand in short texts; numbers beside a message's size come soon. */
enum { DIGITS_MOST = 18, BARE_MOST = 128, BESIDE_MOST = 1024, BEFORE_MOST = 48, DIMS_MOST = 16 };
static const uint64_t bytes_most = (uint64_t)1 << 60;
static const uint64_t mib = 1 << 20;

/* ---- what the allocator makes of a request --------------------------------------------------- */

/* c10/cuda/CUDACachingAllocator.cpp: kSmallSize, kSmallBuffer; kMinLargeAlloc, kLargeBuffer; kRoundLarge. */
uint64_t dtci_alloc_rounded(uint64_t bytes)
{
  if (bytes <= mib)
    return 2 * mib;
  return bytes < 10 * mib ? 20 * mib : dtci_ceil_div(bytes, 2 * mib) * 2 * mib;
}

static int between(uint64_t v, uint64_t low, uint64_t high)
{
  return low <= v && v <= high;
}

void dtci_alloc_widen(dtc_alloc *a)
{
  uint64_t step = dtci_ceil_div(a->low, 2 * mib) * 2 * mib;
  if (a->device == DTC_ALLOC_DEVICE_HOST || a->kind != DTC_ALLOC_KIND_REQUEST)
    return;
  if (between(2 * mib, a->low, a->high))
    a->low = 1;
  else if (between(20 * mib, a->low, a->high))
    a->low = mib + 1;
  else if (step >= 10 * mib && step <= a->high)
    a->low = step - 2 * mib + 1;
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct words {
  const char *s;
  size_t len;
} words;

static int is_letter(char c)
{
  return dtci_is_letter(c) || c == '_';
}

static int starts(words t, size_t at, const char *word)
{
  size_t n = strlen(word);
  return at <= t.len && t.len - at >= n && dtci_same_letters(t.s + at, n, word);
}

static int ends(words t, size_t at, const char *word)
{
  size_t n = strlen(word);
  return at >= n && starts(t, at - n, word);
}

/* Where a word stands in [from, to); `to` when it does not. */
static size_t find(words t, size_t from, size_t to, const char *word)
{
  size_t n = strlen(word);
  for (size_t i = from; i + n <= to; i++)
    if (starts(t, i, word))
      return i;
  return to;
}

static int has(words t, size_t from, size_t to, const char *word)
{
  return find(t, from, to, word) != to;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

typedef struct size {
  uint64_t bytes;
  uint64_t low;
  uint64_t high;
  size_t end; /* behind it */
  int has_unit;
} size;

typedef struct unit_row {
  char name[8];
  double bytes;
} unit_row;

/* Longer names first. Old and new PyTorch say GiB; GB is taken as it is written. */
static const unit_row units[] = {
    {"bytes", 1},      {"byte", 1},     {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
    {"KB", 1000},      {"MB", 1000000}, {"GB", 1e9},   {"TB", 1e12},     {"K", 1024},         {"M", 1048576},
    {"G", 1073741824}, {"B", 1},
};
enum { UNITS = sizeof units / sizeof units[0] };

static const unit_row *unit_at(words t, size_t at, size_t *end)
{
  for (size_t i = 0; i < UNITS; i++) {
    *end = at + strlen(units[i].name);
    if (starts(t, at, units[i].name) && (*end >= t.len || !is_letter(t.s[*end])))
      return &units[i];
  }
  return NULL;
}

/* Of digits with `point` of them behind the point: the range that is printed so. 0: no size that fits. */
static int range_of(uint64_t digits, unsigned point, double unit, size *out)
{
  double ten = 1;
  for (unsigned i = 0; i < point; i++)
    ten *= 10;
  double v = (double)digits / ten * unit;
  double half = point == 0 && unit == 1 ? 0 : 0.5 / ten * unit;
  if (v > (double)bytes_most || digits > (uint64_t)1 << 53)
    return 0;
  out->bytes = (uint64_t)(v + 0.5);
  out->high = dtci_larger((uint64_t)(v + half), out->bytes);
  double low = v - half;
  out->low = low <= 0 ? 0 : (uint64_t)low;
  out->low += (double)out->low < low;
  return out->high <= bytes_most;
}

/* A comma that parts digits. */
static int comma_at(words t, size_t at)
{
  return at > 0 && at < t.len && t.len - at > 1 && t.s[at] == ',' && dtci_is_digit(t.s[at - 1]) &&
         dtci_is_digit(t.s[at + 1]);
}

/* A comma of thousands in a number from `from` on: three digits behind it and no fourth; before it three behind another,
 * or the first one to three. */
static int group_at(words t, size_t from, size_t at)
{
  if (!comma_at(t, at) || (at - from <= 3 ? t.s[from] == '0' : t.s[at - 4] != ','))
    return 0;
  for (size_t i = 1; i <= 3; i++)
    if (t.len - at <= i || !dtci_is_digit(t.s[at + i]))
      return 0;
  return t.len - at == 4 || !dtci_is_digit(t.s[at + 4]);
}

/* Reads digits, at most one point among them; where `groups`, with a comma before each three of the whole part, as in
 * 1,024.00. 0: there are none, or too many. */
static int digits_at(words t, size_t *at, int groups, uint64_t *digits, unsigned *point)
{
  size_t from = *at;
  unsigned count = 0;
  int pointed = 0;
  *digits = 0;
  *point = 0;
  for (; *at < t.len; ++*at) {
    char c = t.s[*at];
    if (c == '.' && !pointed && count != 0) {
      pointed = 1;
      continue;
    }
    if (groups && !pointed && group_at(t, from, *at))
      continue;
    if (!dtci_is_digit(c))
      break;
    *digits = *digits * 10 + (uint64_t)(c - '0');
    *point += (unsigned)pointed;
    if (++count > DIGITS_MOST)
      return 0;
  }
  return count != 0;
}

/* A size at a digit; without a unit bytes. */
static int size_at(words t, size_t at, size *out)
{
  uint64_t digits = 0;
  unsigned point = 0;
  if (at > 0 && (dtci_is_digit(t.s[at - 1]) || t.s[at - 1] == '.' || t.s[at - 1] == '-' || is_letter(t.s[at - 1]) ||
                 comma_at(t, at - 1)))
    return 0;
  out->end = at;
  if (!digits_at(t, &out->end, 1, &digits, &point) || comma_at(t, out->end))
    return 0;
  size_t unit_from = out->end;
  size_t unit_end = 0;
  while (unit_from < t.len && t.s[unit_from] == ' ')
    unit_from++;
  const unit_row *unit = unit_at(t, unit_from, &unit_end);
  out->has_unit = unit != NULL;
  out->end = unit != NULL ? unit_end : out->end;
  return (unit != NULL || point == 0) && range_of(digits, point, unit != NULL ? unit->bytes : 1, out);
}

/* ---- numbers beside the size ----------------------------------------------------------------- */

typedef struct beside_row {
  char word[40];
  uint16_t field; /* offset in dtc_alloc */
  uint8_t before; /* 1: the word stands before the number */
  uint8_t more;   /* 1: reserved beside what is allocated */
} beside_row;

#define AT(member) (uint16_t) offsetof(dtc_alloc, member)
static const beside_row beside[] = {
    {"capacity of ", AT(capacity), 1, 0},
    {"capacty of ", AT(capacity), 1, 0}, /* as PyTorch 2.1 has it */
    {" total capacity", AT(capacity), 0, 0},
    {" already allocated", AT(allocated), 0, 0},
    {" is allocated by PyTorch", AT(allocated), 0, 0},
    {" is reserved by PyTorch but unallocated", AT(reserved), 0, 1},
    {" reserved in total by PyTorch", AT(reserved), 0, 0},
    {" cached", AT(reserved), 0, 0},
    {"this process has ", AT(in_use), 1, 0}, /* others may be told too */
    {" is free", AT(free), 0, 0},
    {" free", AT(free), 0, 0},
};
enum { BESIDE = sizeof beside / sizeof beside[0] };

/* The first number of a kind counts. */
static void keep_beside(words t, size_t at, const size *found, dtc_alloc *a)
{
  for (size_t i = 0; i < BESIDE; i++) {
    const beside_row *row = &beside[i];
    if (row->before ? !ends(t, at, row->word) : !starts(t, found->end, row->word))
      continue;
    uint64_t *field = (uint64_t *)(void *)((unsigned char *)a + row->field);
    if (*field == 0)
      *field = found->bytes + (row->more ? a->allocated : 0);
    return;
  }
}

static void read_beside(words t, size_t from, dtc_alloc *a)
{
  size_t to = t.len - from < BESIDE_MOST ? t.len : from + BESIDE_MOST;
  to = find(t, from, to, "out of memory");
  for (size_t i = from; i < to;) {
    size found = {0};
    if (dtci_is_digit(t.s[i]) && size_at(t, i, &found)) {
      keep_beside(t, i, &found, a);
      i = found.end;
    } else {
      i++;
    }
  }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void take(dtc_alloc *a, const size *found, size_t at)
{
  a->bytes = found->bytes;
  a->low = found->low;
  a->high = found->high;
  a->offset = at;
}

/* Whose allocator says "tried to allocate" at `at`. */
static dtc_alloc_device device_of(words t, size_t at)
{
  size_t from = at > BEFORE_MOST ? at - BEFORE_MOST : 0;
  if (has(t, from, at, "NPU out of memory"))
    return DTC_ALLOC_DEVICE_NPU;
  return ends(t, at, "you ") || has(t, from, at, "CPUAllocator") ? DTC_ALLOC_DEVICE_HOST : DTC_ALLOC_DEVICE_GPU;
}

/* PyTorch's "Tried to allocate 16.83 GiB", "you tried to allocate 180355072 bytes". */
static int read_torch(words t, dtc_alloc *a)
{
  static const char word[] = "tried to allocate ";
  size found = {0};
  for (size_t at = find(t, 0, t.len, word); at != t.len; at = find(t, at + 1, t.len, word)) {
    size_t number = at + strlen(word);
    if (number >= t.len || !dtci_is_digit(t.s[number]) || !size_at(t, number, &found) || !found.has_unit)
      continue;
    take(a, &found, number);
    a->device = device_of(t, at);
    read_beside(t, found.end, a);
    return 1;
  }
  return 0;
}

/* Elements of "(4096, 11008)"; 0 when it is none. */
static uint64_t elements_at(words t, size_t at)
{
  uint64_t product = 1;
  uint64_t digits = 0;
  unsigned point = 0;
  int bad = 0;
  if (at >= t.len || t.s[at++] != '(')
    return 0;
  for (int i = 0; i < DIMS_MOST && at < t.len; i++) {
    if (!digits_at(t, &at, 0, &digits, &point) || point != 0)
      return 0;
    product = dtci_mul(product, digits, &bad);
    while (at < t.len && (t.s[at] == ',' || t.s[at] == ' '))
      at++;
    if (at < t.len && t.s[at] == ')')
      return bad ? 0 : product;
  }
  return 0;
}

/* Bytes of NumPy's type "float32", "complex128", "bool"; 0 unknown. */
static uint64_t type_bytes(words t, size_t at)
{
  uint64_t bits = 0;
  unsigned point = 0;
  while (at < t.len && is_letter(t.s[at]))
    at++;
  if (ends(t, at, "bool"))
    return 1;
  return digits_at(t, &at, 0, &bits, &point) && point == 0 && bits % 8 == 0 && bits <= 256 ? bits / 8 : 0;
}

/* NumPy's "Unable to allocate 16.0 GiB for an array with shape (4096, 11008) and data type float32". */
static int read_numpy(words t, dtc_alloc *a)
{
  static const char word[] = "Unable to allocate ";
  static const char shape[] = "with shape ";
  static const char type[] = "data type ";
  size_t at = find(t, 0, t.len, word) + strlen(word);
  size found = {0};
  int bad = 0;
  if (at >= t.len || !size_at(t, at, &found) || !found.has_unit)
    return 0;
  take(a, &found, at);
  a->device = DTC_ALLOC_DEVICE_HOST;
  size_t shape_at = find(t, found.end, t.len, shape) + strlen(shape);
  size_t type_at = find(t, found.end, t.len, type) + strlen(type);
  uint64_t exact = dtci_mul(elements_at(t, shape_at), type_at < t.len ? type_bytes(t, type_at) : 0, &bad);
  if (!bad && between(exact, found.low, found.high) && exact != 0)
    a->bytes = a->low = a->high = exact;
  return 1;
}

/* Whether commas part a number but not at its thousands, as in 16,83 GiB: what it says is not known. `with_unit`: only
 * numbers that have one. */
static int commas_wrong(words t, int with_unit)
{
  for (size_t at = 0; at < t.len; at++) {
    uint64_t digits = 0;
    unsigned point = 0;
    size_t end = at;
    if (!dtci_is_digit(t.s[at]))
      continue;
    int wrong = digits_at(t, &end, 1, &digits, &point) && comma_at(t, end);
    while (end < t.len && (dtci_is_digit(t.s[end]) || t.s[end] == '.' || comma_at(t, end)))
      end++;
    at = end - 1;
    while (end < t.len && t.s[end] == ' ')
      end++;
    if (wrong && (!with_unit || unit_at(t, end, &end) != NULL))
      return 1;
  }
  return 0;
}

/* Where a size stands alone, with a unit or without; t.len when none does. */
static size_t bare_at(words t, int with_unit, size *found)
{
  if (commas_wrong(t, with_unit))
    return t.len;
  for (size_t at = 0; at < t.len; at++) {
    if (!dtci_is_digit(t.s[at]) || !size_at(t, at, found) || (with_unit && !found->has_unit))
      continue;
    if (found->has_unit || found->end == t.len || !(is_letter(t.s[found->end]) || t.s[found->end] == '%'))
      return at;
  }
  return t.len;
}

/* "16.83 GiB", "180355072", "14678MiB / 40960MiB", "14678 MiB after init". */
static int read_bare(words t, dtc_alloc *a)
{
  size found = {0};
  size next = {0};
  size_t at = t.len > BARE_MOST ? t.len : bare_at(t, 1, &found);
  at = t.len <= BARE_MOST && at == t.len ? bare_at(t, 0, &found) : at;
  if (at == t.len)
    return 0;
  take(a, &found, at);
  size_t second = found.end;
  while (second < t.len && (t.s[second] == ' ' || t.s[second] == '/'))
    second++;
  int of = has(t, found.end, second, "/") && second < t.len && size_at(t, second, &next) && next.has_unit;
  a->capacity = of ? next.bytes : 0;
  if (of || has(t, 0, t.len, "after ") || has(t, 0, t.len, "nvidia-smi") || has(t, 0, t.len, "resident") ||
      has(t, 0, t.len, "in use"))
    a->kind = DTC_ALLOC_KIND_DEVICE;
  else if (has(t, 0, t.len, "allocated"))
    a->kind = DTC_ALLOC_KIND_ALLOCATED;
  if (has(t, 0, t.len, "host") || has(t, 0, t.len, "CPU"))
    a->device = DTC_ALLOC_DEVICE_HOST;
  else if (has(t, 0, t.len, "NPU"))
    a->device = DTC_ALLOC_DEVICE_NPU;
  return 1;
}

static dtc_status read(words t, dtc_alloc *a, dtc_error *e)
{
  *a = (dtc_alloc){.struct_size = sizeof *a, .kind = DTC_ALLOC_KIND_REQUEST, .device = DTC_ALLOC_DEVICE_GPU};
  if (!read_torch(t, a) && !read_numpy(t, a) && !read_bare(t, a)) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT, DTCI_ARG(TEXT), 0);
    e->offset = 0;
    return DTC_E_PARSE;
  }
  if (a->bytes == 0) {
    dtci_fail_range(e, DTC_FIELD(alloc, bytes), 0, 1, bytes_most);
    e->offset = a->offset;
    return DTC_E_RANGE;
  }
  dtci_alloc_widen(a);
  return DTC_OK;
}

dtc_status dtc_explain_read(const char *text, size_t len, dtc_alloc *out, dtc_error *err)
{
  dtc_error e;
  dtc_alloc a;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_out_ok(out, DTC_STRUCT_alloc, &e);
  s = s != DTC_OK ? s : read((words){text, len}, &a, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_alloc, &a, &e), &e, err);
}
