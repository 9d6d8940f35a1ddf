/* dtcore plan: searches in pieces, so that it can tell how far it is, and be stopped. */
#include "search.h"

#include "step.h"
#include "text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Pieces grow and shrink to take about this long: an interrupt is heard soon, and starting one costs nothing beside it. */
static const double piece_seconds = 0.08;
static const uint64_t first_piece = 1 << 16;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

static struct sigaction usual;

/* A second interrupt ends the program as usual. What was started with interrupts ignored keeps to that. */
void search_listen(void)
{
  struct sigaction own = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&own.sa_mask);
  if (sigaction(SIGINT, NULL, &usual) == 0 && usual.sa_handler != SIG_IGN)
    sigaction(SIGINT, &own, NULL);
}

void search_listen_end(void)
{
  sigaction(SIGINT, &usual, NULL);
}

static double now(void)
{
  struct timespec t = {0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the line on a terminal -------------------------------------------------------------------------------------- */

typedef struct progress {
  bool shown; /* there is a terminal to show it on */
  double told;
} progress;

static bool on_terminal(void)
{
  return isatty(STDERR_FILENO) == 1;
}

static void tell(const cli *c, const search_question *q, progress *p)
{
  char line[256];
  char percent[32];
  double t = now();
  if (!p->shown || t - p->told < 1)
    return;
  p->told = t;
  snprintf(percent, sizeof percent, "%.1f", 100 * (double)q->done / (double)q->number);
  write_line(c, line, sizeof line, MSG_SEARCH_PROGRESS, percent, text_thousands(q->number).s,
             q->count == 0 ? "-" : text_seconds(q->best[0].seconds).s);
  fprintf(stderr, "\r%s\033[K", line);
  fflush(stderr);
}

static void tell_end(const progress *p)
{
  if (p->shown)
    fputs("\r\033[K", stderr);
}

static void tell_took(const cli *c, double seconds)
{
  char line[256];
  if (!on_terminal())
    return;
  write_line(c, line, sizeof line, MSG_SEARCH_TOOK, text_seconds(seconds).s);
  fprintf(stderr, "%s\n", line);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

typedef struct pieces {
  size_t cap; /* of each of the three */
  dtc_found *part;
  dtc_found *merged;
  uint64_t *scratch;
  size_t n_scratch;
} pieces;

static void add_counts(dtc_search *sum, const dtc_search *part)
{
  if (part->least != 0 && (sum->least == 0 || part->least < sum->least)) {
    sum->least = part->least;
    sum->least_index = part->least_index;
    sum->limit = part->limit;
  }
  sum->tried += part->tried;
  sum->same += part->same;
  sum->illegal += part->illegal;
  sum->unknown += part->unknown;
  sum->over += part->over;
  sum->fit += part->fit;
  sum->pruned += part->pruned;
}

static dtc_status search_piece(search_question *q, pieces *p, uint64_t number, dtc_error *err)
{
  dtc_search part;
  size_t found = 0;
  DTC_INIT(&part);
  dtc_status status =
      dtc_search_run(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->space, NULL, q->first + q->done, number,
                     p->part, p->cap, &found, &part, p->scratch, p->n_scratch, err);
  if (status == DTC_OK)
    status = dtc_search_merge(q->best, q->count, p->part, found, q->space.keep, p->merged, p->cap, &q->count, err);
  if (status != DTC_OK)
    return status;
  dtc_found *old = q->best;
  q->best = p->merged;
  p->merged = old;
  add_counts(&q->sum, &part);
  q->done += number;
  return DTC_OK;
}

static dtc_status search_pieces(const cli *c, search_question *q, pieces *p, dtc_error *err)
{
  progress line = {.shown = on_terminal(), .told = now()};
  uint64_t size = first_piece;
  dtc_status status = DTC_OK;
  while (status == DTC_OK && q->done < q->number && !interrupted) {
    uint64_t left = q->number - q->done;
    double start = now();
    status = search_piece(q, p, size < left ? size : left, err);
    double took = now() - start;
    if (took < piece_seconds / 2 && size <= UINT64_MAX / 4)
      size *= 2;
    else if (took > piece_seconds && size > 1)
      size /= 2;
    tell(c, q, &line);
  }
  tell_end(&line);
  return status;
}

dtc_status search_range(const cli *c, search_question *q, dtc_error *err)
{
  uint64_t needed = 0;
  DTC_INIT(&q->sum);
  q->done = 0;
  q->count = 0;
  dtc_status status = dtc_search_scratch(&needed, err);
  if (status != DTC_OK)
    return status;
  pieces p = {.cap = (size_t)q->space.keep, .n_scratch = (size_t)needed};
  q->best = grow(NULL, p.cap * sizeof *q->best);
  p.part = grow(NULL, p.cap * sizeof *p.part);
  p.merged = grow(NULL, p.cap * sizeof *p.merged);
  p.scratch = grow(NULL, p.n_scratch * sizeof *p.scratch);
  status = search_pieces(c, q, &p, err);
  free(p.part);
  free(p.merged);
  free(p.scratch);
  return status;
}

int search_run(const cli *c, search_question *q)
{
  double begun = now();
  dtc_error err;
  DTC_INIT(&err);
  if (search_range(c, q, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  tell_took(c, now() - begun);
  return 0;
}
