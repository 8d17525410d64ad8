"""The pages keep their word: code blocks run, values in comments are right, links lead somewhere.

In a `python` block a comment after an expression that begins with a Python literal is its value:
`float(pair.together(0.5))  # 0.6667` must hold to the digits shown; words may follow after a colon.
Blocks of one page share their names, as a reader who follows it would have them.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import shlex
import shutil
import tokenize
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
WHOLE_RUN = "rqf verify --out report"  # minutes; what `./run verify` does
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    """The fenced code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


def promised(comment: str) -> tuple[Any, str] | None:
    """The literal that a comment begins with, and its text; None if it is a remark."""
    text = comment.lstrip("# ")
    for end in (len(text), *(match.start() for match in re.finditer(":", text))):
        try:
            return ast.literal_eval(text[:end].strip()), text[:end].strip()
        except (SyntaxError, ValueError):
            continue
    return None


def agree(value: Any, wanted: Any, digits: int) -> bool:
    """Whether `value` is `wanted`, numbers to that many decimals."""
    if isinstance(wanted, (list, tuple)):
        entries = value.tolist() if isinstance(value, np.ndarray) else list(value)
        return len(entries) == len(wanted) and all(
            agree(entry, other, digits) for entry, other in zip(entries, wanted, strict=True)
        )
    if isinstance(wanted, float):
        return abs(float(value) - wanted) <= 0.5000001 * 10.0**-digits
    return bool(value == wanted)


def run(code: str, names: dict[str, Any], where: str) -> int:
    """Run a block statement by statement; number of values compared."""
    comments = {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    compared = 0
    for statement in ast.parse(code).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), where, "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), where, "eval"), names)
        promise = promised(comments.get(statement.end_lineno or 0, ""))
        if promise is not None:
            wanted, text = promise
            digits = max((len(part) for part in re.findall(r"\.(\d+)", text)), default=0)
            source = ast.unparse(statement)
            assert agree(value, wanted, digits), f"{where}: {source} is {value!r}, not {text}"
            compared += 1
    return compared


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    compared = sum(run(code, names, page.name) for code in blocks(page, "python"))
    if page.name == "README.md":
        assert compared >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_table_of_claims_is_current() -> None:
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs" / "make_tables.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    written = (ROOT / "docs" / "claims.md").read_text()
    assert maker.page() == written, "run: python docs/make_tables.py"


def commands() -> list[str]:
    """The `rqf` command lines of the README."""
    lines = "".join(blocks(ROOT / "README.md", "sh")).splitlines()
    return [line.split("#")[0].strip() for line in lines if line.startswith("rqf ")]


def test_readme_shows_the_command_line() -> None:
    assert {line.split()[1] for line in commands()} >= {"verify", "simulate"}
    assert WHOLE_RUN in commands()


@pytest.mark.parametrize("line", [line for line in commands() if line != WHOLE_RUN])
def test_command_lines_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rqf.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", shlex.split(line))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None), capsys.readouterr().err


def test_the_two_commands_exist() -> None:
    text = (ROOT / "README.md").read_text()
    assert "./run verify" in text
    assert "./run test" in text
    assert shutil.which("./run", path=str(ROOT)) or (ROOT / "run").stat().st_mode & 0o100
