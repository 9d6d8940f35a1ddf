/* The smallest user: valid C11 and C++17. */
#include <dtcore.h>
#include <stdio.h>

int main(void)
{
  dtc_model model;
  dtc_error err;
  DTC_INIT(&model);
  DTC_INIT(&err);
  if (dtc_version() != DTC_VERSION) {
    printf("headers %u, library %u\n", (unsigned)DTC_VERSION, (unsigned)dtc_version());
    return 1;
  }
  if (dtc_model_find("llama-2-70b", &model, &err) != DTC_OK || model.layers != 80) {
    printf("llama-2-70b: status %d, %u layers\n", (int)err.status, (unsigned)model.layers);
    return 1;
  }
  return 0;
}
