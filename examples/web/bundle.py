#!/usr/bin/env python3
"""Makes the planner's page: one HTML file that holds everything. usage: bundle.py FOLDER_OF_DTCORE_WASM OUT"""
import base64
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    made, out = Path(sys.argv[1]), Path(sys.argv[2])
    module = re.sub(r"^export ", "", (made / "dtcore.js").read_text(encoding="utf-8"), flags=re.M)
    program = "\n".join(['"use strict";', module, *((HERE / name).read_text(encoding="utf-8") for name in ("text.js", "page.js"))])
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
