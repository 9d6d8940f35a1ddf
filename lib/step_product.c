/* Times of matrix products and of attention on a GPU. */
#include "internal/step.h"

enum { TILES = 5, ALIGNED = 8 };

/* Tiles that libraries cut a result into, as powers of 2, and what an element of it costs beside the largest. */
static const struct {
  uint8_t rows;
  uint8_t columns;
  uint16_t cost; /* tenths */
} tiles[TILES] = {{8, 7, 10}, {7, 8, 10}, {7, 7, 11}, {7, 6, 13}, {6, 7, 13}};

static uint64_t count_tiles(uint64_t n, uint8_t size)
{
  return (n >> size) + ((n & ((UINT64_C(1) << size) - 1)) != 0);
}

/* Elements of the waves of the best tile over elements of the result. */
static double filled(double sms, uint64_t m, uint64_t n, double batch)
{
  double best = 0;
  for (int i = 0; i < TILES; i++) {
    double count = batch * (double)count_tiles(m, tiles[i].rows) * (double)count_tiles(n, tiles[i].columns);
    double waves = count / sms;
    double whole = waves < 4503599627370496.0 ? (double)(uint64_t)waves : waves;
    whole += whole < waves;
    double area = whole * sms * (double)(UINT64_C(1) << (tiles[i].rows + tiles[i].columns)) * tiles[i].cost / 10;
    best = i == 0 || area < best ? area : best;
  }
  double ratio = best / ((double)m * (double)n * batch);
  return ratio > 1 ? ratio : 1;
}

double dtci_gemm_flops(const dtci_gemm *p)
{
  return 2 * (double)p->m * (double)p->n * (double)p->k * p->batch;
}

double dtci_gemm_bytes(const dtci_gemm *p, uint32_t in)
{
  static const double operand[DTCI_RATES] = {4, 2, 1, 1};
  double read = operand[in] * ((double)p->m + (double)p->n) * (double)p->k;
  return p->batch * (read + p->out * (double)p->m * (double)p->n);
}

double dtci_product_time(const dtci_step_machine *g, uint32_t in, const dtci_gemm *p)
{
  double top = g->top[in];
  if (p->batch > 1 && (p->m % ALIGNED != 0 || p->n % ALIGNED != 0 || p->k % ALIGNED != 0))
    top *= dtci_step_shared.unaligned;
  double flops = dtci_gemm_flops(p);
  double lost = 1 + dtci_step_shared.tile_loss * (filled(g->sms, p->m, p->n, p->batch) - 1);
  double compute = flops / top * lost;
  double power = flops / g->rate[in];
  double move = dtci_gemm_bytes(p, in) / g->hbm;
  compute = compute > power ? compute : power;
  return compute > move ? compute : move;
}
