#!/usr/bin/env python3
"""Makes the planner's page: one HTML file that holds everything. usage: bundle.py FOLDER_OF_DTCORE_WASM OUT

The modules become one script, each in its own scope, so that the page works from a file, where browsers load no modules.
"""
import base64
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDER = ("draw.js", "text.js", "answer.js", "worker.js", "page.js")  # each after those that it imports


def scope(name: str, text: str) -> str:
    """A module as a constant that holds its exports."""
    exported = re.findall(r"^export (?:async )?(?:const|class|function) ([$\w]+)", text, flags=re.M)
    text = re.sub(r'^import (\{[^}]*\}) from "\./([\w.]+)";', lambda m: f"const {m[1]} = {variable(m[2])};", text, flags=re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    return f"const {variable(name)} = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();"


def variable(name: str) -> str:
    return "module_" + name.removesuffix(".js")


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    made, out = Path(sys.argv[1]), Path(sys.argv[2])
    texts = {"dtcore.js": made / "dtcore.js", **{name: HERE / name for name in ORDER}}
    program = "\n".join(['"use strict";', *(scope(name, path.read_text(encoding="utf-8")) for name, path in texts.items())])
    if "</script" in program or "<!--" in program:
        raise SystemExit("bundle.py: the program ends its own element")
    page = (HERE / "index.html").read_text(encoding="utf-8")
    parts = {"/*STYLE*/": (HERE / "style.css").read_text(encoding="utf-8"), "/*PROGRAM*/": program,
             "<!--WASM-->": base64.b64encode((made / "dtcore.wasm").read_bytes()).decode()}
    for mark, text in parts.items():
        before, found, after = page.partition(mark)
        if not found:
            raise SystemExit(f"bundle.py: index.html has no {mark}")
        page = before + text + after
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
