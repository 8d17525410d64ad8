"""Standard normals by address: the ziggurat of Marsaglia and Tsang (2000), 256 layers.

Normal number i of an address (cell, stream) is made from word i of that address. In about one case
of a hundred the word does not decide; then further words come from the counter's last word, which
is zero elsewhere. So every normal is a pure function of its own address, whatever else is drawn.
"""

from __future__ import annotations

import math

import numpy as np
from numba import int64, njit, uint64

from rqf.noise.philox import philox

LAYERS = 256
TAIL = 3.6541528853610088  # where the base strip ends, for 256 layers of equal area


def _layers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right edges x_i (descending, x_0 that of the base strip), densities at them, ratios."""
    area = TAIL * math.exp(-0.5 * TAIL**2) + math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))
    edges = np.empty(LAYERS + 1)
    edges[0] = area * math.exp(0.5 * TAIL**2)
    edges[1] = TAIL
    for layer in range(1, LAYERS - 1):
        height = math.exp(-0.5 * edges[layer] ** 2) + area / edges[layer]
        edges[layer + 1] = math.sqrt(-2.0 * math.log(height))
    edges[LAYERS] = 0.0
    densities = np.exp(-0.5 * edges**2)
    return edges, densities, edges[1:] / edges[:-1]


_EDGE, _DENSITY, _RATIO = _layers()
_UNIT = 2.0**-53


@njit(nogil=True, cache=True, error_model="numpy")
def _undecided(word, lane, c0, c1, c2, k0, k1):  # type: ignore[no-untyped-def]
    """The normal of a word that fell outside the core of its layer: wedge, tail or a new word."""
    attempt = uint64(0)
    while True:
        layer = word & uint64(255)
        negative = (word >> uint64(8)) & uint64(1)
        u = (word >> uint64(11)) * _UNIT
        x = u * _EDGE[layer]
        w0, w1, w2, w3 = philox(c0, c1, c2, uint64(1) + (attempt << uint64(2)) + lane, k0, k1)
        if u < _RATIO[layer]:
            return -x if negative else x
        if layer == uint64(0):
            # Marsaglia's tail, tried until it accepts: TAIL - log(v1)/TAIL if the test below holds
            v1 = ((w2 >> uint64(11)) + 1.0) * _UNIT
            v2 = ((w3 >> uint64(11)) + 1.0) * _UNIT
            excess = -math.log(v1) / TAIL
            if -2.0 * math.log(v2) > excess * excess:
                return -(TAIL + excess) if negative else TAIL + excess
        else:
            v = (w0 >> uint64(11)) * _UNIT
            height = _DENSITY[layer] + v * (_DENSITY[layer + uint64(1)] - _DENSITY[layer])
            if height < math.exp(-0.5 * x * x):
                return -x if negative else x
            word = w1
        attempt += uint64(1)


@njit(nogil=True, cache=True, error_model="numpy")
def _normal(word, lane, c0, c1, c2, k0, k1):  # type: ignore[no-untyped-def]
    layer = word & uint64(255)
    u = (word >> uint64(11)) * _UNIT
    if u < _RATIO[layer]:
        x = u * _EDGE[layer]
        return -x if word & uint64(256) else x
    return _undecided(word, lane, c0, c1, c2, k0, k1)


@njit(nogil=True, cache=True, error_model="numpy")
def fill_normals(first, c1, c2, k0, k1, out, start, size):  # type: ignore[no-untyped-def]
    """out[start : start + size] = normals first, first + 1, … of address (c1, c2)."""
    c0 = uint64(first >> 2)
    lane = first & 3
    index = start
    end = start + size
    while index < end:
        words = philox(c0, c1, c2, uint64(0), k0, k1)
        if lane == 0 and index + 4 <= end:
            out[index] = _normal(words[0], uint64(0), c0, c1, c2, k0, k1)
            out[index + 1] = _normal(words[1], uint64(1), c0, c1, c2, k0, k1)
            out[index + 2] = _normal(words[2], uint64(2), c0, c1, c2, k0, k1)
            out[index + 3] = _normal(words[3], uint64(3), c0, c1, c2, k0, k1)
            index += 4
        else:
            for k in range(lane, min(4, lane + end - index)):
                out[index] = _normal(words[k], uint64(k), c0, c1, c2, k0, k1)
                index += 1
            lane = 0
        c0 += uint64(1)


@njit(nogil=True, cache=True, error_model="numpy")
def fill_step_normals(first, group, level, purpose, k0, realizations, out):  # type: ignore[no-untyped-def]
    """out[r, j, :] = normals that belong to the step at tick first + j · group alone."""
    size = out.shape[2]
    row = np.empty(size)
    for r in range(realizations.size):
        for j in range(out.shape[1]):
            tick = first + j * group
            inside = tick & ((1 << level) - 1)
            cell = uint64(tick >> level)
            fill_normals(
                inside * size, cell, purpose, k0, realizations[r], row, int64(0), size
            )
            for i in range(size):
                out[r, j, i] = row[i]


@njit(nogil=True, cache=True, error_model="numpy")
def fill_coins(first, group, level, purpose, k0, realizations, out):  # type: ignore[no-untyped-def]
    """out[r, j] = one bit that belongs to the step at tick first + j · group alone."""
    for r in range(realizations.size):
        word = uint64(0)
        for j in range(out.shape[1]):
            tick = first + j * group
            inside = tick & ((1 << level) - 1)
            bit = inside & 63
            if j == 0 or bit == 0 or group > 1 or level < 6:
                word, _, _, _ = philox(
                    uint64(inside >> 6), uint64(tick >> level), purpose, uint64(0),
                    k0, realizations[r],
                )
            out[r, j] = (word >> uint64(bit)) & uint64(1) == uint64(1)
