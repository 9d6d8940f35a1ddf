/**
 * @file dtcore.h
 * @brief dtcore: how to split a large model over GPUs. Includes every public header.
 */
#ifndef DTCORE_H
#define DTCORE_H

#include <dtcore/advise.h>
#include <dtcore/base.h>
#include <dtcore/cluster.h>
#include <dtcore/collective.h>
#include <dtcore/explain.h>
#include <dtcore/framework.h>
#include <dtcore/launch.h>
#include <dtcore/ledger.h>
#include <dtcore/memory.h>
#include <dtcore/model.h>
#include <dtcore/nccl.h>
#include <dtcore/pipeline.h>
#include <dtcore/plan.h>
#include <dtcore/rank.h>
#include <dtcore/search.h>
#include <dtcore/shard.h>
#include <dtcore/step.h>
#include <dtcore/tasks.h>

#endif
