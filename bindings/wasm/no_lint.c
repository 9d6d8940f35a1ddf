/* Tables of configurations are half of the library, and a planner lints none: in their place stand dialects without
 * keys and rules. dtc_framework_lint() is not exported. */
struct dtci_dialect;

/* Leaves the dialect as it is: zero. */
#define NONE(name)                                                                                                     \
  void dtci_lint_##name(struct dtci_dialect *d);                                                                       \
  void dtci_lint_##name(struct dtci_dialect *d)                                                                        \
  {                                                                                                                    \
    (void)d;                                                                                                           \
  }

NONE(accelerate)
NONE(colossalai)
NONE(deepspeed)
NONE(hosts)
NONE(megatron)
NONE(nccl)
NONE(slurm)
NONE(torchrun)
NONE(torchtitan)
NONE(trainer)
