#include "shard_findings.h"

#include "json_error.h"
#include "report.h"

#include <stdlib.h>

int findings_read(const cli *c, const shard_arg *s, shard_findings *f)
{
  const tensors *t = &s->tensors;
  size_t n;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&f->list[0]);
  uint64_t *scratch = shards_scratch(c, &s->shards, t, &n);
  dtc_status status = dtc_shards_check(&s->shards, t->shapes, t->n, s->slots, t->n, NULL, f->list, SHARD_FINDINGS,
                                       &f->n, scratch, n, &err);
  free(scratch);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

void findings_print(const cli *c, const shard_findings *f)
{
  for (size_t i = 0; i < f->n; i++) {
    char line[1024];
    dtc_error_format(&f->list[i], c->lang, line, sizeof line);
    print_line(c, MSG_WARNING, line);
  }
}

void findings_json(json *j, const cli *c, const shard_findings *f)
{
  json_array(j, "findings");
  for (size_t i = 0; i < f->n; i++)
    json_finding(j, c, NULL, &f->list[i]);
  json_end(j);
}
