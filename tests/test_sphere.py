"""The sphere: exact identities, angles down to subnormal numbers, laws of the samplers.

Kolmogorov-Smirnov tests reject below FALSE_ALARM; seeds are fixed. The exact laws used:

- an overlap z of two independent uniform points of S^{n-1}: (1 + z)/2 is Beta((n-1)/2, (n-1)/2);
- E z_12 z_23 z_31 = 1/n², and E det of the Gram matrix of N points is Π_{i<N} (n - i)/n;
- the angle of a Haar rotation of R³ has distribution function (θ - sin θ)/π.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rqf import sphere
from rqf.errors import InvalidArgument

FALSE_ALARM = 1e-4
TINY = [1e-9, 1e-12, 1e-16, 1e-154, 1e-162, 1e-200, 1e-300, 1e-308, 1e-320, 5e-324]


def circle(phi):
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1)


# --- normalize and tangent ---------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [-1021, -1000, -500, 0, 500, 1000, 1019])
def test_normalize_does_not_depend_on_the_scale(exponent):
    rows = np.array([[3.0, 4.0, 0.0], [-1.0, 2.0, 2.0]])
    expected = rows / np.array([[5.0], [3.0]])
    np.testing.assert_allclose(sphere.normalize(np.ldexp(rows, exponent)), expected, rtol=4e-16)


def test_normalize_of_subnormal_rows():
    rows = sphere.normalize([[5e-324, 0.0], [5e-324, -5e-324], [0.0, -1.5e-323]])
    half = math.sqrt(0.5)
    np.testing.assert_allclose(rows, [[1.0, 0.0], [half, -half], [0.0, -1.0]], rtol=2e-16)


def test_normalize_keeps_the_shape_and_one_tiny_component():
    assert sphere.normalize(np.ones((2, 3, 1000))).shape == (2, 3, 1000)
    assert sphere.normalize([2.0, 2e-300])[1] == 1e-300


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 0.0], [0.0, 0.0]], "zero"),
        ([1.0, math.nan], "not finite"),
        ([1.0, math.inf], "not finite"),
        ([[1.0]], "n >= 2"),
        (1.0, "n >= 2"),
        (np.ones((0, 3)), "at least one"),
        (["a", "b"], "real numbers"),
    ],
)
def test_normalize_refuses(rows, message):
    with pytest.raises(InvalidArgument, match=message):
        sphere.normalize(rows)


@pytest.mark.parametrize("n", [2, 3, 1000])
def test_tangent_is_the_projection(n):
    rng = np.random.default_rng(1)
    x, v = sphere.uniform(20, n, rng), rng.standard_normal((7, 20, n))
    projected = sphere.tangent(x, v)
    assert projected.shape == v.shape
    size = np.linalg.norm(v, axis=-1)
    assert np.max(np.abs(np.sum(projected * x, axis=-1)) / size) < 1e-15
    np.testing.assert_allclose(sphere.tangent(x, projected), projected, atol=1e-14)
    matrix = np.eye(n) - np.einsum("ti,tj->tij", x, x)
    np.testing.assert_allclose(projected, np.einsum("tij,stj->sti", matrix, v), atol=1e-13)
    np.testing.assert_allclose(sphere.tangent(x, x), 0.0, atol=1e-15)


def test_shapes_that_do_not_broadcast_are_refused():
    x = sphere.uniform(4, 3, 0)
    with pytest.raises(InvalidArgument, match="v has shape"):
        sphere.tangent(x, np.ones((4, 2)))
    with pytest.raises(InvalidArgument, match="y has shape"):
        sphere.angle(x, sphere.uniform(3, 3, 0))


# --- angles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", TINY)
def test_tiny_angles_are_exact(angle):
    x, y = [1.0, 0.0, 0.0], [1.0, angle, 0.0]
    assert sphere.angle(x, y) == angle
    assert sphere.projective_distance(x, y) == angle
    assert sphere.antipodal_gap(x, y) == math.pi - angle
    opposite = [-1.0, angle, 0.0]
    assert sphere.angle(x, opposite) == math.pi - angle
    assert sphere.antipodal_gap(x, opposite) == angle
    assert sphere.projective_distance(x, opposite) == angle


@pytest.mark.parametrize("angle", TINY)
def test_tiny_differences_beside_components_that_are_not(angle):
    assert sphere.angle([0.6, 0.8, 0.0], [0.6, 0.8, angle]) == pytest.approx(angle, rel=1e-15)


def test_angles_on_the_circle():
    rng = np.random.default_rng(2)
    phi, theta = rng.uniform(-math.pi, math.pi, 1000), rng.uniform(0.0, math.pi, 1000)
    found = sphere.angle(circle(phi), circle(phi + theta))
    np.testing.assert_allclose(found, theta, rtol=0, atol=1e-15)
    gap = sphere.antipodal_gap(circle(phi), circle(phi + theta))
    np.testing.assert_allclose(gap, math.pi - theta, rtol=0, atol=1e-15)
    line = sphere.projective_distance(circle(phi), circle(phi + theta))
    np.testing.assert_allclose(line, np.minimum(theta, math.pi - theta), rtol=0, atol=1e-15)


@pytest.mark.parametrize("n", [2, 3, 1000])
def test_angle_by_definition_where_arccos_is_good(n):
    x = sphere.uniform((2, 500), n, 3)
    z = np.sum(x[0] * x[1], axis=-1)
    good = np.abs(z) < 0.9
    found = sphere.angle(*x)
    np.testing.assert_allclose(found[good], np.arccos(z[good]), rtol=1e-14)


def test_angles_of_equal_and_opposite_points():
    x = sphere.uniform(100, 5, 4)
    assert np.all(sphere.angle(x, x) == 0.0)
    assert np.all(sphere.angle(x, -x) == math.pi)
    assert np.all(sphere.antipodal_gap(x, -x) == 0.0)
    assert np.all(sphere.projective_distance(x, -x) == 0.0)


@pytest.mark.parametrize("n", [2, 3, 100])
def test_angles_are_symmetric_and_invariant_under_rotations(n):
    rng = np.random.default_rng(5)
    x, y = sphere.uniform((2, 50), n, rng)
    y = sphere.normalize(x + np.geomspace(1e-6, 1e6, 50)[:, None] * y)
    r = sphere.rotation(n, rng, reflections=True)
    assert np.all(sphere.angle(x, y) == sphere.angle(y, x))
    np.testing.assert_allclose(sphere.angle(x @ r.T, y @ r.T), sphere.angle(x, y), atol=1e-14)


def test_angle_broadcasts():
    x = sphere.uniform(4, 3, 6)
    table = sphere.angle(x[:, None], x)
    assert table.shape == (4, 4)
    assert sphere.angle(x[0], x).shape == (4,)
    assert table[1, 2] == sphere.angle(x[1], x[2])


def test_points_off_the_sphere_are_refused():
    with pytest.raises(InvalidArgument, match=r"rqf\.normalize"):
        sphere.angle([1.0, 0.1], [1.0, 0.0])


# --- samplers ----------------------------------------------------------------------------------


def beta_law(n):
    return stats.beta(0.5 * (n - 1), 0.5 * (n - 1), loc=-1.0, scale=2.0).cdf


@pytest.mark.parametrize("n", [2, 3, 8, 1000])
def test_uniform_points(n):
    x = sphere.uniform(4000, n, 7)
    np.testing.assert_allclose(np.linalg.norm(x, axis=-1), 1.0, rtol=4e-16)
    for component in (x[:, 0], x[:, -1], (x[:, 0] - x[:, 1]) / math.sqrt(2.0)):
        assert stats.kstest(component, beta_law(n)).pvalue > FALSE_ALARM
    assert stats.kstest(np.sum(x[::2] * x[1::2], axis=-1), beta_law(n)).pvalue > FALSE_ALARM


def test_seeds_and_generators():
    x = sphere.uniform((2, 3), 4, 8)
    assert x.shape == (2, 3, 4)
    assert np.array_equal(x, sphere.uniform((2, 3), 4, np.random.default_rng(8)))
    rng = np.random.default_rng(8)
    assert not np.array_equal(sphere.uniform(3, 4, rng), sphere.uniform(3, 4, rng))


@pytest.mark.parametrize("rng", [None, True, -1, 0.5, "seed"])
def test_a_source_of_randomness_is_required(rng):
    for draw in (
        lambda: sphere.uniform(3, 4, rng),
        lambda: sphere.rotation(3, rng),
        lambda: sphere.uniform_gram(3, 4, rng),
    ):
        with pytest.raises(InvalidArgument, match="rng"):
            draw()


@pytest.mark.parametrize("size", [0, -1, 2.0, (2, 0)])
def test_sizes_are_checked(size):
    with pytest.raises(InvalidArgument, match="size"):
        sphere.uniform(size, 3, 0)


@pytest.mark.parametrize("n", [2, 3, 8, 100])
@pytest.mark.parametrize("reflections", [False, True])
def test_rotations_are_orthogonal(n, reflections):
    r = sphere.rotation(n, 9, size=10, reflections=reflections)
    product = r @ np.swapaxes(r, -1, -2)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(n), product.shape), atol=1e-13)
    determinants = np.round(np.linalg.det(r))
    assert set(determinants) == ({-1.0, 1.0} if reflections else {1.0})


@pytest.mark.parametrize("turn", [np.eye(3), np.eye(3)[[1, 2, 0]], np.diag([1.0, -1.0, -1.0])])
def test_rotations_of_space_have_the_haar_angle(turn):
    # alone and composed with a fixed rotation, from either side
    r = turn @ sphere.rotation(3, 10, size=5000)
    angle = np.arccos(np.clip(0.5 * (np.trace(r, axis1=-2, axis2=-1) - 1.0), -1.0, 1.0))
    law = stats.kstest(angle, lambda t: (t - np.sin(t)) / math.pi)
    assert law.pvalue > FALSE_ALARM


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("reflections", [False, True])
def test_every_entry_of_a_rotation_is_a_component_of_a_uniform_point(n, reflections):
    r = sphere.rotation(n, 11, size=4000, reflections=reflections)
    for i, j in ((0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1)):
        assert stats.kstest(r[:, i, j], beta_law(n)).pvalue > FALSE_ALARM


def test_half_of_the_orthogonal_matrices_are_reflections():
    r = sphere.rotation(3, 12, size=4000, reflections=True)
    assert abs(np.mean(np.linalg.det(r))) < 4.0 / math.sqrt(4000)  # four standard errors


# --- Gram matrices -----------------------------------------------------------------------------


def test_gram_matrix():
    x = sphere.uniform((3, 6), 4, 13)
    overlaps = sphere.gram(x)
    np.testing.assert_allclose(overlaps, np.einsum("bin,bjn->bij", x, x), atol=4e-16)
    assert np.all(np.diagonal(overlaps, axis1=1, axis2=2) == 1.0)
    assert np.array_equal(overlaps, np.swapaxes(overlaps, 1, 2))


@pytest.mark.parametrize("n", [2, 7, 100])
def test_gram_entries_are_overlaps(n):
    x = sphere.uniform(50, n, 14)
    overlaps = sphere.gram(np.concatenate([x, x, -x]))
    assert np.max(np.abs(overlaps)) == 1.0
    assert np.array_equal(overlaps, overlaps.T)
    r = sphere.rotation(n, 15)
    np.testing.assert_allclose(sphere.gram(x @ r.T), sphere.gram(x), atol=1e-14)


def test_gram_needs_sets_of_points():
    with pytest.raises(InvalidArgument, match=r"\(\.\.\., N, n\)"):
        sphere.gram([1.0, 0.0])


@pytest.mark.parametrize(("tokens", "n"), [(2, 2), (5, 3), (4, 4), (4, 9), (3, 10**6)])
def test_uniform_gram_has_the_law_of_uniform_points(tokens, n):
    samples = 4000
    overlaps = sphere.uniform_gram(tokens, n, 16, size=samples)
    assert overlaps.shape == (samples, tokens, tokens)
    assert np.all(np.diagonal(overlaps, axis1=1, axis2=2) == 1.0)
    for i, j in ((0, 1), (0, tokens - 1), (tokens - 2, tokens - 1)):
        assert stats.kstest(overlaps[:, i, j], beta_law(n)).pvalue > FALSE_ALARM
    determinant = np.linalg.det(overlaps)
    expected = math.prod((n - i) / n for i in range(tokens))
    error = max(np.std(determinant) / math.sqrt(samples), 1e-15)
    assert abs(np.mean(determinant) - expected) < 4.0 * error
    if tokens > 2:
        triple = n**2 * overlaps[:, 0, 1] * overlaps[:, 1, -1] * overlaps[:, -1, 0]
        assert abs(np.mean(triple) - 1.0) < 4.0 * np.std(triple) / math.sqrt(samples)


def test_uniform_gram_in_a_billion_dimensions():
    overlaps = sphere.uniform_gram(40, 10**9, 17)
    scaled = math.sqrt(1e9) * overlaps[np.triu_indices(40, 1)]
    assert stats.kstest(scaled, "norm").pvalue > FALSE_ALARM


@pytest.mark.parametrize(("tokens", "n"), [(1, 3), (2, 2), (6, 3), (3, 6), (5, 1000), (64, 8)])
def test_points_from_gram_restore_the_gram_matrix(tokens, n):
    overlaps = sphere.gram(sphere.uniform((3, tokens), n, 18))
    points = sphere.points_from_gram(overlaps)
    assert points.shape == (3, tokens, max(min(tokens, n), 2))
    np.testing.assert_allclose(sphere.gram(points), overlaps, atol=1e-14)


@pytest.mark.parametrize("spread", [1.0, 1e-2, 1e-4, 1e-6])
def test_points_from_gram_of_tokens_that_have_come_together(spread):
    x = sphere.normalize(sphere.uniform(30, 3, 19) * [1.0, spread, spread])
    points = sphere.points_from_gram(sphere.gram(x))
    assert points.shape == (30, 3)
    # what an overlap holds of an angle near 0 is its square, to rounding
    angles, found = (sphere.angle(p[:, None], p) for p in (x, points))
    assert np.max(np.abs(np.cos(angles) - np.cos(found))) < 4e-15


def test_points_from_gram_keep_equal_and_opposite_tokens():
    x = sphere.uniform(5, 3, 20)
    x = np.concatenate([x, x, -x])
    points = sphere.points_from_gram(x @ x.T)
    assert points.shape == (15, 3)
    assert np.all(sphere.angle(points[:5], points[5:10]) < 1e-15)
    assert np.all(sphere.antipodal_gap(points[:5], points[10:]) < 1e-15)


def test_points_from_gram_of_mixed_ranks():
    together, spread = np.ones((4, 4)), np.eye(4)
    points = sphere.points_from_gram(np.stack([together, spread]))
    assert points.shape == (2, 4, 4)
    np.testing.assert_allclose(sphere.gram(points), [together, spread], atol=1e-15)
    assert sphere.points_from_gram(together).shape == (4, 2)


@pytest.mark.parametrize(
    ("overlaps", "message"),
    [
        ([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]], "positive semidefinite"),
        ([[1.0, 0.5], [0.4, 1.0]], "not symmetric"),
        ([[1.0, 0.5], [0.5, 2.0]], "diagonal"),
        ([[1.0, 1.5], [1.5, 1.0]], "outside"),
        ([[1.0, 0.5]], r"\(\.\.\., N, N\)"),
        ([[1.0, math.nan], [math.nan, 1.0]], "not finite"),
        (np.ones((0, 2, 2)), "N >= 1"),
    ],
)
def test_matrices_that_are_not_gram_matrices_are_refused(overlaps, message):
    with pytest.raises(InvalidArgument, match=message):
        sphere.points_from_gram(overlaps)
