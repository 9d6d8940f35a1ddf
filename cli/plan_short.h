/* What a plan has to say, and no more. */
#ifndef PLAN_SHORT_H
#define PLAN_SHORT_H

#include <dtcore.h>

/* Leaves out of a resolved plan what resolving fills in again, with the machine and without. Framework, sharding,
 * micro-batch and sequence length always stay: nobody knows their defaults by heart. */
dtc_plan plan_shorten(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *full);

#endif
