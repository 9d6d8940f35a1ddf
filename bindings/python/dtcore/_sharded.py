"""Tensors and the ranks that share them as an object, over the functions shards_*()."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._base import array
from ._batch import packed
from ._functions import (
    model_tensor_name, shards_fragments, shards_from_plan, shards_layout, shards_owner, shards_resolve, shards_shapes,
    shards_totals,
)
from ._types import Cluster, Model, Plan, Shape, Shards, ShardTotals

if TYPE_CHECKING:
    import numpy

__all__ = ["Sharded"]


def _rows(shapes: Iterable[Shape] | numpy.ndarray) -> numpy.ndarray:
    """Shapes as an array of one's own."""
    import numpy

    if isinstance(shapes, numpy.ndarray):
        return shapes.copy()
    return array(bytearray().join(packed("shapes", Shape, shape) for shape in shapes), "dtc_shape")


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class Sharded:
    """Where each element of each tensor lies on the ranks that share the states.

    >>> sharded = dtcore.Sharded(dtcore.model_find("llama-2-70b"), scheme="fsdp2", world=512)
    >>> sharded.totals.per_rank
    134728208
    >>> sharded.owner("model.norm.weight", 17)
    (1, 1)

    A tensor is named by its index, or by its name where a model was given. Ranks are places in the group that shares
    the states. The arrays are read-only.

    shards: the sharding, with all its defaults
    shapes: array with a row of Shape's fields for each tensor; sizes in elements
    slots: array with a row of Slot's fields for each tensor; places in elements, in the space of all buckets
    totals: padding, buckets, the heaviest and the lightest rank; sizes in elements
    model: whose tensors they are; None when shapes were given
    """

    shards: Shards
    shapes: numpy.ndarray
    slots: numpy.ndarray
    totals: ShardTotals
    model: Model | None
    _indices: dict[str, int]  # of the tensors by name, filled when somebody asks

    def __init__(self, tensors: Model | Iterable[Shape] | numpy.ndarray, shards: Shards | None = None,
                 **settings: Any) -> None:
        """Lays tensors over ranks.

        tensors: a model, whose tensors come in the order of model_tensor(); or shapes, as shards_layout() takes them
        shards: the sharding; None for one of settings alone
        settings: fields of Shards that it has otherwise: scheme="zero3", world=64
        Raises DtcoreError: as shards_layout(), as shards_shapes(). Exact.
        """
        shards = shards_resolve(replace(Shards() if shards is None else shards, **settings))
        model = tensors if isinstance(tensors, Model) else None
        shapes = shards_shapes(tensors) if isinstance(tensors, Model) else _rows(tensors)
        slots = shards_layout(shards, shapes)
        for made in (shapes, slots):
            made.flags.writeable = False
        totals = shards_totals(shards, shapes, slots)
        values = {"shards": shards, "shapes": shapes, "slots": slots, "totals": totals, "model": model, "_indices": {}}
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @classmethod
    def of_plan(cls, model: Model, cluster: Cluster | None = None, plan: Plan = Plan()) -> Sharded:
        """The model's tensors as the framework of a plan shards them, over its dp_shard ranks.

        Raises DtcoreError: as shards_from_plan(), as shards_layout(). Exact.
        """
        return cls(model, shards_from_plan(model, cluster, plan))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors, in their order; none when shapes were given."""
        return tuple(self._named())

    def index(self, tensor: int | str) -> int:
        """Index of a tensor. KeyError: a name that the model does not have."""
        return self._named()[tensor] if isinstance(tensor, str) else tensor

    def fragments(self, rank: int) -> numpy.ndarray:
        """What a rank holds: parts of tensors, in the order of the tensors.

        rank: [0, world)
        Returns: structured array, one row of Fragment's fields each; offsets and lengths in elements
        Raises DtcoreError: RANGE (rank). Exact.
        """
        return shards_fragments(self.shards, self.shapes, self.slots, rank)

    def owner(self, tensor: int | str, element: int) -> tuple[int, int]:
        """The rank that holds an element, and the element's place in the rank's part of the bucket.

        tensor: index of the tensor, or its name
        element: element of the tensor, row by row [0, rows * cols)
        Raises DtcoreError: RANGE (tensor, element); KeyError: a name that the model does not have. Exact.
        """
        return shards_owner(self.shards, self.shapes, self.slots, self.index(tensor), element)

    def _named(self) -> dict[str, int]:
        if self.model is not None and not self._indices:
            self._indices.update((model_tensor_name(self.model, i), i) for i in range(len(self.shapes)))
        return self._indices

    def __len__(self) -> int:
        """Tensors."""
        return len(self.shapes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sharded):
            return NotImplemented
        same = (self.shards, self.model) == (other.shards, other.model)
        return same and self.shapes.tolist() == other.shapes.tolist()

    def __hash__(self) -> int:
        return hash((self.shards, self.model, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.shapes if self.model is None else self.model, self.shards)

    def __repr__(self) -> str:
        tensors = f"<{len(self)} shapes>" if self.model is None else repr(self.model)
        return f"{type(self).__name__}({tensors}, {self.shards!r})"
