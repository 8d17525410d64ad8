"""What every field with realisations owes: its covariance, exact derivatives, its parity."""

import numpy as np

import rqf


def realisations(field, count, rng, dt=1.0):
    """`count` realisations of a field over one step."""
    dw = np.sqrt(dt) * rng.standard_normal((count, field.increments))
    return field.frozen(dw, rng.standard_normal((count, field.fresh)), dt)


def covariance(field, x, y, count, seed):
    """E[F(x) F(y)ᵀ] from `count` realisations, and the standard errors of its entries."""
    points = np.broadcast_to(np.stack([x, y]), (count, 2, field.n))
    values = realisations(field, count, np.random.default_rng(seed))(points)
    products = values[:, 0, :, None] * values[:, 1, None, :]
    return products.mean(axis=0), products.std(axis=0) / np.sqrt(count)


def check_push(field, seed=0):
    """DF v against a central difference of order 4 with step 1e-3: exact to rounding, 1e-10."""
    rng = np.random.default_rng(seed)
    frozen = realisations(field, 3, rng)
    x, v = rqf.normalize(rng.standard_normal((2, 3, 4, field.n)))
    h = 1e-3
    near, far = (frozen(x + s * v) - frozen(x - s * v) for s in (h, 2 * h))
    difference = (8 * near - far) / (12 * h)
    np.testing.assert_allclose(frozen.push(x, v), difference, atol=1e-10 * np.abs(near / h).max())


def check_parity(field, seed=0):
    """F(-x) = -F(x) for "odd", F(-x) = F(x) for "even", neither for "mixed"."""
    rng = np.random.default_rng(seed)
    frozen = realisations(field, 3, rng)
    x = rqf.normalize(rng.standard_normal((3, 4, field.n)))
    here, there = frozen(x), frozen(-x)
    found = {
        name
        for name, other in (("odd", -here), ("even", here))
        if np.allclose(there, other, rtol=0.0, atol=1e-12 * np.abs(here).max())
    }
    assert (found or {"mixed"}) == {field.parity}
