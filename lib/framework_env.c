/* An environment: assignments in shell text, then what the lists in them select of the interfaces that `ip -br addr` and of
 * the devices that `ibdev2netdev` print, where the text has such lines. */
#include "internal/chars.h"
#include "internal/hca.h"
#include "internal/settings.h"
#include "internal/shell.h"

/* An interface or a device, in words of scratch. */
enum { ITEM_AT, ITEM_NAME, ITEM_NAME_N, ITEM_PORT, ITEM_ADDRESS, ITEM_PREFIX, ITEM_WORDS };

typedef struct items {
  dtci_settings *s;
  uint64_t *words;
  uint64_t count;
  uint64_t most;
} items;

typedef struct word {
  const char *s;
  size_t n;
} word;

/* The next word of a line; its length is 0 at the end. */
static word next_word(const char *text, size_t *pos, size_t end)
{
  while (*pos < end && dtci_is_blank(text[*pos]))
    ++*pos;
  size_t from = *pos;
  while (*pos < end && text[*pos] != ' ' && text[*pos] != '\t' && text[*pos] != '\r')
    ++*pos;
  return (word){text + from, *pos - from};
}

/* 192.168.3.15/20; 0 when it is something else. */
static int read_address(word w, uint64_t *address, uint64_t *prefix)
{
  size_t i = 0;
  uint64_t part = 0, value = 0;
  for (int k = 0; k < 5; k++) {
    size_t from = i;
    char end = k < 3 ? '.' : k == 3 ? '/' : 0;
    while (i < w.n && dtci_is_digit(w.s[i]))
      i++;
    if (!dtci_get_u64(w.s + from, i - from, &part) || part > (k < 4 ? 255 : 32))
      return 0;
    if (k < 4 ? i >= w.n || w.s[i] != end : i != w.n)
      return 0;
    i++;
    value = k < 4 ? value << 8 | part : value;
  }
  *address = value;
  *prefix = part;
  return 1;
}

static void add_item(items *list, size_t at, word name, uint64_t port, uint64_t address, uint64_t prefix)
{
  if (list->count == list->most)
    return;
  uint64_t *w = list->words + list->count++ * ITEM_WORDS;
  w[ITEM_AT] = at;
  w[ITEM_NAME] = (uint64_t)(name.s - list->s->text);
  w[ITEM_NAME_N] = name.n;
  w[ITEM_PORT] = port;
  w[ITEM_ADDRESS] = address;
  w[ITEM_PREFIX] = prefix;
}

/* `eth0@if5 UP 192.168.3.15/20 fe80::1/64`, or without the state. Interfaces that are down are left out. */
static void read_interface(items *list, size_t at, size_t end)
{
  const char *text = list->s->text;
  size_t pos = at;
  uint64_t address = 0, prefix = 0, one = 0, bits = 0;
  word name = next_word(text, &pos, end), second = next_word(text, &pos, end);
  int state = dtci_same(second.s, second.n, "UP") || dtci_same(second.s, second.n, "UNKNOWN");
  int known = state;
  for (word w = second; w.n > 0; w = next_word(text, &pos, end))
    if (read_address(w, &one, &bits) && prefix == 0) {
      address = one;
      prefix = bits;
      known = known || (w.s == second.s);
    }
  size_t n = 0;
  while (n < name.n && name.s[n] != '@')
    n++;
  name.n = n;
  if (known && n > 0)
    add_item(list, at, name, 0, address, prefix);
}

/* `mlx5_0 port 1 ==> ib0 (Up)`. */
static void read_device(items *list, size_t at, size_t end)
{
  const char *text = list->s->text;
  size_t pos = at;
  uint64_t port = 0;
  word name = next_word(text, &pos, end), key = next_word(text, &pos, end), number = next_word(text, &pos, end);
  if (!dtci_same(key.s, key.n, "port") || !dtci_get_u64(number.s, number.n, &port) || port > INT32_MAX)
    return;
  for (word w = next_word(text, &pos, end); w.n > 0; w = next_word(text, &pos, end))
    if (dtci_same(w.s, w.n, "(Down)"))
      return;
  add_item(list, at, name, port, 0, 0);
}

static void read_items(items *list, int devices)
{
  const dtci_settings *s = list->s;
  list->count = 0;
  for (size_t at = 0, end; at < s->len; at = end + 1) {
    end = at;
    while (end < s->len && s->text[end] != '\n')
      end++;
    if (devices)
      read_device(list, at, end);
    else
      read_interface(list, at, end);
  }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void tell(dtci_settings *s, dtc_rule rule, uint32_t key, size_t at, uint64_t got)
{
  dtc_error e = dtci_lint_told(s, rule, key, at);
  e.got = got;
  dtci_lint_found(s, &e);
}

/* Does a name of the list, which is one of the items, also stand for longer ones? */
static int takes_longer(const items *list, const dtci_nccl_list *names)
{
  const char *text = list->s->text;
  for (uint32_t i = 0; i < names->count && !names->exact; i++) {
    const dtci_nccl_name *name = &names->names[i];
    int same = 0, longer = 0;
    for (uint64_t k = 0; k < list->count; k++) {
      const uint64_t *w = list->words + k * ITEM_WORDS;
      if (w[ITEM_NAME_N] >= name->n && memcmp(text + w[ITEM_NAME], name->name, name->n) == 0) {
        same = same || w[ITEM_NAME_N] == name->n;
        longer = longer || w[ITEM_NAME_N] > name->n;
      }
    }
    if (same && longer)
      return 1;
  }
  return 0;
}

static void check_list(const items *list, uint32_t key, const dtci_nccl_list *names, int devices)
{
  dtci_settings *s = list->s;
  uint64_t selected = 0;
  for (uint64_t k = 0; k < list->count; k++) {
    const uint64_t *w = list->words + k * ITEM_WORDS;
    int32_t port = devices ? (int32_t)w[ITEM_PORT] : DTCI_NCCL_ANY_PORT;
    selected += (uint64_t)dtci_nccl_selects(names, s->text + w[ITEM_NAME], (size_t)w[ITEM_NAME_N], port);
  }
  if (selected == 0)
    tell(s, devices ? DTC_RULE_NCCL_NO_DEVICE : DTC_RULE_NCCL_NO_INTERFACE, key, (size_t)s->at[key], DTC_NONE);
  else if (takes_longer(list, names))
    tell(s, DTC_RULE_NCCL_LONGER, key, (size_t)s->at[key], selected);
}

/* The list that the text gives a key; the word stays in *sh. 0 when it is not known, or of a form that was told. */
static int read_list(const dtci_settings *s, uint32_t key, uint32_t max, dtci_shell *sh, dtci_nccl_list *names)
{
  dtc_error unused;
  size_t value = 0;
  if (key == DTCI_NO_KEY || s->state[key] != DTCI_STATE_GIVEN || s->value[key] >> DTCI_NCCL_FORM & 1)
    return 0;
  memset(sh, 0, sizeof *sh);
  sh->text = s->text;
  sh->pos = (size_t)s->at[key];
  sh->end = s->len;
  sh->variables = s->variables;
  if (dtci_shell_next(sh, &unused) != DTC_OK || sh->sure != sh->n || sh->n > sizeof sh->word)
    return 0;
  while (value < sh->n && sh->word[value] != '=')
    value++;
  value += value < sh->n;
  dtci_nccl_read(names, sh->word + value, sh->n - value, max);
  return 1;
}

/* Interfaces of one subnet: the kernel sends by the routing table, whatever NCCL binds to. */
static void check_subnets(const items *list)
{
  for (uint64_t k = 1; k < list->count; k++)
    for (uint64_t i = 0; i < k; i++) {
      const uint64_t *a = list->words + i * ITEM_WORDS, *b = list->words + k * ITEM_WORDS;
      uint64_t prefix = dtci_smaller(a[ITEM_PREFIX], b[ITEM_PREFIX]);
      if (prefix == 0 || (a[ITEM_ADDRESS] ^ b[ITEM_ADDRESS]) >> (32 - prefix) != 0 || b[ITEM_ADDRESS] >> 24 == 127)
        continue;
      tell(list->s, DTC_RULE_NCCL_SUBNET, DTCI_NO_KEY, (size_t)b[ITEM_AT], a[ITEM_AT]);
      break;
    }
}

/* Holds a list against the interfaces or devices of the text; returns how many of those there are. */
static uint64_t check_key(items *list, const char *name, uint32_t max, int devices)
{
  dtci_shell sh;
  dtci_nccl_list names;
  uint32_t key = dtci_key_named(list->s, name, strlen(name));
  read_items(list, devices);
  if (!devices)
    check_subnets(list);
  if (list->count > 0 && read_list(list->s, key, max, &sh, &names))
    check_list(list, key, &names, devices);
  return list->count;
}

dtc_status dtci_read_environment(dtci_settings *s, dtc_error *e)
{
  /* What trials of values need later holds the items now. */
  items list = {.s = s, .words = s->said_value, .most = 4 * s->dialect.keys_count / ITEM_WORDS};
  TRY(dtci_read_script(s, e));
  check_key(&list, "NCCL_SOCKET_IFNAME", DTCI_NCCL_INTERFACES, 0);
  uint64_t devices = check_key(&list, "NCCL_IB_HCA", DTCI_NCCL_DEVICES, 1);
  uint32_t hca = dtci_key_named(s, "NCCL_IB_HCA", strlen("NCCL_IB_HCA"));
  if (devices > 0 && hca != DTCI_NO_KEY)
    s->value[hca] &= ~(UINT64_C(1) << DTCI_NCCL_PREFIX); /* the devices say it better */
  return DTC_OK;
}
