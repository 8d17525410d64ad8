"""Inline figures: one svg element, anchors of its own, a description in words."""

import re
from xml.etree import ElementTree

from rqf.report.figure import inline_svg


def draw(axes):
    axes.errorbar([0, 1], [1, 2], [0.1, 0.1], fmt="o", label="a < b")
    axes.legend()


def test_is_one_well_formed_element():
    svg = inline_svg(draw, "claim.7", 'what "it" shows & <why>')
    root = ElementTree.fromstring(svg.replace("xlink:href", "href"))
    assert root.tag == "svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'what "it" shows & <why>'
    assert root.get("viewBox")
    assert root.get("width") is None
    assert root.find("metadata") is None


def test_anchors_carry_its_name():
    one, two = inline_svg(draw, "one", ""), inline_svg(draw, "two", "")
    anchors = re.findall(r'\bid="([^"]*)"', one)
    assert anchors
    assert all(anchor.startswith("one-") for anchor in anchors)
    assert set(re.findall(r'(?:url\(|href=")#([^")]*)', one)) <= set(anchors)
    assert not set(anchors) & set(re.findall(r'\bid="([^"]*)"', two))


def test_same_drawing_same_text():
    assert inline_svg(draw, "one", "d") == inline_svg(draw, "one", "d")
