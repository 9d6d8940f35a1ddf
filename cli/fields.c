#include "fields.h"

#include <dtcore.h>

#include <string.h>

size_t fields_of(uint32_t number, field out[MAX_FIELDS])
{
  uint32_t size = dtc_struct_size(number);
  size_t n = 0;
  for (uint32_t at = sizeof(uint32_t); at < size && n < MAX_FIELDS; n++) {
    uint32_t next = at + 4;
    while (next < size && strcmp(dtc_field_name(number << 16 | next), "?") == 0)
      next += 4;
    out[n] = (field){.id = number << 16 | at, .offset = at, .size = next - at};
    at = next;
  }
  return n;
}

uint64_t field_get(const void *object, const field *f)
{
  uint32_t half;
  uint64_t whole;
  if (f->size == sizeof half) {
    memcpy(&half, (const char *)object + f->offset, sizeof half);
    return half;
  }
  memcpy(&whole, (const char *)object + f->offset, sizeof whole);
  return whole;
}

const char *field_word(const field *f, uint64_t value)
{
  const char *word = dtc_value_name(f->id, value);
  return strcmp(word, "?") == 0 ? NULL : word;
}

void field_clear(void *object, const field *f)
{
  memset((char *)object + f->offset, 0, f->size);
}
