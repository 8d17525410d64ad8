"""Results are written whole or not at all, and never over something else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import rqf
from rqf.errors import OutputError
from rqf.output import check_destination, whole, write_bytes, write_netcdf


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    with whole(tmp_path / "a") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "a").exists()
        temporary.write_text("whole")
    assert (tmp_path / "a").read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("failure", [ValueError("no"), KeyboardInterrupt(), SystemExit(143)])
@pytest.mark.parametrize("folder", [False, True])
def test_nothing_appears_if_it_is_not(
    tmp_path: Path, failure: BaseException, folder: bool
) -> None:
    def fail() -> None:
        with whole(tmp_path / "a") as temporary:
            if folder:
                temporary.mkdir()
            (temporary / "part" if folder else temporary).write_text("half")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_what_the_disk_says_is_told(tmp_path: Path, code: int) -> None:
    def fail() -> None:
        with whole(tmp_path / "a"):
            raise OSError(code, os.strerror(code))

    with pytest.raises(OutputError, match="disk is full" if code == errno.ENOSPC else "output"):
        fail()


def test_a_folder_replaces_a_folder(tmp_path: Path) -> None:
    for content in ("old", "new"):
        with whole(tmp_path / "a", overwrite=True, parts={"part"}) as temporary:
            temporary.mkdir()
            (temporary / "part").write_text(content)
    assert (tmp_path / "a" / "part").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_came_in_the_meantime_is_kept(tmp_path: Path) -> None:
    def meet() -> None:
        with whole(tmp_path / "a") as temporary:
            temporary.write_text("mine")
            (tmp_path / "a").write_text("theirs")

    with pytest.raises(OutputError, match="exists by now"):
        meet()
    assert (tmp_path / "a").read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("parts", "is_folder", "message"),
    [((), True, "is a folder"), ({"part"}, False, "is a file"), ({"part"}, True, "'other'")],
)
def test_only_an_earlier_result_is_replaced(
    tmp_path: Path, parts: set[str], is_folder: bool, message: str
) -> None:
    target = tmp_path / "a"
    if is_folder:
        target.mkdir()
        (target / "other").write_text("precious")
    else:
        target.write_text("precious")
    with pytest.raises(OutputError, match=message):
        check_destination(target, True, parts)
    assert (target / "other" if is_folder else target).read_text() == "precious"


def test_a_store_replaces_stores_only(tmp_path: Path) -> None:
    field = rqf.RandomQuadraticForm(3)
    (tmp_path / "photos").write_text("precious")
    with pytest.raises(OutputError, match="'photos'"):
        rqf.simulate(field, tokens=2, t=1.0, store=tmp_path, overwrite=True)
    assert (tmp_path / "photos").read_text() == "precious"


def test_trying_a_destination_leaves_no_trace(tmp_path: Path) -> None:
    assert check_destination(tmp_path / "a", False) == tmp_path / "a"
    assert not list(tmp_path.iterdir())
    for impossible in (tmp_path / "no" / "a", tmp_path / ("a" * 300)):
        with pytest.raises(OutputError, match="output"):
            check_destination(impossible, False)


def test_netcdf_round_trip(tmp_path: Path) -> None:
    ds = xr.Dataset({"x": ("p", np.arange(3.0))}, attrs={"seed": "1", "dt": 0.5})
    write_netcdf(ds, tmp_path / "a.nc")
    with xr.open_dataset(tmp_path / "a.nc") as found:
        xr.testing.assert_identical(found.load(), ds)
    with pytest.raises(OutputError, match="exists already"):
        write_netcdf(ds, tmp_path / "a.nc")


def test_bytes(tmp_path: Path) -> None:
    write_bytes(b"one", tmp_path / "a")
    write_bytes(b"two", tmp_path / "a", overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"two"
