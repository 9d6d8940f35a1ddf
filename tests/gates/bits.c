/* Calls every public function over inputs that depend on nothing but a seed, and prints per function a hash of all
 * results and statuses and how many calls succeeded. The lines are the same for every compiler, level and processor.
 * usage: dtcore-bits [INPUTS [THREADS]]: with THREADS, that many threads make the same calls on shared const
 * arguments, and must come to the same hashes. */
#include "harness/harness.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_BYTES = 2048, THREADS_MAX = 16 };

static const struct {
  const char *name;
  void (*run)(call *c);
} functions[] = {
#define CALL(name) {#name, call_##name},
#include "generated/calls.def"
#undef CALL
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

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

typedef struct worker {
  pthread_t thread;
  unsigned function;
  const call *first; /* the calls of the main thread */
  unsigned inputs;
  int differs;
} worker;

static void *work(void *argument)
{
  worker *w = argument;
  for (unsigned i = 0; i < w->inputs; i++) {
    call c;
    start(&c, functions[w->function].name, w->first[i].data, INPUT_BYTES);
    c.shared = &w->first[i];
    functions[w->function].run(&c);
    w->differs |= c.hash != w->first[i].hash;
    finish(&c);
  }
  return NULL;
}

static int run_function(unsigned f, call *first, unsigned inputs, unsigned threads)
{
  worker workers[THREADS_MAX] = {0};
  int differs = 0;
  for (unsigned t = 0; t < threads; t++) {
    workers[t] = (worker){.function = f, .first = first, .inputs = inputs};
    if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
      abort();
  }
  for (unsigned t = 0; t < threads; t++) {
    pthread_join(workers[t].thread, NULL);
    differs |= workers[t].differs;
  }
  if (differs)
    fprintf(stderr, "bits: %s: threads came to different results\n", functions[f].name);
  return differs;
}

static int run_threads(unsigned inputs, unsigned threads)
{
  int differs = 0;
  uint8_t *data = malloc((size_t)inputs * INPUT_BYTES);
  call *first = malloc(inputs * sizeof *first);
  if (data == NULL || first == NULL)
    abort();
  for (unsigned f = 0; f < FUNCTIONS; f++) {
    for (unsigned i = 0; i < inputs; i++) {
      make_input(data + (size_t)i * INPUT_BYTES, f, i);
      start(&first[i], functions[f].name, data + (size_t)i * INPUT_BYTES, INPUT_BYTES);
      functions[f].run(&first[i]);
    }
    differs |= run_function(f, first, inputs, threads);
    for (unsigned i = 0; i < inputs; i++)
      finish(&first[i]);
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
