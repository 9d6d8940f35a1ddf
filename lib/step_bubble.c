/* How long a pipeline fills and drains, in closed form. */
#include "internal/step.h"

enum { FORMS = 3 };

/* The largest of some sums of forwards, backwards for the input and backwards for the weights of a chunk, times the other
 * ranks: to the end of the last rank's work, for which the norm of gradients waits. The sums are those that
 * dtc_pipe_simulate() finds in the frameworks' own orders where all stages are alike; tests/unit/test_step_pipeline.c has
 * how far off they are where stages differ. */
typedef struct bubble_row {
  int8_t form[FORMS][DTCI_PARTS];
  int8_t filled; /* the last form: backwards for the weights less with 2 * pp - 1 micro-batches or more; none with pp */
  int8_t turns;  /* 1: first and last stage lie on one rank, while others wait for which they have less to do */
} bubble_row;

/* clang-format off */
#define WAITS {{1, 1, 1}}, 0, 0
static const bubble_row bubbles[] = {
    [DTC_SCHEDULE_GPIPE] = {WAITS},
    [DTC_SCHEDULE_1F1B] = {WAITS},
    [DTC_SCHEDULE_INTERLEAVED] = {WAITS},
    [DTC_SCHEDULE_VPP] = {WAITS},
    [DTC_SCHEDULE_LOOPED_BFS] = {WAITS},
    [DTC_SCHEDULE_ZBV] = {{{1, 0, 0}, {0, 1, 0}, {0, 2, 0}}, 2, 1},
    [DTC_SCHEDULE_DUALPIPE_V] = {{{1, 2, -1}}, 0, 1},
    [DTC_SCHEDULE_DUALPIPE] = {{{1, 2, -1}}, 0, 1},
    [DTC_SCHEDULE_INTERLEAVED_ZB] = {{{1, 0, 0}, {0, 1, 0}, {1, 1, -1}}, 0, 0},
    [DTC_SCHEDULE_ZB_H1] = {{{1, 0, 0}, {0, 1, 0}, {1, 1, -1}}, 0, 0},
    [DTC_SCHEDULE_ZB_H2] = {{{1, 0, 0}, {0}, {1, 1, -1}}, 1, 0},
};
/* clang-format on */

int dtci_bubble_known(dtc_schedule schedule)
{
  return schedule < sizeof bubbles / sizeof bubbles[0] && bubbles[schedule].form[0][0] != 0;
}

/* How much of the warm-up there are micro-batches to fill with. */
static double fill_of(const dtc_plan *p)
{
  double more = ((double)p->accumulation - (double)p->pp) / ((double)p->pp - 1);
  return more < 0 ? 0 : more > 1 ? 1 : more;
}

double dtci_bubble(const dtc_plan *p, const double others[DTCI_PARTS], double slack)
{
  const bubble_row *row = &bubbles[p->schedule];
  double most = 0;
  for (uint32_t i = 0; i < FORMS; i++) {
    double sum = i + 1 == FORMS ? -fill_of(p) * row->filled * others[DTCI_PART_WEIGHT] : 0;
    for (uint32_t part = 0; part < DTCI_PARTS; part++)
      sum += row->form[i][part] * others[part];
    most = sum > most ? sum : most;
  }
  most /= (double)p->vpp;
  if (p->schedule == DTC_SCHEDULE_DUALPIPE) /* filled from both ends at once */
    most *= ((double)p->pp / 2 - 1) / ((double)p->pp - 1);
  if (row->turns && slack > 0)
    most = most > slack ? most - slack : 0;
  return most;
}
