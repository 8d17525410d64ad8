"""The package as a whole: what it exports, drags in and ships, and what it must not hold."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import rqf

ROOT = Path(__file__).parents[1]
HEAVY = {
    "dash", "dask", "distributed", "h5netcdf", "llvmlite", "matplotlib", "numba", "pandas",
    "plotly", "pydantic", "rich", "scipy", "torch", "transformers", "typer", "xarray", "zarr",
}  # fmt: skip


def modules() -> list[str]:
    """Every module of the package."""
    found = pkgutil.walk_packages(rqf.__path__, "rqf.")
    return ["rqf", *(module.name for module in found if not module.name.endswith("__main__"))]


def public_objects() -> list[str]:
    """Public functions and classes of the package, and public members of those classes."""
    names = []
    for name in rqf.__all__:
        value = getattr(rqf, name)
        if not inspect.ismodule(value):
            names.append(name)
            continue
        exported = getattr(value, "__all__", [n for n in vars(value) if not n.startswith("_")])
        for inner in exported:
            home = getattr(getattr(value, inner), "__module__", "") or ""
            if home.startswith("rqf"):
                names.append(f"{name}.{inner}")
    members = []
    for name in names:
        value = resolve(name)
        if inspect.isclass(value):
            for inner, member in inspect.getmembers(value):
                if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                    members.append(f"{name}.{inner}")
    return names + members


def resolve(name: str) -> object:
    value: object = rqf
    for part in name.split("."):
        value = getattr(value, part)
    return value


def repository_files() -> list[Path]:
    """What belongs to the repository: what git tracks, or all that is not hidden or built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True,
    ) if (ROOT / ".git").exists() else None  # fmt: skip
    if listed is not None and listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
        return [path for path in paths if path.is_file()]
    left_out = {"__pycache__", "build", "dist", "rqf-report"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not any(
            part in left_out or (part.startswith(".") and part != ".ci")
            for part in path.relative_to(ROOT).parts[:-1]
        )
    ]


def test_import_is_light() -> None:
    code = "import sys, rqf; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_import_is_fast() -> None:
    code = "import time; t = time.perf_counter(); import rqf; print(time.perf_counter() - t)"
    run = [sys.executable, "-c", code]
    times = [float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(3)]
    assert min(times) < 0.5


@pytest.mark.parametrize("name", rqf.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(rqf, name) is not None
    assert name in dir(rqf)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        rqf.nonsense  # noqa: B018


def test_every_public_object_has_a_docstring() -> None:
    bare = [
        name
        for name in public_objects()
        if name != "__version__" and not (inspect.getdoc(resolve(name)) or "").strip()
    ]
    assert not bare, f"without a docstring: {', '.join(bare)}"


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is(name: str) -> None:
    assert (importlib.import_module(name).__doc__ or "").strip()


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_one_version() -> None:
    assert importlib.metadata.version("rqf") == rqf.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (\S+)$", citation, re.M).group(1) == rqf.__version__  # type: ignore[union-attr]
    changelog = (ROOT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## \[(.+?)\]", changelog, re.M).group(1)  # type: ignore[union-attr]
    assert newest in ("Unreleased", rqf.__version__)


def test_types_are_shipped() -> None:
    assert (importlib.resources.files("rqf") / "py.typed").is_file()


def test_no_address_of_a_registry_and_no_private_path() -> None:
    hosts = ["pypi.org", "pythonhosted", "npmjs", "crates.io", "anaconda.org", "proxy.golang"]
    hosts += ["debian.org", "index-url", "find-links"]
    paths = ["/root/", "/home/", "/users/"]
    for file in repository_files():
        if file == Path(__file__):
            continue
        text = file.read_bytes().decode("utf-8", "replace").lower()
        for forbidden in (*hosts, *paths):
            assert forbidden not in text, f"{file.relative_to(ROOT)} holds {forbidden!r}"


def test_no_lock_file() -> None:
    names = {file.name for file in repository_files()}
    assert not {name for name in names if name.endswith((".lock", "-lock.json", "-lock.yaml"))}


@pytest.mark.full
def test_the_wheel_holds_the_package(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path)]
    subprocess.run([*pip, str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("rqf-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert "rqf/py.typed" in held
    assert any(name.endswith("/LICENSE") for name in held)
    source = ROOT / "src"
    shipped = {
        str(file.relative_to(source))
        for file in repository_files()
        if source in file.parents and file.name != ".gitignore"
    }
    assert shipped <= held
    assert all(name.startswith(("rqf/", "rqf-")) for name in held)
