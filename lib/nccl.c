/* NCCL's communicators: systems by name, defaults and checks; and the public functions over the tables. */
#include "internal/nccl.h"

enum {
  GPUS_PER_DOMAIN = 32, /* from so many ranks of one node on the channels' rings differ */
  CHANNELS_MOST = 64,   /* NCCL's MAXCHANNELS */
  FEW_CHANNELS = 16,
  FP8_SINCE = 2024000,
  NODES_MOST = 65536,
  PER_NODE_MOST = 4096,
};

static const double GB = 1e9;
static const double MICROSECOND = 1e-6;

/* ---- defaults -------------------------------------------------------------------------------- */

const dtci_nccl_constants *dtci_nccl_constants_of(dtc_release version)
{
  const dtci_nccl_constants *found = NULL;
  for (size_t i = 0; i < dtci_nccl_versions_count; i++) {
    uint32_t minor = dtci_nccl_versions[i].release / 1000 * 1000;
    if (version == 0 || version >= minor)
      found = &dtci_nccl_versions[i];
  }
  return found;
}

static dtc_status fail_version(dtc_release got, uint32_t least, dtc_error *e)
{
  dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_VERSION, DTC_FIELD(nccl, version), got);
  e->min = least;
  return DTC_E_UNSUPPORTED;
}

/* What the version must know. */
static dtc_status check_version(const dtc_nccl *n, const dtci_nccl_constants *k, dtc_error *e)
{
  uint32_t collnet = 1u << DTC_NCCL_ALGORITHM_COLLNET_DIRECT;
  if (n->collnet == DTC_BOOL_ON && !(k->algorithms & collnet))
    dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_COLLNET, DTC_FIELD(nccl, collnet), n->collnet);
  else if (n->fp8 == DTC_BOOL_ON && n->version < FP8_SINCE)
    dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_FP8, DTC_FIELD(nccl, fp8), n->fp8);
  else
    return DTC_OK;
  e->other = DTC_FIELD(nccl, version);
  e->other_got = n->version;
  return DTC_E_UNSUPPORTED;
}

/* A bandwidth that is given is a byte a second at least, or nothing is left of it in NCCL's GB/s. */
static dtc_status check_graph(const uint32_t field[2], uint64_t channels, double *intra, double *inter, dtc_error *e)
{
  if (channels != 0 && !(*intra > 0))
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_NCCL_SEARCH, field[0], dtci_word_of(*intra));
  if (*intra > 0)
    TRY(dtci_check_double(e, field[0], *intra, 1, 1e15));
  if (*inter > 0)
    return dtci_check_double(e, field[1], *inter, 1, 1e15);
  *inter = *intra;
  return DTC_OK;
}

#define GRAPH(name)                                                                                                    \
  (const uint32_t[2]){DTC_FIELD(nccl, name##_intra), DTC_FIELD(nccl, name##_inter)}, n->name##_channels,               \
      &n->name##_intra, &n->name##_inter, e

static dtc_status fill_graphs(dtc_nccl *n, dtc_error *e)
{
  TRY(check_graph(GRAPH(ring)));
  TRY(check_graph(GRAPH(tree)));
  TRY(check_graph(GRAPH(nvls)));
  TRY(check_graph(GRAPH(direct)));
  return check_graph(GRAPH(chain));
}

/* src/graph/connect.cc: a channel of the search becomes two; CollNet's and Hopper's get more when one is slow. */
static uint64_t usual_channels(const dtc_nccl *n)
{
  uint64_t channels = 2 * dtci_smaller(n->ring_channels, n->tree_channels);
  int chains = n->collnet == DTC_BOOL_ON && n->chain_channels != 0 && n->per_node > 1;
  if (chains && n->chain_intra > n->chain_inter)
    channels += channels / 2;
  if (n->nodes > 1 && n->compute >= 90 && n->ring_intra > 45 * GB && channels < FEW_CHANNELS)
    channels *= 2;
  return dtci_smaller(channels, CHANNELS_MOST);
}

static void switch_default(dtc_bool *value, int on)
{
  if (*value == DTC_BOOL_DEFAULT)
    *value = on ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static dtc_status resolve(dtc_nccl *n, dtc_error *e)
{
  const dtci_nccl_constants *k = dtci_nccl_constants_of(n->version);
  if (k == NULL)
    return fail_version(n->version, dtci_nccl_versions[0].release / 1000 * 1000, e);
  if (n->version == 0)
    n->version = k->release;
  if (n->nodes * n->per_node < 2)
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_NCCL_RANKS, DTC_FIELD(nccl, per_node), n->per_node);
  if (n->cpu == DTC_NCCL_CPU_DEFAULT)
    n->cpu = DTC_NCCL_CPU_INTEL;
  if (n->tree_pattern == DTC_NCCL_PATTERN_DEFAULT)
    n->tree_pattern = DTC_NCCL_PATTERN_BALANCED_TREE;
  int known = n->compute == 70 || n->compute == 80 || n->compute == 90;
  switch_default(&n->nvlink, n->per_node > 1);
  switch_default(&n->collnet, 0);
  switch_default(&n->ll128, known || !(k->differs & DTCI_NCCL_OLD_LL128));
  switch_default(&n->fp8, 0);
  switch_default(&n->same_rings, n->per_node == 1 || (n->nodes == 1 && n->per_node < GPUS_PER_DOMAIN));
  TRY(check_version(n, k, e));
  TRY(fill_graphs(n, e));
  dtci_default(&n->channels, usual_channels(n));
  return DTC_OK;
}

dtc_status dtci_nccl_in(const dtc_nccl *user, dtc_nccl *local, dtc_error *e)
{
  TRY(dtci_in(local, DTC_STRUCT_nccl, user, e));
  return resolve(local, e);
}

static dtc_status write_resolved(const dtc_nccl *nccl, dtc_nccl *out, dtc_error *e)
{
  dtc_nccl local;
  TRY(dtci_nccl_in(nccl, &local, e));
  return dtci_out(out, DTC_STRUCT_nccl, &local, e);
}

dtc_status dtc_nccl_resolve(const dtc_nccl *nccl, dtc_nccl *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(write_resolved(nccl, out, &e), &e, err);
}

/* ---- systems --------------------------------------------------------------------------------- */

size_t dtc_nccl_count(void)
{
  return dtci_nccl_systems_count;
}

const char *dtc_nccl_name(size_t index)
{
  return index < dtci_nccl_systems_count ? dtci_nccl_systems[index].name : NULL;
}

const char *dtc_nccl_source(size_t index)
{
  return index < dtci_nccl_systems_count ? dtci_nccl_systems[index].source : NULL;
}

static uint64_t ranks_of(const dtci_nccl_system *s, const dtci_nccl_search *row)
{
  return row->per_node != 0 ? row->per_node : s->per_node;
}

/* Is the row one of the system on so many nodes, in this version? */
static int is_of(const dtci_nccl_system *s, const dtci_nccl_search *row, dtc_release version, uint64_t nodes)
{
  return row->system == s->searches && row->several == (nodes > 1) && version >= row->since &&
         (row->until == 0 || version < row->until);
}

/* The search for these ranks; or the error with the nearest numbers of ranks that have one. */
static dtc_status find_search(const dtci_nccl_system *s, const dtc_nccl *n, const dtci_nccl_search **found,
                              dtc_error *e)
{
  uint64_t lower = 0;
  uint64_t upper = DTC_NONE;
  for (size_t i = 0; i < dtci_nccl_searches_count; i++) {
    const dtci_nccl_search *row = &dtci_nccl_searches[i];
    uint64_t ranks = ranks_of(s, row);
    if (!is_of(s, row, n->version, n->nodes))
      continue;
    if (ranks == n->per_node) {
      *found = row;
      return DTC_OK;
    }
    if (ranks < n->per_node && ranks > lower)
      lower = ranks;
    if (ranks > n->per_node && ranks < upper)
      upper = ranks;
  }
  dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_PLACE, DTC_FIELD(nccl, per_node), n->per_node);
  e->lower = lower != 0 ? lower : DTC_NONE;
  e->upper = upper;
  return DTC_E_UNSUPPORTED;
}

static void take_graph(const dtci_nccl_graph *g, uint64_t *channels, double *intra, double *inter)
{
  *channels = g->channels;
  *intra = g->intra * GB;
  *inter = g->inter * GB;
}

static void take_search(const dtci_nccl_search *row, dtc_nccl *n)
{
  n->tree_pattern = row->tree.pattern;
  take_graph(&row->ring, &n->ring_channels, &n->ring_intra, &n->ring_inter);
  take_graph(&row->tree, &n->tree_channels, &n->tree_intra, &n->tree_inter);
  take_graph(&row->nvls, &n->nvls_channels, &n->nvls_intra, &n->nvls_inter);
  take_graph(&row->direct, &n->direct_channels, &n->direct_intra, &n->direct_inter);
  take_graph(&row->chain, &n->chain_channels, &n->chain_intra, &n->chain_inter);
}

static dtc_status find(const char *name, dtc_nccl *n, dtc_nccl *out, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  if (name == NULL)
    return dtci_fail_name(e, DTC_RULE_NCCL_SYSTEM, DTC_NONE);
  size_t i = dtci_name_find(dtci_nccl_systems[0].name, dtci_nccl_systems_count, sizeof dtci_nccl_systems[0], name,
                            strlen(name), &nearest);
  if (i == dtci_nccl_systems_count)
    return dtci_fail_name(e, DTC_RULE_NCCL_SYSTEM, nearest);
  const dtci_nccl_system *s = &dtci_nccl_systems[i];
  const dtci_nccl_search *row = NULL;
  const dtci_nccl_constants *newest = &dtci_nccl_versions[dtci_nccl_versions_count - 1];
  n->version = n->version != 0 ? n->version : newest->release;
  n->compute = s->compute;
  n->cpu = s->cpu;
  n->collnet = s->collnet;
  TRY(dtci_check_range(e, DTC_FIELD(nccl, nodes), n->nodes, 1, NODES_MOST));
  TRY(dtci_check_range(e, DTC_FIELD(nccl, per_node), n->per_node, 1, PER_NODE_MOST));
  if (n->nodes * n->per_node < 2)
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_NCCL_RANKS, DTC_FIELD(nccl, per_node), n->per_node);
  if (n->version < s->since)
    return fail_version(n->version, s->since, e);
  TRY(find_search(s, n, &row, e));
  take_search(row, n);
  TRY(resolve(n, e));
  return dtci_out(out, DTC_STRUCT_nccl, n, e);
}

dtc_status dtc_nccl_find(const char *name, uint32_t version, uint64_t nodes, uint64_t per_node, dtc_nccl *out,
                         dtc_error *err)
{
  dtc_error e;
  dtc_nccl n;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  DTC_INIT(&n);
  n.version = version;
  n.nodes = nodes;
  n.per_node = per_node;
  return dtci_end(find(name, &n, out, &e), &e, err);
}

/* ---- table and choice ------------------------------------------------------------------------ */

static dtc_status begin(const dtc_nccl *nccl, dtc_collective op, dtci_nccl_job *job, dtc_error *e)
{
  dtc_nccl n;
  TRY(dtci_nccl_in(nccl, &n, e));
  return dtci_nccl_begin(&n, op, job, e);
}

static dtc_status write_table(const dtc_nccl *nccl, dtc_collective op, dtc_nccl_row *out, size_t cap, size_t *count,
                              dtc_error *e)
{
  dtci_nccl_job job;
  dtc_nccl_row rows[DTC_NCCL_ROWS];
  TRY(begin(nccl, op, &job, e));
  size_t n = dtci_nccl_rows(&job, rows);
  for (size_t i = 0; i < n && i < cap; i++) {
    out[i] = rows[i];
    out[i].latency *= MICROSECOND;
    out[i].bandwidth *= GB;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_nccl_table(const dtc_nccl *nccl, dtc_collective op, dtc_nccl_row *out, size_t cap, size_t *count,
                          dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(write_table(nccl, op, out, cap, count, &e), &e, err);
}

static dtc_status write_choice(const dtc_nccl *nccl, dtc_collective op, uint64_t bytes, dtc_nccl_choice *out,
                               dtc_error *e)
{
  dtci_nccl_job job;
  TRY(begin(nccl, op, &job, e));
  dtc_nccl_row best = dtci_nccl_best(&job, bytes);
  out->algorithm = best.algorithm;
  out->protocol = best.protocol;
  out->channels = dtci_nccl_channels(&job, best.algorithm, best.protocol, bytes);
  out->seconds = dtci_nccl_time(&best, bytes) * MICROSECOND;
  out->latency = best.latency * MICROSECOND;
  out->bandwidth = best.bandwidth * GB;
  return DTC_OK;
}

dtc_status dtc_nccl_choose(const dtc_nccl *nccl, dtc_collective op, uint64_t bytes, dtc_nccl_choice *out,
                           dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(write_choice(nccl, op, bytes, out, &e), &e, err);
}
