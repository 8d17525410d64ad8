"""Streaming to Zarr: the same numbers, whole or not at all, in bounded memory."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import zarr

import rqf
from rqf.errors import OutputError
from rqf.flow import ensemble

FIELD = rqf.RandomQuadraticForm(3)
SETTINGS = {"tokens": 5, "t": 2.0, "dt": 1 / 8, "realizations": 7, "seed": 5, "times": 4}


@pytest.mark.parametrize("block_bytes", [24, 24 * 3, 24 * 5 * 3, 24 * 5 * 4 * 3, 1 << 25])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_streamed_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int, workers: int
) -> None:
    """Bit for bit, attributes included; chunks of tokens, of times and of realisations."""
    expected = rqf.simulate(FIELD, **SETTINGS)
    monkeypatch.setattr(ensemble, "BLOCK_BYTES", block_bytes)
    found = rqf.simulate(FIELD, store=tmp_path / "a.zarr", workers=workers, **SETTINGS)
    chunks = zarr.open_array(tmp_path / "a.zarr" / "x", mode="r").chunks
    assert 8 * np.prod(chunks) <= max(block_bytes, 24)
    xr.testing.assert_identical(found.load(), expected)
    with xr.open_zarr(tmp_path / "a.zarr", chunks=None) as again:
        xr.testing.assert_identical(again.load(), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


@pytest.mark.parametrize("field", [rqf.RandomQuadraticForm(9), rqf.LinearLayer(5)])
def test_other_ways_of_computing_are_streamed_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: rqf.fields.LinearField
) -> None:
    """Tokens that are moved themselves, and Gram matrices in law."""
    for law in (False, True):
        settings = SETTINGS | {"tokens": 4, "law": law}
        expected = rqf.simulate(field, **settings)
        monkeypatch.setattr(ensemble, "BLOCK_BYTES", 1000)
        found = rqf.simulate(field, store=tmp_path / f"{law}.zarr", **settings)
        xr.testing.assert_identical(found.load(), expected)


def test_a_store_is_read_only_when_it_is_looked_at(tmp_path: Path) -> None:
    ds = rqf.simulate(FIELD, store=tmp_path / "a.zarr", **SETTINGS)
    shutil.rmtree(tmp_path / "a.zarr" / "x" / "c")
    assert ds.x.shape == (7, 4, 5, 3)
    assert not ds.x[0, 0].any()


MEASURE = """
import resource, sys
import rqf
from rqf.flow import ensemble
ensemble.BLOCK_BYTES = 1 << 20
field = rqf.RandomQuadraticForm(3)
peaks = []
for size, name in ((20, "small"), (250, "large")):
    ds = rqf.simulate(field, tokens=1000, t=1.0, dt=1 / 16, times=17, realizations=size,
                      store=f"{sys.argv[1]}/{name}.zarr", workers=2)
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(ds.x.nbytes / 2**20, peaks[1] - peaks[0])
"""


def test_memory_is_bounded_by_blocks(tmp_path: Path) -> None:
    """A result of 97 MiB in blocks of 1 MiB takes at most 12 MiB more than one of 8 MiB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    size, growth = map(float, done.stdout.split())
    assert size > 95
    assert growth < 12


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_an_interrupted_run_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, failure: type[BaseException]
) -> None:
    monkeypatch.setattr(ensemble, "BLOCK_BYTES", 24 * 5 * 4)
    written = []

    def interrupt(done: int, total: int) -> None:
        if done > total / 3:
            written.extend(tmp_path.rglob("c/*"))
            raise failure

    for store in (tmp_path / "a.zarr", None):
        if store is None:
            monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        told = nullcontext() if store else pytest.warns(UserWarning, match="is written to")
        with told, pytest.raises(failure):
            rqf.simulate(
                FIELD, store=store, workers=workers, progress=interrupt,
                memory=None if store else 0, **SETTINGS | {"realizations": 200},
            )  # fmt: skip
        assert written
        assert not list(tmp_path.iterdir())


def test_an_existing_store_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    store = tmp_path / "a.zarr"
    first = rqf.simulate(FIELD, store=store, **SETTINGS).load()
    with pytest.raises(OutputError, match=r"a.zarr: exists already.*overwrite=True") as caught:
        rqf.simulate(FIELD, store=store, **SETTINGS | {"seed": 6})
    assert "\n" not in str(caught.value)
    xr.testing.assert_identical(xr.open_zarr(store, chunks=None).load(), first)
    second = rqf.simulate(FIELD, store=store, overwrite=True, **SETTINGS | {"seed": 6})
    xr.testing.assert_identical(second.load(), rqf.simulate(FIELD, **SETTINGS | {"seed": 6}))
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


def test_a_failed_replacement_keeps_the_old_store(tmp_path: Path) -> None:
    store = tmp_path / "a.zarr"
    first = rqf.simulate(FIELD, store=store, **SETTINGS).load()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rqf.simulate(FIELD, store=store, overwrite=True, progress=interrupt, **SETTINGS)
    xr.testing.assert_identical(xr.open_zarr(store, chunks=None).load(), first)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


def test_nothing_is_computed_for_a_place_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No folder there, a file in its place, or a folder that nobody may write to."""
    monkeypatch.setattr(ensemble.Ensemble, "run", _never)
    (tmp_path / "file").write_text("")
    locked = tmp_path / "locked"
    locked.mkdir(0o500)
    places = [tmp_path / "none" / "a.zarr", tmp_path / "file" / "a.zarr"]
    places.append(Path("/proc/a.zarr") if os.geteuid() == 0 else locked / "a.zarr")
    for place in places:
        with pytest.raises(OutputError, match=r"output .*a.zarr: ") as caught:
            rqf.simulate(FIELD, store=place, **SETTINGS)
        assert "\n" not in str(caught.value)


def _never(*_: object) -> None:
    raise AssertionError("computed for nothing")


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of 256 KiB, or, where none may be mounted, chunks that find no room."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        put, count = zarr.Array.__setitem__, iter(range(10**6))

        def fails(self: zarr.Array, *rest: object) -> None:
            if next(count) > 8:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            put(self, *rest)

        monkeypatch.setattr(zarr.Array, "__setitem__", fails)
    yield place
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(full_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "BLOCK_BYTES", 1 << 14)
    with pytest.raises(OutputError, match=r"a.zarr: the disk is full; nothing was written"):
        rqf.simulate(FIELD, store=full_disk / "a.zarr", **SETTINGS | {"realizations": 2000})
    assert not list(full_disk.iterdir())


def test_what_does_not_fit_in_memory_goes_to_a_temporary_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rqf.simulate(FIELD, **SETTINGS)
    size = expected.x.nbytes
    assert rqf.simulate(FIELD, memory=size, **SETTINGS).identical(expected)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.warns(UserWarning, match=r"the result takes .* GiB and is written to") as told:
        ds = rqf.simulate(FIELD, memory=size - 1, **SETTINGS)
    (folder,) = tmp_path.iterdir()
    assert str(told[0].message).endswith(str(folder / "simulation.zarr"))
    assert told[0].filename == __file__
    xr.testing.assert_identical(ds.load(), expected)


def test_the_limit_is_a_share_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of what the cache of the file system leaves over; a small result always fits."""
    from rqf.flow.simulate import _free_memory

    with open("/proc/meminfo") as lines:
        words = dict(line.split(":") for line in lines)
    available = 1024 * int(words["MemAvailable"].split()[0])
    assert _free_memory() == pytest.approx(available, rel=0.2)
    monkeypatch.setattr("builtins.open", _no_such_file)
    total = 1024 * int(words["MemTotal"].split()[0])
    assert _free_memory() == pytest.approx(total, rel=0.01)
    monkeypatch.delattr(os, "sysconf")
    assert _free_memory() == float("inf")


def _no_such_file(*_: object) -> None:
    raise FileNotFoundError
