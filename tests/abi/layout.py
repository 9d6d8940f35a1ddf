"""Structs and constants of the public headers, from the debug information of an object that includes dtcore.h.

usage: layout.py dump OBJECT      prints the lines
       layout.py compare OLD NEW  names every difference; exit code 0 same, 1 appended, 2 incompatible

    struct dtc_plan 152                          size
    field dtc_plan.tp 16 8 uint64_t              offset, size, type
    const DTC_OK 0                               enumerator
    macro DTC_NONE UINT64_MAX                    text of a macro (appended by scripts/abi)

Only appending is compatible: a sized struct may gain fields behind its old end, enumerators and macros may be added,
counts of a release (GROWING) may rise. What experimental headers declare may change.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import headers  # noqa: E402

GROWING = {"DTC_SPACE_AXES", "DTC_NCCL_ROWS", "DTC_NCCL_RANGES"}


def type_name(die) -> str:
    """Name as written in the header: the typedef's."""
    if "DW_AT_name" in die.attributes:
        return die.attributes["DW_AT_name"].value.decode()
    if "DW_AT_type" in die.attributes:
        return type_name(die.get_DIE_from_attribute("DW_AT_type")) + die.tag.removeprefix("DW_TAG_").replace("_type", "")
    return die.tag


def size_of(die) -> int:
    while "DW_AT_byte_size" not in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
    return die.attributes["DW_AT_byte_size"].value


def dump_struct(die, name: str) -> list[str]:
    lines = [f"struct {name} {size_of(die)}"]
    for member in die.iter_children():
        if member.tag != "DW_TAG_member":
            continue
        type_ = member.get_DIE_from_attribute("DW_AT_type")
        at = member.attributes["DW_AT_data_member_location"].value
        lines.append(f"field {name}.{type_name(member)} {at} {size_of(type_)} {type_name(type_)}")
    return lines


def dump(path: str) -> list[str]:
    from elftools.elf.elffile import ELFFile  # only needed here

    structs, constants = [], []
    with open(path, "rb") as stream:
        info = ELFFile(stream).get_dwarf_info()
        for unit in info.iter_CUs():
            for die in unit.iter_DIEs():
                name = die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""
                if die.tag == "DW_TAG_structure_type" and name.startswith("dtc_"):
                    structs.append(dump_struct(die, name))
                if die.tag == "DW_TAG_enumerator" and name.startswith("DTC_"):
                    constants.append(f"const {name} {die.attributes['DW_AT_const_value'].value}")
    return [line for lines in structs for line in lines] + constants


def read(path: str) -> dict[tuple[str, str], list[str]]:
    rows = (line.split() for line in Path(path).read_text(encoding="utf-8").splitlines())
    return {(row[0], row[1]): row[2:] for row in rows if row}


def incompatible(old: dict, new: dict, key: tuple[str, str]) -> str:
    """Why the change of one line breaks old programs; "" when it is an appending."""
    kind, name = key
    if key not in new:
        return "removed"
    if kind == "struct" and key in old:
        sized = ("field", f"{name}.struct_size") in old
        return "" if sized and int(new[key][0]) > int(old[key][0]) else "a record may not grow, and nothing may shrink"
    if kind == "macro" and name in GROWING and key in old and int(new[key][0]) > int(old[key][0]):
        return ""
    if key in old:
        return f"was {' '.join(old[key])}"
    struct = ("struct", name.split(".")[0])
    if kind == "field" and struct in old and int(new[key][0]) < int(old[struct][0]):
        return "inside the old struct: fields are only appended"
    return ""


def experimental() -> set[str]:
    """Structs and constants that experimental headers declare."""
    texts = ((headers.ROOT / "include/dtcore" / f"{header}.h").read_text(encoding="utf-8") for header in headers.experimental())
    return {name for text in texts for name in re.findall(r"^(?:\} (?=dtc_)|  (?=DTC_\w+ = ))(\w+)", text, re.M)}


def compare(old: dict, new: dict) -> int:
    worst, may_change = 0, experimental()
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) == new.get(key):
            continue
        sign = "-" if key not in new else "+" if key not in old else "~"
        why = incompatible(old, new, key)
        free = key[1].split(".")[0] in may_change
        worst = max(worst, 2 if why and not free else 1)
        note = ("  experimental" if free else "  INCOMPATIBLE: " + why) if why else ""
        print(f"{sign} {' '.join(key)} {' '.join(new.get(key, old.get(key)))}{note}")
    return worst


if __name__ == "__main__":
    if sys.argv[1] == "dump":
        print("\n".join(dump(sys.argv[2])))
    else:
        sys.exit(compare(read(sys.argv[2]), read(sys.argv[3])))
