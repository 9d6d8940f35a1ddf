/* Short names for the rows of lib/catalog/launch_*.c. */
#ifndef DTCI_LAUNCH_ROWS_H
#define DTCI_LAUNCH_ROWS_H

#include "internal/launch.h"

#define P(x) DTCI_OPERAND(plan, x)
#define M(x) DTCI_OPERAND(model, x)
#define L(x) DTCI_OPERAND(launch, x)
#define BETWEEN(operand, least, most)                                                                                  \
  {                                                                                                                    \
    operand, 0, least, most                                                                                            \
  }
#define FROM(operand, least) BETWEEN(operand, least, UINT64_MAX)
#define IS(operand, value) BETWEEN(operand, value, value)
#define ON(operand) IS(operand, DTC_BOOL_ON)
#define OFF(operand) IS(operand, DTC_BOOL_OFF)
#define WHEN(...) .when = {__VA_ARGS__}
#define BIT(x) UINT64_C(1) << (x)
#define ONLY(operand, value)                                                                                           \
  {                                                                                                                    \
    operand, .min = (value), .max = (value)                                                                            \
  }
#define MASK(operand, bits)                                                                                            \
  {                                                                                                                    \
    operand, .mask = (bits)                                                                                            \
  }
#define NUMBER(name, operand, ...)                                                                                     \
  {                                                                                                                    \
    name, .left = {operand}, WHEN(__VA_ARGS__)                                                                         \
  }
#define WORD(name, text, ...)                                                                                          \
  {                                                                                                                    \
    name, .kind = DTCI_LAUNCH_WORD, .word = text, WHEN(__VA_ARGS__)                                                    \
  }
#define BARE(name, text, ...)                                                                                          \
  {                                                                                                                    \
    name, .kind = DTCI_LAUNCH_BARE, .word = text, WHEN(__VA_ARGS__)                                                    \
  }
#define DERIVED(name, what, ...)                                                                                       \
  {                                                                                                                    \
    name, .kind = DTCI_LAUNCH_##what, WHEN(__VA_ARGS__)                                                                \
  }

#define FILL(f)                                                                                                        \
  do {                                                                                                                 \
    (f)->rows = rows;                                                                                                  \
    (f)->rows_count = sizeof rows / sizeof rows[0];                                                                    \
    (f)->limits = limits;                                                                                              \
    (f)->limits_count = sizeof limits / sizeof limits[0];                                                              \
    (f)->others = others;                                                                                              \
    (f)->others_count = sizeof others / sizeof others[0];                                                              \
  } while (0)

#endif
