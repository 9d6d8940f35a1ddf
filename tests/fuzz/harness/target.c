/* A fuzz target for every public function: the bytes are the arguments of the one that is named, `dtcore-fuzz
 * --dtc_plan_parse`. libFuzzer leaves alone what begins with two dashes. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned chosen = FUNCTIONS;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  for (int i = 1; i < *argc; i++)
    for (unsigned f = 0; f < FUNCTIONS; f++)
      if (strncmp((*argv)[i], "--", 2) == 0 && strcmp((*argv)[i] + 2, functions[f].name) == 0)
        chosen = f;
  if (chosen < FUNCTIONS)
    return 0;
  fprintf(stderr, "dtcore-fuzz: no function is named: --dtc_plan_parse\n");
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  call c;
  start(&c, functions[chosen].name, data, size);
  functions[chosen].run(&c);
  again(&c, functions[chosen].run);
  finish(&c);
  return 0;
}
