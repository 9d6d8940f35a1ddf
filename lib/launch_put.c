/* Words of a shell, hosts and lines of a caller's text, and the comments in front. */
#include "internal/chars.h"
#include "internal/launch.h"
#include "internal/plan.h"

static int is_plain(char c)
{
  static const char others[] = "@%+=:,./-";
  if (dtci_is_name(c))
    return 1;
  for (size_t i = 0; i < sizeof others - 1; i++)
    if (c == others[i])
      return 1;
  return 0;
}

/* Some shells expand a word that begins with '='. */
static int needs_quotes(const char *s, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!is_plain(s[i]))
      return 1;
  return n == 0 || s[0] == '=';
}

void dtci_put_word(dtci_text *t, const char *s, size_t n)
{
  if (!needs_quotes(s, n)) {
    dtci_put(t, s, n);
    return;
  }
  dtci_puts(t, "'");
  for (size_t i = 0; i < n; i++)
    if (s[i] == '\'')
      dtci_puts(t, "'\\''");
    else
      dtci_put(t, s + i, 1);
  dtci_puts(t, "'");
}

int dtci_launch_next_host(const dtci_launch_work *w, size_t *pos, const char **s, size_t *n)
{
  *n = dtci_next_name(w->hosts, w->hosts_len, pos);
  if (*n == 0) /* there may be no hosts at all */
    return 0;
  *s = w->hosts + *pos - *n;
  return 1;
}

int dtci_launch_host(const dtci_launch_work *w, uint64_t index, const char **s, size_t *n)
{
  size_t pos = 0;
  while (dtci_launch_next_host(w, &pos, s, n))
    if (index-- == 0)
      return 1;
  return 0;
}

int dtci_launch_next_line(const dtci_launch_work *w, size_t *pos, const char **s, size_t *n)
{
  if (w->script_len == 0 || *pos > w->script_len)
    return 0;
  size_t start = *pos;
  while (*pos < w->script_len && w->script[*pos] != '\n')
    ++*pos;
  *s = w->script + start;
  *n = *pos - start;
  ++*pos;
  return 1;
}

static void put_degree(dtci_text *t, const char *name, uint64_t v)
{
  if (v <= 1)
    return;
  dtci_puts(t, name);
  dtci_put_u64(t, v);
}

/* "# 512 GPUs = DP 32 * TP 4 * PP 4, on 64 nodes of 8". */
void dtci_launch_head(dtci_launch_work *w)
{
  dtci_text *t = w->t;
  const dtc_plan *p = &w->c.plan;
  dtci_puts(t, "# ");
  dtci_put_u64(t, w->world);
  dtci_puts(t, w->world == 1 ? " GPU = DP " : " GPUs = DP ");
  dtci_put_u64(t, p->dp);
  put_degree(t, " * TP ", p->tp);
  put_degree(t, " * CP ", p->cp);
  put_degree(t, " * PP ", p->pp);
  dtci_puts(t, ", on ");
  dtci_put_u64(t, w->nodes);
  dtci_puts(t, w->nodes == 1 ? " node of " : " nodes of ");
  dtci_put_u64(t, w->gpus);
  dtci_puts(t, ".\n# A step: ");
  dtci_put_u64(t, p->global_batch);
  dtci_puts(t, " sequences = micro-batch ");
  dtci_put_u64(t, p->micro_batch);
  dtci_puts(t, " * DP ");
  dtci_put_u64(t, p->dp);
  dtci_puts(t, " * accumulation ");
  dtci_put_u64(t, p->accumulation);
  dtci_puts(t, ".\n");
}
