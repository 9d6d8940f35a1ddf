/* dtcore fit: does it fit, and on how many GPUs? */
#include "cmd.h"
#include "fit.h"

int cmd_fit(const cli *c, const args *a)
{
  static fit_question q; /* holds a path: large */
  static fit_answer f;
  if (plan_arg_read(c, a, &q.plan) != 0 || model_arg_read(c, a, &q.plan, &q.model) != 0 ||
      cluster_arg_read(c, a, &q.cluster) != 0)
    return EXIT_BAD_INPUT;
  if (!q.cluster.given)
    return fail(c, MSG_NEEDS_GPU);
  if (q.model.size_only)
    return fit_size(c, a, &q);
  if (a->value[OPT_ACTIVATIONS] != NULL)
    return fail(c, MSG_ACTIVATIONS_KNOWN, q.model.name);
  if (fit_model(c, &q, &f) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    fit_print_json(c, a, &q, &f);
  else
    fit_print(c, &q, &f);
  return f.best != NULL ? EXIT_YES : EXIT_NO;
}
