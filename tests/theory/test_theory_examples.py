"""Every example in the documentation of `rqf.theory` runs and prints what it says."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import rqf.theory

MODULES = [
    module.name for module in pkgutil.walk_packages(rqf.theory.__path__, prefix="rqf.theory.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_names_are_documented():
    for name in rqf.theory.__all__:
        assert getattr(rqf.theory, name).__doc__


def test_import_is_light():
    code = "import sys, rqf.theory; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
