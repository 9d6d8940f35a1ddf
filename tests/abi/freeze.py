"""What a program knows of this release's binary interface, as text: tests/abi/frozen. usage: freeze.py FOLDER SONAME

    dtcore.h    every declaration of the public headers but the experimental ones
    tables.h    SONAME, functions, structs, fields, values with number and name
    calls.h     a call of every function, for tests/abi/old/program.c
    stub.map    symbol versions, to link that program without the library

Written by scripts/abi --update for 1.0, the first release of the SONAME; they stay as they are as long as it does.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import headers  # noqa: E402

NOTE = "/* Release {}, as tests/abi/freeze.py wrote it down. Not to be edited: old programs do not change. */"


def declarations(header: str) -> list[str]:
    """A header without comments, guards, includes and attributes."""
    text = (ROOT / "include/dtcore" / f"{header}.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n', "", text)
    text = re.sub(r"#if defined\(SWIG\).*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"\bDTC_(API|NODISCARD|DEPRECATED\([^)]*\))\s", "", text)
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line and not re.match(r"#(include|ifndef|endif)|#define DTCORE_\w+_H$", line)]


def values(h: headers.Headers, structs: list[headers.Struct], text: str) -> list[str]:
    """X(struct, field, enumerator, number, name), once for each enum that a field has; the rules that text declares."""
    out, seen = [], {"dtc_status", "dtc_rule"}
    for struct, field in ((s, f) for s in structs for f in s.fields):
        enum = h.enum(field.type)
        if enum and enum.name not in seen:
            seen.add(enum.name)
            out += [f'X({struct.name[4:]}, {field.name}, {v.name}, {v.value}, "{headers.short(enum, v)}")' for v in enum.values]
    rules = [v for e in h.enums for v in e.values if v.name.startswith("DTC_RULE_") and f" {v.name} =" in text]
    return out + [f'X(error, rule, {v.name}, {v.value}, "{v.name.removeprefix("DTC_RULE_").lower()}")' for v in rules]


def table(name: str, rows: list[str]) -> str:
    return f"#define {name}(X) \\\n" + " \\\n".join(f"  {row}" for row in rows) + "\n"


def argument(h: headers.Headers, fn: headers.Function, type_: str, name: str) -> tuple[str, str]:
    """Declaration of an argument and how it is passed: one element of an array, a struct with what a job usually has."""
    const, base, pointer = re.fullmatch(r"(const )?(\w+)( \*)?", type_).groups()
    if name == "scratch":
        return "SCRATCH(scratch);", "scratch"
    if name in fn.lengths:
        array = next((array for array, length in fn.arrays.items() if length == name), "scratch")
        kind = next(t for t, n in fn.args if n == array)
        sizes = {"const char *": f"sizeof TEXT_{array} - 1", "char *": f"sizeof {array}.of.bytes"}
        return "", "SCRATCH_WORDS" if name == "n_scratch" else sizes.get(kind, "1")
    if base == "char":
        return (f'const char *{name} = TEXT_{name};', name) if const else (f"GUARDED(text, {name});", f"{name}.of.bytes")
    if pointer:
        kind = "SIZED" if any(s.name == base and s.sized for s in h.structs) else "GUARDED"
        return f"{kind}({base}, {name});" + (f" FILL({base}, {name});" if const else ""), f"&{name}.of"
    return "", "1" if base != "double" else "1.0"


def call(h: headers.Headers, fn: headers.Function) -> list[str]:
    made = [argument(h, fn, type_, name) for type_, name in fn.args]
    guarded = [re.match(r"(?:SIZED|GUARDED)\(\w+, (\w+)\)", declared) for declared, _ in made]
    lines = [f"  {declared}" for declared, _ in made if declared]
    inner = f"{fn.name}({', '.join(passed for _, passed in made)})"
    status = {"dtc_status": inner, "const char *": f"said({inner})"}.get(fn.result, f"counted({inner})")
    lines += [f"  dtc_status status = {status};"]
    lines += [f"  INTACT({found[1]});" for found in guarded if found]
    return [f"static dtc_status call_{fn.name}(void)", "{", *lines, "  return status;", "}"]


def main() -> None:
    folder, soname = Path(sys.argv[1]), sys.argv[2]
    h = headers.read()
    experimental = headers.experimental()
    text = [line for header in headers.ORDER if header not in experimental for line in declarations(header)]
    note = NOTE.format(headers.release())
    functions = [fn for fn in h.functions if fn.header not in experimental]
    declared = {name for line in text for name in re.findall(r"^\} (dtc_\w+);", line)}
    structs = [s for s in h.structs if s.name in declared]
    nodes = re.findall(r"^(DTCORE_\S+) \{(.*?)^\}", (ROOT / "lib/dtcore.map").read_text(encoding="utf-8"), re.S | re.M)
    nodes = [(title, body) for title, body in nodes if title != "DTCORE_EXPERIMENTAL"]
    node = {name: title for title, body in nodes for name in re.findall(r"\b(dtc_\w+);", body)}
    guard = ["#ifndef DTCORE_H", "#define DTCORE_H", "#include <stddef.h>", "#include <stdint.h>", "#include <string.h>"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dtcore.h").write_text("\n".join([note, *guard, *text, "#endif", ""]), encoding="utf-8")
    tables = [f'#define SONAME "{soname}"\n', table("FUNCTIONS", [f"X({fn.name})" for fn in functions]),
              table("STRUCTS", [f"X({s.name[4:]}, {s.number}, {int(s.sized)})" for s in structs]),
              table("FIELDS", [f"X({s.name[4:]}, {s.number}, {f.name})" for s in structs for f in s.fields]),
              table("VALUES", values(h, structs, "\n".join(text)))]  # fmt: skip
    (folder / "tables.h").write_text("\n".join([note, *tables]), encoding="utf-8")
    calls = [line for fn in functions for line in [*call(h, fn), ""]]
    (folder / "calls.h").write_text("\n".join([note, *calls]).rstrip("\n") + "\n", encoding="utf-8")
    maps = [f"{title} {{ global: " + " ".join(f"{fn.name};" for fn in functions if node[fn.name] == title) + " };" for title, _ in nodes]
    (folder / "stub.map").write_text("\n".join([note, *maps, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
