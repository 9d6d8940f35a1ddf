/* One random sequence for a whole test program: a test sets the seed, so that it is the same on every machine. */
#ifndef CHECK_ROLL_H
#define CHECK_ROLL_H

#include "check.h"
#include "internal/internal.h"

static uint64_t seed;

static inline uint64_t roll(uint64_t below)
{
  return check_random(&seed, below);
}

/* How many values an enum or a switch has, in a row from 0. */
static inline uint64_t values_of(const dtci_field *f)
{
  return f->max + 1;
}

/* Any value of an enum or a switch, of those that the headers name. */
static inline uint32_t random_value(uint32_t field)
{
  return (uint32_t)roll(values_of(dtci_field_of(field)));
}

#endif
