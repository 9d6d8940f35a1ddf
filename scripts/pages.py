"""The Markdown files of the repository: their lines outside code, headings with the anchors that GitHub gives
them, links."""
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)")
TAG = re.compile(r'<(?:img|a|source)\b[^>]*?(?:src|srcset|href)="([^"]+)"')
CODE = re.compile(r"(`+)(.+?)\1")


def files(pattern: str = "*.md") -> list[Path]:
    """Every file of the repository that fits, what was built and hidden folders left out."""
    found = (path for path in ROOT.rglob(pattern) if path.is_file())
    return sorted(path for path in found if not re.match(r"(build|\.[^/]*)/", str(path.relative_to(ROOT))))


def lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Number, text, and whether the line is of a fenced block; the fences are."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r" *(`{3,}|~{3,})", line)
        inside = bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = ""
        yield number, line, inside


def blocks(text: str, kind: str) -> list[str]:
    """What stands in the fenced blocks of a kind; "" for those of none."""
    return [body for name, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if name == kind]


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    plain = LINK.sub(r"\2", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def headings(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Line, level, text and anchor; a second heading of the same text gets a number."""
    seen: Counter[str] = Counter()
    for number, line, inside in lines(text):
        found = None if inside else re.match(r"(#{1,6}) +(.*?) *#*$", line)
        if found:
            name = slug(found[2])
            yield number, len(found[1]), found[2], name + (f"-{seen[name]}" if seen[name] else "")
            seen[name] += 1


def links(text: str) -> Iterator[tuple[int, str]]:
    """Line and target of each link and picture outside code."""
    for number, line, inside in lines(text):
        if not inside:
            blank = CODE.sub(lambda m: "x" * len(m[0]) if "](" in m[0] else m[0], line)
            yield from ((number, m[3]) for m in LINK.finditer(blank))
            yield from ((number, target) for target in TAG.findall(line))
