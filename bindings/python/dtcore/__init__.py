"""dtcore: how to split the training of a large model over GPUs.

    >>> import dtcore
    >>> model, cluster = dtcore.model_find("llama-2-70b"), dtcore.gpu_find("h100-80gb")
    >>> memory = dtcore.memory(model, cluster, dtcore.Plan(tp=8, pp=4, dp=4))
    >>> memory.fits
    True

Inputs are frozen dataclasses (Model, Cluster, Plan, Stage), results named tuples, enums IntEnums; an enum is also taken
by its word, Plan(sharding="zero3"). 0, None and DEFAULT mean the default. What cannot be answered raises DtcoreError, whose numbers say which field, and what would be legal.
Arrays with a row for each tensor, op, rank or stage are NumPy's, with the fields of Slot, Task or Memory as columns, and go
in again as they came; those that are always short (axes, kinds, groups, ledger rows, findings) are lists of objects.
Every function is pure and safe to call from any thread.
"""
from . import _batch, _functions, _plot, _types
from ._base import (
    DtcoreError,
    cluster_names,
    field_id,
    framework_names,
    gpu_names,
    model_names,
    nccl_names,
    plan_parse,
    software_names,
)
from ._batch import *  # noqa: F403
from ._functions import *  # noqa: F403
from ._functions import model_params as params
from ._mesh import Mesh
from ._pipeline import Pipeline, Timeline
from ._plot import *  # noqa: F403
from ._search import FoundPlan, Plans, best_plans
from ._sharded import Sharded
from ._types import *  # noqa: F403

__version__ = _functions.version_string()

__all__ = [
    "DtcoreError",
    "FoundPlan",
    "Mesh",
    "Pipeline",
    "Plans",
    "Sharded",
    "Timeline",
    "best_plans",
    "cluster_names",
    "field_id",
    "framework_names",
    "gpu_names",
    "model_names",
    "nccl_names",
    "params",
    "plan_parse",
    "software_names",
    *_batch.__all__,
    *_functions.__all__,
    *_plot.__all__,
    *_types.__all__,
]

# Pickles and messages name the public place of a class.
for _name in __all__:
    if isinstance(_class := globals()[_name], type):
        _class.__module__ = __name__
del _name, _class
