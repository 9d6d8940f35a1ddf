/* dtcore plan: the best plans of a space. */
#include "cmd.h"
#include "search.h"

static int read(const cli *c, const args *a, search_question *q)
{
  if (plan_arg_read(c, a, &q->plan) != 0 || model_arg_read(c, a, &q->plan, &q->model) != 0 ||
      cluster_arg_read(c, a, &q->cluster) != 0)
    return EXIT_BAD_INPUT;
  if (q->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model.name);
  if (!q->cluster.given)
    return fail(c, MSG_NEEDS_GPU);
  if (q->cluster.gpus == 0)
    return fail(c, MSG_SEARCH_GPUS);
  if (q->plan.plan.global_batch == 0)
    return fail(c, MSG_SEARCH_BATCH);
  return search_arg_read(c, a, q);
}

static int find(const cli *c, search_question *q)
{
  search_listen();
  int code = search_run(c, q) != 0 || search_look(c, q) != 0 ? EXIT_BAD_INPUT : 0;
  if (code == 0)
    search_changes(c, q);
  search_listen_end();
  return code;
}

int cmd_plan(const cli *c, const args *a)
{
  static search_question q; /* holds a path and remedies: large */
  bool space_only = a->value[OPT_SPACE] != NULL;
  if (read(c, a, &q) != 0 || (!space_only && find(c, &q) != 0))
    return EXIT_BAD_INPUT;
  if (c->json)
    search_print_json(c, a, &q);
  else if (space_only)
    search_print_space(c, &q);
  else
    search_print(c, &q);
  if (space_only)
    return EXIT_YES;
  return q.done < q.number ? EXIT_STOPPED : q.count != 0 ? EXIT_YES : EXIT_NO;
}
