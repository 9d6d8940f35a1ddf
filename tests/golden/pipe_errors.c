/* pipe_errors.csv: which jobs a framework refuses; the class of the exception is not compared. */
#include "pipe.h"

void golden_pipe_errors(golden *g)
{
  dtc_pipe p;
  dtc_error err;
  DTC_INIT(&err);
  if (!pipe_read(g, &p))
    return;
  dtc_status status = dtc_pipe_resolve(&p, &p, &err);
  if (golden_is(g, "result", "OK")) {
    if (golden_ok(g, status, &err))
      golden_text(g, "result", "OK");
  } else if (status == DTC_OK) {
    golden_not_refused(g);
  } else {
    golden_text(g, "result", golden_cell(g, "result"));
  }
}
