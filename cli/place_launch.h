/* Which groups cross nodes because of the launcher, and which node runs which rank. */
#ifndef PLACE_LAUNCH_H
#define PLACE_LAUNCH_H

#include "json_out.h"
#include "launch_arg.h"

/* `known[i]` groups of kind i cross nodes when ranks are dealt node by node; DTC_NONE when that is not known. */
void launch_print(const cli *c, const layout_arg *l, const launch *of, const uint64_t *known);
void launch_json(json *j, const layout_arg *l, const launch *of, const uint64_t *known);

/* --write-hostfile: the hosts in this order, NULL for the one given. */
int launch_write(const cli *c, const args *a, const layout_arg *l, const launch *of, const uint64_t *order);

#endif
