/* colossal_chunks.csv: kind gemini, the chunks of Gemini; kind lowlevel has a handler of its own. */
#include "shards.h"

#include <math.h>
#include <stdlib.h>

/* Millions (2^20) of elements as ColossalAI rounds them. */
static uint64_t millions(const golden *g, const char *column)
{
  return (uint64_t)nearbyint(strtod(golden_cell(g, column), NULL) * 1048576);
}

/* A chunk with its tensors; a rank's part of a gathered chunk is what it would be. */
static digest put_chunk(const shards_layout *l, const dtc_bucket *chunk, size_t b, digest d)
{
  uint64_t world = l->shards.world, size = chunk->stop - chunk->start, part = size / world;
  d = digest_put(digest_put(d, size), chunk->used);
  d = digest_put(digest_put(d, chunk->tensors), part);
  for (size_t i = 0; i < l->model->n; i++) {
    const dtc_slot *slot = &l->slots[i];
    uint64_t from = slot->start - chunk->start;
    if (slot->bucket == b)
      d = digest_put(digest_put(d, from), from + l->model->shapes[i].rows * l->model->shapes[i].cols);
  }
  for (uint64_t rank = 0; world <= 64 && rank < world; rank++) {
    uint64_t left = chunk->used > rank * part ? chunk->used - rank * part : 0;
    d = digest_put(d, left < part ? left : part);
  }
  return d;
}

static void answer(golden *g, const shards_layout *l, const dtc_bucket *chunks, size_t n)
{
  uint64_t all = 0, most = 0;
  digest d = digest_start;
  for (size_t b = 0; b < n; b++) {
    uint64_t size = chunks[b].stop - chunks[b].start;
    all += size;
    most = size > most ? size : most;
    d = put_chunk(l, &chunks[b], b, d);
  }
  golden_u64(g, "n_chunks_or_buckets", n);
  golden_u64(g, "total_alloc_numel", all);
  golden_u64(g, "total_waste_or_pad", all - l->model->numel);
  golden_u64(g, "max_chunk_or_allgather_numel", most);
  digest_answer(g, "fnv_layout", d);
}

static void gemini(golden *g)
{
  dtc_shards s;
  dtc_error err;
  dtc_chunks found;
  size_t n = 0;
  DTC_INIT(&err);
  DTC_INIT(&s);
  DTC_INIT(&found);
  s.scheme = DTC_SHARD_SCHEME_GEMINI;
  s.world = golden_number(g, "dp");
  s.search_range = millions(g, "search_range_m");
  s.min_chunk = millions(g, "min_chunk_m");
  s.interval = golden_number(g, "interval");
  s.keep_large = golden_is(g, "filter_exlarge", "1") ? DTC_BOOL_OFF : DTC_BOOL_ON;
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL)
    return;
  dtc_status status = dtc_shards_chunks(&s, l->model->shapes, l->model->n, &found, l->scratch, l->n_scratch, &err);
  if (!golden_ok(g, status, &err))
    return;
  golden_u64(g, "chunk_size_or_bucket", found.size);
  golden_u64(g, "keep_gathered", found.gathered);
  golden_u64(g, "search_waste", found.waste);
  dtc_bucket *chunks = calloc(l->model->n, sizeof *chunks);
  if (chunks == NULL)
    abort();
  status = dtc_shards_buckets(&s, l->model->shapes, l->model->n, l->slots, l->model->n, chunks, l->model->n, &n, &err);
  if (golden_ok(g, status, &err))
    answer(g, l, chunks, n);
  free(chunks);
}

void golden_colossal_chunks(golden *g)
{
  if (golden_is(g, "kind", "lowlevel"))
    golden_colossal_lowlevel(g);
  else
    gemini(g);
}
