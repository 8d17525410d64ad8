"""The counter generator: Philox4x64-10, bit for bit the one that NumPy carries.

Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC11). A block is a pure
function of a 256-bit counter and a 128-bit key, so that any random number can be asked for by its
address. NumPy's `Philox(counter=c, key=k)` hands out first the block of counter c + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types, uint64
from numba.extending import intrinsic

_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)


@intrinsic
def _multiply_high(typingctx: Any, left: Any, right: Any) -> Any:
    """The upper 64 bits of the 128-bit product of two uint64: one machine instruction."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def philox(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """The block (four uint64) of counter (c0, c1, c2, c3) under key (k0, k1)."""
    for _ in range(10):
        high0 = _multiply_high(_MULTIPLIER_0, c0)
        low0 = _MULTIPLIER_0 * c0
        high1 = _multiply_high(_MULTIPLIER_1, c2)
        low1 = _MULTIPLIER_1 * c2
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = uint64(k0 + _WEYL_0)
        k1 = uint64(k1 + _WEYL_1)
    return c0, c1, c2, c3


@njit(nogil=True, cache=True, error_model="numpy")
def fill_words(c0, c1, c2, c3, k0, k1, out):  # type: ignore[no-untyped-def]
    """Fill `out` (uint64) with the consecutive blocks from counter word c0 on."""
    for index in range(out.size):
        lane = index & 3
        if lane == 0:
            block = philox(c0 + uint64(index >> 2), c1, c2, c3, k0, k1)
        if lane == 0:
            out[index] = block[0]
        elif lane == 1:
            out[index] = block[1]
        elif lane == 2:
            out[index] = block[2]
        else:
            out[index] = block[3]
