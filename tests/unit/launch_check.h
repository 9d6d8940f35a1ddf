/* What tests of dtc_launch_write() need: a model of the catalogue on DGX H100, a plan in words, and what is written or
 * refused. */
#ifndef LAUNCH_CHECK_H
#define LAUNCH_CHECK_H

#include "check.h"

#include <dtcore/launch.h>

enum { ROOM = 16384 };

static char text[ROOM];

typedef struct asked {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_launch launch;
} asked;

static inline asked ask(const char *model, uint64_t nodes, const char *words, dtc_launch_target target)
{
  asked a;
  memset(&a, 0, sizeof a);
  DTC_INIT(&a.model);
  DTC_INIT(&a.cluster);
  DTC_INIT(&a.plan);
  DTC_INIT(&a.launch);
  assert_int_equal(dtc_model_find(model, &a.model, NULL), DTC_OK);
  assert_int_equal(dtc_cluster_find("dgx-h100", &a.cluster, NULL), DTC_OK);
  assert_int_equal(dtc_plan_parse(words, strlen(words), NULL, &a.plan, NULL), DTC_OK);
  a.cluster.nodes = nodes;
  a.launch.target = target;
  return a;
}

static inline void check_text(const asked *a, const char *script, const char *hosts, const char *expected)
{
  size_t len = 0;
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_launch_write(&a->model, &a->cluster, &a->plan, &a->launch, script, strlen(script), hosts, strlen(hosts),
                            text, ROOM, &len, &err),
           &err);
  assert_string_equal(text, expected);
  assert_int_equal(len, strlen(expected));
}

static inline void check_refused(const asked *a, const char *hosts, dtc_status status, dtc_rule rule, uint32_t field)
{
  size_t len = 77;
  dtc_error err;
  DTC_INIT(&err);
  assert_int_equal(dtc_launch_write(&a->model, &a->cluster, &a->plan, &a->launch, "", 0, hosts, strlen(hosts), text,
                                    ROOM, &len, &err),
                   status);
  assert_int_equal(err.rule, rule);
  assert_int_equal(err.field, field);
  assert_int_equal(len, 77);
}

static inline void check_holds(const asked *a, const char *hosts, const char *part)
{
  size_t len = 0;
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_launch_write(&a->model, &a->cluster, &a->plan, &a->launch, "", 0, hosts, strlen(hosts), text, ROOM, &len,
                            &err),
           &err);
  if (strstr(text, part) == NULL)
    fail_msg("%s is not in:\n%s", part, text);
}

#endif
