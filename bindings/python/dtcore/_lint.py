"""python -m dtcore lint: reads configurations that the C library has no reader for (YAML, TOML, Python) and prints what
dtc_framework_lint() finds in them.

Such a file becomes JSON whose keys stand in the lines of the file, so that a finding's place is a line of the file.
Everything else goes to the library as it stands. A TorchTitan configuration in Python is never run: what it says with
constants is read from its syntax tree, and what could not be read is told.
"""
from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from . import _functions
from ._base import DtcoreError
from ._types import Dialect, Lint, Severity

_MAIN = 2**32 - 1  # DTC_MAIN
_TOML = 2002  # the last TorchTitan that reads TOML, 0.2.2


class Unusable(Exception):
    """Why a file cannot be linted."""


@dataclass
class Text:
    """A text for the library, and what is known about it."""

    text: str
    dialect: Dialect
    name: str = ""  # of the function, where a file holds several configurations
    version: int = 0
    unread: list[str] = field(default_factory=list)


class Value(NamedTuple):
    """A value and its line; objects are dictionaries of Values."""

    value: Any
    line: int


# ---- JSON in the lines of the file -----------------------------------------------------------------------------------


def _json(value: Value, line: int = 1) -> tuple[str, int]:
    """The value's JSON when `line` is reached, and the line behind it."""
    if not isinstance(value.value, dict):
        return json.dumps(value.value, ensure_ascii=False, default=str), line
    text = ""
    for key, inner in value.value.items():
        breaks = max(0, inner.line - line)
        line += breaks
        shown, line = _json(inner, line)
        text += f"{', ' if text else ''}{chr(10) * breaks}{json.dumps(str(key), ensure_ascii=False)}: {shown}"
    return f"{{{text}}}", line


def _dialect_of(keys: set[str]) -> Dialect:
    """Whose configuration has these keys."""
    if keys & {"distributed_type", "compute_environment", "fsdp_config", "parallelism_config", "deepspeed_config"}:
        return Dialect.ACCELERATE
    if keys & {"training", "parallelism", "job", "activation_checkpoint", "compile"}:
        return Dialect.TORCHTITAN
    if keys & {"plugin", "parallel", "tp_size"}:
        return Dialect.COLOSSALAI
    return Dialect.DEFAULT


def _converted(value: Value, kind: str, asked: Dialect, version: int = 0) -> list[Text]:
    if not isinstance(value.value, dict):
        raise Unusable(f"this {kind} holds no names at its top")
    dialect = asked or _dialect_of(set(value.value))
    if not dialect:
        raise Unusable(f"no configuration that is known in {kind}: accelerate's, TorchTitan's (or --dialect says)")
    return [Text(_json(value)[0], dialect, version=version if dialect == Dialect.TORCHTITAN else 0)]


# ---- YAML ------------------------------------------------------------------------------------------------------------


def _read_yaml(text: str, asked: Dialect) -> list[Text]:
    try:
        import yaml
    except ModuleNotFoundError:
        raise Unusable("YAML needs PyYAML: pip install pyyaml") from None
    loader = yaml.SafeLoader(text)

    def build(node: yaml.Node) -> Value:
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            return Value(loader.construct_object(node, deep=True), line)
        loader.flatten_mapping(node)
        pairs = ((loader.construct_object(key, deep=True), key, inner) for key, inner in node.value)
        return Value({name: Value(build(inner).value, key.start_mark.line + 1) for name, key, inner in pairs}, line)

    try:
        node = loader.get_single_node()
        return _converted(build(node) if node is not None else Value({}, 1), "YAML", asked)
    except (yaml.YAMLError, TypeError) as problem:
        raise Unusable(f"no YAML: {' '.join(str(problem).split())}") from None
    finally:
        loader.dispose()


# ---- TOML ------------------------------------------------------------------------------------------------------------


def _read_toml(text: str, asked: Dialect) -> list[Text]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise Unusable(f"no TOML: {problem}") from None
    lines: dict[tuple[str, ...], int] = {}
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.match(r"\s*\[([\w.\-]+)\]", line):
            section = tuple(head[1].split("."))
            lines.setdefault(section, number)
        elif name := re.match(r"\s*([\w.\-]+)\s*=", line):
            lines.setdefault((*section, *name[1].split(".")), number)

    def build(value: Any, path: tuple[str, ...]) -> Value:
        if isinstance(value, dict):
            value = {key: build(inner, (*path, key)) for key, inner in value.items()}
        return Value(value, lines.get(path, 1))

    return _converted(build(data, ()), "TOML", asked, _TOML)


# ---- Python ----------------------------------------------------------------------------------------------------------

_SECTIONS = {
    "TrainingConfig": "training", "ParallelismConfig": "parallelism", "CompileConfig": "compile",
    "CommConfig": "comm", "DebugConfig": "debug",
}  # fmt: skip
# What the library does not look into.
_OPEN = {
    "model_spec", "tokenizer", "dataloader", "validator", "override", "loss", "optimizer", "profiler", "checkpoint",
    "sdc_replayer",
}  # fmt: skip


class _Reader:
    """What the functions of a file put into Trainer.Config, as far as constants say it."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.names: dict[str, ast.expr] = {}  # local names of parts of a configuration
        self.unread: list[str] = []

    def note(self, node: ast.AST, what: str) -> None:
        self.unread.append(f"line {getattr(node, 'lineno', 0)}: {what}")

    def constant(self, node: ast.expr) -> Any:
        """The value; ValueError when it is no constant."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
            left, right = self.constant(node.left), self.constant(node.right)
            if not all(type(v) in (int, float) for v in (left, right)) or (type(node.op) is ast.FloorDiv and not right):
                raise ValueError
            match node.op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
                case _:
                    return left // right
        value = ast.literal_eval(node)
        if not isinstance(value, (str, int, float, bool, list, tuple, type(None))):
            raise ValueError
        return value

    def members(self, call: ast.Call, path: str, open_too: bool = False) -> dict[str, Value]:
        """Keyword arguments of a ...Config(...) call."""
        found: dict[str, Value] = {}
        if call.args:
            self.note(call, f"{path or 'arguments'}: not given by name")
        for keyword in call.keywords:
            if keyword.arg is None:
                self.note(keyword.value, f"**{ast.unparse(keyword.value)}")
            elif open_too or keyword.arg not in _OPEN or path:
                self.put(found, keyword.arg, keyword.value, f"{path}{keyword.arg}", keyword)
        return found

    def put(self, found: dict[str, Value], key: str, node: ast.expr, path: str, at: ast.AST) -> None:
        line = getattr(at, "lineno", 1)
        if isinstance(node, ast.Name):
            node = self.names.get(node.id, node)
        if (name := _config_name(node)) is not None:
            assert isinstance(node, ast.Call)
            inner = self.members(node, f"{path}.")
            if path == "activation_checkpoint" and name != "Config":
                inner = {"class": Value(name, line), **inner}
            found[key] = Value(inner, line)
            return
        try:
            found[key] = Value(self.constant(node), line)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
            found.pop(key, None)
            self.note(at, f"{path} = {ast.unparse(node)}: no constant")

    def built(self, node: ast.expr | None, locals_: dict[str, dict[str, Value]], depth: int) -> dict[str, Value] | None:
        """The configuration that an expression is; None when it is none."""
        if isinstance(node, ast.Name):
            return locals_.get(node.id)
        if not isinstance(node, ast.Call):
            return None
        if _is_trainer(node):
            return self.members(node, "")
        if isinstance(node.func, ast.Name) and node.func.id in self.functions and depth < 8:
            return self.function(self.functions[node.func.id], depth + 1)
        return None

    def assign(self, target: ast.expr, value: ast.expr, locals_: dict[str, dict[str, Value]], depth: int) -> None:
        if isinstance(target, ast.Name):
            if (config := self.built(value, locals_, depth)) is not None:
                locals_[target.id] = config
            elif isinstance(value, ast.Constant) or _config_name(value) is not None:
                self.names[target.id] = value
            else:
                self.names.pop(target.id, None)
            return
        names: list[str] = []
        place: ast.expr = target
        while isinstance(place, ast.Attribute):
            names.insert(0, place.attr)
            place = place.value
        if not isinstance(place, ast.Name) or place.id not in locals_ or not names or names[0] in _OPEN:
            return
        found = locals_[place.id]
        for name in names[:-1]:
            inner = found.get(name)
            if inner is None or not isinstance(inner.value, dict):
                inner = found[name] = Value({}, target.lineno)
            found = inner.value
        self.put(found, names[-1], value, ".".join(names), target)

    def function(self, node: ast.FunctionDef, depth: int = 0) -> dict[str, Value] | None:
        """The configuration that a function returns."""
        locals_: dict[str, dict[str, Value]] = {}
        for statement in node.body:
            if isinstance(statement, ast.Return):
                return self.built(statement.value, locals_, depth)
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self.assign(statement.targets[0], statement.value, locals_, depth)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self.assign(statement.target, statement.value, locals_, depth)
            elif locals_ and not isinstance(statement, (ast.Expr, ast.Assert, ast.Pass, ast.Import, ast.ImportFrom)):
                self.note(statement, f"{ast.unparse(statement).splitlines()[0]} ..")
        return None


def _config_name(node: ast.expr) -> str | None:
    """The class of a ...Config(...) call: "TrainingConfig"; "FullAC" of FullAC.Config(...)."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name) and node.func.id.endswith("Config"):
        return node.func.id
    if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("Config"):
        if node.func.attr != "Config":
            return node.func.attr
        owner = node.func.value
        return owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else "Config"
    return None


def _is_trainer(node: ast.Call) -> bool:
    name, names = _config_name(node), {k.arg for k in node.keywords}
    return name is not None and (name.endswith("Trainer") or bool(names & {"training", "parallelism", "model_spec"}))


def _read_python(text: str, _: Dialect) -> list[Text]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise Unusable(f"no Python: {problem}") from None
    texts = []
    for node in tree.body:
        reader = _Reader(tree)
        if isinstance(node, ast.FunctionDef) and (config := reader.function(node)) is not None:
            shown = _json(Value(_in_lines(config), 1))[0]
            texts.append(Text(shown, Dialect.TORCHTITAN, node.name, _MAIN, reader.unread))
    if not texts:
        reader, found = _Reader(tree), {}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and (section := _SECTIONS.get(_config_name(call) or "")):
                found[section] = Value(reader.members(call, f"{section}."), call.lineno)
        if found:
            texts.append(Text(_json(Value(_in_lines(found), 1))[0], Dialect.TORCHTITAN, "", _MAIN, reader.unread))
    if not texts:
        raise Unusable("no TorchTitan configuration: no call of ...Config(...) with constants")
    return texts


def _in_lines(found: dict[str, Value]) -> dict[str, Value]:
    """Members in the order of their lines, as JSON has to have them."""
    ordered = sorted(found.items(), key=lambda item: item[1].line)
    return {k: Value(_in_lines(v.value) if isinstance(v.value, dict) else v.value, v.line) for k, v in ordered}


# ---- files -----------------------------------------------------------------------------------------------------------


def _read_json(text: str, asked: Dialect) -> list[Text]:
    """JSON goes to the library as it stands; its keys say whose it is."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None  # the library says where it is wrong
    dialect = asked or (_dialect_of(set(data)) if isinstance(data, dict) else Dialect.DEFAULT)
    return [Text(text, dialect or Dialect.DEEPSPEED)]


def _read(path: str, asked: Dialect) -> list[Text]:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode()
    except OSError as problem:
        raise Unusable(problem.strerror or str(problem)) from None
    except UnicodeDecodeError:
        raise Unusable("no text in UTF-8") from None
    readers = {".yaml": _read_yaml, ".yml": _read_yaml, ".toml": _read_toml, ".py": _read_python, ".json": _read_json}
    reader = readers.get(Path(path).suffix.lower())
    if reader is None and text.lstrip()[:1] == "{":
        reader = _read_json
    return reader(text, asked) if reader is not None else [Text(text, asked)]


# ---- findings --------------------------------------------------------------------------------------------------------


def _place(error: DtcoreError, text: str) -> tuple[int, str] | None:
    """The line of a finding, and the name that stands there."""
    if error.offset is None:
        return None
    data = text.encode()
    rest = data[error.offset :].decode(errors="replace")
    word = re.match(r'"((?:[^"\\]|\\.)*)"|([^\s=]+)', rest)
    return data[: error.offset].count(b"\n") + 1, (word[1] or word[2] or "") if word else ""


def _line(error: DtcoreError, text: str, lang: str) -> str:
    """The finding's line, with a line of the file in place of a byte."""
    shown, place = error.text(lang), _place(error, text)
    if place is None:
        return shown
    line, word = place
    shown = shown.replace(f"byte {error.offset}:", f"line {line} ({word}):")
    return shown.replace(f"第 {error.offset} 字节：", f"第 {line} 行（{word}）：")


def _values(error: DtcoreError, text: str, lang: str) -> dict[str, Any]:
    names = ("field", "other", "got", "other_got", "min", "max", "lower", "upper", "offset")
    place = _place(error, text)
    return {
        "severity": "error" if error.severity == Severity.ERROR else "warning",
        "status": int(error.code),
        "rule": int(error.rule),
        **{name: getattr(error, name) for name in names},
        "line": place[0] if place else None,
        "text": _line(error, text, lang),
    }


_WORDS = {
    "en": {"error": "error: {}", "warning": "warning: {}", "unread": "not read: {}", "none": "{}: nothing found"},
    "zh": {"error": "错误：{}", "warning": "警告：{}", "unread": "未读取：{}", "none": "{}：未发现问题"},
}


def _version(word: str) -> int:
    """0.19.8 as 19008; main."""
    if word == "main":
        return _MAIN
    parts = word.split(".")
    if not 1 <= len(parts) <= 3 or not all(p.isdigit() and len(p) <= 3 for p in parts):
        raise argparse.ArgumentTypeError(f"no version: {word}")
    numbers = [int(p) for p in parts] + [0, 0]
    return numbers[0] * 1000000 + numbers[1] * 1000 + numbers[2]


def _arguments() -> argparse.ArgumentParser:
    dialects = [d.name.lower() for d in Dialect if d != Dialect.DEFAULT]
    parser = argparse.ArgumentParser(
        prog="python -m dtcore",
        description="Finds what is wrong with configurations of training frameworks.",
        epilog="Exit code: 0 no errors (there may be warnings), 1 errors, 2 a file cannot be read.",
    )
    lint = parser.add_subparsers(dest="command", required=True).add_parser(
        "lint", help="what a tool would refuse, ignore or silently change",
        description="Reads JSON, YAML (accelerate), TOML and Python (TorchTitan), command lines and scripts.",
    )  # fmt: skip
    lint.add_argument("files", nargs="+", metavar="FILE", help="- for standard input")
    lint.add_argument("--dialect", choices=dialects, help="whose text it is, when it does not say so")
    lint.add_argument("--version", type=_version, default=0, help="of the tool: 0.19.8, or main")
    lint.add_argument("--world", type=int, default=0, help="ranks")
    lint.add_argument("--nodes", type=int, default=0, help="nodes")
    lint.add_argument("--compute", type=int, default=0, help="compute capability of the GPUs * 10: 90 for Hopper")
    lint.add_argument("--lang", choices=("en", "zh"), default="en")
    lint.add_argument("--json", action="store_true", help="findings as JSON")
    return parser


def _lint_text(t: Text, options: argparse.Namespace) -> dict[str, Any]:
    lint = Lint(
        dialect=t.dialect,
        version=options.version or t.version,
        world=options.world,
        nodes=options.nodes,
        compute=options.compute,
    )
    _, plan, findings = _functions.framework_lint(lint, t.text)
    return {
        "dialect": t.dialect.name.lower() if t.dialect else None,
        "plan": _functions.plan_format(plan),
        "findings": [_values(error, t.text, options.lang) for error in findings],
        "unread": t.unread,
    }


def main(arguments: list[str]) -> int:
    """Runs the program; returns its exit code."""
    options = _arguments().parse_args(arguments)
    asked = Dialect[options.dialect.upper()] if options.dialect else Dialect.DEFAULT
    words, code, results = _WORDS[options.lang], 0, []
    for path in options.files:
        try:
            texts = _read(path, asked)
        except Unusable as problem:
            print(f"dtcore: {path}: {problem}", file=sys.stderr)
            results.append({"file": path, "error": str(problem)})
            code = 2
            continue
        for t in texts:
            label = f"{path}:{t.name}" if t.name else path
            try:
                result = _lint_text(t, options)
            except DtcoreError as problem:
                shown = _line(problem, t.text, options.lang)
                print(f"dtcore: {label}: {shown}", file=sys.stderr)
                results.append({"file": path, "name": t.name or None, "error": shown})
                code = 2
                continue
            results.append({"file": path, "name": t.name or None, **result})
            bad = any(f["severity"] == "error" for f in result["findings"])
            code = max(code, int(bad))
            if options.json:
                continue
            prefix = f"{label}: " if len(options.files) > 1 or len(texts) > 1 else ""
            for f in result["findings"]:
                print(prefix + words[f["severity"]].format(f["text"]))
            for note in t.unread:
                print(prefix + words["unread"].format(note))
            if not result["findings"]:
                print(words["none"].format(label))
    if options.json:
        told = {"dtcore": _functions.version_string(), "command": "lint", "files": results}
        print(json.dumps(told, ensure_ascii=False, indent=2))
    return code
