"""Reads the public headers: enums, structs with their fields, functions with their documentation.

The headers are the only list of fields, names and ranges; whatever is generated or checked starts here.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What may include what, top down.
ORDER = ["base", "model", "cluster", "plan", "rank", "nccl", "shard", "pipeline", "collective", "tasks", "ledger", "memory",
         "step", "search", "framework", "advise", "launch", "explain"]  # fmt: skip

# Largest value of the unsigned types.
WIDEST = {"uint8_t": 2**8 - 1, "uint16_t": 2**16 - 1, "uint32_t": 2**32 - 1, "uint64_t": 2**64 - 1}


@dataclass
class Enumerator:
    name: str
    value: int
    doc: str


@dataclass
class Enum:
    name: str  # "dtc_sharding"; "" for anonymous constants
    doc: str
    values: list[Enumerator]


@dataclass
class Field:
    name: str
    type: str
    doc: str
    range: tuple[str, str] | None  # as written in the header: ("1", "2^20")


@dataclass
class Struct:
    name: str  # "dtc_model"
    doc: str
    fields: list[Field]
    number: int

    @property
    def sized(self) -> bool:
        """A struct that starts with struct_size; the others are records."""
        return self.fields[0].name == "struct_size"


@dataclass
class Function:
    name: str
    header: str
    result: str
    args: list[tuple[str, str]]  # (type, name)
    doc: str

    def tag(self, tag: str) -> str:
        """Text of one @tag, joined to a line; "" when it is missing."""
        found = re.search(rf"@{tag}\b(.*?)(?=\n@\w|\Z)", self.doc, re.S)
        return " ".join(found.group(1).split()) if found else ""

    @property
    def params(self) -> dict[str, str]:
        """Text of each @param by the argument's name."""
        found = re.findall(r"@param (\w+) (.*?)(?=\n@\w|\Z)", self.doc, re.S)
        return {name: " ".join(text.split()) for name, text in found}

    def optional(self, arg: str) -> bool:
        """The argument may be NULL."""
        return re.search(r"\bNULL\b", self.params.get(arg, "")) is not None

    @property
    def arrays(self) -> dict[str, str]:
        """By the name of each array or text the name of its length, the next argument: n or n_NAME of an input, len or
        NAME_len of one that is a text, cap of an output."""
        return {name: after for (type_, name), (_, after) in zip(self.args, self.args[1:]) if type_.endswith("*")
                and after in (("n", f"n_{name}", "len", f"{name}_len") if type_.startswith("const ") else ("cap",))}

    @property
    def scratch(self) -> bool:
        """It works in memory of the caller's: uint64_t *scratch, size_t n_scratch."""
        return ("uint64_t *", "scratch") in self.args

    @property
    def lengths(self) -> set[str]:
        """Names of the arguments that say the length of an array, a text or the scratch."""
        return set(self.arrays.values()) | ({"n_scratch"} if self.scratch else set())


@dataclass(eq=False)  # what follows from them is kept by functools.cache
class Headers:
    enums: list[Enum] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    limits: dict[str, tuple[int, str]] = field(default_factory=dict)  # DTC_NONE, DTC_MESH_AXES: value, doc
    structs: list[Struct] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def enum(self, name: str) -> Enum | None:
        return next((e for e in self.enums if e.name == name), None)


def _clean(comment: str) -> str:
    lines = (re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment.splitlines())
    return "\n".join(lines).strip()


def number(text: str) -> float | int:
    """A bound as written in a header: 12, 2^20, 1e18."""
    if "^" in text:
        base, power = text.split("^")
        return int(base) ** int(power)
    return float(text) if re.search(r"[.e]", text) else int(text)


def release() -> str:
    """1.2.3, as base.h has it."""
    text = (ROOT / "include/dtcore/base.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define DTC_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def experimental() -> set[str]:
    """Headers that say so of themselves: they are not under the promise of doc/abi.md."""
    texts = {header: (ROOT / "include/dtcore" / f"{header}.h").read_text(encoding="utf-8") for header in ORDER}
    return {header for header, text in texts.items() if "Experimental:" in brief(text)}


def brief(text: str) -> str:
    """What a header says that it is, on one line."""
    return re.search(r"@brief (.*?)(?=\n \*\n|\n \*/)", text, re.S)[1].replace("\n *", "").strip()


def short(enum: Enum, value: Enumerator) -> str:
    """DTC_SHARDING_ZERO2 -> zero2"""
    prefix = enum.name.upper() + "_"
    if not value.name.startswith(prefix):
        prefix = prefix.removesuffix("CONVENTION_")  # DTC_FLOPS_PALM of dtc_flops_convention
    return value.name.removeprefix(prefix).lower()


def _enumerators(body: str) -> list[Enumerator]:
    rows, value = [], -1
    for name, given, doc in re.findall(r"(DTC_\w+)\s*(?:=\s*(\w+))?\s*,[ \t]*(?:/\*\*<(.*?)\*/)?", body, re.S):
        value = int(given, 0) if given else value + 1
        rows.append(Enumerator(name, value, " ".join(_clean(doc).split())))
    return rows


def _fields(body: str) -> list[Field]:
    rows = []
    for type_, name, doc in re.findall(r"(\w+)\s+(\w+);\s*/\*\*<(.*?)\*/", body, re.S):
        doc = " ".join(_clean(doc).split())
        bounds = re.search(r"\s*\[([^,\]]+), ([^\]]+)\]$", doc)
        rows.append(Field(name, type_, doc[: bounds.start()] if bounds else doc, bounds.groups() if bounds else None))
    declared = len(re.findall(r";", re.sub(r"/\*.*?\*/", "", body, flags=re.S)))
    if declared != len(rows):
        raise SystemExit(f"headers.py: a field without a /**< comment near: {body[:80]!r}")
    return rows


def _functions(text: str, header: str) -> list[Function]:
    rows = []
    pattern = r"/\*\*((?:(?!\*/).)*?)\*/\s*DTC_API\s+(?:DTC_NODISCARD\s+|DTC_DEPRECATED\([^)]*\)\s+)*([\w ]+?[ *]+)(dtc_\w+)\(([^)]*)\);"
    for doc, result, name, args in re.findall(pattern, text, re.S):
        parsed = []
        for arg in args.split(","):
            arg = " ".join(arg.split())
            if arg != "void":
                type_, arg_name = re.fullmatch(r"(.*?[ *])(\w+)", arg).groups()
                parsed.append((type_.strip(), arg_name))
        rows.append(Function(name, header, result.strip(), parsed, _clean(doc)))
    if len(rows) != len(re.findall(r"^DTC_API", text, re.M)):
        raise SystemExit(f"headers.py: a DTC_API function without documentation in {header}.h")
    return rows


def read() -> Headers:
    out = Headers()
    for header in ORDER:
        text = (ROOT / "include/dtcore" / f"{header}.h").read_text(encoding="utf-8")
        for doc, name, body in re.findall(
            r"/\*\*((?:(?!\*/).)*?)\*/\s*(?:typedef u?int32_t (dtc_\w+);\s*)?enum \{(.*?)\n\};", text, re.S
        ):
            enum = Enum(name, _clean(doc), _enumerators(body))
            out.enums.append(enum)
            out.constants.update((v.name, v.value) for v in enum.values)
        for doc, body, name in re.findall(
            r"/\*\*((?:(?!\*/).)*?)\*/\s*typedef struct dtc_\w+ \{(.*?)\n\} (dtc_\w+);", text, re.S
        ):
            noun = out.constants[f"DTC_STRUCT_{name.removeprefix('dtc_')}"]
            out.structs.append(Struct(name, _clean(doc), _fields(body), noun))
        # The version of the headers is no limit: functions say the library's.
        limit = (r"/\*\* ([^\n]*?) \*/\n#define (DTC_(?!VERSION)\w+) "
                 r"(?:UINT(32|64)_MAX|\(UINT(32|64)_MAX - (\d+)\)|(\d+))\n")
        for doc, name, most, near, below, plain in re.findall(limit, text):
            bits = int(most or near or 0)
            out.limits[name] = (2**bits - 1 - int(below or 0) if bits else int(plain), doc)
        out.functions += _functions(text, header)
    return out
