/* ranks_devicemesh.csv (torch 2.5) and ranks_devicemesh_torch215.csv: groups and coordinates of PyTorch's DeviceMesh. */
#include "ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST_MAX = 1024 };

/* A mesh, and the list of its ranks when it is written out: "[[3,2],[1,0]]". */
typedef struct device_mesh {
  ranks_shape shape;
  dtc_axis axes[DTC_MESH_AXES];
  size_t n;
  uint64_t list[LIST_MAX];
  size_t listed;
  uint64_t world;
  int torch215;
  int preserve; /* preserve_rank_order=True */
} device_mesh;

/* Reads a nested list of at most two levels. */
static int read_list(device_mesh *m, const char *names, const char *s)
{
  char sizes[64];
  size_t rows = 0;
  int deep = s[1] == '[';
  for (; *s != 0; s++) {
    rows += *s == '[';
    if (*s >= '0' && *s <= '9') {
      char *end;
      if (m->listed == LIST_MAX)
        return 0;
      m->list[m->listed++] = strtoull(s, &end, 10);
      s = end - 1;
    }
  }
  if (deep)
    snprintf(sizes, sizeof sizes, "%zux%zu", rows - 1, m->listed / (rows - 1));
  else
    snprintf(sizes, sizeof sizes, "%zu", m->listed);
  return ranks_shape_read(&m->shape, names, sizes);
}

static int read_mesh(const golden *g, device_mesh *m, int torch215)
{
  const char *shape = golden_cell(g, "shape"), *names = golden_cell(g, "names");
  *m = (device_mesh){.torch215 = torch215, .world = golden_number(g, "world")};
  m->preserve = strstr(golden_cell(g, "arg"), "preserve_rank_order=True") != NULL;
  if (shape[0] == '[' ? !read_list(m, names, shape) : !ranks_shape_read(&m->shape, names, shape))
    return 0;
  m->n = ranks_rowmajor(&m->shape, m->axes);
  return 1;
}

/* Is the default group taken for this dimension, so that none is created? 2.5 does so for a mesh of one dimension only;
 * preserve_rank_order needs the list to be in order. */
static int reuses(const device_mesh *m, size_t axis)
{
  int sorted = 1;
  for (size_t i = 0; i < m->listed; i++)
    sorted = sorted && m->list[i] == i;
  return m->axes[axis].size == m->world && (m->torch215 || m->n == 1) && (sorted || !m->preserve);
}

/* Turns places in the mesh into the ranks of its list. */
static void put_list(const device_mesh *m, ranks *r)
{
  for (size_t i = 0; m->listed != 0 && i < r->values; i++)
    r->value[i] = m->list[r->value[i]];
}

/* 2.5 swaps the dimension with the last one and walks what is left row by row. */
static void created(golden *g, device_mesh *m)
{
  const char *arg = golden_cell(g, "arg");
  size_t len = strcspn(arg, " ");
  size_t axis = m->n - 1 - ranks_axis(&m->shape, arg + strlen("mesh_"), len - strlen("mesh_"));
  dtc_axis swapped[DTC_MESH_AXES];
  dtc_group_kind k = {.axes = 1};
  uint64_t world = 0, stride = 1;
  dtc_error err;
  ranks *r = ranks_empty();
  DTC_INIT(&err);
  if (axis >= m->n || !golden_ok(g, dtc_mesh_world(m->axes, m->n, &world, &err), &err))
    return;
  for (size_t a = 0; a < m->n; stride *= m->axes[a++].size)
    m->axes[a].stride = stride;
  memcpy(swapped, m->axes, sizeof swapped);
  if (golden_is(g, "kind", "created")) {
    swapped[axis] = m->axes[0];
    swapped[0] = m->axes[axis];
  } else
    k.axes = 1u << axis;
  if (reuses(m, axis)) {
    ranks_answer(g, r, RANKS_GROUPS);
    return;
  }
  if (ranks_groups(g, r, swapped, m->n, 0, &k)) {
    put_list(m, r);
    ranks_answer(g, r, RANKS_GROUPS);
  }
}

/* Groups of several dimensions flattened into one; of a submesh only rank 0's. */
static void flattened(golden *g, const device_mesh *m)
{
  dtc_group_kind k = {.axes = ranks_set(&m->shape, golden_cell(g, "arg"), '-')};
  ranks *r = ranks_empty();
  if (k.axes == 0 || !ranks_groups(g, r, m->axes, m->n, 0, &k))
    return;
  if (golden_is(g, "kind", "submesh_rank0")) {
    r->rows = 1;
    r->values = r->end[0];
  }
  ranks_answer(g, r, RANKS_GROUPS);
}

static void kinds(golden *g, const device_mesh *m)
{
  char text[512] = "";
  size_t made = 0;
  for (size_t i = 0; i < m->n; i++)
    if (!reuses(m, m->n - 1 - i)) {
      strcat(text, made++ != 0 ? "|mesh_" : "mesh_");
      strcat(text, m->shape.name[i]);
    }
  golden_u64(g, "n_groups", made);
  golden_text(g, "value", text);
}

/* One rank of a mesh with a list: its coordinates, or its ranks in the process groups. */
static int listed_rank(golden *g, const device_mesh *m, uint64_t rank, int local, uint64_t *out)
{
  dtc_error err;
  dtc_group group;
  uint64_t sorted = 0;
  DTC_INIT(&err);
  for (size_t i = 0; i < m->n; i++) {
    dtc_group_kind k = {.axes = 1u << (m->n - 1 - i)};
    dtc_status status = dtc_mesh_listed(m->axes, m->n, m->list, m->listed, &k, rank, &group, &sorted, &err);
    if (status == DTC_E_RANGE && err.rule == DTC_RULE_RANKS_LISTED)
      return 0;
    if (!golden_ok(g, status, &err))
      return 0;
    out[i] = local && !m->preserve ? sorted : group.place;
  }
  return 1;
}

/* Coordinates of every rank of the world; '-' for those that are not in the mesh. */
static void listed_coords(golden *g, const device_mesh *m, int local)
{
  char text[4096] = "";
  size_t len = 0, outside = 0;
  for (uint64_t rank = 0; rank < m->world; rank++) {
    uint64_t place[DTC_MESH_AXES];
    len += (size_t)snprintf(text + len, sizeof text - len, "%s", rank != 0 ? ";" : "");
    if (!listed_rank(g, m, rank, local, place)) {
      len += (size_t)snprintf(text + len, sizeof text - len, "-");
      outside++;
      continue;
    }
    for (size_t i = 0; i < m->n; i++)
      len += (size_t)snprintf(text + len, sizeof text - len, "%s%" PRIu64, i != 0 ? "," : "", place[i]);
  }
  char size[32];
  /* The older file counts '-' as a row of its own size. */
  snprintf(size, sizeof size, outside != 0 && !m->torch215 && m->n > 1 ? "1/%zu" : "%zu", m->n);
  golden_u64(g, "n_groups", m->world);
  golden_text(g, "group_size", size);
  golden_text(g, "value", text);
}

static void coords(golden *g, const device_mesh *m)
{
  ranks *r = ranks_empty();
  if (m->listed != 0)
    listed_coords(g, m, strncmp(golden_cell(g, "arg"), "get_local_rank", 14) == 0);
  else if (!ranks_coords(g, r, m->axes, m->n))
    return;
  else if (golden_is(g, "enc", "text"))
    ranks_answer_samples(g, r, ' ');
  else
    ranks_answer(g, r, RANKS_GROUPS);
}

static void run(golden *g, int torch215)
{
  device_mesh m;
  if (!read_mesh(g, &m, torch215))
    return;
  if (golden_is(g, "kind", "created") || golden_is(g, "kind", "sorted"))
    created(g, &m);
  else if (golden_is(g, "kind", "flatten_created") || golden_is(g, "kind", "submesh_rank0"))
    flattened(g, &m);
  else if (golden_is(g, "kind", "kinds"))
    kinds(g, &m);
  else if (golden_is(g, "kind", "coords"))
    coords(g, &m);
}

void golden_ranks_devicemesh(golden *g)
{
  run(g, 0);
}

void golden_ranks_devicemesh_torch215(golden *g)
{
  run(g, 1);
}
