"""What scripts/site gives to Doxygen: the Markdown files and the headers, said the way Doxygen reads them.

Markdown: pages and headings get names, links go to these names, names of the C API become links, whatever else a page
links to is copied into the site. Headers: each becomes a topic, in the order of scripts/headers.py, that names its page
of formulas; `typedef uint32_t dtc_x; enum {...};` becomes one enum with a type.
"""
import html
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import headers
import pages
from pages import ROOT

# The side bar: headings, and the pages under each.
SECTIONS = {
    "How do I ...": [f"doc/howto/{name}.md" for name in ("README", "oom", "legal", "memory", "gpus", "estimators", "moe",
                                                         "launch", "network", "mfu", "batch")],
    "The program": ["doc/cli.md", "cli/json.md", "doc/lint.md", "doc/launch.md", "doc/frameworks.md"],
    "Formulas": ["doc/formulas/memory.md", "doc/formulas/step.md", "doc/formulas/search.md", "doc/formulas/pipeline.md",
                 "doc/formulas/shards.md", "doc/formulas/ranks.md", "doc/formulas/collectives.md", "doc/formulas/nccl.md",
                 "doc/formulas/explain.md"],
    "How right, how fast": ["doc/standards.md", "doc/accuracy.md", "doc/bench.md", "tests/golden/README.md",
                            "tests/truth/README.md"],
    "Where it runs": ["doc/*.md"],
    "The project": ["doc/design.md", "doc/abi.md", "doc/errors.md", "CONTRIBUTING.md", "CHANGELOG.md"],
    "中文": ["README.zh.md"],
}
# Headers whose subject has a page of formulas.
SUBJECTS = {"model": "memory", "rank": "ranks", "tasks": "ranks", "nccl": "nccl", "shard": "shards", "pipeline": "pipeline",
            "collective": "collectives", "ledger": "memory", "memory": "memory", "step": "step", "search": "search",
            "explain": "explain"}
OTHERS = {"base": "errors", "plan": "errors", "framework": "lint", "launch": "launch", "advise": "frameworks"}
LAYOUT = "layout.xml"
SYMBOL = re.compile(r"(dtc_\w+(\(\))?|DTC_\w+|dtcore/\w+\.h|\w+\.h)$")


@dataclass
class Input:
    texts: dict[str, str] = field(default_factory=dict)  # for Doxygen, by name
    files: set[str] = field(default_factory=set)  # to copy as they are


def name_of(path: Path) -> str:
    """The name of a page: doc/formulas/memory.md is formulas_memory."""
    name = str(path.relative_to(ROOT)).removeprefix("doc/").removesuffix(".md")
    return "index" if name == "README" else re.sub(r"\W", "_", name).lower()


def sections() -> dict[str, list[Path]]:
    named = {ROOT / name for rows in SECTIONS.values() for name in rows if "*" not in name}
    out: dict[str, list[Path]] = {}
    for title, rows in SECTIONS.items():
        out[title] = []
        for row in rows:
            found = sorted(ROOT.glob(row), key=lambda path: path.name)
            if not found:
                raise SystemExit(f"scripts/site: no page {row}")
            out[title] += found if "*" not in row else [path for path in found if path not in named]
    return out


def title_of(path: Path) -> str:
    """Of the side bar: the heading up to where it explains itself."""
    heading = next(pages.headings(path.read_text(encoding="utf-8")))[2].replace("`", "")
    return re.split(r"[:;]|, and ", heading)[0]


def code(found: re.Match) -> str:
    """Code in a line: as it is, or what Doxygen makes a link of."""
    text = found[2].strip()
    if SYMBOL.match(text):
        return f"<code>{text}</code>"
    if "'" in text:  # which would end it
        return "<code>" + re.sub(r"(--|[\\@#%*_~`|\[\]])", r"\\\1", html.escape(text, False)) + "</code>"
    return found[0]


def link(found: re.Match, path: Path, shown: set[Path], made: Input) -> str:
    picture, text, target = found[1], found[2], urlsplit(found[3])
    if target.scheme:
        return found[0]
    file = (path.parent / target.path).resolve() if target.path else path
    if file in shown:
        return f"[{text}](@ref {name_of(file)}{'_' + target.fragment if target.fragment else ''})"
    if file.is_dir():
        return pages.CODE.sub(code, text) if "`" in text else text
    name = str(file.relative_to(ROOT))
    if file.suffix in (".1", ".3", ".5", ".7"):
        place = f"man/{file.name}.html"
    else:
        made.files.add(name)
        place = f"files/{name}"
    if picture:
        return f'<img src="{place}" alt="{html.escape(text)}"/>'
    return f'<a href="{place}">{re.sub("`(.*?)`", lambda m: "<code>" + html.escape(m[1]) + "</code>", text)}</a>'


WORD = re.compile(r"(`+)(?:.+?)\1|" + pages.LINK.pattern.replace(r"(!?)", r"!?"))


def line_of(line: str, path: Path, shown: set[Path], made: Input) -> str:
    """A line of text: links first, since they may hold code."""
    out, at = [], 0
    for found in WORD.finditer(line):
        out.append(plain(line[at:found.start()]))
        word = pages.LINK.fullmatch(found[0])
        out.append(link(word, path, shown, made) if word else code(pages.CODE.fullmatch(found[0])))
        at = found.end()
    return "".join(out) + plain(line[at:])


def plain(text: str) -> str:
    """Text in which Doxygen must see emphasis, but no commands."""
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*]*[^\s*])\*(?![\w*])", r"<em>\1</em>", text)
    text = re.sub(r"<(?!/?(em|img|p|br|picture|source|a|sub|sup|b|i)\b)", "&lt;", text)
    return re.sub(r"([@\\#%])(?=\w)", r"\\\1", text)


def markdown(path: Path, shown: set[Path], made: Input) -> str:
    text = re.sub(r"\A(<!--.*?-->\s*)+", "", path.read_text(encoding="utf-8"), flags=re.S)
    names = {number: anchor for number, _, _, anchor in pages.headings(text)}
    me, out, first = name_of(path), [], True
    for number, line, inside in pages.lines(text):
        if inside:
            out.append(re.sub(r"^( *```)(console|text|toml|yaml|ini)$", r"\1", line))
        elif number in names:
            out.append(f"{line} {{#{me if first else me + '_' + names[number]}}}" if not (first and me == "index") else line)
            first = False
        elif line.startswith("    "):
            out.append(line)
        else:
            out.append(line_of(line, path, shown, made))
    return "\n".join(out) + "\n"


def header(name: str, text: str) -> str:
    page = f"formulas_{SUBJECTS[name]}" if name in SUBJECTS else OTHERS.get(name, "")
    see = f" Formulas, sources, errors: @ref {page}." if name in SUBJECTS else f" See @ref {page}." if page else ""
    group = f"/** @defgroup {name} {name}.h\n * @brief {headers.brief(text)}{see}\n * @{{ */\n"
    text = re.sub(r"typedef (u?int32_t) (dtc_\w+);\s*enum \{", r"enum \2 : \1 {", text)
    text = re.sub(r"^(  DTC_STRUCT_(\w+) = \d+,)$", r"\1 /**< dtc_\2 */", text, flags=re.M)
    text = re.sub(r"^(  DTC_\w+_(NONE|DEFAULT) = 0,)$", r"\1 /**< none */", text, flags=re.M)
    text = re.sub(r"#(?=SBATCH)", r"\\#", text)
    opened = text.index("\n", text.index('extern "C" {\n#endif')) if 'extern "C"' in text else 0
    opened = text.index("#endif\n", opened) + len("#endif\n")
    closed = text.rindex("#ifdef __cplusplus")
    return text[:opened] + group + text[opened:closed] + "/** @} */\n" + text[closed:]


def layout(rows: dict[str, list[Path]]) -> str:
    def escaped(text: str) -> str:
        return html.escape(text, False).replace('"', "&quot;")

    def tab(path: Path) -> str:
        return f'<tab type="user" url="@ref {name_of(path)}" title="{escaped(title_of(path))}"/>'

    groups = [f'<tab type="usergroup" title="{escaped(title)}">' + "".join(map(tab, found)) + "</tab>"
              for title, found in rows.items()]
    api = '<tab type="modules" visible="yes" title="C API" intro=""/>'
    index = ['<tab type="mainpage" visible="yes" title="dtcore"/>', *groups[:2], api, *groups[2:]]
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<doxygenlayout version="1.0"><navindex>' + "\n".join(index)
            + "</navindex></doxygenlayout>\n")


def listed(rows: dict[str, list[Path]]) -> None:
    left = {path for path in (ROOT / "doc").rglob("*.md")} - {path for found in rows.values() for path in found}
    if left:
        raise SystemExit(f"scripts/site: in no section: {', '.join(sorted(str(path.relative_to(ROOT)) for path in left))}")


def make(order: list[str]) -> Input:
    made, rows = Input(), sections()
    listed(rows)
    shown = {ROOT / "README.md", *(path for found in rows.values() for path in found)}
    for path in sorted(shown):
        made.texts[f"{name_of(path)}.md"] = markdown(path, shown, made)
    for name in order:
        text = (ROOT / f"include/dtcore/{name}.h").read_text(encoding="utf-8")
        made.texts[f"dtcore/{name}.h"] = header(name, text)
    made.texts[LAYOUT] = layout(rows)
    return made
