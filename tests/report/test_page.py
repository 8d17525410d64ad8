"""Pages of other reports: every block may be left out."""

import pytest
from markupsafe import Markup

from rqf.report.page import Column, Fact, Link, Page, Section, Table, Verdict, render


def test_a_title_alone_is_a_page():
    page = render(Page("A <title>"))
    assert "<h1>A &lt;title&gt;</h1>" in page
    for block in ("<table", "<dl", "<section", "<footer", "None"):
        assert block not in page


def test_blocks_appear_in_their_order():
    columns = [Column("name", "link"), Column("size", "number"), Column("state", "verdict")]
    section = Section(
        "there", "Second", figure=Markup("<svg></svg>"), caption="what is seen", text=["said"],
        facts=[Fact("again", "rqf sweep", code=True)],
    )
    page = render(
        Page(
            "Sweep", lead=["first words"], verdict=Verdict("done", True),
            facts=[Fact("points", "12")],
            table=Table(columns, [[Link("here", "there"), "3", Verdict("bad", False)]], "caption"),
            sections=[section], footer=["last words"],
        )
    )
    wanted = (
        "<h1>Sweep", "done", "first words", "points", "<caption>caption", 'href="#there"', "bad",
        'id="there"', "<h2>Second", "said", "<svg></svg>", "what is seen", "<code>rqf sweep",
        "last words",
    )
    body = page[page.index("<body") :]
    at = [body.index(part) for part in wanted]
    assert at == sorted(at)


def test_a_template_may_extend_the_page():
    with pytest.raises(Exception, match=r"absent\.html"):
        render(Page("t"), "absent.html")
