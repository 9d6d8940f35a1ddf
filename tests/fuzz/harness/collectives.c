/* Values of arguments about collectives: legal calls, points that grow, a table of nccl-tests. */
#include "harness/values.h"

#include <stdio.h>

/* A legal start of a struct; 0 when it is none of collective.h. */
int make_collective_base(call *c, uint32_t noun, unsigned pick, unsigned char *local)
{
  if (noun != DTC_STRUCT_collective_call && noun != DTC_STRUCT_collective_law && noun != DTC_STRUCT_moe_call)
    return 0;
  dtc_collective_call job = {.struct_size = sizeof job, .op = 1 + pick % DTC_COLLECTIVE_BARRIER};
  dtc_collective_law law = {.struct_size = sizeof law, .latency = 1e-5, .bandwidth = 1e9 * (1 + pick), .shape = 0.5};
  dtc_moe_call moe = {.struct_size = sizeof moe, .kernel = pick % 4, .tokens = pick, .top_k = 8, .hidden = 7168};
  job.bytes = (uint64_t)1 << take_byte(c) % 40;
  job.ranks = moe.ranks = (uint64_t)1 << take_byte(c) % 9;
  if (noun == DTC_STRUCT_collective_call)
    memcpy(local, &job, sizeof job);
  else if (noun == DTC_STRUCT_collective_law)
    memcpy(local, &law, sizeof law);
  else
    memcpy(local, &moe, sizeof moe);
  return 1;
}

/* Points of a law, mostly of different sizes. */
void make_timing(call *c, unsigned pick, unsigned char *local)
{
  uint64_t bytes = (uint64_t)pick << take_byte(c) % 24;
  dtc_timing point = {.bytes = bytes, .seconds = pick < 240 ? 1e-5 + (double)bytes / 1e9 : 0};
  memcpy(local, &point, sizeof point);
}

/* Bytes between up to four ranks; later arguments say how many. */
size_t matrix_numbers(call *c, uint64_t *numbers)
{
  size_t ranks = 1 + take_byte(c) % 4;
  for (size_t i = 0; i < ranks * ranks; i++)
    numbers[i] = take_byte(c);
  c->world = ranks;
  return ranks * ranks;
}

size_t table_lines(call *c, char *text)
{
  size_t len = 0;
  for (unsigned lines = 1 + take_byte(c) % 4; lines > 0; lines--) {
    unsigned bits = take_byte(c) % 31;
    unsigned count = take_byte(c);
    unsigned us = take_byte(c);
    unsigned part = take_byte(c);
    len += (size_t)snprintf(text + len, TEXT_MAX - len, "%u %u float sum -1 %u.%u 0.1 0.2 0 15.3 0.1 0.2 N/A\n",
                            1u << bits, count, us, part);
  }
  return len;
}
