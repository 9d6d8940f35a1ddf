/* What optimizers keep, as a table. */
#ifndef DTCI_OPTIMIZERS_H
#define DTCI_OPTIMIZERS_H

#include <dtcore/plan.h>

/* Where torch.optim puts the fp32 counters that are no part of a state: beside the parameter, on the host, or wherever
 * torch.set_default_device() says. With capturable, and in fused kernels, all lie beside the parameter. */
enum { DTCI_COUNTER_BESIDE, DTCI_COUNTER_HOST, DTCI_COUNTER_DEFAULT };

/* How many copies of all parameters a step makes, or that it is not known. */
enum { DTCI_COPIES_UNKNOWN = 255 };

/* Temporaries of the for-loop: most of `before` times the tensor before and `now` times the tensor, over all tensors. */
typedef struct dtci_optimizer_loop {
  uint8_t before;
  uint8_t now;
} dtci_optimizer_loop;

typedef struct dtci_optimizer_row {
  uint8_t states;       /* as large as the tensor; a plan keeps them in fp32 */
  uint8_t torch;        /* 1: torch.optim has it */
  uint8_t counters;     /* torch: fp32 values per tensor */
  uint8_t counter;      /* torch: where they lie, DTCI_COUNTER_* */
  uint8_t capturable;   /* torch: 1, it can be captured in a CUDA graph; 2, the foreach kernel then holds two more
                                  * fp32 values per tensor, what other kernels and optimizers hold is not known */
  uint8_t fused;        /* torch: 1, there is a fused kernel */
  uint8_t foreach;      /* torch: copies of all parameters that the foreach kernel makes */
  uint8_t loop_known;   /* torch: 1, `loop` says what the for-loop needs */
  uint8_t first_known;  /* torch: 1, the first step adds its states to what a later one adds */
  uint8_t dims[2];      /* dimensions of a tensor that it takes */
  uint8_t bitsandbytes; /* 1: bitsandbytes has it */
  uint8_t maps;         /* bitsandbytes, int8: tables of 256 values, shared by all tensors */
  uint8_t scalars;      /* bitsandbytes: fp32 values per tensor */
  uint8_t torchao;      /* 1: torchao has it */
  dtci_optimizer_loop loop[2]; /* torch: either */
} dtci_optimizer_row;

/* By dtc_optimizer; row 0 is adam's, and so is adam8's. */
extern const dtci_optimizer_row dtci_optimizers[];

#endif
