/* How groups lie on domains of consecutive ranks, and rings of nodes on leaf switches. */
#include "internal/rank.h"

enum { SEGMENTS = 3 * DTC_MESH_AXES, DOMAIN_MOST = 4096, TRIES_MOST = 1 << 24 };

/* Ranks that lie `stride` apart. */
typedef struct segment {
  uint64_t size;
  uint64_t stride;
} segment;

/* The mesh as one kind of group sees it: what varies inside a group, and what tells groups apart. */
typedef struct split {
  segment in[SEGMENTS];
  segment out[SEGMENTS];
  uint32_t n_in;
  uint32_t n_out;
  uint64_t span;   /* from the first rank of a group to its last */
  uint64_t extent; /* ranks of the aligned block that a group lies in */
} split;

static void put(segment *list, uint32_t *n, uint64_t size, uint64_t stride)
{
  if (size > 1)
    list[(*n)++] = (segment){size, stride};
}

/* Cuts an axis, whose digit has the given weight in the list, at the weights `low` and `high`: between them it varies
 * inside a group. Returns 0 when a cut falls inside a digit. */
static int cut_axis(split *s, uint64_t size, uint64_t stride, uint64_t weight, uint64_t low, uint64_t high)
{
  uint64_t end = weight * size;
  uint64_t from = low <= weight ? weight : low < end ? low : end;
  uint64_t to = high >= end ? end : high > weight ? high : weight;
  to = to < from ? from : to;
  if (from % weight != 0 || to % from != 0 || end % to != 0)
    return 0;
  put(s->out, &s->n_out, from / weight, stride);
  put(s->in, &s->n_in, to / from, stride * (from / weight));
  put(s->out, &s->n_out, end / to, stride * (to / weight));
  return 1;
}

/* Joins neighbours, so that ranks next to each other are one segment; slowest last. */
static void join(segment *list, uint32_t *n)
{
  uint32_t kept = 0;
  for (uint32_t i = 1; i < *n; i++)
    for (uint32_t j = i; j > 0 && list[j].stride < list[j - 1].stride; j--) {
      segment swapped = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swapped;
    }
  for (uint32_t i = 0; i < *n; i++)
    if (kept > 0 && list[i].stride == list[kept - 1].stride * list[kept - 1].size)
      list[kept - 1].size *= list[i].size;
    else
      list[kept++] = list[i];
  *n = kept;
}

static dtc_status split_in(const dtci_mesh *m, const dtci_cut *cut, split *s, dtc_error *e)
{
  uint64_t weight = 1;
  uint64_t last = 0; /* from the first rank of a list to its last element */
  uint64_t high = cut->step * cut->chunk;
  int even = cut->pick != 0 || cut->list % cut->chunk == 0;
  *s = (split){.extent = 1};
  for (uint32_t a = 0; a < m->n; a++) {
    if (!(cut->axes >> a & 1))
      put(s->out, &s->n_out, m->size[a], m->stride[a]);
    else if (cut->pick == 0)
      even = even && cut_axis(s, m->size[a], m->stride[a], weight, cut->step, high);
    if (cut->axes >> a & 1) {
      weight *= m->size[a];
      last += (m->size[a] - 1) * m->stride[a];
      if (cut->pick == 2 && m->size[a] > 1 && m->size[a] * m->stride[a] > s->extent)
        s->extent = m->size[a] * m->stride[a];
    }
  }
  if (!even)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_KIND_EVEN, DTC_FIELD(group_kind, chunk), cut->chunk);
  if (cut->pick == 2)
    put(s->in, &s->n_in, last > 0 ? 2 : 1, last);
  join(s->in, &s->n_in);
  join(s->out, &s->n_out);
  for (uint32_t i = 0; i < s->n_in; i++) {
    s->span += (s->in[i].size - 1) * s->in[i].stride;
    if (cut->pick == 0 && s->in[i].size * s->in[i].stride > s->extent)
      s->extent = s->in[i].size * s->in[i].stride;
  }
  return DTC_OK;
}

/* How many of x, x + 1 ... x + size - 1 leave a rest below `limit` when divided by `domain`. */
static uint64_t count_run(uint64_t x, uint64_t size, uint64_t limit, uint64_t domain)
{
  uint64_t begin = x % domain;
  uint64_t end = begin + size % domain; /* below 2 * domain */
  uint64_t sum = size / domain * limit;
  sum += (end < limit ? end : limit) - (begin < limit ? begin : limit);
  if (end > domain)
    sum += end - domain < limit ? end - domain : limit;
  return sum;
}

/* Steps of a segment after which the rests of a division by `domain` repeat. */
static uint64_t period(const segment *s, uint64_t domain)
{
  return domain / dtci_common_divisor(s->stride, domain);
}

/* Groups that lie inside one domain: their first rank leaves a rest small enough for the span. The rests of each slower
 * segment repeat, so one period of each is walked, and each step counted as often as it comes. */
static dtc_status count_inside(const split *s, uint64_t offset, uint64_t domain, uint64_t *inside, dtc_error *e)
{
  uint64_t at[SEGMENTS] = {0};
  uint64_t steps[SEGMENTS] = {0};
  uint64_t tries = 1;
  uint64_t run = s->n_out > 0 && s->out[0].stride == 1 ? s->out[0].size : 1;
  uint32_t first = run > 1;
  *inside = 0;
  if (s->span >= domain)
    return DTC_OK;
  for (uint32_t i = first; i < s->n_out; i++) {
    steps[i] = period(&s->out[i], domain);
    tries *= dtci_smaller(steps[i], s->out[i].size);
    if (tries > TRIES_MOST)
      return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_KIND_EVEN, DTCI_ARG(DOMAIN), domain);
  }
  for (; tries != 0; tries--) {
    uint64_t start = offset;
    uint64_t times = 1;
    for (uint32_t i = first; i < s->n_out; i++) {
      start += at[i] * s->out[i].stride;
      times *= s->out[i].size / steps[i] + (at[i] < s->out[i].size % steps[i]);
    }
    *inside += times * count_run(start, run, domain - s->span, domain);
    for (uint32_t i = first; i < s->n_out; i++) {
      if (++at[i] < dtci_smaller(steps[i], s->out[i].size))
        break;
      at[i] = 0;
    }
  }
  return DTC_OK;
}

/* Does every group touch equally many domains, with equally many ranks in each? Segments at least a domain apart put
 * each step in a domain of its own; faster ones must fill whole parts of a domain, or whole domains. */
static int evenly(const split *s, const dtci_cut *cut, uint64_t offset, uint64_t domain, uint64_t *domains)
{
  *domains = 1;
  for (uint32_t i = 0; i < s->n_in; i++) {
    uint64_t stride = s->in[i].stride;
    uint64_t block = s->in[i].size * stride;
    if (stride >= domain) {
      *domains *= s->in[i].size;
      continue;
    }
    if (cut->pick != 0 || domain % stride != 0 || offset % (block < domain ? block : domain) != 0)
      return 0;
    if (block % domain == 0)
      *domains *= block / domain;
    else if (domain % block != 0)
      return 0;
  }
  return 1;
}

static dtc_status place(const dtci_mesh *m, const dtc_group_kind *kind, uint64_t domain, dtc_placement *p, dtc_error *e)
{
  dtci_cut cut;
  split s;
  uint64_t domains = 0;
  TRY(dtci_cut_in(m, kind, &cut, e));
  TRY(dtci_check_range(e, DTCI_ARG(DOMAIN), domain, 1, DOMAIN_MOST));
  TRY(split_in(m, &cut, &s, e));
  p->struct_size = sizeof *p;
  p->groups = cut.lists * cut.groups;
  TRY(count_inside(&s, m->offset, domain, &p->inside, e));
  p->rail = DTC_BOOL_ON;
  for (uint32_t i = 0; i < s.n_in; i++)
    if (s.in[i].stride % domain != 0)
      p->rail = DTC_BOOL_OFF;
  int even = evenly(&s, &cut, m->offset, domain, &domains);
  if (!even && p->inside == 0 && cut.chunk == 2) { /* two ranks are either together or apart */
    even = 1;
    domains = 2;
  }
  if (p->inside == p->groups) {
    p->spread = DTC_SPREAD_INSIDE;
    domains = 1;
  } else {
    p->spread = even ? DTC_SPREAD_SPANS : DTC_SPREAD_STRADDLES;
    domains = even ? domains : 0;
  }
  p->domains = domains;
  p->members = domains != 0 ? cut.chunk / domains : 0;
  p->segment = s.extent / dtci_common_divisor(s.extent, domain);
  return DTC_OK;
}

dtc_status dtc_mesh_placement(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind,
                              uint64_t domain, dtc_placement *out, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  dtc_placement p = {0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, offset, &m, &e);
  if (s == DTC_OK)
    s = place(&m, kind, domain, &p, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_placement, &p, &e), &e, err);
}

/* ---- rings of nodes -------------------------------------------------------------------------- */

static dtc_status leaves_in(const uint64_t *leaves, size_t n_leaves, dtc_error *e)
{
  return leaves != NULL || n_leaves == 0 ? DTC_OK : dtci_fail_range(e, DTCI_ARG(LEAVES), n_leaves, 0, 0);
}

dtc_status dtc_ring_crossings(const uint64_t *leaves, size_t n_leaves, uint64_t *crossings, dtc_error *err)
{
  dtc_error e;
  uint64_t sum = 0;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = leaves_in(leaves, n_leaves, &e);
  for (size_t i = 0; s == DTC_OK && i < n_leaves; i++)
    sum += leaves[i] != leaves[i + 1 < n_leaves ? i + 1 : 0];
  if (s == DTC_OK)
    *crossings = sum;
  return dtci_end(s, &e, err);
}

static dtc_status order_ring(const uint64_t *leaves, size_t n, uint64_t *order, size_t cap, size_t *count, dtc_error *e)
{
  TRY(leaves_in(leaves, n, e));
  *count = n;
  if (cap < n)
    return dtci_fail_space(e, cap, n);
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  dtci_sort(order, n, leaves);
  return DTC_OK;
}

dtc_status dtc_ring_order(const uint64_t *leaves, size_t n_leaves, uint64_t *order, size_t cap, size_t *count,
                          dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(order_ring(leaves, n_leaves, order, cap, count, &e), &e, err);
}
