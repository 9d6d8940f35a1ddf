#include "groups.h"

#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *axis_name(const dtc_axis *axis)
{
  return dtc_value_name(DTC_FIELD(axis, name), axis->name);
}

static bool has_axis(const dtc_group_kind *kind, size_t i)
{
  return (kind->axes >> i & 1) != 0;
}

/* Nothing that the library gave is refused by it. */
static void must(dtc_status status)
{
  if (status != DTC_OK)
    abort();
}

void kind_axes(const layout_arg *l, const dtc_group_kind *kind, char out[KIND_NAME])
{
  const mesh *m = &l->meshes[kind->part];
  size_t at = 0;
  bool many = group_at(l, kind, 0).size > 1;
  for (size_t i = 0; i < m->n && at < KIND_NAME - 32; i++) {
    if (has_axis(kind, i) && (!many || m->axes[i].size > 1))
      at += (size_t)snprintf(out + at, KIND_NAME - at, "%s%s", at == 0 ? "" : "-", axis_name(&m->axes[i]));
  }
}

void kind_name(const layout_arg *l, const dtc_group_kind *kind, char out[KIND_NAME])
{
  if (kind->name == 0)
    kind_axes(l, kind, out);
  else
    must(dtc_group_kind_text(kind, out, KIND_NAME, NULL, NULL));
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static bool is_name(const char *known, const char *name, size_t len)
{
  return strlen(known) == len && strncasecmp(known, name, len) == 0;
}

bool axis_find(const layout_arg *l, const char *name, size_t len, dtc_mesh_part *part, size_t *index)
{
  for (*part = DTC_MESH_PART_DENSE; *part <= DTC_MESH_PART_EXPERTS; ++*part) {
    const mesh *m = &l->meshes[*part];
    for (*index = 0; *index < m->n; ++*index) {
      if (is_name(axis_name(&m->axes[*index]), name, len))
        return true;
    }
  }
  return false;
}

/* Bits of the axes that a word stands for: its own, or its parts, "dp_shard" and "dp_replicate" of "dp". */
static uint32_t axes_called(const mesh *m, const char *name, size_t len)
{
  uint32_t own = 0;
  uint32_t parts = 0;
  for (size_t i = 0; i < m->n; i++) {
    const char *known = axis_name(&m->axes[i]);
    if (is_name(known, name, len))
      own |= (uint32_t)1 << i;
    if (strncasecmp(known, name, len) == 0 && known[len] == '_')
      parts |= (uint32_t)1 << i;
  }
  return own != 0 ? own : parts;
}

/* The kind of the axes "tp-cp" of a mesh; false when one is missing. */
static bool kind_in_mesh(const layout_arg *l, dtc_mesh_part part, const char *name, size_t len, dtc_group_kind *out)
{
  *out = (dtc_group_kind){.part = part};
  for (const char *s = name;; s++) {
    size_t n = strcspn(s, "-");
    n = n < (size_t)(name + len - s) ? n : (size_t)(name + len - s);
    uint32_t axes = n == 0 ? 0 : axes_called(&l->meshes[part], s, n);
    out->axes |= axes;
    s += n;
    if (axes == 0 || s == name + len)
      return axes != 0;
  }
}

bool kind_of_axes(const layout_arg *l, const char *name, size_t len, dtc_group_kind *out)
{
  return kind_in_mesh(l, DTC_MESH_PART_DENSE, name, len, out) || kind_in_mesh(l, DTC_MESH_PART_EXPERTS, name, len, out);
}

int kind_find(const cli *c, const layout_arg *l, const char *name, size_t len, dtc_group_kind *out)
{
  char(*names)[KIND_NAME] = grow(NULL, (l->kind_count + 1) * sizeof *names);
  const char **list = grow(NULL, (l->kind_count + 1) * sizeof *list);
  char asked[KIND_NAME];
  int code = 0;
  size_t i = 0;
  for (size_t k = 0; k < l->kind_count; k++) {
    kind_name(l, &l->kinds[k], names[k]);
    list[k] = names[k];
  }
  while (i < l->kind_count && !is_name(names[i], name, len))
    i++;
  snprintf(asked, sizeof asked, "%.*s", (int)len, name);
  if (i < l->kind_count)
    *out = l->kinds[i];
  else if (!kind_of_axes(l, name, len, out))
    code = l->kind_count == 0 ? fail(c, MSG_NO_KIND, asked)
                              : fail(c, MSG_UNKNOWN_KIND, asked, list[nearest_name(asked, list, l->kind_count)]);
  free(list);
  free(names);
  return code;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

void rank_coord(const layout_arg *l, dtc_mesh_part part, uint64_t rank, uint64_t out[DTC_MESH_AXES])
{
  const mesh *m = &l->meshes[part];
  size_t count;
  must(dtc_mesh_coord(m->axes, m->n, l->layout.offset, rank, out, DTC_MESH_AXES, &count, NULL));
}

dtc_group group_of(const layout_arg *l, const dtc_group_kind *kind, uint64_t rank)
{
  const mesh *m = &l->meshes[kind->part];
  dtc_group g = {0};
  must(dtc_mesh_group_of(m->axes, m->n, l->layout.offset, kind, rank, &g, NULL));
  return g;
}

uint64_t group_member(const layout_arg *l, const dtc_group_kind *kind, uint64_t group, uint64_t index)
{
  const mesh *m = &l->meshes[kind->part];
  uint64_t rank = 0;
  must(dtc_mesh_member(m->axes, m->n, l->layout.offset, kind, group, index, &rank, NULL));
  return rank;
}

dtc_group group_at(const layout_arg *l, const dtc_group_kind *kind, uint64_t group)
{
  return group_of(l, kind, group_member(l, kind, group, 0));
}

uint64_t kind_stride(const layout_arg *l, const dtc_group_kind *kind)
{
  const mesh *m = &l->meshes[kind->part];
  uint64_t stride = 0;
  uint64_t next = 0; /* stride of an axis that goes on where the ones before end */
  for (size_t i = 0; i < m->n; i++) {
    const dtc_axis *axis = &m->axes[i];
    if (!has_axis(kind, i) || axis->size == 1)
      continue;
    if (stride == 0)
      stride = next = axis->stride;
    if (axis->stride != next)
      return 0;
    next *= axis->size;
  }
  return kind->pick == 0 ? stride * (kind->step == 0 ? 1 : kind->step) : 0;
}

static size_t put_rank(char *out, size_t cap, size_t at, const char *before, uint64_t rank)
{
  int n = at < cap ? snprintf(out + at, cap - at, "%s%" PRIu64, before, rank) : 0;
  return at + (n > 0 ? (size_t)n : 0);
}

void group_text(const layout_arg *l, const dtc_group_kind *kind, uint64_t group, size_t room, char *out, size_t cap)
{
  dtc_group g = group_at(l, kind, group);
  uint64_t last = group_member(l, kind, group, g.size - 1);
  uint64_t stride = kind_stride(l, kind);
  char tail[64] = "";
  size_t end = put_rank(tail, sizeof tail, 0, " .. ", last);
  size_t at = 0;
  uint64_t i = 0;
  if (stride == 1 && g.size > 4) {
    put_rank(out, cap, put_rank(out, cap, 0, "", g.first), "-", last);
    return;
  }
  if (stride > 1)
    end += (size_t)snprintf(tail + end, sizeof tail - end, " (+%" PRIu64 ")", stride);
  for (; i < g.size; i++) {
    size_t next = put_rank(out, cap, at, i == 0 ? "" : " ", group_member(l, kind, group, i));
    size_t then = i + 1 < g.size && i >= 1 ? end : 0; /* what follows when the next one does not fit */
    if (next + then > room && i >= 2)
      break;
    at = next;
  }
  if (i < g.size && at < cap)
    snprintf(out + at, cap - at, "%s", tail);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

void json_kind(json *j, const layout_arg *l, const dtc_group_kind *kind, uint64_t groups, uint64_t size)
{
  const mesh *m = &l->meshes[kind->part];
  char name[KIND_NAME];
  uint64_t stride = kind_stride(l, kind);
  kind_name(l, kind, name);
  json_text(j, "name", name);
  json_text(j, "mesh", dtc_value_name(DTC_FIELD(group_kind, part), kind->part));
  json_array(j, "axes");
  for (size_t i = 0; i < m->n; i++) {
    if (has_axis(kind, i))
      json_text(j, NULL, axis_name(&m->axes[i]));
  }
  json_end(j);
  json_u64(j, "groups", groups);
  json_u64(j, "size", size);
  if (stride == 0)
    json_null(j, "stride");
  else
    json_u64(j, "stride", stride);
}

void json_group(json *j, const char *key, const layout_arg *l, const dtc_group_kind *kind, uint64_t group,
                uint64_t limit)
{
  uint64_t size = group_at(l, kind, group).size;
  json_array(j, key);
  for (uint64_t i = 0; i < size && i < limit; i++)
    json_u64(j, NULL, group_member(l, kind, group, i));
  json_end(j);
}

void json_layout(json *j, const layout_arg *l)
{
  if (l->has_model)
    json_model(j, &l->model);
  json_struct(j, "layout", DTC_STRUCT_layout, &l->layout);
  for (dtc_mesh_part part = DTC_MESH_PART_DENSE; part <= DTC_MESH_PART_EXPERTS; part++) {
    json_array(j, dtc_value_name(DTC_FIELD(group_kind, part), part));
    for (size_t i = 0; i < l->meshes[part].n; i++) {
      const dtc_axis *axis = &l->meshes[part].axes[i];
      json_object(j, NULL);
      json_text(j, "axis", axis_name(axis));
      json_u64(j, "size", axis->size);
      json_u64(j, "stride", axis->stride);
      json_end(j);
    }
    json_end(j);
  }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* "tp 2 x dp 8 x pp 4", without axes of 1. */
static void mesh_text(const mesh *m, char *out, size_t cap)
{
  size_t at = 0;
  snprintf(out, cap, "1");
  for (size_t i = 0; i < m->n; i++) {
    if (m->axes[i].size > 1 && at < cap)
      at += (size_t)snprintf(out + at, cap - at, "%s%s %" PRIu64, at == 0 ? "" : " x ", axis_name(&m->axes[i]),
                             m->axes[i].size);
  }
}

void print_layout(const cli *c, const layout_arg *l)
{
  char dense[512];
  char experts[512];
  if (l->has_model)
    print_model(c, &l->model);
  mesh_text(&l->meshes[DTC_MESH_PART_DENSE], dense, sizeof dense);
  mesh_text(&l->meshes[DTC_MESH_PART_EXPERTS], experts, sizeof experts);
  print_line(c, MSG_LAYOUT_LINE, text_thousands(l->layout.world).s,
             dtc_value_name(DTC_FIELD(layout, scheme), l->layout.scheme), dense);
  if (l->layout.ep > 1)
    print_line(c, MSG_LAYOUT_EXPERTS, experts);
}
