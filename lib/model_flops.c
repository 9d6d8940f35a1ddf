/* Training FLOPs per token by the conventions of those who publish them. A convention is a row of a table: which layers it
 * counts, and how often a product of the layers, the scores and the head are done. */
#include "internal/model.h"

/* Whose layers a convention counts. */
enum {
  LAYERS_OWN,    /* the model's */
  LAYERS_GPT,    /* of a GPT whose MLP is plain and 4 h wide: 12 h^2 */
  LAYERS_BRIDGE, /* the model's and those of MTP modules, without routers; windows count */
  LAYERS_PLAIN,  /* the same with gates and windows left out */
};

typedef struct convention_row {
  uint8_t layers_of; /* LAYERS_* */
  uint8_t layers;    /* how often: FLOPs per matrix parameter */
  uint8_t scores;    /* per L H s */
  uint8_t head;      /* per parameter of the output head, tied or not */
  uint8_t others;    /* per parameter outside the layers' matrices: embeddings, head, norms, biases */
  uint8_t embedding; /* per parameter of the input embedding, taken off again */
  uint8_t hfu;       /* 1: with recomputation */
} convention_row;

/* clang-format off */
static const convention_row conventions[] = {
    [DTC_FLOPS_DEFAULT]         = {LAYERS_OWN,    6,  6, 6, 0, 0, 0},
    [DTC_FLOPS_MEGATRON]        = {LAYERS_OWN,    6,  6, 6, 0, 0, 0},
    [DTC_FLOPS_MEGATRON_FULL]   = {LAYERS_OWN,    6, 12, 6, 0, 0, 0},
    [DTC_FLOPS_MEGATRON_HFU]    = {LAYERS_OWN,    8,  8, 6, 0, 0, 1},
    [DTC_FLOPS_PALM]            = {LAYERS_OWN,    6, 12, 0, 6, 0, 0},
    [DTC_FLOPS_PALM_HFU]        = {LAYERS_OWN,    8, 16, 0, 8, 0, 1},
    [DTC_FLOPS_TORCHTITAN]      = {LAYERS_OWN,    6, 12, 0, 6, 6, 0},
    [DTC_FLOPS_SIX_N]           = {LAYERS_OWN,    6,  0, 6, 0, 0, 0},
    [DTC_FLOPS_NARAYANAN_HFU]   = {LAYERS_GPT,    8, 16, 6, 0, 0, 1},
    [DTC_FLOPS_KORTHIKANTI]     = {LAYERS_GPT,    6, 12, 6, 0, 0, 0},
    [DTC_FLOPS_KORTHIKANTI_HFU] = {LAYERS_GPT,    6, 24, 6, 0, 0, 1},
    [DTC_FLOPS_BIGSCIENCE_HFU]  = {LAYERS_GPT,    8,  0, 0, 0, 0, 1},
    [DTC_FLOPS_BRIDGE]          = {LAYERS_BRIDGE, 6,  6, 6, 0, 0, 0},
    [DTC_FLOPS_BRIDGE_PLAIN]    = {LAYERS_PLAIN,  6,  6, 6, 0, 0, 0},
    [DTC_FLOPS_FOUR_N]          = {LAYERS_OWN,    4,  0, 4, 0, 0, 0},
};
/* clang-format on */
enum { CONVENTIONS = sizeof conventions / sizeof conventions[0] };

uint64_t dtci_products_sum(const dtci_products *p, int *bad)
{
  uint64_t n = dtci_add(dtci_add(p->attention, p->mlp, bad), dtci_add(p->router, p->shared, bad), bad);
  return dtci_add(n, p->experts, bad);
}

/* What is counted, before it is known how often. */
typedef struct counts {
  double layers; /* matrix parameters of the layers that a token passes through */
  double scores; /* L H s */
  double head;
} counts;

/* H of a layer: heads * (qk + v head size) / 2. */
static double width_of_scores(const dtc_model *m)
{
  double v = m->kv_rank != 0 ? (double)m->v_dim : (double)m->head_dim;
  return (double)m->heads * ((double)m->head_dim + v) / 2;
}

/* Twice the mean number of tokens that a token attends to: of all before it s, in a window W its W (W + 1) / 2 in the
 * first W tokens and W in each other one. */
static double attended(double window, double s)
{
  return window > 0 && window < s ? 2 * window - window * (window - 1) / s : s;
}

/* Of a model with MTP modules, each of which has one more layer of the last one's kind, a 2h x h projection, three norms
 * and the head once more. */
static void count_bridge(const dtc_model *m, const dtc_params *p, const dtci_products *all, int gates, counts *c)
{
  double gated = gates || m->gated != DTC_BOOL_ON ? 1 : 2.0 / 3;
  double mlp = (double)all->mlp * gated;
  double moe = ((double)all->shared + (double)all->experts) * gated;
  double attention = (double)all->attention / (double)m->layers;
  double last = dtci_is_moe(m, m->layers - 1) ? moe / (double)p->moe_count : mlp / (double)p->dense_count;
  double h = (double)m->hidden;
  double mtp = (double)m->mtp_layers;
  double s = c->scores;
  uint64_t whole = m->window_every != 0 ? m->layers / m->window_every : 0;
  double slide = gates && m->window != 0 ? (double)(m->layers - whole) : 0;
  c->layers = (double)all->attention + mlp + moe + mtp * (attention + last + 2 * h * h + 3 * h);
  c->scores = width_of_scores(m) * (((double)m->layers - slide + mtp) * s + slide * attended((double)m->window, s));
  c->head *= 1 + mtp;
}

/* `scores` is the sequence length when it comes in. */
static void count(const dtc_model *m, const dtc_params *p, const dtci_products *all, uint32_t layers_of, counts *c,
                  int *bad)
{
  double l = (double)m->layers;
  double h = (double)m->hidden;
  if (layers_of == LAYERS_BRIDGE || layers_of == LAYERS_PLAIN) {
    count_bridge(m, p, all, layers_of == LAYERS_BRIDGE, c);
  } else if (layers_of == LAYERS_GPT) {
    c->layers = 12 * l * h * h;
    c->scores *= l * h;
  } else {
    c->layers = (double)dtci_products_sum(all, bad);
    c->scores *= l * width_of_scores(m);
  }
}

dtc_status dtci_model_flops(const dtc_model *m, uint64_t seq, dtc_flops_convention convention, dtci_flops *out,
                            dtc_error *e)
{
  dtc_params p;
  dtci_products all;
  counts c = {.scores = (double)seq, .head = (double)m->vocab * (double)m->hidden};
  int bad = 0;
  TRY(dtci_check_range(e, DTCI_ARG(SEQ), seq, 1, (uint64_t)1 << 32));
  TRY(dtci_model_plain(m, e));
  if (m->arch == DTC_ARCH_BERT) /* no causal mask, and more products in its head */
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_MODEL_LAYERS, DTC_FIELD(model, arch), m->arch);
  TRY(dtci_model_count(m, &p, e));
  TRY(dtci_check_range(e, DTCI_ARG(CONVENTION), convention, 0, CONVENTIONS - 1));
  const convention_row *row = &conventions[convention];
  dtci_model_products(m, &p, &all, &bad);
  count(m, &p, &all, row->layers_of, &c, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(model, layers), m->layers);
  double others = (double)p.active - c.layers;
  *out = (dtci_flops){.layers = row->layers * c.layers,
                      .scores = row->scores * c.scores,
                      .others = row->head * c.head + row->others * others - row->embedding * (double)p.embedding,
                      .forward = 2 * c.layers,
                      .hfu = row->hfu};
  return DTC_OK;
}

dtc_status dtc_model_flops(const dtc_model *model, uint64_t seq, dtc_flops_convention convention, double *flops,
                           dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  dtci_flops f = {0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  s = s != DTC_OK ? s : dtci_model_flops(&m, seq, convention, &f, &e);
  if (s == DTC_OK)
    *flops = f.layers + f.scores + f.others;
  return dtci_end(s, &e, err);
}
