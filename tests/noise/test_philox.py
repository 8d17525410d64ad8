"""The counter generator is NumPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from noise_reference import block

from rqf.noise.philox import fill_words, philox

EDGE = [0, 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def words(*address: int) -> list[int]:
    return [int(word) for word in philox(*np.array(address, dtype=np.uint64))]


def test_random_addresses() -> None:
    rng = np.random.default_rng(1)
    for address in rng.integers(0, 2**64, size=(2000, 6), dtype=np.uint64).tolist():
        assert words(*address) == block(*address)


@pytest.mark.parametrize("place", range(6))
def test_every_word_counts_to_its_last_bit(place: int) -> None:
    """Counter words 0 to 3 and key words 0 and 1, one at a time at the ends of its range."""
    seen = set()
    for value in EDGE:
        address = [3] * 6
        address[place] = value
        found = words(*address)
        assert found == block(*address)
        seen.add(tuple(found))
    assert len(seen) == len(EDGE)


@pytest.mark.parametrize("first", [0, 5, 2**32 - 2, 2**64 - 3])
def test_consecutive_blocks(first: int) -> None:
    """The first counter word runs on by itself; at its end it starts anew and carries nothing."""
    out = np.empty(18, dtype=np.uint64)
    rest = (2**64 - 1, 7, 2**63, 11, 2**64 - 1)
    fill_words(np.uint64(first), *np.array(rest, dtype=np.uint64), out)
    expected = [word for k in range(5) for word in block((first + k) % 2**64, *rest)]
    assert out.tolist() == expected[:18]


def test_numpy_hands_out_the_next_block_first() -> None:
    numbers = np.random.Philox(counter=[4, 3, 2, 1], key=[9, 8]).random_raw(4)
    assert numbers.tolist() == words(5, 3, 2, 1, 9, 8)
