/* Items of a step: their names, their seconds, and a bar for each. */
#include "step.h"

#include "table.h"

#include <stdio.h>
#include <string.h>

enum { COMPUTE, MEMORY, HOST, MESSAGES, BUBBLE, STRAGGLERS };

#define STEP(id, member, colour, name, attempt)                                                                        \
  {                                                                                                                    \
    DTC_STEP_ITEM_##id, colour, name, attempt, offsetof(dtc_step, member)                                              \
  }

const step_item step_items[STEP_ITEMS] = {
    STEP(DENSE, dense, COMPUTE, MSG_TIME_DENSE, MSG_EMPTY),
    STEP(ATTENTION, attention, COMPUTE, MSG_TIME_ATTENTION, MSG_EMPTY),
    STEP(EXPERTS, experts, COMPUTE, MSG_TIME_EXPERTS, MSG_EMPTY),
    STEP(ELEMENTWISE, elementwise, MEMORY, MSG_TIME_ELEMENTWISE, MSG_TRY_ELEMENTWISE),
    STEP(HEAD, head, COMPUTE, MSG_TIME_HEAD, MSG_TRY_HEAD),
    STEP(RECOMPUTE, recompute, COMPUTE, MSG_TIME_RECOMPUTE, MSG_TRY_RECOMPUTE),
    STEP(LAUNCH, launch, HOST, MSG_TIME_LAUNCH, MSG_TRY_LAUNCH),
    STEP(TP, tp, MESSAGES, MSG_TIME_TP, MSG_TRY_TP),
    STEP(CP, cp, MESSAGES, MSG_TIME_CP, MSG_TRY_CP),
    STEP(EP, ep, MESSAGES, MSG_TIME_EP, MSG_TRY_EP),
    STEP(PP, pp, MESSAGES, MSG_TIME_PP, MSG_TRY_PP),
    STEP(BUBBLE, bubble, BUBBLE, MSG_TIME_BUBBLE, MSG_TRY_BUBBLE),
    STEP(WEIGHTS, weights, MESSAGES, MSG_TIME_WEIGHTS, MSG_TRY_WEIGHTS),
    STEP(GRADIENTS, gradients, MESSAGES, MSG_TIME_GRADIENTS, MSG_TRY_GRADIENTS),
    STEP(OPTIMIZER, optimizer, MEMORY, MSG_TIME_OPTIMIZER, MSG_TRY_OPTIMIZER),
    STEP(OFFLOAD, offload, HOST, MSG_TIME_OFFLOAD, MSG_TRY_OFFLOAD),
    STEP(STRAGGLERS, stragglers, STRAGGLERS, MSG_TIME_STRAGGLERS, MSG_TRY_STRAGGLERS),
};

double step_item_seconds(const dtc_step *s, const step_item *item)
{
  double v;
  memcpy(&v, (const char *)s + item->offset, sizeof v);
  return v;
}

const char *step_item_key(dtc_step_item item)
{
  return item == DTC_STEP_ITEM_NONE ? NULL : dtc_value_name(DTC_FIELD(step, limit), item);
}

/* ---- the table of items ------------------------------------------------------------------------------------------ */

enum { SECONDS_END = 44, SHARE_END = 52, ALONE_END = 62, WIDEST = 36 };

static void right(picture *p, size_t end, size_t y, const char *s)
{
  picture_text(p, end - text_width(s), y, s);
}

/* How many times its estimate an item takes when it alone makes up for the difference to the measured step. */
static text alone_of(const step_question *q, double seconds)
{
  text t = {""};
  double gap = q->measured - q->step.seconds;
  if (q->measured > 0 && seconds > 0 && seconds + gap > 0)
    snprintf(t.s, sizeof t.s, "x %.*f", seconds + gap < 9.95 * seconds ? 1 : 0, (seconds + gap) / seconds);
  return t;
}

picture step_items_picture(const cli *c, const step_question *q)
{
  const dtc_step *s = &q->step;
  picture p = picture_new(q->model.name);
  size_t bars = q->measured > 0 ? ALONE_END + 2 : SHARE_END + 2;
  double most = 0;
  size_t y = 1;
  picture_text(&p, 2, 0, say(c, MSG_ITEM));
  right(&p, SECONDS_END, 0, say(c, MSG_TIME_SECONDS));
  right(&p, SHARE_END, 0, "%");
  if (q->measured > 0)
    right(&p, ALONE_END, 0, say(c, MSG_TIME_ALONE));
  for (size_t i = 0; i < STEP_ITEMS; i++)
    most = step_item_seconds(s, &step_items[i]) > most ? step_item_seconds(s, &step_items[i]) : most;
  for (size_t i = 0; i < STEP_ITEMS; i++) {
    double seconds = step_item_seconds(s, &step_items[i]);
    if (!(seconds > 0))
      continue;
    size_t w = (size_t)(seconds / most * WIDEST + 0.5);
    picture_text(&p, 2, y, say(c, step_items[i].name));
    right(&p, SECONDS_END, y, text_seconds(seconds).s);
    right(&p, SHARE_END, y, text_whole_percent(seconds / s->seconds).s);
    right(&p, ALONE_END, y, alone_of(q, seconds).s);
    picture_box(&p, bars, y++, w > 0 ? w : 1, 1, step_items[i].colour, "");
  }
  picture_text(&p, 2, y, say(c, MSG_TIME_SUM));
  right(&p, SECONDS_END, y, text_seconds(s->seconds).s);
  return p;
}

int step_picture(const cli *c, const char *path, const step_question *q)
{
  picture p = step_items_picture(c, q);
  int code = picture_write(c, path, &p);
  picture_free(&p);
  return code;
}
