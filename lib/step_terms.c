/* The terms of a step: what is added up, noted on the way, and what each is. */
#include "internal/step.h"

static void note(dtci_step_notes *notes, const dtc_step_term *term, double count)
{
  double seconds = term->each * count;
  if (!(seconds > 0))
    return;
  if (notes->count < notes->cap) {
    notes->out[notes->count] = *term;
    notes->out[notes->count].count = count;
    notes->out[notes->count].seconds = seconds;
  }
  notes->count++;
}

void dtci_step_note(dtci_step_work *w, uint32_t kind, const dtc_step_term *term)
{
  if (w->notes != NULL)
    note(w->notes, term, w->notes->times[kind]);
}

void dtci_step_note_all(dtci_step_work *w, uint32_t text, dtc_step_item item, double seconds, double bytes,
                        double count)
{
  const dtc_step_term term = {.index = text, .item = item, .bytes = bytes, .each = seconds};
  if (w->notes != NULL)
    note(w->notes, &term, count);
}

const char *dtc_step_term_text(uint32_t index, dtc_lang lang)
{
  if (index >= DTCI_STEP_TEXTS || dtci_step_texts[index].en[0] == 0)
    return NULL;
  return lang == DTC_LANG_ZH ? dtci_step_texts[index].zh : dtci_step_texts[index].en;
}
