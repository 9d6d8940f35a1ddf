/* What clang calls for numbers of 128 bits where the processor has no instruction; the core multiplies two of 64 bits. */
#include <stdint.h>

__int128 __multi3(__int128 a, __int128 b);

/* The low 128 bits of the product, by halves of 32 bits. Declared as the compiler calls it, for unsigned numbers too. */
__int128 __multi3(__int128 a, __int128 b)
{
  uint64_t a_low = (uint64_t)a;
  uint64_t b_low = (uint64_t)b;
  uint64_t a_high = (uint64_t)((unsigned __int128)a >> 64);
  uint64_t b_high = (uint64_t)((unsigned __int128)b >> 64);
  uint64_t a0 = a_low & UINT32_MAX;
  uint64_t a1 = a_low >> 32;
  uint64_t b0 = b_low & UINT32_MAX;
  uint64_t b1 = b_low >> 32;
  uint64_t middle = a1 * b0 + (a0 * b0 >> 32); /* at most 2^64 - 2^32 */
  uint64_t other = a0 * b1 + (middle & UINT32_MAX);
  uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32) + a_high * b_low + a_low * b_high;
  return (__int128)((unsigned __int128)high << 64 | a_low * b_low);
}
