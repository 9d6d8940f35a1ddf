/* Lists of devices and interfaces as NCCL 2.30 reads them: src/misc/utils.cc, parseStringList() and matchIfList(), and the
 * loop over devices of src/transport/net_ib/init.cc. A name keeps 63 bytes; ports are read by atoi(). */
#include "internal/chars.h"
#include "internal/hca.h"
#include "internal/settings.h"

/* ---- one list -------------------------------------------------------------------------------- */

/* atoi() of the C libraries of 64-bit Linux: a long, which stops at its ends, cut to an int. */
static int32_t to_int(const char *s, size_t n)
{
  size_t i = 0;
  uint64_t v = 0;
  int bad = 0;
  while (i < n && dtci_is_space(s[i]))
    i++;
  int minus = i < n && s[i] == '-';
  i += minus || (i < n && s[i] == '+');
  for (; i < n && dtci_is_digit(s[i]); i++)
    v = dtci_add(dtci_mul(v, 10, &bad), (uint64_t)(s[i] - '0'), &bad);
  if (minus && (bad || v > (uint64_t)INT64_MAX))
    v = (uint64_t)1 << 63; /* LONG_MIN */
  else if (bad || v > (uint64_t)INT64_MAX)
    v = INT64_MAX;
  uint32_t low = (uint32_t)(minus ? 0 - v : v);
  return low > INT32_MAX ? -1 - (int32_t)(UINT32_MAX - low) : (int32_t)low;
}

/* Bytes before the first c; n when there is none. */
static size_t before(const char *s, size_t n, char c)
{
  size_t i = 0;
  while (i < n && s[i] != c)
    i++;
  return i;
}

/* An entry between commas; 0 when it has no name. */
static int read_name(dtci_nccl_name *name, const char *s, size_t n)
{
  size_t end = before(s, n, ':');
  *name = (dtci_nccl_name){s, (uint32_t)dtci_smaller(end, DTCI_NCCL_NAME), DTCI_NCCL_ANY_PORT};
  if (end < n) {
    const char *port = s + end + 1;
    size_t port_n = before(port, n - end - 1, ':'); /* a rail and a plane may follow */
    if (port_n > 0)
      name->port = to_int(port, port_n);
  }
  return end > 0;
}

void dtci_nccl_read(dtci_nccl_list *list, const char *value, size_t len, uint32_t max)
{
  size_t i = 0, end = before(value, len, 0);
  list->count = 0;
  list->exclude = i < end && value[i] == '^';
  i += list->exclude;
  list->exact = i < end && value[i] == '=';
  i += list->exact;
  while (i < end && list->count < max) {
    size_t n = before(value + i, end - i, ',');
    list->count += (uint32_t)read_name(&list->names[list->count], value + i, n);
    i += n + 1;
  }
}

/* A list without names selects everything, before ^ turns it round. */
int dtci_nccl_selects(const dtci_nccl_list *list, const char *name, size_t n, int32_t port)
{
  int found = list->count == 0;
  for (uint32_t i = 0; i < list->count && !found; i++) {
    const dtci_nccl_name *one = &list->names[i];
    int same = (list->exact ? one->n == n : one->n <= n) && memcmp(one->name, name, one->n) == 0;
    found = same && (one->port == DTCI_NCCL_ANY_PORT || port == DTCI_NCCL_ANY_PORT || one->port == port);
  }
  return found != (int)list->exclude;
}

/* ---- what a list looks like ------------------------------------------------------------------ */

#define BIT(what) (UINT64_C(1) << DTCI_NCCL_##what)

/* Does it end in the number of a device, that is not 0? They are not counted 00, 01. The names of drivers end in digits too. */
static int ends_in_number(const char *s, size_t n)
{
  static const char drivers[][8] = {"mlx4", "mlx5", "hfi1", "cxgb4"};
  size_t from = n;
  for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
    if (dtci_same(s, n, drivers[i]))
      return 0;
  while (from > 0 && dtci_is_digit(s[from - 1]))
    from--;
  return from < n && from > 0 && s[from] != '0';
}

static int begins(const char *s, size_t n, const char *with)
{
  size_t k = strlen(with);
  return n >= k && memcmp(s, with, k) == 0;
}

static uint64_t look_at_name(const dtci_nccl_list *list, const char *s, size_t n)
{
  dtci_nccl_name name;
  uint64_t found = 0;
  if (!read_name(&name, s, n))
    return 0;
  if (!list->exact && ends_in_number(name.name, name.n))
    found |= BIT(PREFIX);
  if (name.port == 0)
    found |= BIT(PORT);
  if (!list->exclude && (dtci_same(s, name.n, "lo") || begins(s, name.n, "docker") || begins(s, name.n, "veth")))
    found |= BIT(LOOPBACK);
  return found;
}

static int found_in(const char *s, size_t n, char c)
{
  return before(s, n, c) < n;
}

static int is_odd(char c)
{
  static const char odd[] = {';', '|', '^', '=', '*', '?', '[', ']', '{', '}'};
  return dtci_is_space(c) || found_in(odd, sizeof odd, c);
}

uint64_t dtci_nccl_look(const char *value, size_t len, uint32_t max)
{
  dtci_nccl_list list;
  uint64_t found = 0;
  dtci_nccl_read(&list, value, len, max);
  size_t names = 0;
  for (size_t i = list.exclude + list.exact, n; i < len; i += n + 1) {
    n = before(value + i, len - i, ',');
    size_t name = before(value + i, n, ':');
    found |= names < max ? look_at_name(&list, value + i, n) : BIT(LONG);
    names += name > 0;
    for (size_t k = 0; k < name; k++)
      if (is_odd(value[i + k]))
        found |= BIT(FORM);
  }
  if (names == 0 && list.exclude)
    found |= BIT(BARE);
  return found & BIT(FORM) ? found & ~BIT(PREFIX) : found;
}

/* ---- NCCL_IB_HCA ----------------------------------------------------------------------------- */

enum { TEXT_MAX = 65536 };

typedef struct device {
  const char *name;
  size_t n;
  int32_t port;
  size_t at;
} device;

/* The next `mlx5_0:1` from *pos on; its name is NULL at the end. */
static dtc_status next_device(const char *text, size_t len, size_t *pos, device *d, dtc_error *e)
{
  uint64_t port = 0;
  *d = (device){.name = NULL};
  while (*pos < len && dtci_is_space(text[*pos]))
    ++*pos;
  if (*pos == len)
    return DTC_OK;
  size_t at = *pos, colon = len;
  for (; *pos < len && !dtci_is_space(text[*pos]); ++*pos)
    if (text[*pos] == ':')
      colon = *pos;
  if (colon == len || colon == at || !dtci_get_u64(text + colon + 1, *pos - colon - 1, &port) || port > INT32_MAX) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_NCCL_DEVICE, DTCI_ARG(TEXT), DTC_NONE);
    e->offset = at;
    return DTC_E_PARSE;
  }
  *d = (device){text + at, colon - at, (int32_t)port, at};
  return DTC_OK;
}

static dtc_status count_devices(const char *text, size_t len, size_t *count, dtc_error *e)
{
  size_t pos = 0, n = 0;
  for (device d;; n++) {
    TRY(next_device(text, len, &pos, &d, e));
    if (d.name == NULL)
      break;
  }
  *count = n;
  return DTC_OK;
}

/* Devices are opened one after the other while fewer than 32 ports are selected. Ports of a device stand together. */
static dtc_status select_devices(const char *value, size_t len, const char *text, size_t text_len, uint32_t *out,
                                 size_t cap, size_t *count, dtc_error *e)
{
  dtci_nccl_list list;
  device d, last = {.name = NULL};
  size_t pos = 0, selected = 0, n = 0;
  int open = 1;
  TRY(dtci_check_range(e, DTCI_ARG(TEXT), len, 0, TEXT_MAX));
  TRY(dtci_check_range(e, DTCI_ARG(TEXT), text_len, 0, TEXT_MAX));
  TRY(count_devices(text, text_len, &n, e));
  if (n > cap) {
    *count = n;
    return dtci_fail_space(e, cap, n);
  }
  dtci_nccl_read(&list, value, len, DTCI_NCCL_DEVICES);
  for (size_t i = 0; i < n; i++) {
    TRY(next_device(text, text_len, &pos, &d, e));
    if (last.name == NULL || last.n != d.n || memcmp(last.name, d.name, d.n) != 0)
      open = selected < DTCI_NCCL_DEVICES;
    last = d;
    out[i] = open && dtci_nccl_selects(&list, d.name, d.n, d.port);
    selected += out[i];
  }
  *count = n;
  return DTC_OK;
}

dtc_status dtc_framework_lint_hca(const char *value, size_t len, const char *devices, size_t devices_len, uint32_t *out,
                                  size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  len = value != NULL ? len : 0;
  devices_len = devices != NULL ? devices_len : 0;
  cap = out != NULL ? cap : 0;
  return dtci_end(select_devices(value, len, devices, devices_len, out, cap, count, &e), &e, err);
}
