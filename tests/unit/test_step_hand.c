/* A dense step computed by hand from the formulas (doc/formulas/step.md), with the constants of the tables: Llama 2 7B,
 * Megatron, tp 2 with sequence parallelism, dp 4, all on a node of H100; the same with what other settings change. */
#include "step_check.h"

#include "internal/step.h"

enum { H = 4096, F = 11008, A = 32, V = 32000, LAYERS = 32, S = 4096, TP = 2, DP = 4, M = 8 };
#define PLAN "dtcore: model=llama-2-7b megatron tp=2 dp=4 mbs=1 accum=8 seq=4096 sp"
#define T ((double)S)

typedef struct machine {
  step_job j;
  dtc_step_params p;
  const dtci_software_row *s;
  double top; /* bf16 */
} machine;

static machine machine_of(const char *text)
{
  machine g = {.j = step_job_of("dgx-h100", text)};
  DTC_INIT(&g.p);
  assert_int_equal(dtc_step_resolve(&g.j.m, &g.j.c, &g.j.p, NULL, &g.p, NULL), DTC_OK);
  g.s = &dtci_softwares[g.p.software - 1];
  g.top = dtci_step_shared.most * g.j.c.bf16;
  g.top = g.top > g.p.bf16 ? g.top : g.p.bf16;
  return g;
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

static double up(double x)
{
  double whole = (double)(uint64_t)x;
  return whole < x ? whole + 1 : whole;
}

/* Elements of whole waves of tiles, over those of the result: the best of five tiles. */
static double filling(double sms, double m, double n)
{
  static const double tiles[5][3] = {{256, 128, 1}, {128, 256, 1}, {128, 128, 1.1}, {128, 64, 1.3}, {64, 128, 1.3}};
  double best = 1e300;
  for (int i = 0; i < 5; i++) {
    double waves = up(up(m / tiles[i][0]) * up(n / tiles[i][1]) / sms);
    double area = waves * sms * tiles[i][0] * tiles[i][1] * tiles[i][2];
    best = area < best ? area : best;
  }
  return larger(1, best / (m * n));
}

/* A product in bf16; `out` bytes per element of its result. */
static double product(const machine *g, double m, double n, double k, double out)
{
  double flops = 2 * m * n * k;
  double bytes = 2 * (m * k + n * k) + out * m * n;
  double lost = 1 + dtci_step_shared.tile_loss * (filling(g->j.c.sms, m, n) - 1);
  return larger(larger(flops / g->top * lost, flops / g->p.bf16), bytes / g->p.hbm);
}

typedef struct pass {
  double forward;
  double backward;
} pass;

/* Forward, gradient of the input, gradient of the weight: added to an fp32 sum where they are made, or written. */
static pass linear(const machine *g, double m, double n, double k, double sum)
{
  return (pass){product(g, m, n, k, 2), product(g, m, k, n, 2) + product(g, n, k, m, sum)};
}

static pass plus(pass a, pass b)
{
  return (pass){a.forward + b.forward, a.backward + b.backward};
}

static pass layer_products(const machine *g, double sum)
{
  pass qkv = linear(g, T, 3 * H / TP, H, sum);
  pass out = linear(g, T, H, H / TP, sum);
  pass gate_up = linear(g, T, 2 * F / TP, H, sum);
  pass down = linear(g, T, H, F / TP, sum);
  return plus(plus(qkv, out), plus(gate_up, down));
}

/* The causal half of 4 s s d per head, and 2.5 times as much back. */
static pass layer_attention(const machine *g)
{
  double flops = 2 * T * T * H / TP;
  return (pass){flops / (.48 * g->j.c.bf16), 2.5 * flops / (.46 * g->j.c.bf16)}; /* cuDNN's kernel on H100 */
}

/* Two norms and residuals, split by sequence; rotation; SwiGLU. */
static pass layer_moves(const machine *g)
{
  double rows = T / TP;
  double forward = rows * 2 * H * (4 + 6) + T * 3 * H / TP * 4 + T * F / TP * 6;
  double backward = rows * 2 * H * (10 + 6) + T * 3 * H / TP * 4 + T * F / TP * 10;
  return (pass){forward / g->p.hbm, backward / g->p.hbm};
}

static double message(const machine *g, dtc_collective op, double bytes, uint64_t ranks)
{
  dtc_collective_call call;
  dtc_collective_time t;
  DTC_INIT(&call);
  DTC_INIT(&t);
  call.op = op;
  call.bytes = (uint64_t)bytes;
  call.ranks = ranks;
  call.per_node = ranks;
  call.tuned = DTC_BOOL_ON;
  call.in_switch = DTC_BOOL_ON;
  assert_int_equal(dtc_collective_estimate(&g->j.c, &call, &t, NULL), DTC_OK);
  return t.seconds * g->p.communication;
}

/* Attention and MLP gather and scatter; back Megatron gathers once more. */
static pass layer_messages(const machine *g)
{
  double gather = message(g, DTC_COLLECTIVE_ALL_GATHER, T * H * 2, TP);
  double scatter = message(g, DTC_COLLECTIVE_REDUCE_SCATTER, T * H * 2, TP);
  return (pass){2 * (gather + scatter), 2 * (2 * gather + scatter)};
}

/* What a layer waits for its launches: `sum` is how long its kernels take. */
static pass layer_launch(const machine *g, pass sum)
{
  const dtci_step_constants *k = &dtci_step_shared;
  double forward = larger(sum.forward + k->gap[0] + g->s->gap, g->s->host * k->host[0]);
  double backward = larger(sum.backward + k->gap[1] + 2 * g->s->gap, g->s->host * k->host[1]);
  return (pass){forward - sum.forward, backward - sum.backward};
}

static double both(pass p)
{
  return p.forward + p.backward;
}

static double layer_params(void)
{
  return (4.0 * H * H + 3.0 * H * F) / TP + 2 * H;
}

static double rank_params(void)
{
  return LAYERS * layer_params() + 2.0 * V * H / TP + H;
}

/* ---- the step -------------------------------------------------------------------------------- */

static void by_hand(void **state)
{
  (void)state;
  const double near = 1e-9;
  const double times = LAYERS * M;
  machine g = machine_of(PLAN);
  dtc_step s = step_of(&g.j);
  pass dense = layer_products(&g, 8);
  pass attention = layer_attention(&g);
  pass moves = layer_moves(&g);
  pass messages = layer_messages(&g);
  step_near(s.dense, times * both(dense), near);
  step_near(s.attention, times * both(attention), near);
  step_near(s.elementwise, times * both(moves), near);
  step_near(s.tp, times * both(messages), near);
  pass sum = plus(plus(dense, attention), plus(moves, messages));
  step_near(s.launch, times * both(layer_launch(&g, sum)) + g.s->step, near);
  double head = both(linear(&g, T, V / TP, H, 8)) + 2 * T * V / TP * dtci_step_shared.logit / g.p.hbm;
  double embedding = dtci_step_shared.embedding * T * H / g.p.hbm;
  step_near(s.head, M * (head + embedding), near);
  double n = rank_params();
  step_near(s.gradients, message(&g, DTC_COLLECTIVE_REDUCE_SCATTER, 4 * n, DP), near);
  step_near(s.weights, message(&g, DTC_COLLECTIVE_ALL_GATHER, 2 * n, DP), near);
  double states = 2 * 12 * n / DP; /* fp32 weights and Adam's moments, read and written */
  double optimizer = states + dtci_step_shared.whole * n;
  step_near(s.optimizer, optimizer / g.p.hbm, near);
  assert_true(s.experts == 0 && s.recompute == 0 && s.cp == 0 && s.ep == 0 && s.pp == 0 && s.bubble == 0 &&
              s.offload == 0 && s.stragglers == 0);
  assert_true(s.tokens == (uint64_t)S * DP * M && s.gpus == TP * DP);
}

/* Hidden messages, separate sums, everything twice, longer reductions behind a backward. */
static void other_settings(void **state)
{
  (void)state;
  const double near = 1e-9;
  const double times = LAYERS * M;
  machine g = machine_of(PLAN " recompute=full");
  g.j.p.tp_overlap = DTC_BOOL_ON;
  g.j.p.grad_fusion = DTC_BOOL_OFF;
  g.j.p.grad_overlap = DTC_BOOL_ON;
  dtc_step s = step_of(&g.j);
  pass dense = layer_products(&g, 4);
  pass messages = layer_messages(&g);
  double seen = 1 - g.s->tp_hidden;
  messages = (pass){seen * messages.forward, seen * messages.backward};
  pass moves = layer_moves(&g);
  moves.backward += 10 * layer_params() / g.p.hbm;
  pass sum = plus(plus(dense, layer_attention(&g)), plus(moves, messages));
  step_near(s.dense, times * both(dense), near);
  step_near(s.elementwise, times * both(moves) + M * 10.0 * V * H / TP / g.p.hbm, near); /* the head's too */
  step_near(s.tp, times * both(messages), near);
  step_near(s.recompute, times * sum.forward, near);
  sum.backward += sum.forward;
  const dtci_step_constants *k = &dtci_step_shared;
  double gaps[2] = {k->gap[0] + g.s->gap, k->gap[1] + 2 * g.s->gap + k->gap[0] + g.s->gap};
  double hosts[2] = {g.s->host * k->host[0], g.s->host * (k->host[1] + k->host[0])};
  double forward = larger(sum.forward + gaps[0], hosts[0]);
  double backward = larger(sum.backward + gaps[1], hosts[1]);
  step_near(s.launch, times * (forward + backward - both(sum)) + g.s->step, near);
  double reduce = message(&g, DTC_COLLECTIVE_REDUCE_SCATTER, 4 * rank_params(), DP);
  assert_true(LAYERS * backward > reduce); /* so that all which may hide does */
  assert_true(s.gradients == 0);
}

/* Selective recomputation: scores, softmax and values once more; full of some layers. */
static void some_recomputed(void **state)
{
  (void)state;
  machine g = machine_of(PLAN " recompute=selective");
  dtc_step s = step_of(&g.j);
  step_near(s.recompute, LAYERS * M * layer_attention(&g).forward, 1e-9);
  g = machine_of(PLAN " recompute=full");
  dtc_step full = step_of(&g.j);
  g.j.p.recompute_method = DTC_RECOMPUTE_METHOD_BLOCK;
  g.j.p.recompute_layers = 8;
  s = step_of(&g.j);
  step_near(s.recompute, full.recompute / 4, 1e-9);
  g.j.p.recompute_method = DTC_RECOMPUTE_METHOD_UNIFORM;
  step_near(step_of(&g.j).recompute, full.recompute, 1e-9);
}

/* Unfused attention: two batches of products, softmax in memory. */
static void eager(void **state)
{
  (void)state;
  machine g = machine_of("dtcore: model=llama-2-7b pytorch sharding=ddp mbs=2 accum=1 seq=1024 attention=eager");
  dtc_step s = step_of(&g.j);
  double flops = 2.0 * 1024 * 1024 * 128;
  double at_least = LAYERS * 3 * 2 * 2 * A * flops / g.j.c.bf16;
  double softmax = LAYERS * 2.0 * A * 1024 * 1024 * (4 + 6) / g.p.hbm;
  assert_true(s.attention > at_least + softmax && s.attention < 20 * at_least + softmax);
  g.j.p.attention = DTC_ATTENTION_FLASH;
  assert_true(step_of(&g.j).attention < s.attention / 2);
}

/* Packed sequences attend to their own tokens, a window to its own. */
static void shorter_attention(void **state)
{
  (void)state;
  machine g = machine_of("dtcore: model=mistral-7b-v0.1 megatron mbs=1 accum=1 seq=8192");
  g.j.m.window = 0;
  double whole = step_of(&g.j).attention;
  g.j.p.packed = 2048;
  step_near(step_of(&g.j).attention, whole / 4, 1e-9);
  g.j.m.window = 4096; /* wider than any sequence */
  step_near(step_of(&g.j).attention, whole / 4, 1e-9);
  g.j.p.packed = 0;
  step_near(step_of(&g.j).attention, whole * (1 - .25), 1e-9); /* a triangle of half the side is missing */
  g.j.m.window = 2048;
  step_near(step_of(&g.j).attention, whole * (1 - 9. / 16), 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand), cmocka_unit_test(other_settings),    cmocka_unit_test(some_recomputed),
      cmocka_unit_test(eager),   cmocka_unit_test(shorter_attention),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
