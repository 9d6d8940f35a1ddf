/* Lines of a DeepSpeed hostfile, between universal newlines; see internal/hostfile.h. */
#include "internal/chars.h"
#include "internal/hostfile.h"

int dtci_next_line(dtci_hostfile *h)
{
  while (h->pos < h->len) {
    size_t at = h->pos, end = at;
    while (end < h->len && h->text[end] != '\n' && h->text[end] != '\r')
      end++;
    h->pos = end < h->len ? end + 1 : end;
    while (at < end && dtci_is_python_space(h->text[at]))
      at++;
    while (end > at && dtci_is_python_space(h->text[end - 1]))
      end--;
    h->line = at;
    h->line_n = end - at;
    if (end > at && h->text[at] != '#')
      return 1;
  }
  return 0;
}

int dtci_read_host(dtci_hostfile *h)
{
  static const char key[] = {'s', 'l', 'o', 't', 's', '='};
  const char *s = h->text + h->line;
  size_t host = 0, n = h->line_n;
  while (host < n && !dtci_is_python_space(s[host]))
    host++;
  size_t at = host;
  while (at < n && dtci_is_python_space(s[at]))
    at++;
  size_t digits = at + sizeof key, end = digits;
  if (at == host || digits >= n || memcmp(s + at, key, sizeof key) != 0 || !dtci_is_digit(s[digits]))
    return 0;
  while (end < n && dtci_is_digit(s[end]))
    end++;
  h->slots = DTC_NONE;
  (void)dtci_get_u64(s + digits, end - digits, &h->slots);
  h->host = h->line;
  h->host_n = host;
  h->digits = h->line + digits;
  h->rest = h->line + end;
  return 1;
}

dtc_status dtci_next_host(dtci_hostfile *h, int *found, dtc_error *e)
{
  *found = dtci_next_line(h);
  if (!*found)
    return DTC_OK;
  if (!dtci_read_host(h)) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_HOST_LINE, DTCI_ARG(HOSTFILE), DTC_NONE);
    e->offset = h->line;
    return DTC_E_PARSE;
  }
  if (h->slots >= 1 && h->slots <= DTCI_SLOTS_MAX)
    return DTC_OK;
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_HOST_SLOTS, DTCI_ARG(HOSTFILE), h->slots, 1, DTCI_SLOTS_MAX);
  e->offset = h->digits;
  return DTC_E_RANGE;
}
