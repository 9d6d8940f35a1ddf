"""The notebooks of examples/notebooks and the programs of doc/python.md run with the package of this tree."""
import os
from pathlib import Path

import dtcore
import headers
import pages
import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
NOTEBOOKS = headers.ROOT / "examples/notebooks"
# Of each notebook: drawings, tables, and words of its outputs.
SHOWN = {
    "does-it-fit": (1, 3, ["tp = 7: tp must divide heads", "GiB", "recompute_full", "micro-batch 8:", "GPUs, ",
                    "dtcore: "]),
    "reading-a-plan": (2, 2, ["dtcore: model=llama-3-8b", "bubble: ", " GPUs: ", "mfu", "torchrun"]),
    "ranks-and-collectives": (1, 3, ["'tp': 1", "tp: (8, 9, 10, 11)", "[[ 0  1  2  3]", "inside", "busbw", "GB/s"]),
}


def read(name: str):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def test_all_are_run():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_is_committed_without_outputs(name):
    nbformat.validate(read(name))
    assert not any(cell.outputs or cell.execution_count for cell in read(name).cells if cell.cell_type == "code")


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows(name, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(Path(dtcore.__file__).parents[1]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = read(name)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()  # raises what a cell raises
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    data = [output.get("data", {}) for output in outputs]
    drawings, tables, words = SHOWN[name]
    assert sum("image/png" in one for one in data) == drawings
    assert sum("<table>" in one.get("text/html", "") for one in data) == tables
    said = " ".join([output.get("text", "") for output in outputs] + [text for one in data for kind, text in one.items()
                                                                       if kind.startswith("text/")])
    for word in words:
        assert word in said, (word, said[:3000])


def test_the_page_runs(monkeypatch, tmp_path, capsys):
    programs = pages.blocks((headers.ROOT / "doc/python.md").read_text(encoding="utf-8"), "python")
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib").use("Agg")
    names: dict = {}
    for program in programs:
        exec(program, names)
    said = capsys.readouterr().out
    assert len(programs) == 3 and (tmp_path / "memory.png").stat().st_size > 10_000
    assert "tp must divide heads" in said and "(2, 4)" in said and "(64, 3) [[ 0  8]\n [32 40]]" in said


@pytest.mark.parametrize("name", [*dtcore._batch.__all__, *dtcore._plot.__all__])
def test_the_page_names_what_there_is(name):
    assert f"`{name}(" in (headers.ROOT / "doc/python.md").read_text(encoding="utf-8")
