/* Meshes of ranks: one mixed-radix formula. */
#include "internal/rank.h"

enum { SIZE_MAX_BITS = 32 };

/* The strides tile when each axis, taken by rising stride, starts where the faster ones end. */
static int tiles(const dtci_mesh *m)
{
  uint64_t next = 1;
  uint32_t left = 0;
  for (uint32_t a = 0; a < m->n; a++)
    left += m->size[a] > 1;
  while (left != 0) {
    uint32_t before = left;
    for (uint32_t a = 0; a < m->n; a++)
      if (m->size[a] > 1 && m->stride[a] == next) {
        next *= m->size[a];
        left--;
      }
    if (left == before)
      return 0;
  }
  return 1;
}

dtc_status dtci_mesh_in(const dtc_axis *axes, size_t n, uint64_t offset, dtci_mesh *out, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(AXES), axes != NULL ? n : 0, 1, DTC_MESH_AXES));
  TRY(dtci_check_range(e, DTCI_ARG(OFFSET), offset, 0, UINT64_C(1) << DTCI_WORLD_BITS));
  out->n = (uint32_t)n;
  out->offset = offset;
  out->world = 1;
  for (uint32_t a = 0; a < n; a++) {
    int bad = 0;
    TRY(dtci_check_range(e, DTC_FIELD(axis, size), axes[a].size, 1, UINT64_C(1) << SIZE_MAX_BITS));
    out->size[a] = axes[a].size;
    out->stride[a] = axes[a].stride != 0 ? axes[a].stride : out->world;
    out->world = dtci_mul(out->world, axes[a].size, &bad);
    if (bad || out->world > UINT64_C(1) << DTCI_WORLD_BITS)
      return dtci_fail_overflow(e, DTC_FIELD(axis, size), axes[a].size);
  }
  if (tiles(out))
    return DTC_OK;
  return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MESH_TILES, DTC_FIELD(axis, stride), out->stride[0]);
}

void dtci_mesh_coords(const dtci_mesh *m, uint64_t index, uint64_t coord[DTC_MESH_AXES])
{
  for (uint32_t a = 0; a < m->n; a++)
    coord[a] = index / m->stride[a] % m->size[a];
}

/* ---- groups ---------------------------------------------------------------------------------- */

void dtci_cut_list(dtci_cut *cut, uint64_t chunk, uint64_t step)
{
  cut->step = step != 0 ? step : 1;
  cut->chunk = chunk != 0 ? chunk : cut->list;
  cut->groups = 1;
  if (cut->pick != 0)
    cut->chunk = cut->pick < cut->list ? cut->pick : cut->list;
  else if (cut->chunk < cut->list)
    cut->groups = dtci_ceil_div(cut->list, cut->chunk);
}

dtc_status dtci_cut_in(const dtci_mesh *m, const dtc_group_kind *kind, dtci_cut *out, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << DTCI_WORLD_BITS;
  if (kind == NULL)
    return dtci_fail(e, DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, DTC_FIELD(group_kind, axes), 0);
  uint32_t all = (UINT32_C(1) << m->n) - 1;
  if (kind->axes != UINT32_MAX)
    TRY(dtci_check_range(e, DTC_FIELD(group_kind, axes), kind->axes, 0, all));
  TRY(dtci_check_range(e, DTC_FIELD(group_kind, pick), kind->pick, 0, 2));
  TRY(dtci_check_range(e, DTC_FIELD(group_kind, chunk), kind->chunk, 0, kind->pick != 0 ? 0 : most));
  TRY(dtci_check_range(e, DTC_FIELD(group_kind, step), kind->step, 0, kind->pick != 0 ? 0 : most));
  *out = (dtci_cut){.axes = kind->axes & all, .pick = kind->pick, .list = 1};
  for (uint32_t a = 0; a < m->n; a++)
    if (out->axes >> a & 1)
      out->list *= m->size[a];
  out->lists = m->world / out->list;
  int bad = 0;
  uint64_t block = dtci_mul(kind->step, kind->chunk != 0 ? kind->chunk : out->list, &bad);
  if (kind->step > 1 && (bad || out->list % block != 0)) {
    dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_KIND_CHUNK, DTC_FIELD(group_kind, chunk), kind->chunk);
    e->other = DTC_FIELD(group_kind, step);
    e->other_got = kind->step;
    e->max = out->list;
    return DTC_E_DIVIDE;
  }
  dtci_cut_list(out, kind->chunk, kind->step);
  return DTC_OK;
}

static uint64_t size_of(const dtci_cut *cut, uint64_t group)
{
  if (cut->groups == 1)
    return cut->chunk < cut->list ? cut->chunk : cut->list;
  uint64_t rest = cut->list - group % cut->groups * cut->chunk;
  return cut->step == 1 && cut->pick == 0 && rest < cut->chunk ? rest : cut->chunk;
}

/* Which group of its list, and which place in it, an element of the list has. */
static int place_of(const dtci_cut *cut, uint64_t element, uint64_t *group, uint64_t *place)
{
  *group = 0;
  *place = element == 0 ? 0 : 1;
  if (cut->pick != 0)
    return element == 0 || (cut->pick == 2 && element + 1 == cut->list);
  if (cut->step == 1) {
    *group = cut->groups == 1 ? 0 : element / cut->chunk;
    *place = element - *group * cut->chunk;
    return 1;
  }
  *place = element / cut->step % cut->chunk;
  *group = element / (cut->step * cut->chunk) * cut->step + element % cut->step;
  return 1;
}

static uint64_t element_of(const dtci_cut *cut, uint64_t group, uint64_t index)
{
  if (cut->pick != 0)
    return index == 0 ? 0 : cut->list - 1;
  return (group / cut->step * cut->chunk + index) * cut->step + group % cut->step;
}

/* Rank of an element of a list, without the offset. */
static uint64_t rank_at(const dtci_mesh *m, uint32_t axes, uint64_t list, uint64_t element)
{
  uint64_t rank = 0;
  for (uint32_t a = 0; a < m->n; a++) {
    uint64_t *from = axes >> a & 1 ? &element : &list;
    rank += *from % m->size[a] * m->stride[a];
    *from /= m->size[a];
  }
  return rank;
}

/* Rank number `index` of a group, with the offset. */
static uint64_t member_of(const dtci_mesh *m, const dtci_cut *cut, uint64_t group, uint64_t index)
{
  uint64_t element = element_of(cut, group % cut->groups, index);
  return m->offset + rank_at(m, cut->axes, group / cut->groups, element);
}

void dtci_group_at(const dtci_mesh *m, const dtci_cut *cut, const uint64_t coord[DTC_MESH_AXES], dtc_group *out)
{
  uint64_t list = 0;
  uint64_t element = 0;
  uint64_t lists = 1;
  uint64_t elements = 1;
  uint64_t first = m->offset; /* element 0 of the list */
  uint64_t group = 0;
  uint64_t place = 0;
  for (uint32_t a = 0; a < m->n; a++)
    if (cut->axes >> a & 1) {
      element += coord[a] * elements;
      elements *= m->size[a];
    } else {
      list += coord[a] * lists;
      lists *= m->size[a];
      first += coord[a] * m->stride[a];
    }
  int found = place_of(cut, element, &group, &place);
  uint64_t index = list * cut->groups + group;
  out->count = cut->lists * cut->groups;
  out->size = size_of(cut, found ? index : 0);
  out->index = found ? index : DTC_NONE;
  out->place = found ? place : DTC_NONE;
  out->first = first;
  if (!found)
    out->first = m->offset;
  else if (group != 0)
    out->first = member_of(m, cut, index, 0);
}

/* ---- the public functions: read, work, hand the error over ----------------------------------- */

dtc_status dtc_mesh_world(const dtc_axis *axes, size_t n, uint64_t *world, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, 0, &m, &e);
  if (s == DTC_OK)
    *world = m.world;
  return dtci_end(s, &e, err);
}

static dtc_status rank_in(const dtci_mesh *m, uint64_t rank, dtc_error *e)
{
  return dtci_check_range(e, DTCI_ARG(RANK), rank, m->offset, m->offset + m->world - 1);
}

static dtc_status coord_of(const dtci_mesh *m, uint64_t rank, uint64_t *coord, size_t cap, size_t *count, dtc_error *e)
{
  uint64_t made[DTC_MESH_AXES];
  TRY(rank_in(m, rank, e));
  *count = m->n;
  if (cap < m->n)
    return dtci_fail_space(e, cap, m->n);
  dtci_mesh_coords(m, rank - m->offset, made);
  memcpy(coord, made, m->n * sizeof *made);
  return DTC_OK;
}

dtc_status dtc_mesh_coord(const dtc_axis *axes, size_t n, uint64_t offset, uint64_t rank, uint64_t *coord, size_t cap,
                          size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, offset, &m, &e);
  return dtci_end(s != DTC_OK ? s : coord_of(&m, rank, coord, cap, count, &e), &e, err);
}

static dtc_status rank_of(const dtci_mesh *m, const uint64_t *coord, size_t n_coord, uint64_t *rank, dtc_error *e)
{
  uint64_t sum = m->offset;
  TRY(dtci_check_range(e, DTCI_ARG(COORD), coord != NULL ? n_coord : 0, m->n, m->n));
  for (uint32_t a = 0; a < m->n; a++) {
    TRY(dtci_check_range(e, DTCI_ARG(COORD), coord[a], 0, m->size[a] - 1));
    sum += coord[a] * m->stride[a];
  }
  *rank = sum;
  return DTC_OK;
}

dtc_status dtc_mesh_rank(const dtc_axis *axes, size_t n, uint64_t offset, const uint64_t *coord, size_t n_coord,
                         uint64_t *rank, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, offset, &m, &e);
  return dtci_end(s != DTC_OK ? s : rank_of(&m, coord, n_coord, rank, &e), &e, err);
}

/* Axes by rising stride, those of size 1 left out: the digits of an odometer that counts ranks. */
static uint32_t digits_of(const dtci_mesh *m, uint32_t digits[DTC_MESH_AXES])
{
  uint32_t found = 0;
  uint64_t next = 1;
  while (next < m->world)
    for (uint32_t a = 0; a < m->n; a++)
      if (m->size[a] > 1 && m->stride[a] == next) {
        digits[found++] = a;
        next *= m->size[a];
      }
  return found;
}

/* Rows that differ in the fastest axis alone, which counts up from the given row. */
static inline __attribute__((always_inline)) void put_run(uint32_t *out, const uint32_t *row, uint32_t fast,
                                                          uint64_t run, uint32_t n)
{
  for (uint64_t i = 0; i < run; i++, out += n) {
    for (uint32_t a = 0; a < n; a++)
      out[a] = row[a];
    out[fast] += (uint32_t)i;
  }
}

/* The same for the usual numbers of axes, which the compiler unrolls: three times as fast. */
static void put_rows(uint32_t *out, const uint32_t *row, uint32_t fast, uint64_t run, uint32_t n)
{
  switch (n) {
  case 3:
    put_run(out, row, fast, run, 3);
    break;
  case 4:
    put_run(out, row, fast, run, 4);
    break;
  case 5:
    put_run(out, row, fast, run, 5);
    break;
  case 6:
    put_run(out, row, fast, run, 6);
    break;
  default:
    put_run(out, row, fast, run, n);
    break;
  }
}

/* Rows of the table by counting, without a division per rank. */
static void count_ranks(const dtci_mesh *m, uint64_t first, uint64_t ranks, uint32_t *out)
{
  uint64_t start[DTC_MESH_AXES] = {0};
  uint32_t row[DTC_MESH_AXES] = {0};
  uint32_t digits[DTC_MESH_AXES] = {0};
  uint32_t found = digits_of(m, digits);
  uint32_t fast = digits[0];
  dtci_mesh_coords(m, first, start);
  for (uint32_t a = 0; a < m->n; a++)
    row[a] = (uint32_t)start[a];
  while (ranks != 0) {
    uint64_t run = m->size[fast] - row[fast];
    run = run < ranks ? run : ranks;
    put_rows(out, row, fast, run, m->n);
    out += run * m->n;
    ranks -= run;
    row[fast] = 0;
    for (uint32_t d = 1; d < found; d++) {
      if (++row[digits[d]] < m->size[digits[d]])
        break;
      row[digits[d]] = 0;
    }
  }
}

static dtc_status table_of(const dtci_mesh *m, uint64_t first, uint64_t ranks, uint32_t *table, size_t cap,
                           size_t *count, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(INDEX), first, 0, m->world - 1));
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), ranks, 0, m->world - first));
  uint64_t needed = ranks * m->n;
  *count = dtci_count(needed);
  if (cap < needed)
    return dtci_fail_space(e, cap, needed);
  count_ranks(m, first, ranks, table);
  return DTC_OK;
}

dtc_status dtc_mesh_table(const dtc_axis *axes, size_t n, uint64_t first, uint64_t ranks, uint32_t *table, size_t cap,
                          size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, 0, &m, &e);
  return dtci_end(s != DTC_OK ? s : table_of(&m, first, ranks, table, cap, count, &e), &e, err);
}

static dtc_status group_of(const dtci_mesh *m, const dtc_group_kind *kind, uint64_t rank, dtc_group *out, dtc_error *e)
{
  dtci_cut cut;
  uint64_t coord[DTC_MESH_AXES];
  TRY(dtci_cut_in(m, kind, &cut, e));
  TRY(rank_in(m, rank, e));
  dtci_mesh_coords(m, rank - m->offset, coord);
  dtci_group_at(m, &cut, coord, out);
  return DTC_OK;
}

dtc_status dtc_mesh_group_of(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind, uint64_t rank,
                             dtc_group *out, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, offset, &m, &e);
  return dtci_end(s != DTC_OK ? s : group_of(&m, kind, rank, out, &e), &e, err);
}

static dtc_status member(const dtci_mesh *m, const dtc_group_kind *kind, uint64_t group, uint64_t index, uint64_t *rank,
                         dtc_error *e)
{
  dtci_cut cut;
  TRY(dtci_cut_in(m, kind, &cut, e));
  TRY(dtci_check_range(e, DTCI_ARG(GROUP), group, 0, cut.lists * cut.groups - 1));
  TRY(dtci_check_range(e, DTCI_ARG(INDEX), index, 0, size_of(&cut, group) - 1));
  *rank = member_of(m, &cut, group, index);
  return DTC_OK;
}

dtc_status dtc_mesh_member(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind, uint64_t group,
                           uint64_t index, uint64_t *rank, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, offset, &m, &e);
  return dtci_end(s != DTC_OK ? s : member(&m, kind, group, index, rank, &e), &e, err);
}

/* Place of the rank among the sorted ranks of its group, and the group's smallest. */
static dtc_status sort_in(const dtci_mesh *m, const dtci_cut *cut, const uint64_t *ranks, uint64_t rank, dtc_group *g,
                          uint64_t *local, dtc_error *e)
{
  uint64_t below = 0;
  uint64_t same = 0;
  uint64_t first = rank;
  for (uint64_t i = 0; i < cut->list; i++) {
    uint64_t other = ranks[rank_at(m, cut->axes, g->index, i)];
    below += other < rank;
    same += other == rank;
    first = other < first ? other : first;
  }
  if (same != 1)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_RANKS_TWICE, DTCI_ARG(RANKS), rank);
  g->first = first;
  *local = below;
  return DTC_OK;
}

static dtc_status listed(const dtci_mesh *m, const uint64_t *ranks, size_t n_ranks, const dtc_group_kind *kind,
                         uint64_t rank, dtc_group *out, uint64_t *local, dtc_error *e)
{
  dtci_cut cut;
  dtc_group g;
  uint64_t coord[DTC_MESH_AXES];
  uint64_t at = 0;
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), ranks != NULL ? n_ranks : 0, m->world, m->world));
  TRY(dtci_cut_in(m, kind, &cut, e));
  TRY(dtci_check_range(e, DTC_FIELD(group_kind, chunk), kind->chunk, 0, 0));
  TRY(dtci_check_range(e, DTC_FIELD(group_kind, pick), kind->pick, 0, 0));
  while (at < n_ranks && ranks[at] != rank)
    at++;
  if (at == n_ranks)
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_RANKS_LISTED, DTCI_ARG(RANK), rank);
  dtci_mesh_coords(m, at, coord);
  dtci_group_at(m, &cut, coord, &g);
  TRY(sort_in(m, &cut, ranks, rank, &g, local, e));
  *out = g;
  return DTC_OK;
}

dtc_status dtc_mesh_listed(const dtc_axis *axes, size_t n, const uint64_t *ranks, size_t n_ranks,
                           const dtc_group_kind *kind, uint64_t rank, dtc_group *out, uint64_t *local, dtc_error *err)
{
  dtc_error e;
  dtci_mesh m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_mesh_in(axes, n, 0, &m, &e);
  return dtci_end(s != DTC_OK ? s : listed(&m, ranks, n_ranks, kind, rank, out, local, &e), &e, err);
}
