/* The kinds of groups of a layout, and where a rank stands in each. */
#include "internal/rank.h"

enum { NAME_BITS = 16, KINDS_MOST = 96 };

/* The axes of a mesh that vary inside the groups of a row, and how many ranks differ in them alone. */
static uint32_t axes_of(const dtci_layout *x, const dtci_kind_row *row, uint64_t *list)
{
  const dtci_mesh *m = &x->mesh[row->part];
  uint32_t bits = 0;
  *list = 1;
  for (uint32_t names = row->axes & x->present[row->part]; names != 0; names &= names - 1) {
    uint32_t a = x->at[row->part][__builtin_ctz(names)];
    bits |= 1u << a;
    *list *= m->size[a];
  }
  return bits;
}

static int is_there(const dtc_layout *l, const dtci_kind_row *row, uint64_t list)
{
  switch (row->when) {
  case DTCI_IF_INSTANCES:
    return l->instances > 1;
  case DTCI_IF_GTP:
    return l->gtp_remat > 1;
  case DTCI_IF_EGTP:
    return l->egtp_remat > 1;
  case DTCI_IF_NO_GTP:
    return l->gtp_remat == 1 && l->egtp_remat == 1;
  case DTCI_IF_ANY_GTP:
    return l->gtp_remat > 1 || l->egtp_remat > 1;
  case DTCI_IF_HYBRID:
    return l->hybrid_cp == DTC_BOOL_ON;
  case DTCI_IF_LEVELS:
    return l->cp_levels != 0;
  case DTCI_IF_WIDE:
    return list > 1;
  case DTCI_IF_EP:
    return l->ep > 1;
  case DTCI_IF_NO_EP:
    return l->ep == 1;
  case DTCI_IF_EP_WIDE:
    return l->ep > 1 && list > 1;
  default:
    return 1;
  }
}

/* Ranks of dp_shard that are in one expert group. */
static uint64_t shards_in_ep(const dtc_layout *l)
{
  uint64_t experts = l->ep * l->etp;
  return experts / dtci_common_divisor(experts, l->cp * l->tp);
}

/* Cuts kind number `number` of a row; returns 0 when the row has no such kind. */
static int cut_kind(const dtc_layout *l, const dtci_kind_row *row, uint32_t number, uint64_t list, dtc_group_kind *k)
{
  switch (row->cut) {
  case DTCI_CUT_FIRST:
  case DTCI_CUT_ENDS:
    k->pick = row->cut == DTCI_CUT_FIRST ? 1 : 2;
    return number == 0;
  case DTCI_CUT_INSTANCES:
    k->chunk = list / l->instances;
    return number == 0;
  case DTCI_CUT_ACROSS:
    k->chunk = l->instances;
    k->step = list / l->instances;
    return number == 0;
  case DTCI_CUT_LEVELS:
    k->step = 1;
    for (uint32_t i = 0; i < number; i++)
      k->step *= l->cp_levels >> (i * DTCI_BYTE) & 0xff;
    k->chunk = number < DTCI_BYTES ? l->cp_levels >> (number * DTCI_BYTE) & 0xff : 0;
    return k->chunk != 0;
  case DTCI_CUT_DOUBLES:
    k->chunk = UINT64_C(2) << number;
    return k->chunk * 2 <= list;
  case DTCI_CUT_IN_EP:
    k->chunk = shards_in_ep(l);
    return number == 0 && k->chunk > 1;
  case DTCI_CUT_MOD_EP:
    k->step = shards_in_ep(l);
    k->chunk = list / k->step;
    return number == 0;
  default:
    return number == 0;
  }
}

/* Writes the first `cap` kinds, and when asked for the length of their lists; returns how many there are. */
static size_t list_kinds(const dtci_layout *x, dtc_group_kind *out, uint64_t *lists, size_t cap)
{
  const dtc_layout *l = &x->given;
  size_t n = 0;
  for (uint32_t i = 0; i < dtci_kinds_count; i++) {
    const dtci_kind_row *row = &dtci_kinds[i];
    if (row->first > l->scheme) /* the rows are sorted */
      break;
    if (l->scheme > row->last || l->version < row->since || (row->until != 0 && l->version >= row->until))
      continue;
    uint64_t list = 1;
    uint32_t axes = axes_of(x, row, &list);
    dtc_group_kind k = {.axes = axes, .part = row->part, .name = i + 1};
    if (!is_there(l, row, list))
      continue;
    for (uint32_t number = 0; (number == 0 || row->more) && cut_kind(l, row, number, list, &k); number++, n++) {
      k.name = (i + 1) | number << NAME_BITS;
      if (n >= cap)
        continue;
      out[n] = k;
      if (lists != NULL)
        lists[n] = list;
    }
  }
  return n;
}

dtc_status dtc_group_kind_text(const dtc_group_kind *kind, char *buf, size_t cap, size_t *len, dtc_error *err)
{
  dtc_error e;
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  if (kind == NULL)
    return dtci_end(dtci_fail(&e, DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, DTC_FIELD(group_kind, axes), 0), &e, err);
  uint32_t row = kind->name & ((1u << NAME_BITS) - 1);
  uint32_t number = kind->name >> NAME_BITS;
  if (row < 1 || row > dtci_kinds_count)
    return dtci_end(dtci_fail_range(&e, DTC_FIELD(group_kind, name), kind->name, 1, dtci_kinds_count), &e, err);
  dtci_puts(&t, dtci_kinds[row - 1].name);
  if (dtci_kinds[row - 1].more)
    dtci_put_u64(&t, dtci_kinds[row - 1].cut == DTCI_CUT_DOUBLES ? kind->chunk : number);
  dtci_end_text(&t);
  if (len != NULL)
    *len = t.len;
  return DTC_OK;
}

dtc_status dtc_layout_kinds(const dtc_layout *layout, dtc_group_kind *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_layout x;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_layout_in(layout, &x, &e);
  if (s == DTC_OK) {
    *count = list_kinds(&x, out, NULL, cap);
    s = *count <= cap ? DTC_OK : dtci_fail_space(&e, cap, *count);
  }
  return dtci_end(s, &e, err);
}

static dtc_status groups_out(const dtci_layout *x, uint64_t rank, dtc_group *out, size_t cap, size_t *count,
                             dtc_error *e)
{
  dtc_group_kind kinds[KINDS_MOST];
  uint64_t lists[KINDS_MOST];
  uint64_t coord[2][DTC_MESH_AXES];
  const uint64_t first = x->given.offset;
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, first, first + x->given.world - 1));
  size_t n = list_kinds(x, kinds, lists, KINDS_MOST);
  *count = n;
  if (cap < n)
    return dtci_fail_space(e, cap, n);
  dtci_mesh_coords(&x->mesh[0], rank - first, coord[0]);
  dtci_mesh_coords(&x->mesh[1], rank - first, coord[1]);
  for (size_t i = 0; i < n; i++) {
    const dtci_mesh *m = &x->mesh[kinds[i].part];
    dtci_cut cut = {.axes = kinds[i].axes, .pick = kinds[i].pick, .list = lists[i], .lists = m->world / lists[i]};
    dtci_cut_list(&cut, kinds[i].chunk, kinds[i].step);
    dtci_group_at(m, &cut, coord[kinds[i].part], &out[i]);
  }
  return DTC_OK;
}

dtc_status dtc_layout_groups(const dtc_layout *layout, uint64_t rank, dtc_group *out, size_t cap, size_t *count,
                             dtc_error *err)
{
  dtc_error e;
  dtci_layout x;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_layout_in(layout, &x, &e);
  return dtci_end(s != DTC_OK ? s : groups_out(&x, rank, out, cap, count, &e), &e, err);
}
