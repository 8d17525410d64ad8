"""The report: whole, self-contained, escaped; a page and a record that say the same."""

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import numpy as np
import pytest

from rqf.claims import Claim, Estimates, Identity, decide
from rqf.claims.registry import registered
from rqf.errors import InvalidArgument, OutputError
from rqf.report import write_report
from rqf.report.verification import command

WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
VOID = {"meta", "br", "wbr", "link", "img", "hr", "input"}


def draw(axes, result):
    at = np.arange(len(result.rows))
    axes.plot(at, result.column("predicted"), label="predicted")
    axes.errorbar(at, result.column("measured"), result.column("error"), fmt="o", label="measured")
    axes.legend()


CLAIMS = (
    Claim(
        "group.true", "The mean is ½ & the spread 1.", "ES 4.8", lambda: [0.5, 1.0],
        lambda level, seed: Estimates(
            [0.51, 0.99], [0.02, 0.03], ["mean", "spread"],
            details={"scheme": "none", "dt": 1 / 16, "samples": 4000, "curve": np.arange(3.0)},
        ),
        draw,
    ),
    Claim(
        "group.false", "<script>alert(1)</script> \"quoted\"", "Sh 3.8", lambda: [1.0],
        lambda level, seed: Estimates([0.3], [0.01], ["a <b>row</b>"]), draw,
    ),
    Claim(
        "group.exact", "Off by nothing.", "docs/model.md", lambda: [0.0],
        lambda level, seed: Identity(
            [1e-14], 1e-12, ["off"], details={"odd": math.nan, "far": np.inf}
        ),
        draw,
    ),
)


def results():
    measured = [(claim, claim.measure("quick", 0)) for claim in CLAIMS]
    return [decide(claim, m, 1e-5, number=k) for k, (claim, m) in enumerate(measured, start=1)]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports") / "report"
    page = write_report(results(), folder, seed=3, claims=CLAIMS, date=WHEN)
    assert page == folder / "index.html"
    record = (folder / "claims.json").read_text(encoding="utf-8")
    return page.read_text(encoding="utf-8"), record


class Reader(HTMLParser):
    """Tags in balance, attributes and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.open, self.attributes, self.text, self.tags = [], [], [], set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_is_one_file_that_needs_nothing_else(report):
    page, _ = report
    reader = Reader(page)
    assert not reader.open
    assert "script" not in reader.tags
    assert "http" not in page
    assert "@import" not in page
    for name, value in reader.attributes:
        assert name not in ("src", "srcset", "data")
        assert not name.startswith("on")
        if name in ("href", "xlink:href"):
            assert value.startswith("#")
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))


def test_anchors_are_unique_and_found(report):
    attributes = Reader(report[0]).attributes
    anchors = [value for name, value in attributes if name == "id"]
    assert len(set(anchors)) == len(anchors)
    wanted = {value[1:] for name, value in attributes if name in ("href", "xlink:href")}
    wanted |= set(re.findall(r"url\(#([^)]*)\)", report[0]))
    assert wanted <= set(anchors)


def test_holds_every_claim_with_its_verdict_in_words(report):
    page, _ = report
    text = " ".join("".join(Reader(page).text).split())
    verdicts = ("holds", "fails", "holds")
    for number, (claim, verdict) in enumerate(zip(CLAIMS, verdicts, strict=True), start=1):
        assert f"{number}. {claim.id} {verdict}" in text
        assert f"rqf verify --quick --seed 3 --only {claim.id}" in text
        assert claim.statement in text
        assert claim.source in text
    assert "2 of 3 claims hold" in text
    assert "largest |z| of 2 = 0.5" in text
    assert "2026-03-01 12:30 UTC" in text
    assert "A. Shalova, RQF with random forcing" in text
    assert "Fedorov" not in text
    for number in ("0.510", "0.020", "0.990", "4000", "0.0625", "1e−14"):
        assert number in text
    assert page.count("<svg") == 3


def test_escapes_what_it_is_given(report):
    page, _ = report
    assert "<script" not in page
    assert "<b>row" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "½ &amp; the spread" in page


def test_record_is_json_that_any_reader_takes(report):
    def refuse(constant):
        raise AssertionError(constant)

    record = json.loads(report[1], parse_constant=refuse)
    assert record["level"] == "quick"
    assert record["seed"] == 3
    assert record["date"] == "2026-03-01 12:30 UTC"
    assert record["passed"] is False
    assert set(record["versions"]) >= {"rqf", "python", "numpy", "scipy", "numba", "matplotlib"}
    assert [claim["id"] for claim in record["claims"]] == [claim.id for claim in CLAIMS]
    first = record["claims"][0]
    assert (first["predicted"], first["measured"], first["error"]) == (0.5, 0.51, 0.02)
    assert first["details"]["curve"] == [0.0, 1.0, 2.0]
    assert [row["label"] for row in first["rows"]] == ["mean", "spread"]


def test_same_results_give_the_same_page(tmp_path, report):
    page = write_report(results(), tmp_path / "again", seed=3, claims=CLAIMS, date=WHEN)
    assert page.read_text(encoding="utf-8") == report[0]


def test_many_rows_are_cut_and_said_to_be(tmp_path):
    labels = [f"row {k}" for k in range(60)]
    claim = Claim(
        "group.long", "Zero.", "ES 1.3", lambda: np.zeros(60),
        lambda level, seed: Estimates(np.zeros(60), np.ones(60), labels), draw,
    )
    result = decide(claim, claim.measure("quick", 0), 1e-5, number=1)
    page = write_report([result], tmp_path / "long", claims=[claim]).read_text(encoding="utf-8")
    assert "The first 30 of 60 rows; all are in claims.json." in page
    assert "row 29<" in page
    assert "row 30<" not in page


def test_replaces_only_what_it_may(tmp_path):
    folder = tmp_path / "report"
    write_report(results(), folder, claims=CLAIMS, date=WHEN)
    before = (folder / "index.html").read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        write_report(results()[:1], folder, claims=CLAIMS)
    assert (folder / "index.html").read_bytes() == before
    write_report(results()[:1], folder, claims=CLAIMS, overwrite=True)
    assert (folder / "index.html").read_bytes() != before
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.tex"):
        write_report(results(), folder, claims=CLAIMS, overwrite=True)
    assert (folder / "thesis.tex").read_text() == "years of work"
    assert os.listdir(tmp_path) == ["report"]


def test_leaves_nothing_behind_when_a_figure_fails(tmp_path):
    def broken(axes, result):
        raise ZeroDivisionError

    claim = Claim("group.true", "s", "ES 1.3", CLAIMS[0].predict, CLAIMS[0].measure, broken)
    with pytest.raises(ZeroDivisionError):
        write_report(results()[:1], tmp_path / "report", claims=[claim])
    assert not os.listdir(tmp_path)


def test_refuses_no_results(tmp_path):
    with pytest.raises(InvalidArgument, match="at least one"):
        write_report([], tmp_path / "report")
    assert not os.listdir(tmp_path)


def test_command_names_claims_only_if_they_are_not_all():
    every = [replace(results()[0], id=claim.id) for claim in registered()]
    assert command(every, 7) == "rqf verify --quick --seed 7"
    some = command(every[:2], 0)
    assert some == f"rqf verify --quick --seed 0 --only {every[0].id} --only {every[1].id}"


def test_needs_no_display_and_leaves_the_program_s_style_alone(tmp_path):
    """In a process of its own: no pyplot, no change of parameters, whatever they are."""
    code = f"""
import sys
import matplotlib
matplotlib.rcParams["font.size"] = 31.0
matplotlib.rcParams["svg.fonttype"] = "none"
from rqf.claims import Claim, Estimates, decide
from rqf.report import write_report
claim = Claim("a.b", "s", "ES 1.3", lambda: [0.0], lambda level, seed: Estimates([0.0], [1.0]),
              lambda axes, result: axes.plot([0, 1]))
result = decide(claim, claim.measure("quick", 0), 1e-5, number=1)
write_report([result], {str(tmp_path / "report")!r}, claims=[claim])
assert "matplotlib.pyplot" not in sys.modules
assert matplotlib.rcParams["font.size"] == 31.0
assert matplotlib.rcParams["svg.fonttype"] == "none"
"""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment)
