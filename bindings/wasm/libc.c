/* The few functions of the C library that the core calls, for a WebAssembly without one. Blocks of memory are the
 * instructions memory.copy and memory.fill, which every browser since 2021 has (-mbulk-memory). Compiled with
 * -fno-builtin, so that no loop is turned into a call of itself. */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  __builtin_memcpy(to, from, n);
  return to;
}

void *memmove(void *to, const void *from, size_t n)
{
  __builtin_memmove(to, from, n);
  return to;
}

void *memset(void *to, int byte, size_t n)
{
  __builtin_memset(to, byte, n);
  return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
  const unsigned char *x = a;
  const unsigned char *y = b;
  for (size_t i = 0; i < n; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

size_t strlen(const char *text)
{
  size_t n = 0;
  while (text[n])
    n++;
  return n;
}
