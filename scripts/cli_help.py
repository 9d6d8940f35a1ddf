"""Reads what `dtcore --help` and `dtcore COMMAND --help` say. What these texts must keep to:

* the headings "Commands:", "Options:", "Examples:" over indented lines, in which two blanks part the columns; long
  texts go on in the next line, below their beginning;
* the notes "MODEL: ..." and "Exit code: ...";
* an option whose value is KIND or NAME[@VERSION] closes its help with the list of words, behind a colon if there is
  one; one whose value is NAME says `dtcore COMMAND`, the command that lists the names; a value with "|" is the list.
"""
import os
import re
import subprocess
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Option:
    name: str  # "--gpu"
    value: str  # "NAME"; "" when nothing stands behind it
    text: str

    @property
    def words(self) -> list[str]:
        """The values there are; empty when any will do."""
        if "|" in self.value:
            return self.value.split("|")
        if self.value not in ("KIND", "NAME[@VERSION]"):
            return []
        words = self.text.split(": ")[-1].split(", ")
        if len(words) < 2 or not all(re.fullmatch(r"[\w-]+", w) for w in words):
            raise SystemExit(f"cli_help.py: the help of {self.name} does not close with the list of its values")
        return words

    @property
    def lister(self) -> str:
        """The command that lists the names that may stand here; "" for none."""
        return listed(self.text) if self.value == "NAME" else ""


@dataclass
class Command:
    name: str
    operand: str  # "[NAME]", "MODEL"
    brief: str
    examples: list[str] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)


@dataclass
class Help:
    version: str  # "dtcore 0.1.0"
    brief: str
    model: str  # what MODEL may be
    codes: list[tuple[str, str]]  # exit codes and what they mean
    options: list[Option]  # of every command
    commands: list[Command]

    def groups(self) -> dict[tuple[str, ...], list[Option]]:
        """The options that not every command has, by the commands that have them."""
        out: dict[tuple[str, ...], list[Option]] = {}
        for option in dict.fromkeys(o for c in self.commands for o in c.options if o not in self.options):
            out.setdefault(tuple(c.name for c in self.commands if option in c.options), []).append(option)
        return out

    @property
    def model_lister(self) -> str:
        return listed(self.model)


def listed(text: str) -> str:
    found = re.search(r"`dtcore ([a-z]+)`", text)
    if not found:
        raise SystemExit(f"cli_help.py: which command lists the names? `{text}` does not say")
    return found[1]


def ask(program: str, *words: str) -> str:
    done = subprocess.run([program, *words], capture_output=True, encoding="utf-8", env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"cli_help.py: {program} {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def parts(text: str) -> dict[str, list[str]]:
    """Lines by the heading or note that they stand under; "" for the first ones."""
    out: dict[str, list[str]] = {"": []}
    key = ""
    for line in text.splitlines():
        heading, note = re.fullmatch(r"([A-Z]\w+):", line), re.fullmatch(r"([A-Z][\w ]+): (.+)", line)
        if heading or note:
            key = (heading or note)[1]
            out[key] = [note[2]] if note else []
        elif line:
            out[key].append(line)
    return out


def rows(lines: list[str]) -> list[tuple[str, str, str]]:
    """'  --gpu NAME   text' -> ("--gpu", "NAME", "text"); a deeper line goes on with the text of the one above."""
    joined: list[str] = []
    for line in lines:
        if line.startswith(" " * 8):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    found = [re.fullmatch(r"  (\S+)(?: (\S+(?: \S+)*))?  +(\S.*)", line) for line in joined]
    if None in found:
        raise SystemExit(f"cli_help.py: not a row of a table: {joined[found.index(None)]!r}")
    return [(m[1], m[2] or "", m[3]) for m in found]


def read(program: str) -> Help:
    told = parts(ask(program, "--help"))
    try:
        codes = re.findall(r"(\d) (.+?)(?:, (?=\d )|\.$)", " ".join(told["Exit code"]))
        commands = [Command(*row) for row in rows(told["Commands"])]
        for c in commands:
            own = parts(ask(program, c.name, "--help"))
            c.examples = [line.strip() for line in own["Examples"]]
            c.options = [Option(*row) for row in rows(own["Options"])]
        common = [Option(*row) for row in rows(told["Options"])]
        brief = " ".join(told[""]).removeprefix("dtcore: ").removesuffix(".")
        return Help(ask(program, "--version").strip(), brief, " ".join(told["MODEL"]), codes, common, commands)
    except KeyError as missing:
        raise SystemExit(f"cli_help.py: the help has no part {missing}") from None
