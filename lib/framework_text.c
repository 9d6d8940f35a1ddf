/* Values of texts: what conditions want to know of a list of devices, an address, a number of GPUs; and phrases. */
#include "internal/chars.h"
#include "internal/hca.h"
#include "internal/settings.h"

/* ---- numbers --------------------------------------------------------------------------------- */

int dtci_get_c_number(const char *word, size_t n, int64_t *v)
{
  size_t i = n > 0 && (word[0] == '-' || word[0] == '+');
  if (i + 1 >= n || word[i] != '0')
    return dtci_text_i64(word, n, v);
  int bad = 0, minus = word[0] == '-', hex = word[i + 1] == 'x' || word[i + 1] == 'X';
  uint64_t r = 0, base = hex ? 16 : 8;
  i += hex ? 2 : 1;
  if (i == n)
    return 0;
  for (; i < n; i++) {
    int digit = dtci_hex_value(word[i]);
    if (digit < 0 || (uint64_t)digit >= base)
      return 0;
    r = dtci_add(dtci_mul(r, base, &bad), (uint64_t)digit, &bad);
  }
  if (bad || r > (uint64_t)INT64_MAX + (uint64_t)minus)
    return 0;
  *v = (int64_t)(minus ? 0 - r : r);
  return 1;
}

static uint64_t number(const char *s, size_t n)
{
  uint64_t v = 0;
  return dtci_get_u64(s, n, &v) && v < UINT32_MAX ? v : DTC_NONE;
}

/* Slurm's -N: 4, or 4-4. */
static uint64_t nodes(const char *s, size_t n)
{
  size_t dash = 0;
  while (dash < n && s[dash] != '-')
    dash++;
  uint64_t least = number(s, dash);
  return dash == n || number(s + dash + 1, n - dash - 1) == least ? least : DTC_NONE;
}

/* One entry of Slurm's lists of GPUs: 8, h100:8, gpu, gpu:8, gpu:h100:8(S:0-1). */
static uint64_t gpus_of(const char *s, size_t n)
{
  size_t first = 0, last = n, end = 0;
  while (end < n && s[end] != '(')
    end++;
  while (first < end && s[first] != ':')
    first++;
  while (last > 0 && (last > end || s[last - 1] != ':'))
    last--;
  if (dtci_same(s, end, "gpu"))
    return 1;
  uint64_t count = number(s + last, end - last);
  if (first < end && dtci_same(s, first, "gpu"))
    return count != DTC_NONE ? count : 1; /* gpu:h100 */
  return count;
}

/* --gres names resources, --gpus does not: there entries begin with a type, or are numbers. */
static uint64_t gpus(const char *s, size_t n, int resources)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < n;) {
    size_t end = i;
    while (end < n && s[end] != ',')
      end++;
    int own = end - i >= 3 && memcmp(s + i, "gpu", 3) == 0;
    uint64_t one = resources && !own ? 0 : gpus_of(s + i, end - i);
    if (one == DTC_NONE)
      return DTC_NONE;
    sum += one;
    i = end + 1;
  }
  return n > 0 ? sum : DTC_NONE;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Is it this node alone? */
static uint64_t host(const char *s, size_t n)
{
  return dtci_same_letters(s, n, "localhost") || dtci_same(s, n, "::1") || dtci_same(s, n, "0.0.0.0") ||
         (n > 4 && memcmp(s, "127.", 4) == 0);
}

static const char algorithms[][16] = {"Ring", "Tree", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
static const char protocols[][16] = {"Simple", "LL", "LL128"};
static const char functions[][16] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};

static int is_one_of(const char *s, size_t n, const char names[][16], size_t count)
{
  size_t i = 0;
  while (i < count && !dtci_same_letters(s, n, names[i]))
    i++;
  return i < count;
}

/* A word of NCCL_ALGO or NCCL_PROTO, and whether : stands behind it. */
static uint64_t choice(const char *s, size_t n, int function, int protocol)
{
  if (function) {
    int known = is_one_of(s, n, functions, sizeof functions / sizeof functions[0]);
    return UINT64_C(1) << (known ? DTCI_CHOICE_FUNCTION : DTCI_CHOICE_UNKNOWN);
  }
  if (!protocol && dtci_same_letters(s, n, "Ring"))
    return UINT64_C(1) << DTCI_CHOICE_RING;
  int known = protocol ? is_one_of(s, n, protocols, sizeof protocols / sizeof protocols[0])
                       : is_one_of(s, n, algorithms, sizeof algorithms / sizeof algorithms[0]);
  return known ? 0 : UINT64_C(1) << DTCI_CHOICE_UNKNOWN;
}

/* `ring,tree;allreduce:^tree`, since NCCL 2.24. */
static uint64_t choices(const char *s, size_t n, int protocol)
{
  uint64_t found = 0;
  for (size_t i = 0; i < n;) {
    if (s[i] == '^')
      found |= UINT64_C(1) << DTCI_CHOICE_NOT;
    i += s[i] == '^';
    size_t end = i;
    while (end < n && s[end] != ',' && s[end] != ';' && s[end] != ':')
      end++;
    if (end > i)
      found |= choice(s + i, end - i, end < n && s[end] == ':', protocol);
    i = end + 1;
  }
  return found;
}

uint64_t dtci_value_of_text(uint32_t list, const char *word, size_t n)
{
  switch (list) {
  case DTCI_TEXT_HCA:
    return dtci_nccl_look(word, n, DTCI_NCCL_DEVICES);
  case DTCI_TEXT_IFNAME:
    return dtci_nccl_look(word, n, DTCI_NCCL_INTERFACES);
  case DTCI_TEXT_ALGO:
  case DTCI_TEXT_PROTO:
    return choices(word, n, list == DTCI_TEXT_PROTO);
  case DTCI_TEXT_HOST:
    return host(word, n);
  case DTCI_TEXT_NODES:
    return nodes(word, n);
  case DTCI_TEXT_GPUS:
  case DTCI_TEXT_GRES:
    return gpus(word, n, list == DTCI_TEXT_GRES);
  default:
    return n;
  }
}

/* ---- phrases --------------------------------------------------------------------------------- */

static size_t line_end(const char *text, size_t len, size_t i)
{
  while (i < len && text[i] != '\n')
    i++;
  return i;
}

/* The first place of a phrase outside comments; len when there is none. */
static size_t place_of(const char *text, size_t len, const char *phrase)
{
  size_t n = strlen(phrase);
  for (size_t i = 0, end; i < len; i = end + 1) {
    end = line_end(text, len, i);
    while (i < end && (text[i] == ' ' || text[i] == '\t'))
      i++;
    for (; i + n <= end && text[i] != '#'; i++)
      if (memcmp(text + i, phrase, n) == 0)
        return i;
  }
  return len;
}

void dtci_find_phrases(dtci_settings *s)
{
  for (uint32_t i = 0; i < s->dialect.phrases_count; i++) {
    const dtci_phrase *p = &s->dialect.phrases[i];
    size_t at = place_of(s->text, s->len, p->text);
    if (at == s->len)
      continue;
    dtc_error e = dtci_lint_told(s, p->rule, DTCI_NO_KEY, at);
    dtci_lint_found(s, &e);
  }
}
