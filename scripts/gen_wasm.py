"""What scripts/gen writes for WebAssembly: the list of exports, the JavaScript module and its TypeScript types."""
import re

import gen_bindings as b
from headers import ROOT, Enum, Field, Function, Headers, Struct

FOLDER = "bindings/wasm"
# What a planner asks. Others would make the file larger, and linting its tables alone as large again.
HEADERS = ("base", "model", "cluster", "plan", "rank", "pipeline", "memory", "step", "search", "advise", "launch", "explain")
PLAIN = {"uint32_t": "number32", "size_t": "number32", "uint64_t": "number64", "double": "double"}


def functions(h: Headers) -> list[Function]:
    return [fn for fn in h.functions if fn.header in HEADERS]


def structs(h: Headers) -> list[Struct]:
    """Those that a function takes or gives, and the error."""
    used = {r.struct for fn in functions(h) for r in b.roles(fn)} | {"dtc_error"}
    return [s for s in h.structs if s.name in used]


def enums(h: Headers) -> list[Enum]:
    used = {"dtc_status", "dtc_severity", "dtc_rule"} | {t for fn in functions(h) for t, _ in fn.args}
    used |= {b.mask_of(f) or b.enum_of(h, f) for s in structs(h) for f in s.fields}
    return [e for e in b.enums(h) if e.name in used]


def exports(h: Headers) -> str:
    return "".join(f"--export={name}\n" for name in ("_initialize", "__heap_base", *(fn.name for fn in functions(h))))


# ---- tables of the JavaScript module ---------------------------------------------------------------------------------


def field_row(h: Headers, s: Struct, f: Field) -> str:
    bits = 8 * b.BYTES.get(f.type, 4)
    if f.name in ("struct_size", "pad"):
        return f"#{'size' if f.name == 'struct_size' else 'pad'} number{bits}"
    kind = b.kind(h, s, f)
    if kind == "F64":
        return f"{f.name} double"
    named = b.noun(b.mask_of(f) or b.enum_of(h, f))
    return f"{f.name} {kind.lower()}{bits}" + (f" {named}" if kind in ("ENUM", "MASK") else "")


def argument(fn: Function, i: int, defaults: dict[str, str]) -> str:
    """KIND:NAME[?][:OF] of argument i, with * for a plan that is at its defaults when it is left out; "" for lengths and
    counts, which follow from the others."""
    type_, name = fn.args[i]
    base = type_.removeprefix("const ").removesuffix(" *")
    mark = name + ("*" if defaults.get(name) == "Plan()" else "?" * (bool(defaults.get(name)) or fn.optional(name)))
    if name in fn.lengths or (("size_t", "cap") in fn.args and name in ("count", "len")):
        return ""
    if name == "err":
        return "error:err"
    if name == "scratch":
        return "scratch:scratch"
    if type_ == "const char *":
        return f"{'bytes' if name in fn.arrays else 'text'}:{mark}"
    if type_ == "char *":
        return f"chars:{name}"
    if type_.endswith("*"):
        of = PLAIN.get(base) or b.noun(base)
        if type_.startswith("const "):
            return f"{'array' if name in fn.arrays else 'in'}:{mark}:{of}"
        return f"{'list' if name in fn.arrays else 'out'}:{name}:{of}"
    return f"{PLAIN[type_]}:{mark}" if type_ in PLAIN else f"enum:{mark}:{b.noun(type_)}"


def function_row(h: Headers, fn: Function) -> str:
    order = b.arguments(h, fn)
    defaults = {a.name: a.default for a in order}
    rows = [row for i in range(len(fn.args)) if (row := argument(fn, i, defaults))]
    result = {"dtc_status": "status", "const char *": "text", "uint64_t": "number64"}.get(fn.result, "number32")
    names = " ".join(a.name for a in order)
    return f'  {b.function_name(fn.name)}: ["{fn.name}", "{result}", "{names}",\n    "{" ".join(rows)}"],'


def public(h: Headers) -> list[Function]:
    """Lines of errors and the sizes of scratch are asked for by themselves."""
    return [fn for fn in functions(h) if fn.name != "dtc_error_format" and not fn.name.endswith("_scratch")]


def module_js(h: Headers) -> str:
    out = [f"// {b.NOTE.replace('; do', ' and bindings/wasm/runtime.js; do')}"]
    out += ["// An ES module without dependencies; its types stand in dtcore.d.ts, how to use it in doc/web.md.", ""]
    out += ["// {enum: {word: value}}", "const ENUMS = {"]
    for e in enums(h):
        words = ", ".join(f'"{b.word(e, v.name)}": {v.value}' for v in e.values)
        out += b.wrapped(f"{b.noun(e.name)}: {{ {words} }},", "  ", "  ")
    out += ["};", "", "// {struct: [its number, its fields in C's order: name, type and bits, enum]}", "const STRUCT_TEXTS = {"]
    for s in structs(h):
        text = ", ".join(field_row(h, s, f) for f in s.fields)
        out += [f"  {b.noun(s.name)}: [{s.number},", f'    "{text}"],']
    out += ["};", "", "// {function: [C name, result, arguments of a call in order, those of C]}; ? and * may be left out", "const FUNCTIONS = {"]
    out += [function_row(h, fn) for fn in public(h)] + ["};", ""]
    runtime = (ROOT / FOLDER / "runtime.js").read_text(encoding="utf-8")
    return "\n".join(out) + "\n" + runtime


# ---- types -----------------------------------------------------------------------------------------------------------


def quoted(e: Enum) -> str:
    return " | ".join(f'"{b.word(e, v.name)}"' for v in e.values)


def type_name(name: str) -> str:
    return b.camel(name)


def field_type(h: Headers, s: Struct, f: Field) -> str:
    kind, named = b.kind(h, s, f), b.mask_of(f) or b.enum_of(h, f)
    if kind in ("ENUM", "MASK"):
        return f"{type_name(named)} | number" if kind == "ENUM" else f"({type_name(named)} | number)[]"
    wide = "U64" if b.BYTES.get(f.type, 4) == 8 else "number"
    return {"BOOL": "boolean | null", "F64": "number", "OPTIONAL": f"{wide} | null"}.get(kind, wide)


def comment(text: str, indent: str = "  ") -> list[str]:
    return b.wrapped("/** " + text.replace("*/", "* /") + " */", indent, " * ")


def words_of(h: Headers, text: str) -> str:
    """Text of a header in the words of JavaScript."""
    values = {v.name: f'"{b.word(e, v.name)}"' for e in enums(h) for v in e.values}
    text = re.sub(r"\bDTC_E_(\w+)", lambda m: m[1].lower(), text)
    text = re.sub(r"\bDTC_\w+", lambda m: values.get(m[0], m[0].removeprefix("DTC_")), text)
    text = re.sub(r"\b(dtc_\w+)\(", lambda m: b.function_name(m[1]) + "(", text)
    text = re.sub(r"\bdtc_(\w+)", r"\1", text)
    return re.sub(r"\bNULL\b", "null", text)


def struct_types(h: Headers, s: Struct) -> list[str]:
    out = comment(words_of(h, " ".join(s.doc.split())), "") + [f"export interface {type_name(s.name)} {{"]
    for f in b.visible(s):
        bounds = f" [{f.range[0]}, {f.range[1]}]" if f.range else ""
        out += comment(words_of(h, f.doc) + bounds) + [f"  {f.name}: {field_type(h, s, f)};"]
    return out + ["}", ""]


def argument_type(h: Headers, type_: str, array: bool) -> str:
    base = type_.removeprefix("const ").removesuffix(" *")
    plain = {"uint32_t": "number", "size_t": "number", "uint64_t": "U64", "double": "number"}
    if type_ == "const char *":
        return "string | Uint8Array"
    if base in plain:
        one = plain[base]
    else:
        one = f"Partial<{type_name(base)}>" if type_.endswith("*") else f"{type_name(base)} | number"
    return f"readonly {one}[]" if array else one


def result_type(h: Headers, fn: Function) -> str:
    if fn.result != "dtc_status":
        return {"const char *": "string", "uint64_t": "U64"}.get(fn.result, "number")
    if fn.name == "dtc_plan_parse":
        return "[Plan, Model | null]"
    plain = {"uint32_t": "number", "uint64_t": "U64", "double": "number", "char": "string"}
    found = []
    for i, (type_, name) in enumerate(fn.args):
        row = argument(fn, i, {})
        if not row.startswith(("out:", "list:", "chars:")):
            continue
        base = type_.removesuffix(" *")
        one = plain.get(base) or type_name(base)
        found.append(f"{one}[]" if row.startswith("list:") else one)
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"


def function_types(h: Headers, fn: Function) -> list[str]:
    given = {name: type_ for type_, name in fn.args}
    args = []
    for a in b.arguments(h, fn):
        null = " | null" if a.default == "None" else ""
        args.append(f"{a.name}{'?' * bool(a.default)}: {argument_type(h, given[a.name], a.name in fn.arrays)}{null}")
    brief = words_of(h, fn.tag("brief"))
    line = f"  {b.function_name(fn.name)}({', '.join(args)}): {result_type(h, fn)};"
    return comment(brief) + b.wrapped(line.strip(), "  ")


def types_ts(h: Headers) -> str:
    out = [f"// {b.NOTE}", "", "/** A Number where it is exact (up to 2^53), else a BigInt. Calls take both. */"]
    out += ["export type U64 = number | bigint;", ""]
    for e in enums(h):
        out += comment(words_of(h, " ".join(e.doc.split())), "")
        out += b.wrapped(f"export type {type_name(e.name)} = {quoted(e)};", "") + [""]
    for s in structs(h):
        if s.name != "dtc_error":
            out += struct_types(h, s)
    out += ["/** Why a call failed, or a finding. Numbers that do not apply are null. */"]
    out += ["export class DtcoreError extends Error {"]
    out += ["  /** What the call came to; \"type\" when the call itself was wrong. */", '  code: Status | "type";']
    out += ["  severity: Severity;", "  rule: Rule | number | null;", "  /** Name of the field whose value is wrong. */"]
    out += ["  field: string | null;", "  other: string | null;"]
    out += [f"  {name}: U64 | null;" for name in ("got", "other_got", "min", "max", "lower", "upper", "offset")]
    out += ["  /** The line in English, and in Chinese. */", "  text: string;", "  zh: string;"]
    out += ["  /** The nearest known word, of an unknown one. */", "  nearest?: string;"]
    out += ['  line(lang?: "en" | "zh"): string;', "}", "", "/** An instance; every function may throw DtcoreError. */"]
    out += ["export interface Dtcore {"]
    for fn in public(h):
        out += function_types(h, fn)
    out += [f"  {noun}_names(): string[];" for noun in ("model", "gpu", "cluster", "software", "framework")]
    out += ["  field_id(struct: string, field: string): number;", "  /** No value. */", "  readonly NONE: bigint;"]
    out += ["  readonly fields: Record<string, string[]>;", "  readonly enums: Record<string, Record<string, number>>;", "}", ""]
    out += ["export const fields: Record<string, string[]>;", "export const enums: Record<string, Record<string, number>>;"]
    out += ["export function field_id(struct: string, field: string): number;"]
    out += ["/** Makes an instance of dtcore.wasm: from its bytes, a Response of fetch(), or a WebAssembly.Module. */"]
    out += ["export function load(source: BufferSource | Response | WebAssembly.Module): Promise<Dtcore>;", ""]
    return "\n".join(out)


def outputs(h: Headers) -> dict[str, str]:
    return {
        f"{FOLDER}/exports.txt": exports(h),
        f"{FOLDER}/dtcore.js": module_js(h),
        f"{FOLDER}/dtcore.d.ts": types_ts(h),
    }
