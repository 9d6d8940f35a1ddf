/* Calls every public function over inputs that depend on nothing but a seed, and prints per function a hash of all
 * results and statuses and how many calls succeeded. The lines are the same for every compiler, level and processor.
 * usage: dtcore-bits [INPUTS [THREADS]]: with THREADS, that many threads make the same calls on shared const
 * arguments, beside each other in the same function and in different ones, and must come to the same hashes. */
#include "harness/harness.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_BYTES = 2048, THREADS_MAX = 16 };

/* Input i of function f: a linear congruential generator (Knuth's MMIX constants), its upper bits. */
static void make_input(uint8_t *data, unsigned f, unsigned i)
{
  uint64_t x = ((uint64_t)f << 32 | i) * 2862933555777941757u + 3037000493u;
  for (size_t at = 0; at < INPUT_BYTES; at++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    data[at] = (uint8_t)(x >> 56);
  }
}

/* ---- one thread ------------------------------------------------------------------------------ */

static int run_all(unsigned inputs)
{
  static uint8_t data[INPUT_BYTES];
  int poor = 0;
  for (unsigned f = 0; f < FUNCTIONS; f++) {
    uint64_t hash = 0;
    unsigned good = 0;
    for (unsigned i = 0; i < inputs; i++) {
      call c;
      make_input(data, f, i);
      start(&c, functions[f].name, data, sizeof data);
      functions[f].run(&c);
      hash = hash * 31 + c.hash;
      good += c.status == DTC_OK;
      again(&c, functions[f].run);
      finish(&c);
    }
    printf("%-26s %016" PRIx64 " %u of %u\n", functions[f].name, hash, good, inputs);
    if (good * 20 < inputs) {
      fprintf(stderr, "bits: %s: fewer than one call in 20 succeeds; teach tests/fuzz/harness/values.c\n",
              functions[f].name);
      poor = 1;
    }
  }
  return poor;
}

/* ---- many threads on shared arguments -------------------------------------------------------- */

enum { BATCH = 10 }; /* inputs of each function that are alive at a time */

typedef struct worker {
  pthread_t thread;
  unsigned start;    /* the function it begins with */
  const call *first; /* the calls of the main thread: BATCH of each function */
  int differs;
} worker;

/* Every function, from its own start around. */
static void *work(void *argument)
{
  worker *w = argument;
  for (unsigned k = 0; k < FUNCTIONS * BATCH; k++) {
    unsigned f = (w->start + k / BATCH) % FUNCTIONS;
    const call *first = &w->first[f * BATCH + k % BATCH];
    call c;
    start(&c, functions[f].name, first->data, INPUT_BYTES);
    c.shared = first;
    functions[f].run(&c);
    if (c.hash != first->hash)
      fprintf(stderr, "bits: %s: threads came to different results\n", functions[f].name);
    w->differs |= c.hash != first->hash;
    finish(&c);
  }
  return NULL;
}

/* Threads that all begin with the same function, or each with another, so that all run beside each other. */
static int run_batch(const call *first, unsigned threads, int apart)
{
  worker workers[THREADS_MAX] = {0};
  int differs = 0;
  for (unsigned t = 0; t < threads; t++) {
    workers[t] = (worker){.start = apart ? t * FUNCTIONS / threads : 0, .first = first};
    if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
      abort();
  }
  for (unsigned t = 0; t < threads; t++) {
    pthread_join(workers[t].thread, NULL);
    differs |= workers[t].differs;
  }
  return differs;
}

static int run_threads(unsigned inputs, unsigned threads)
{
  int differs = 0;
  uint8_t *data = malloc((size_t)FUNCTIONS * BATCH * INPUT_BYTES);
  call *first = malloc(FUNCTIONS * BATCH * sizeof *first);
  if (data == NULL || first == NULL)
    abort();
  for (unsigned batch = 0; batch * BATCH < inputs; batch++) {
    for (unsigned k = 0; k < FUNCTIONS * BATCH; k++) {
      uint8_t *bytes = data + (size_t)k * INPUT_BYTES;
      make_input(bytes, k / BATCH, batch * BATCH + k % BATCH);
      start(&first[k], functions[k / BATCH].name, bytes, INPUT_BYTES);
      functions[k / BATCH].run(&first[k]);
    }
    differs |= run_batch(first, threads, batch % 2 != 0);
    for (unsigned k = 0; k < FUNCTIONS * BATCH; k++)
      finish(&first[k]);
  }
  free(first);
  free(data);
  printf("%u functions, %u inputs, %u threads: %s\n", (unsigned)FUNCTIONS, inputs, threads,
         differs ? "different" : "equal");
  return differs;
}

int main(int argc, char **argv)
{
  unsigned inputs = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
  unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  if (inputs == 0 || threads > THREADS_MAX)
    return 2;
  return threads > 0 ? run_threads(inputs, threads) : run_all(inputs);
}
