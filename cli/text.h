/* Numbers as text. Results are small values, so that `text_gib(n).s` can stand in an argument list. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <dtcore.h>

typedef struct text {
  char s[64];
} text;

text text_u64(uint64_t n);                    /* 8192 */
text text_thousands(uint64_t n);              /* 68,976,648,192 */
text text_gib(uint64_t bytes);                /* 12.94, as PyTorch prints */
text text_gib_small(uint64_t bytes);          /* the same, never 0.00 for something: 0.0012 */
text text_gb(double bytes);                   /* decimal: 1,170 or 84.9, or 0.0012 */
text text_percent(double part, double whole); /* 12.5 */
text text_seconds(double seconds);            /* 12.3 us, 4.56 ms, 1.2 s */
text text_rate(double n);                     /* 12,345 or 0.123 */
text text_binary(uint64_t bytes);             /* 256 MiB; 1,000 B when no unit divides it */
text text_whole_percent(double share);        /* 0.734 as 73 */
text text_layout(const dtc_plan *p);          /* 8 x 4 x 2 ep 8 */

/* Whole number in decimal digits; false when it is not one or does not fit. */
bool text_read_u64(const char *s, uint64_t *n);

/* "12.5": a decimal number above 0. */
bool text_read_positive(const char *s, double *out);

/* "7.5b", "350M", "7e9", "50GB", "46.5GiB": a decimal number and one of the units. Exact; false when it is none, or not a
 * whole number from 1 to 2^62. */
bool text_read_params(const char *s, uint64_t *n);
/* Whether the text is meant as a number of parameters, in range or not: "0B", "-7B", "1e30B". */
bool text_is_size(const char *s);
bool text_read_bytes(const char *s, uint64_t *n);

/* "256M", "4KiB", "1GB": K, M, G and T are binary, as in nccl-tests. */
bool text_read_vector(const char *s, uint64_t *n);

#endif
