/* The tables of the library are most of it, and nine tenths of them are repetition. pack.py takes them out of the linked
 * file and puts them back packed, in the block format of LZ4, at the end of the memory; this writes them to where the
 * linker wants them. The host calls it once, before anything else. What held the packed form is free then. */
#include <stddef.h>
#include <stdint.h>

/* The last bytes of the memory that the file asks for. */
typedef struct packing {
  uint32_t from; /* where the packed form begins */
  uint32_t to;   /* where the tables belong */
  uint32_t size; /* bytes of the tables */
  uint32_t pad;
} packing;

enum { PAGE = 65536, SHORTEST = 4 /* bytes of a repetition */, MORE = 15 /* the length goes on in the next bytes */ };

static const uint8_t *read_length(const uint8_t *from, uint32_t *length)
{
  uint8_t byte = 255;
  if (*length != MORE)
    return from;
  while (byte == 255) {
    byte = *from++;
    *length += byte;
  }
  return from;
}

void _initialize(void);

void _initialize(void)
{
  const packing *p = (const packing *)(__builtin_wasm_memory_size(0) * PAGE - sizeof(packing));
  const uint8_t *from = (const uint8_t *)(uintptr_t)p->from;
  uint8_t *to = (uint8_t *)(uintptr_t)p->to;
  uint8_t *end = to + p->size;
  while (to < end) {
    uint32_t literals = *from >> 4;
    uint32_t repeated = *from & 15;
    from = read_length(from + 1, &literals);
    for (; literals != 0; literals--)
      *to++ = *from++;
    if (to == end)
      break;
    const uint8_t *old = to - (from[0] | (uint32_t)from[1] << 8);
    from = read_length(from + 2, &repeated);
    for (repeated += SHORTEST; repeated != 0; repeated--)
      *to++ = *old++;
  }
}
