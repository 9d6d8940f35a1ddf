"""Hugging Face's peft: T0_3B and mt0-xxl in fp32. They have an encoder and a decoder, so that only a number of parameters
is asked for: states alone, and the GPU's context. The batch, hence the activations, is not in the rows."""
from __future__ import annotations

import dtcore
from dtcore import Framework, Plan, Precision

from tables import GIB, Row, Skip

# Parameters: T5 3B and mT5 XXL (their model cards).
PARAMS = {"bigscience/T0_3B": 2_850_000_000, "bigscience/mt0-xxl": 12_920_000_000}
# CUDA context, kernels and what the allocator keeps: what runs on one node show beyond their tensors (bigscience-mem).
CONTEXT = 1.5 * GIB


def memory(row: Row) -> float:
    if "offload" in row["flags"]:
        raise Skip("not in the row: the batch, which is most of it when states lie in host memory")
    plan = Plan(framework=Framework.PYTORCH, precision=Precision.FP32, dp=1)
    states = dtcore.memory_states(PARAMS[row["model"]], plan)
    # Adapters are below a thousandth of the weights.
    return (states.total if "full" in row["flags"] else states.weights) + CONTEXT
