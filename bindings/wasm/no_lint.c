/* Tables of configurations are half of the library, and a planner lints none: in their place stand dialects without
 * keys and rules. dtc_framework_lint() is not exported. */
#include "internal/settings.h"

void dtci_lint_deepspeed(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_megatron(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_hosts(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_slurm(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_nccl(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_torchtitan(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_colossalai(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_accelerate(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_trainer(dtci_dialect *d)
{
  (void)d;
}

void dtci_lint_torchrun(dtci_dialect *d)
{
  (void)d;
}
