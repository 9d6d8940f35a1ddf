/* A GPU and a software: which constants a case has, and what its user measured instead. */
#include "internal/collective.h"
#include "internal/step.h"

enum { NARROW = 96 }; /* heads below are narrow */

static double peak_of(const dtc_cluster *c, uint32_t in)
{
  const double peaks[DTCI_RATES] = {c->fp32, c->bf16 > 0 ? c->bf16 : c->fp16, c->fp8, c->fp4};
  return peaks[in];
}

/* The power limit bounds what products sustain. */
static double sustained(const dtc_cluster *c, const dtci_step_gpu_row *g, uint32_t in)
{
  double watts = c->power > 0 ? c->power : g->power;
  double by_peak = dtci_step_shared.most * peak_of(c, in);
  double by_power = watts * g->per_joule[in];
  return g->per_joule[in] > 0 && by_power < by_peak ? by_power : by_peak;
}

uint32_t dtci_step_type(const dtc_plan *p)
{
  switch (p->precision) {
  case DTC_PRECISION_FP32:
    return DTCI_IN_FP32;
  case DTC_PRECISION_FP8:
    return DTCI_IN_FP8;
  case DTC_PRECISION_FP4:
    return DTCI_IN_FP4;
  default:
    return DTCI_IN_16;
  }
}

static const dtci_step_gpu_row *gpu_of(const dtc_cluster *c)
{
  dtc_vendor vendor = c->vendor == DTC_VENDOR_DEFAULT ? DTC_VENDOR_NVIDIA : c->vendor;
  uint32_t compute = c->compute != 0 ? c->compute : 90; /* one that says nothing counts as Hopper */
  for (uint32_t i = 0; i + 1 < dtci_step_gpus_count; i++)
    if (dtci_step_gpus[i].vendor == vendor && (compute >= dtci_step_gpus[i].compute || vendor != DTC_VENDOR_NVIDIA))
      return &dtci_step_gpus[i];
  return &dtci_step_gpus[dtci_step_gpus_count - 1];
}

/* The first row of the plan's framework. */
static const dtci_software_row *software_of(const dtc_plan *p)
{
  for (uint32_t i = 0; i < dtci_softwares_count; i++) {
    if (dtci_softwares[i].frameworks >> p->framework & 1)
      return &dtci_softwares[i];
  }
  return &dtci_softwares[0];
}

static dtc_confidence trust(const dtc_cluster *c, const dtci_step_gpu_row *gpu, const dtci_software_row *software)
{
  uint32_t row = (uint32_t)(gpu - dtci_step_gpus);
  if (row + 1 == dtci_step_gpus_count || c->vendor == DTC_VENDOR_DEFAULT)
    return DTC_CONFIDENCE_EXTRAPOLATED;
  if (software->measured >> row & 1)
    return DTC_CONFIDENCE_MEASURED;
  return software->measured != 0 ? DTC_CONFIDENCE_RELATIVE : DTC_CONFIDENCE_EXTRAPOLATED;
}

/* Fills what is 0 with the catalogue's. */
static void fill(const dtci_case *c, const dtci_step_gpu_row *g, const dtci_software_row *software, dtc_step_params *p)
{
  const dtc_cluster *cluster = &c->cluster;
  double *rates[DTCI_RATES] = {&p->fp32, &p->bf16, &p->fp8, &p->fp4};
  for (uint32_t in = 0; in < DTCI_RATES; in++)
    if (!(*rates[in] > 0))
      *rates[in] = sustained(cluster, g, in);
  if (!(p->hbm > 0))
    p->hbm = dtci_step_shared.hbm * cluster->hbm_bandwidth;
  if (!(p->attention > 0))
    p->attention = 1;
  if (!(p->communication > 0))
    p->communication = software->communication;
  if (!(p->host > 0))
    p->host = 1;
}

/* FLOP/s of fused attention. */
static void set_flash(const dtci_case *c, dtci_step_machine *m)
{
  const dtci_flash_row *row = &m->gpu->flash[c->plan.flash_version];
  uint64_t width = c->model.kv_rank != 0 ? c->model.v_dim : c->model.head_dim;
  double rate = peak_of(&c->cluster, DTCI_IN_16) * (width < NARROW ? row->narrow : 1);
  m->flash[DTCI_FORWARD] = rate * row->forward;
  m->flash[DTCI_BACKWARD] = rate * row->backward;
}

/* What the plan needs of the cluster. */
static dtc_status known(const dtci_case *c, const dtc_step_params *p, uint32_t in, dtc_error *e)
{
  static const uint32_t peaks[DTCI_RATES] = {DTC_FIELD(cluster, fp32), DTC_FIELD(cluster, bf16),
                                             DTC_FIELD(cluster, fp8), DTC_FIELD(cluster, fp4)};
  const double rates[DTCI_RATES] = {p->fp32, p->bf16, p->fp8, p->fp4};
  if (!c->has_cluster || !(rates[in] >= 1))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, peaks[in], 0);
  if (!(p->bf16 >= 1) && in != DTCI_IN_FP32)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, peaks[DTCI_IN_16], 0);
  if (!(p->hbm >= 1))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_MEMORY, DTC_FIELD(cluster, hbm_bandwidth), 0);
  if (!dtci_is_unfused(&c->plan) && !(peak_of(&c->cluster, DTCI_IN_16) >= 1))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, peaks[DTCI_IN_16], 0);
  return dtci_messages_known(c, e);
}

dtc_status dtci_step_machine_of(const dtci_case *c, const dtc_step_params *user, dtci_step_machine *out,
                                dtc_step_params *filled, dtc_error *e)
{
  *filled = (dtc_step_params){.struct_size = sizeof *filled};
  if (user != NULL)
    TRY(dtci_in(filled, DTC_STRUCT_step_params, user, e));
  if (filled->software > dtci_softwares_count)
    return dtci_fail_range(e, DTC_FIELD(step_params, software), filled->software, 0, dtci_softwares_count);
  const dtci_step_gpu_row *gpu = gpu_of(&c->cluster);
  const dtci_software_row *software =
      filled->software != 0 ? &dtci_softwares[filled->software - 1] : software_of(&c->plan);
  filled->software = (uint32_t)(software - dtci_softwares) + 1;
  fill(c, gpu, software, filled);
  TRY(known(c, filled, dtci_step_type(&c->plan), e));
  double ports = c->cluster.nic_bandwidth * (double)c->cluster.nics_per_node * dtci_collective.nic_payload;
  double link = dtci_is_rate(c->cluster.nvlink_bandwidth) ? c->cluster.nvlink_bandwidth : c->cluster.pcie_bandwidth;
  *out = (dtci_step_machine){
      .gpu = gpu,
      .software = software,
      .rate = {filled->fp32, filled->bf16, filled->fp8, filled->fp4},
      .attention = filled->attention,
      .hbm = filled->hbm,
      .sms = c->cluster.sms != 0 ? c->cluster.sms : gpu->sms,
      .communication = filled->communication,
      .host = filled->host,
      .exchange = link * dtci_step_shared.exchange_rate,
      .port = ports / (double)c->cluster.gpus_per_node,
      .domain = dtci_domain(&c->cluster),
      .confidence = trust(&c->cluster, gpu, software),
  };
  for (uint32_t in = 0; in < DTCI_RATES; in++) {
    double top = dtci_step_shared.most * peak_of(&c->cluster, in);
    out->top[in] = top > out->rate[in] ? top : out->rate[in];
  }
  set_flash(c, out);
  return DTC_OK;
}
