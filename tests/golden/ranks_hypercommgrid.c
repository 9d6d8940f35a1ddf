/* ranks_hypercommgrid.csv: HyperCommGrid's enumerations: the first name is the fastest axis. */
#include "ranks.h"

void golden_ranks_hypercommgrid(golden *g)
{
  ranks_shape s;
  dtc_axis axes[DTC_MESH_AXES];
  dtc_group_kind k = {0};
  const char *dims = golden_cell(g, "dims");
  if (!ranks_shape_read(&s, golden_cell(g, "names"), golden_cell(g, "shape")))
    return;
  for (size_t a = 0; a < s.n; a++)
    axes[a] = (dtc_axis){.size = s.size[a]};
  while (*dims != 0) {
    size_t len = strcspn(dims, "-"), axis = ranks_axis(&s, dims, len);
    if (axis == s.n)
      return;
    k.axes |= 1u << axis;
    dims += len + (dims[len] == '-');
  }
  ranks *r = ranks_empty();
  if (ranks_groups(g, r, axes, s.n, golden_number(g, "rank_offset"), &k))
    ranks_answer(g, r, RANKS_NONE);
}
