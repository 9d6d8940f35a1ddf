/* A fuzz target: the bytes are the arguments of one function, FUNCTION. */
#include "harness/harness.h"

#define JOIN(a, b) a##b
#define CALL_OF(name) JOIN(call_, name)
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  call c;
  start(&c, TEXT(FUNCTION), data, size);
  CALL_OF(FUNCTION)(&c);
  again(&c, CALL_OF(FUNCTION));
  finish(&c);
  return 0;
}
