/* The fields of a struct of the library, which knows their names and places. */
#ifndef FIELDS_H
#define FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_FIELDS = 128 };

typedef struct field {
  uint32_t id; /* DTC_FIELD() */
  uint32_t offset;
  uint32_t size;
} field;

/* Those behind struct_size, in order; gives how many. `number` is DTC_STRUCT_plan or a sibling. */
size_t fields_of(uint32_t number, field out[MAX_FIELDS]);

uint64_t field_get(const void *object, const field *f);
/* The name of an enum's value; NULL for a number. */
const char *field_word(const field *f, uint64_t value);

void field_clear(void *object, const field *f);

#endif
