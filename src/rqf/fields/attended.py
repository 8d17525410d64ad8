"""What a token attends to, m_i = Σ_j softmax_j(beta x_i·M x_j) x_j, and the drift of noise in it.

Noise dV m_i, V a matrix of independent Brownian motions of unit variance, moves what it multiplies.
Its Stratonovich integral exceeds the Itô one, on the sphere, by the drift P_i c_i,

    c_i = ½ Σ_k P_k (∂m_i/∂x_k)ᵀ m_k,   P_k = I - x_k x_kᵀ,

a combination of the tokens (and of M applied to them), with coefficients from inner products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rqf.fields.softmax import inner, softmax, softmax_rate

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attended:
    """One head: inverse temperature, query-key matrices M (R, n, n) or None for the identity.

    Tokens have shape (R, N, n).
    """

    beta: float
    query_key: Array | None

    def mean(self, x: Array) -> Array:
        """m_i, shape of x."""
        return softmax(self.beta * inner(x, self._keys(x))) @ x

    def drift(self, x: Array) -> Array:
        """c_i up to a multiple of x_i, shape of x.

        With s the softmax weights and d_k = m_k·x_k, it is

            ½ Σ_k s_ik { m_k - d_k x_k + beta (d_k - m_i·m_k) (Mᵀx_i - (x_i·M x_k) x_k)
                         + beta (x_k·m_i - m_i·m_i) M x_k }.
        """
        keys, queries = self._keys(x), self._queries(x)
        scores = inner(x, keys)
        s = softmax(self.beta * scores)
        m = s @ x
        own = np.sum(m * x, axis=-1, keepdims=True)
        among = inner(m, m)
        ahead = s * (np.swapaxes(own, -1, -2) - among)
        behind = s * (inner(m, x) - np.sum(m * m, axis=-1, keepdims=True))
        turned = np.sum(ahead, axis=-1, keepdims=True) * queries - (ahead * scores) @ x
        return 0.5 * (s @ (m - own * x) + self.beta * (turned + behind @ keys))

    def push(self, x: Array, v: Array) -> tuple[Array, Array]:
        """The derivatives of `mean` and `drift` at x in the direction v."""
        keys, queries = self._keys(x), self._queries(x)
        keys_, queries_ = self._keys(v), self._queries(v)
        scores, scores_ = inner(x, keys), inner(v, keys) + inner(x, keys_)
        s = softmax(self.beta * scores)
        s_ = softmax_rate(s, self.beta * scores_)
        m, m_ = s @ x, s_ @ x + s @ v
        own = np.sum(m * x, axis=-1, keepdims=True)
        own_ = np.sum(m_ * x + m * v, axis=-1, keepdims=True)
        off = np.swapaxes(own, -1, -2) - inner(m, m)
        off_ = np.swapaxes(own_, -1, -2) - inner(m_, m) - inner(m, m_)
        ahead, ahead_ = s * off, s_ * off + s * off_
        beyond = inner(m, x) - np.sum(m * m, axis=-1, keepdims=True)
        beyond_ = inner(m_, x) + inner(m, v) - 2.0 * np.sum(m * m_, axis=-1, keepdims=True)
        behind, behind_ = s * beyond, s_ * beyond + s * beyond_
        turned_ = (
            np.sum(ahead_, axis=-1, keepdims=True) * queries
            + np.sum(ahead, axis=-1, keepdims=True) * queries_
            - (ahead_ * scores + ahead * scores_) @ x
            - (ahead * scores) @ v
        )
        direct_ = s_ @ (m - own * x) + s @ (m_ - own_ * x - own * v)
        return m_, 0.5 * (direct_ + self.beta * (turned_ + behind_ @ keys + behind @ keys_))

    def _keys(self, x: Array) -> Array:
        """M x_j."""
        return x if self.query_key is None else x @ np.swapaxes(self.query_key, -1, -2)

    def _queries(self, x: Array) -> Array:
        """Mᵀ x_i."""
        return x if self.query_key is None else x @ self.query_key
