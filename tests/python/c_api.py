"""The shared library through ctypes: what Python is held against.

Structs and signatures come from the public headers; of the package only the attributes of its objects are used.
"""
import ctypes
import os
import re
from enum import IntEnum
from pathlib import Path

import headers

HEADERS = headers.read()
STRUCTS = {s.name: s for s in HEADERS.structs}
NONE = 2**64 - 1
_SIMPLE = {"uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "uint64_t": ctypes.c_uint64,
           "double": ctypes.c_double, "int32_t": ctypes.c_int32, "size_t": ctypes.c_size_t}
SWITCH = {0: None, HEADERS.constants["DTC_BOOL_ON"]: True, HEADERS.constants["DTC_BOOL_OFF"]: False}
_MASK = re.compile(r"mask: bit n \D*\b(dtc_\w+) n\b")


def simple(type_: str) -> type:
    return _SIMPLE.get(type_, ctypes.c_uint32)  # the rest are uint32_t or typedefs of it


def ctype(struct: headers.Struct) -> type[ctypes.Structure]:
    return type(struct.name, (ctypes.Structure,), {"_fields_": [(f.name, simple(f.type)) for f in struct.fields]})


TYPES = {name: ctype(struct) for name, struct in STRUCTS.items()}


def visible(struct: headers.Struct) -> list[headers.Field]:
    return [f for f in struct.fields if f.name not in ("struct_size", "pad")]


def fresh(name: str) -> ctypes.Structure:
    made = TYPES[name]()
    if STRUCTS[name].sized:
        made.struct_size = ctypes.sizeof(made)
    return made


def packed(name: str, obj: object) -> ctypes.Structure:
    """A dataclass as its C struct, attribute by attribute."""
    made = fresh(name)
    for f in visible(STRUCTS[name]):
        value = getattr(obj, f.name)
        if f.type == "dtc_bool":
            value = next(number for number, means in SWITCH.items() if means is value)
        setattr(made, f.name, value)
    return made


def pointer(name: str, value: object) -> object:
    """A dataclass, a list of them or of integers, a NumPy array or None as an argument of a C function."""
    if hasattr(value, "tobytes"):
        return (TYPES[name] * (len(value) + 1)).from_buffer_copy(value.tobytes() + bytes(ctypes.sizeof(TYPES[name])))
    if isinstance(value, list) and name not in STRUCTS:
        return (simple(name) * (len(value) + 1))(*value)
    if isinstance(value, list):
        return (TYPES[name] * (len(value) + 1))(*(packed(name, v) for v in value))
    return None if value is None else ctypes.byref(packed(name, value))


def same(name: str, obj: object, made: ctypes.Structure) -> None:
    """Asserts that a result's attributes say what the C struct says."""
    for f in visible(STRUCTS[name]):
        got, want = getattr(obj, f.name), getattr(made, f.name)
        if f.type == "dtc_bool":
            assert got is SWITCH[want], f.name
        elif "DTC_NONE" in f.doc and want == NONE and not hasattr(obj, "__dataclass_fields__"):  # inputs take numbers
            assert got is None, f.name
        elif _MASK.match(f.doc):
            assert type(got) is frozenset and sum(1 << item for item in got) == want, f.name
            assert all(isinstance(item, IntEnum) for item in got), f.name
        else:
            assert got == want, f.name
            if HEADERS.enum(f.type) and want in [v.value for v in HEADERS.enum(f.type).values]:
                assert isinstance(got, IntEnum), f.name


class Library:
    def __init__(self, path: Path):
        self.lib = ctypes.CDLL(str(path))

    def call(self, fn: headers.Function, inputs: dict) -> tuple[int, bytes, dict]:
        """Calls a fallible function: status, the bytes of the error, outputs by argument name."""
        cap, scratch = 8, 0
        for _ in range(3):
            status, error, outs = self._call(fn, inputs, cap, scratch)
            count = outs.get("count", outs.get("len"))
            longer = count.value + 1 if count is not None and count.value >= cap else cap
            asks = status == HEADERS.constants["DTC_E_SPACE"] and error.rule == HEADERS.constants["DTC_RULE_SCRATCH"]
            roomier = error.min if asks else scratch
            if (cap, scratch) == (longer, roomier):
                break
            cap, scratch = longer, roomier
        return status, bytes(error), outs

    def _call(self, fn: headers.Function, inputs: dict, cap: int, scratch: int) -> tuple[int, ctypes.Structure, dict]:
        args, outs, error, length = [], {}, fresh("dtc_error"), 0
        for type_, name in fn.args:
            if type_.startswith("const char"):
                text = inputs[name].encode() if isinstance(inputs[name], str) else inputs[name]
                args.append(text)
                length = len(text or b"")
            elif type_.startswith("const "):
                value = inputs[name]
                length = len(value) if hasattr(value, "__len__") else 0
                args.append(pointer(type_[6:-2], value))
            elif name == "err":
                args.append(ctypes.byref(error))
            elif name == "scratch":
                args.append((ctypes.c_uint64 * scratch)())
            elif type_ == "char *":
                outs[name] = ctypes.create_string_buffer(cap)
                args.append(outs[name])
            elif type_.endswith("*") and name in fn.arrays:
                outs[name] = (TYPES.get(type_[:-2], simple(type_[:-2])) * cap)()
                if type_[:-2] in STRUCTS and STRUCTS[type_[:-2]].sized:
                    outs[name][0].struct_size = ctypes.sizeof(outs[name][0])
                args.append(outs[name])
            elif type_.endswith("*"):
                outs[name] = fresh(type_[:-2]) if type_[:-2] in STRUCTS else simple(type_[:-2])()
                args.append(ctypes.byref(outs[name]))
            elif name in fn.lengths:
                args.append(ctypes.c_size_t({"cap": cap, "n_scratch": scratch}.get(name, length)))
            else:
                args.append(simple(type_)(inputs[name]))
        return getattr(self.lib, fn.name)(*args), error, outs


def find_library() -> Path | None:
    """DTCORE_LIBRARY, or the one of the build that the package comes from."""
    import dtcore

    built = Path(dtcore.__file__).parents[2] / "libdtcore.so"
    path = Path(os.environ.get("DTCORE_LIBRARY", built))
    return path if path.exists() else None
