/* Megatron's order of axes: packed a byte each, as text, and as the meshes that follow from it. */
#include "internal/rank.h"

/* ---- meshes ---------------------------------------------------------------------------------- */

uint32_t dtci_order_axis(uint64_t order, uint32_t i)
{
  return i < DTCI_BYTES ? (uint32_t)(order >> (i * DTCI_BYTE)) & 0xff : 0;
}

/* What an axis of Megatron's order is in the mesh of the experts; 0 when it is not there. */
static uint32_t in_part(uint32_t name, uint32_t part)
{
  if (part == DTC_MESH_PART_DENSE)
    return name != DTC_AXIS_NAME_EP ? name : 0;
  switch (name) {
  case DTC_AXIS_NAME_TP:
    return DTC_AXIS_NAME_ETP;
  case DTC_AXIS_NAME_DP:
    return DTC_AXIS_NAME_EDP;
  case DTC_AXIS_NAME_CP:
    return 0;
  default:
    return name;
  }
}

/* The axis that Megatron puts behind another one without being told. */
static uint32_t follower(uint32_t name)
{
  switch (name) {
  case DTC_AXIS_NAME_TP:
    return DTC_AXIS_NAME_GTP_REMAT;
  case DTC_AXIS_NAME_EP:
    return DTC_AXIS_NAME_EGTP_REMAT;
  case DTC_AXIS_NAME_EDP:
    return DTC_AXIS_NAME_INSTANCE;
  default:
    return 0;
  }
}

static int listed(const uint8_t *names, uint32_t n, uint32_t name)
{
  for (uint32_t i = 0; i < n; i++)
    if (names[i] == name)
      return 1;
  return 0;
}

uint32_t dtci_layout_axes(const dtci_scheme_row *row, const dtc_layout *l, uint32_t part, uint8_t names[DTC_MESH_AXES])
{
  const uint8_t *usual = row->axes[part][0] != 0 ? row->axes[part] : row->axes[DTC_MESH_PART_DENSE];
  uint32_t n = 0;
  for (uint32_t i = 0; dtci_order_axis(l->order, i) != 0; i++) {
    uint32_t name = in_part(dtci_order_axis(l->order, i), part);
    if (name != 0)
      names[n++] = (uint8_t)name;
    if (name != 0 && follower(name) != 0)
      names[n++] = (uint8_t)follower(name);
  }
  for (uint32_t i = 0; i < DTCI_SCHEME_AXES && usual[i] != 0; i++)
    if (!listed(names, n, usual[i]))
      names[n++] = usual[i];
  return n;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static dtc_status fail_order(dtc_error *e, dtc_status status, dtc_rule rule, uint64_t order, uint64_t offset)
{
  dtci_fail(e, status, rule, DTC_FIELD(layout, order), order);
  e->offset = offset;
  return status;
}

dtc_status dtci_order_check(const dtc_layout *l, dtc_error *e)
{
  static const uint8_t needed[] = {DTC_AXIS_NAME_TP, DTC_AXIS_NAME_PP, DTC_AXIS_NAME_DP, DTC_AXIS_NAME_EP,
                                   DTC_AXIS_NAME_CP};
  uint32_t seen = 0;
  for (uint32_t i = 0; i < DTCI_BYTES && l->order >> (i * DTCI_BYTE) != 0; i++) {
    uint32_t name = dtci_order_axis(l->order, i);
    if (name < DTC_AXIS_NAME_TP || name > DTC_AXIS_NAME_EP)
      return fail_order(e, DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, l->order, i);
    if (seen >> name & 1)
      return fail_order(e, DTC_E_CONFLICT, DTC_RULE_ORDER_TWICE, l->order, i);
    seen |= 1u << name;
  }
  for (uint32_t i = 0; i < sizeof needed; i++) {
    uint64_t v = dtci_layout_degree(l, dtci_axis_field(needed[i]));
    if (seen != 0 && v > 1 && !(seen >> needed[i] & 1))
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_ORDER_MISSING, dtci_axis_field(needed[i]), v);
  }
  return DTC_OK;
}

/* ---- the order text -------------------------------------------------------------------------- */

static uint32_t axis_named(const char *s, size_t n)
{
  static const char names[][2] = {
      {'t', 'p'}, {'c', 'p'}, {'d', 'p'}, {'p', 'p'}, {'e', 'p'}}; /* from DTC_AXIS_NAME_TP */
  for (uint32_t i = 0; n == 2 && i < sizeof names / sizeof names[0]; i++)
    if ((s[0] | 0x20) == names[i][0] && (s[1] | 0x20) == names[i][1])
      return DTC_AXIS_NAME_TP + i;
  return 0;
}

static dtc_status parse_order(const char *text, size_t len, uint64_t *order, dtc_error *e)
{
  uint64_t packed = 0;
  uint32_t seen = 0;
  uint32_t count = 0;
  size_t at = 0;
  do {
    size_t end = at;
    while (end < len && text[end] != '-')
      end++;
    uint32_t name = axis_named(text + at, end - at);
    if (name == 0)
      return fail_order(e, DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, DTC_NONE, at);
    if (seen >> name & 1)
      return fail_order(e, DTC_E_CONFLICT, DTC_RULE_ORDER_TWICE, DTC_NONE, at);
    seen |= 1u << name;
    packed |= (uint64_t)name << (count++ * DTCI_BYTE);
    at = end + 1;
  } while (at <= len);
  *order = packed;
  return DTC_OK;
}

dtc_status dtc_order_parse(const char *text, size_t len, uint64_t *order, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(parse_order(text != NULL ? text : "", text != NULL ? len : 0, order, &e), &e, err);
}
