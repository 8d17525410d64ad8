"""Addressed noise once more, in plain Python: the words of NumPy's Philox, a number at a time."""

from __future__ import annotations

import math

import numpy as np

TAIL = 3.6541528853610088
LAYERS = 256


def block(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> list[int]:
    """The four words that NumPy's generator makes of this counter; it counts up first."""
    counter = (c0 | c1 << 64 | c2 << 128 | c3 << 192) - 1
    generator = np.random.Philox(counter=counter % 2**256, key=k0 | k1 << 64)
    return [int(word) for word in generator.random_raw(4)]


def layers() -> list[float]:
    """Right edges of 256 layers of equal area under exp(-x²/2), that of the base strip first."""
    tail_area = math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))
    area = TAIL * math.exp(-(TAIL**2) / 2) + tail_area
    edges = [area * math.exp(TAIL**2 / 2), TAIL]
    while len(edges) < LAYERS:
        height = math.exp(-(edges[-1] ** 2) / 2) + area / edges[-1]
        edges.append(math.sqrt(-2 * math.log(height)))
    return [*edges, 0.0]


EDGES = layers()


def uniform(word: int) -> float:
    """53 bits of a word, in [0, 1)."""
    return (word >> 11) / 2**53


def normal(index: int, cell: int, purpose: int, seed: int, realization: int) -> tuple[float, str]:
    """Normal number `index` of an address by the ziggurat, and where in the picture it fell."""
    lane = index % 4
    address = (index // 4, cell % 2**64, purpose)
    word = block(*address, 0, seed, realization)[lane]
    where = "core"
    for attempt in range(100):
        layer, sign, u = word % 256, -1.0 if word >> 8 & 1 else 1.0, uniform(word)
        x = u * EDGES[layer]
        if x < EDGES[layer + 1] and u < EDGES[layer + 1] / EDGES[layer]:
            return sign * x, where
        extra = block(*address, 1 + 4 * attempt + lane, seed, realization)
        if layer == 0:
            excess = -math.log(uniform(extra[2]) + 2.0**-53) / TAIL
            if -2 * math.log(uniform(extra[3]) + 2.0**-53) > excess**2:
                return sign * (TAIL + excess), "tail"
        else:
            low, high = math.exp(-(EDGES[layer] ** 2) / 2), math.exp(-(EDGES[layer + 1] ** 2) / 2)
            if low + uniform(extra[0]) * (high - low) < math.exp(-(x**2) / 2):
                return sign * x, "wedge"
            word, where = extra[1], "again"
    raise AssertionError("a hundred rejections in a row")


def increment(
    tick: int, level: int, component: int, size: int, stream: int, seed: int, realization: int
) -> float:
    """The increment over one tick of length cell / 2^level in its own deviations: Lévy's tree."""
    cell, inside = tick >> level, tick % 2**level
    d = normal(component, cell, stream, seed, realization)[0]
    for depth in range(level):
        bits = format(inside >> (level - depth), f"0{depth}b")[::-1] if depth else "0"
        node = 2**depth + int(bits, 2)
        midpoint = normal(node * size + component, cell, stream, seed, realization)[0]
        right = inside >> (level - depth - 1) & 1
        d = (d - midpoint if right else d + midpoint) * math.sqrt(0.5)
    return d
