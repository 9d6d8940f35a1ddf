/* Which framework suits a job: the best plan of each, weighed by a table. */
#include "internal/advise.h"
#include "internal/cluster.h"
#include "internal/model.h"
#include "internal/plan.h"

enum { PP_MOST = 64, MICRO_BATCH_MOST = 8, CP_FROM = 16384, BATCH_TOKENS = 4 << 20, PLANS_MOST = 1 << 28 };

#define HAS(reason) (UINT64_C(1) << DTC_REASON_##reason)

/* A question, resolved, and what is the same for all variants. */
typedef struct job {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan given;
  dtc_plan work; /* of the given plan what is not a way to split it */
  dtc_wishes wishes;
  uint64_t *scratch;
  size_t n_scratch;
} job;

/* ---- the question ---------------------------------------------------------------------------- */

/* About 4 * 2^20 tokens, a multiple of the GPUs. */
static uint64_t usual_batch(const dtc_cluster *c, uint64_t seq)
{
  uint64_t gpus = c->nodes * c->gpus_per_node;
  return gpus * dtci_larger(1, BATCH_TOKENS / seq / gpus);
}

/* What one framework has alone. */
static void clear_framework(dtc_plan *p)
{
  p->framework = DTC_FRAMEWORK_DEFAULT;
  p->framework_version = 0;
  p->p2p_overlap = p->moe_overlap = p->param_overlap = DTC_BOOL_DEFAULT;
  p->transformer_engine = p->grad_fusion = p->attention_mask = p->defer_wgrad = DTC_BOOL_DEFAULT;
  p->softmax_fp32 = p->router_fp32 = p->activation_fusion = p->whole_tensors = DTC_BOOL_DEFAULT;
  p->cuda_graph = DTC_CUDA_GRAPH_DEFAULT;
  p->live = p->persistence = 0;
}

static void clear_split(dtc_plan *p)
{
  p->tp = p->cp = p->ep = p->etp = p->dp = p->dp_shard = p->pp = p->vpp = 0;
  p->sharding = DTC_SHARDING_DEFAULT;
  p->sequence_parallel = DTC_BOOL_DEFAULT;
  p->schedule = DTC_SCHEDULE_DEFAULT;
  p->group = p->first_layers = p->last_layers = 0;
  p->account_embedding = p->account_loss = DTC_BOOL_DEFAULT;
  p->micro_batch = p->accumulation = 0;
  p->offload = DTC_OFFLOAD_DEFAULT;
}

/* The given plan without what is looked for. */
static dtc_plan work_of(const dtc_plan *p)
{
  dtc_plan work = *p;
  clear_framework(&work);
  clear_split(&work);
  dtci_plan_clear_recompute(&work);
  return work;
}

static dtc_status read_job(job *j, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           const dtc_wishes *wishes, dtc_error *e)
{
  memset(j, 0, sizeof *j);
  TRY(dtci_model_in(model, &j->model, e));
  TRY(dtci_cluster_in(cluster, &j->cluster, e));
  j->given.struct_size = sizeof j->given;
  if (plan != NULL)
    TRY(dtci_in(&j->given, DTC_STRUCT_plan, plan, e));
  if (wishes != NULL)
    TRY(dtci_in(&j->wishes, DTC_STRUCT_wishes, wishes, e));
  if (j->cluster.nodes == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SEARCH_GPUS, DTC_FIELD(cluster, nodes), 0);
  j->work = work_of(&j->given);
  dtci_default(&j->work.seq, dtci_default_seq(&j->model));
  dtci_default(&j->work.global_batch, usual_batch(&j->cluster, j->work.seq));
  return dtci_check_range(e, DTC_FIELD(plan, global_batch), j->work.global_batch, 1, UINT64_C(1) << 40);
}

/* Makes a space that is too large smaller; 0: there is nothing left to do. */
static int tighten(uint32_t step, dtc_plan *plan, dtc_space *space)
{
  switch (step) {
  case 0:
    space->vpp_most = 4;
    return 1;
  case 1:
    plan->etp = 1;
    return 1;
  case 2:
    space->pp_most = PP_MOST / 4;
    return 1;
  default:
    return 0;
  }
}

/* What is searched for a variant, and how many plans that are; 0: too many, or none. */
static uint64_t space_of(const job *j, const dtci_variant *v, dtc_offload offload, dtc_plan *plan, dtc_space *space)
{
  uint64_t size = 0;
  *plan = j->work;
  *space = (dtc_space){.struct_size = sizeof *space,
                       .pp_most = PP_MOST,
                       .micro_batch_most = MICRO_BATCH_MOST,
                       .cp_most = j->work.seq > CP_FROM ? 0 : 1,
                       .keep = 1,
                       .shardings = v->shardings,
                       .offloads = offload != DTC_OFFLOAD_DEFAULT ? v->offloads : 0};
  plan->framework = v->framework;
  if (!v->splits)
    plan->tp = plan->cp = plan->ep = plan->etp = plan->pp = plan->vpp = 1;
  for (uint32_t step = 0; dtc_search_size(&j->model, &j->cluster, plan, space, &size, NULL) == DTC_OK; step++) {
    if (size <= PLANS_MOST)
      return size;
    if (!tighten(step, plan, space))
      return 0;
  }
  return 0;
}

/* ---- one variant ----------------------------------------------------------------------------- */

/* Has it a plan that fits, with so much offloaded? */
static uint64_t search(const job *j, const dtci_variant *v, dtc_offload offload, dtc_advice *a)
{
  dtc_plan plan;
  dtc_space space;
  dtc_found best;
  dtc_search out = {.struct_size = sizeof out};
  size_t count = 0;
  uint64_t size = space_of(j, v, offload, &plan, &space);
  if (size == 0 || dtc_search_run(&j->model, &j->cluster, &plan, &space, NULL, 0, size, &best, 1, &count, &out,
                                  j->scratch, j->n_scratch, NULL) != DTC_OK)
    return HAS(NO_PLAN);
  a->offload = offload;
  if (count == 0) {
    a->index = out.least_index;
    a->device = out.least;
    return out.over != 0 && out.least != 0 ? HAS(NO_FIT) : HAS(NO_PLAN);
  }
  a->index = best.index;
  a->seconds = best.seconds;
  a->device = best.device;
  a->gpus = best.gpus;
  return 0;
}

static dtc_status plan_at(const job *j, const dtci_variant *v, const dtc_advice *a, dtc_plan *out, dtc_error *e)
{
  dtc_plan plan;
  dtc_space space;
  dtc_error unused;
  if (space_of(j, v, a->offload, &plan, &space) == 0)
    return dtci_fail(e != NULL ? e : &unused, DTC_E_UNSUPPORTED, DTC_RULE_ADVISE_KNOWN, DTC_FIELD(advice, framework),
                     v->framework);
  return dtc_search_plan(&j->model, &j->cluster, &plan, &space, a->index, out, e);
}

static dtc_offload most_of(uint32_t offloads)
{
  dtc_offload most = DTC_OFFLOAD_DEFAULT;
  for (dtc_offload o = DTC_OFFLOAD_OPTIMIZER; o <= DTC_OFFLOAD_NVME; o++)
    most = offloads >> o & 1 ? o : most;
  return most;
}

/* Bytes of a node's host memory. */
static uint64_t host_of(const job *j, const dtc_plan *plan)
{
  dtc_memory m = {.struct_size = sizeof m};
  return dtc_memory_estimate(&j->model, &j->cluster, plan, NULL, 0, &m, NULL) == DTC_OK ? m.host_node : 0;
}

/* The best plan of a variant; with offloading where nothing fits without, and a node's host memory holds it. */
static void find_plan(const job *j, const dtci_variant *v, dtc_advice *a)
{
  dtc_plan plan = {.struct_size = sizeof plan};
  dtc_advice more = *a;
  a->reasons |= search(j, v, DTC_OFFLOAD_DEFAULT, a);
  if ((a->reasons & HAS(NO_FIT)) && v->offloads != 0 && search(j, v, most_of(v->offloads), &more) == 0 &&
      plan_at(j, v, &more, &plan, NULL) == DTC_OK) {
    more.host = host_of(j, &plan);
    if (j->cluster.host_memory == 0 || more.host <= j->cluster.host_memory) {
      *a = more;
      a->reasons |= HAS(OFFLOADS);
    }
  }
  if (!(a->reasons & HAS(NO_PLAN)))
    a->fits = a->reasons & HAS(NO_FIT) ? DTC_BOOL_OFF : DTC_BOOL_ON;
}

/* ---- reasons --------------------------------------------------------------------------------- */

static uint64_t vendor_reasons(const job *j, const dtc_traits *t)
{
  dtc_vendor vendor = j->wishes.vendor != DTC_VENDOR_DEFAULT ? j->wishes.vendor : j->cluster.vendor;
  dtc_level level = vendor == DTC_VENDOR_AMD ? t->amd : vendor == DTC_VENDOR_HUAWEI ? t->ascend : DTC_LEVEL_DEFAULT;
  return dtci_on(level == DTC_LEVEL_YES, HAS(VENDOR)) | dtci_on(level == DTC_LEVEL_PARTLY, HAS(FORK)) |
         dtci_on(level == DTC_LEVEL_NO, HAS(NO_VENDOR));
}

static uint64_t precision_reasons(const job *j, const dtc_traits *t)
{
  dtc_precision p = j->work.precision;
  dtc_level level = p == DTC_PRECISION_FP8 ? t->fp8 : p == DTC_PRECISION_FP4 ? t->fp4 : DTC_LEVEL_DEFAULT;
  return dtci_on(level >= DTC_LEVEL_PARTLY, HAS(PRECISION)) | dtci_on(level == DTC_LEVEL_NO, HAS(NO_PRECISION));
}

/* How much more than is wished; 0 wishes are none. */
static uint64_t beyond(uint32_t has, uint32_t wish)
{
  return wish != 0 ? dtci_less(has, wish) : 0;
}

/* What follows from traits and wishes alone. */
static uint64_t traits_reasons(const job *j, const dtc_traits *t)
{
  const dtc_wishes *w = &j->wishes;
  uint64_t r = vendor_reasons(j, t) | precision_reasons(j, t);
  r |= dtci_on(t->code == DTC_CODE_CHANGE_FILE, HAS(NO_CODE)) | dtci_on(t->work == DTC_EFFORT_LITTLE, HAS(LITTLE_WORK));
  r |= dtci_on(t->one_file == DTC_LEVEL_YES, HAS(ONE_FILE));
  r |= dtci_on(w->hidden == DTC_BOOL_ON && t->one_file != DTC_LEVEL_YES, HAS(FILES));
  r |= dtci_on(t->upkeep == DTC_UPKEEP_STALLED, HAS(STALLED));
  r |= dtci_on(beyond(t->code, w->code) != 0, HAS(CODE)) | dtci_on(beyond(t->work, w->work) != 0, HAS(WORK));
  return r | dtci_on(w->framework != DTC_FRAMEWORK_DEFAULT, w->framework == t->framework ? HAS(IN_USE) : HAS(SWITCH));
}

/* DeepSpeed splits experts too; the plans of variants without degrees do not. */
static uint64_t plan_reasons(const job *j, const dtci_variant *v, const dtc_advice *a)
{
  const dtc_traits *t = &dtci_traits[v->traits].traits;
  int whole = v->sharding == DTC_SHARDING_DDP && a->fits == DTC_BOOL_ON;
  int split = v->splits && t->ep == DTC_LEVEL_YES;
  return traits_reasons(j, t) | dtci_on(whole, HAS(WHOLE)) |
         dtci_on(j->model.experts > 0, split ? HAS(EXPERTS) : HAS(NO_EXPERTS));
}

/* Of those that fit and run; 0 when none does. */
static double shortest(const dtc_advice *a, size_t n)
{
  double least = 0;
  for (size_t i = 0; i < n; i++)
    if (a[i].fits == DTC_BOOL_ON && !(a[i].reasons & HAS(NO_VENDOR)) && (least == 0 || a[i].seconds < least))
      least = a[i].seconds;
  return least;
}

static uint64_t speed_reasons(const dtc_advice *a, double least)
{
  if (a->fits != DTC_BOOL_ON || least == 0 || (a->reasons & HAS(NO_VENDOR)))
    return 0;
  return dtci_on(a->seconds <= least, HAS(FASTEST)) |
         dtci_on(a->seconds > least && a->seconds <= 1.1 * least, HAS(NEAR)) |
         dtci_on(a->seconds >= 1.25 * least, HAS(SLOWER));
}

/* ---- the score ------------------------------------------------------------------------------- */

static double score_of(const job *j, const dtc_traits *t, const dtc_advice *a, double least)
{
  const dtc_wishes *w = &j->wishes;
  const dtci_score_row *s = &dtci_scores[w->goal];
  double code = w->code == DTC_CODE_CHANGE_DEFAULT ? s->code : 0; /* what is wished for costs nothing */
  double work = w->work == DTC_EFFORT_DEFAULT ? s->work : 0;
  double beyonds = (double)(beyond(t->code, w->code) + beyond(t->work, w->work));
  double score = a->fits == DTC_BOOL_ON && least > 0 ? s->speed * (least / a->seconds) : 0;
  score -= code * (double)(t->code - DTC_CODE_CHANGE_FILE) + work * (double)(t->work - DTC_EFFORT_LITTLE);
  score -= s->beyond * beyonds;
  for (uint32_t i = 0; i < dtci_reasons_count; i++)
    if (a->reasons >> dtci_reasons[i].reason & 1)
      score += dtci_reasons[i].weight[w->goal];
  return score;
}

/* The best first; equal ones stay in the table's order. */
static void sort(dtc_advice *a, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    dtc_advice one = a[i];
    size_t k = i;
    for (; k > 0 && a[k - 1].score < one.score; k--)
      a[k] = a[k - 1];
    a[k] = one;
  }
}

/* Memory and time of the plan as it was given, when it says how it is split. */
static void note_now(const job *j, dtc_advice *all, size_t n)
{
  dtc_memory m = {.struct_size = sizeof m};
  dtc_step s = {.struct_size = sizeof s};
  if (j->given.framework == DTC_FRAMEWORK_DEFAULT && j->given.sharding == DTC_SHARDING_DEFAULT)
    return;
  int held = dtc_memory_estimate(&j->model, &j->cluster, &j->given, NULL, 0, &m, NULL) == DTC_OK;
  int timed = dtc_step_estimate(&j->model, &j->cluster, &j->given, NULL, 0, NULL, &s, NULL) == DTC_OK;
  for (size_t i = 0; i < n; i++) {
    all[i].device_now = held ? m.device : 0;
    all[i].host_now = held ? m.host_node : 0;
    all[i].seconds_now = timed ? s.seconds : 0;
  }
}

static void weigh(const job *j, dtc_advice all[DTCI_VARIANTS])
{
  size_t n = dtci_variants_count;
  for (size_t i = 0; i < n; i++) {
    const dtci_variant *v = &dtci_variants[i];
    all[i] = (dtc_advice){.framework = v->framework, .sharding = v->sharding};
    find_plan(j, v, &all[i]);
    all[i].reasons |= plan_reasons(j, v, &all[i]);
  }
  double least = shortest(all, n);
  for (size_t i = 0; i < n; i++) {
    all[i].reasons |= speed_reasons(&all[i], least);
    all[i].score = score_of(j, &dtci_traits[dtci_variants[i].traits].traits, &all[i], least);
  }
  note_now(j, all, n);
  sort(all, n);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static dtc_status advise(job *j, dtc_advice *advice, size_t cap, size_t *count, dtc_error *e)
{
  dtc_advice all[DTCI_VARIANTS];
  if (cap < dtci_variants_count) {
    *count = dtci_variants_count;
    return dtci_fail_space(e, cap, dtci_variants_count);
  }
  weigh(j, all);
  memcpy(advice, all, dtci_variants_count * sizeof *advice);
  *count = dtci_variants_count;
  return DTC_OK;
}

dtc_status dtc_framework_advise_scratch(uint64_t *needed, dtc_error *err)
{
  return dtc_search_scratch(needed, err);
}

dtc_status dtc_framework_advise(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                const dtc_wishes *wishes, dtc_advice *advice, size_t cap, size_t *count,
                                uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  job j;
  uint64_t needed = 0;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtc_search_scratch(&needed, NULL);
  status = status != DTC_OK ? status : dtci_scratch_in(scratch, n_scratch, needed, &e);
  status = status != DTC_OK ? status : read_job(&j, model, cluster, plan, wishes, &e);
  if (status == DTC_OK) {
    j.scratch = scratch;
    j.n_scratch = n_scratch;
    status = advise(&j, advice, cap, count, &e);
  }
  return dtci_end(status, &e, err);
}

static const dtci_variant *variant_of(const dtc_advice *one)
{
  for (uint32_t i = 0; i < dtci_variants_count; i++)
    if (dtci_variants[i].framework == one->framework && dtci_variants[i].sharding == one->sharding)
      return &dtci_variants[i];
  return NULL;
}

static dtc_status plan_of(const job *j, const dtc_advice *one, dtc_plan *out, dtc_error *e)
{
  if (one == NULL)
    return dtci_fail(e, DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, DTC_FIELD(advice, framework), 0);
  TRY(dtci_ranges(one, DTC_STRUCT_advice, e));
  const dtci_variant *v = variant_of(one);
  if (v == NULL)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_ADVISE_KNOWN, DTC_FIELD(advice, sharding), one->sharding);
  if (one->reasons & HAS(NO_PLAN))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_ADVISE_KNOWN, DTC_FIELD(advice, framework), one->framework);
  return plan_at(j, v, one, out, e);
}

dtc_status dtc_framework_advise_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                     const dtc_advice *one, dtc_plan *out, dtc_error *err)
{
  dtc_error e;
  job j;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = read_job(&j, model, cluster, plan, NULL, &e);
  return dtci_end(status != DTC_OK ? status : plan_of(&j, one, out, &e), &e, err);
}
