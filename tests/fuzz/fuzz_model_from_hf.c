/* Any bytes as a config.json: a status, the model whole or untouched, the same answer twice. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dtcore/model.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  dtc_model first, second, before;
  dtc_error e, again;
  DTC_INIT(&first);
  DTC_INIT(&second);
  DTC_INIT(&e);
  DTC_INIT(&again);
  before = first;
  dtc_status s = dtc_model_from_hf((const char *)data, size, &first, &e);
  if (dtc_model_from_hf((const char *)data, size, &second, &again) != s || memcmp(&first, &second, sizeof first) != 0)
    abort();
  if (s == DTC_OK && (first.layers == 0 || first.heads == 0 || first.vocab == 0))
    abort();
  if (s != DTC_OK && (memcmp(&first, &before, sizeof first) != 0 || e.status != s || e.rule == DTC_RULE_NONE))
    abort();
  if (s != DTC_OK && e.offset != DTC_NONE && e.offset > size)
    abort();
  return 0;
}
