"""The transition density of du = tanh(u) dt + √2 dW: exact identities first, then limits."""

import numpy as np
import pytest

from rqf.theory import hyperbolic

TIMES = [1e-6, 1e-3, 0.1, 1.2, 10.0, 100.0, 1e3, 1e6]
STARTS = [0.0, 0.5, -3.0, 17.6, -300.0, 1e4]


def density(u, u0, t):
    u, u0, t = (np.asarray(x, np.float64) for x in (u, u0, t))
    return np.exp(hyperbolic.log_density(u - u0, u0, t))


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("u0", STARTS)
def test_density_integrates_to_one_and_keeps_the_mean_angle(u0, t):
    law = hyperbolic.Transition(u0, t)
    assert law.below[-1] == pytest.approx(1.0, abs=1e-13)

    def half_angle(u):
        return np.arctan(np.exp(-np.abs(u)))

    def angle(u):  # 2 arctan e^{-u}, without overflow
        return np.where(u >= 0.0, 2.0 * half_angle(u), np.pi - 2.0 * half_angle(u))

    assert law.expectation(angle) == pytest.approx(float(angle(np.asarray(u0))), abs=1e-13)


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("u0", [0.0, -1.3, 300.0])
def test_distribution_function_inside_the_panels(u0, t):
    """Against the mass on the left of a jump, which is a sum over whole panels."""
    law = hyperbolic.Transition(u0, t)
    for y in np.sqrt(2.0 * t) * np.array([-2.17, -0.41, 0.03, 1.09, 3.3]):
        u = u0 + y
        split = hyperbolic.Transition(u0, t, breaks=[u])
        left = split.expectation(lambda v, u=u: v < u)
        assert law.cdf(np.asarray(u)) == pytest.approx(left, abs=1e-13)


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("u0", STARTS)
def test_detailed_balance_and_reflection(u0, t):
    """cosh(u_0) p(u | u_0) = cosh(u) p(u_0 | u), and p(-u | -u_0) = p(u | u_0)."""
    y = np.sqrt(2.0 * t) * np.linspace(-3.0, 3.0, 7)
    u = u0 + y
    start, time = np.asarray(u0), np.asarray(t)
    forward = hyperbolic.log_density(u - start, start, time)
    backward = hyperbolic.log_density(start - u, u, time)
    balance = np.logaddexp(u, -u) - np.logaddexp(u0, -u0)
    scale = max(1.0, abs(u0), t)
    np.testing.assert_allclose(forward - backward, balance, rtol=0, atol=1e-14 * scale)
    np.testing.assert_array_equal(hyperbolic.log_density(start - u, -start, time), forward)


@pytest.mark.parametrize(("u0", "s", "t"), [(0.5, 0.3, 0.9), (-2.0, 1e-4, 2e-4), (3.0, 20.0, 50.0)])
def test_chapman_kolmogorov(u0, s, t):
    law = hyperbolic.Transition(u0, s)
    u = u0 + np.array([-1.0, 0.3, 2.0]) * np.sqrt(2.0 * (s + t))
    through = law.expectation(lambda v: density(u[:, None], v, t))
    np.testing.assert_allclose(through, density(u, u0, s + t), rtol=2e-12)


def derivative(f, x, h):
    """Central differences of order six."""
    return (
        sum(c * (f(x + k * h) - f(x - k * h)) for k, c in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)))
        / h
    )


@pytest.mark.parametrize("t", [0.2, 1.2, 8.0])
def test_forward_and_backward_equations(t):
    """∂_t p = ∂_u (∂_u - tanh u) p = (∂_{u_0} + tanh u_0) ∂_{u_0} p."""
    u, u0, h = np.linspace(-2.0, 3.0, 11), 0.7, 0.02
    in_time = derivative(lambda s: density(u, u0, s), t, h * t)

    def flux(v):
        return derivative(lambda w: density(w, u0, t), v, h) - np.tanh(v) * density(v, u0, t)

    def slope(v):
        return derivative(lambda w: density(u, w, t), v, h)

    tolerance = 1e-8 * np.max(density(u, u0, t)) / t
    np.testing.assert_allclose(derivative(flux, u, h), in_time, rtol=0, atol=tolerance)
    backward = derivative(slope, u0, h) + np.tanh(u0) * slope(u0)
    np.testing.assert_allclose(backward, in_time, rtol=0, atol=tolerance)


@pytest.mark.parametrize("u0", [0.0, 1.0, -17.0])
def test_short_times_are_gaussian(u0):
    """Girsanov: p = √(cosh u / cosh u_0) E exp(-∫V) times a Gaussian, V = ½ - ¼ tanh²."""
    t = 1e-6
    y = np.sqrt(2.0 * t) * np.linspace(-4.0, 4.0, 9)
    gauss = -(y**2) / (4.0 * t) - 0.5 * np.log(4.0 * np.pi * t)
    weight = 0.5 * np.log1p(2.0 * np.sinh(0.5 * y) ** 2 + np.tanh(u0) * np.sinh(y))
    potential = 0.5 - 0.25 * np.tanh(u0 + 0.5 * y) ** 2
    logs = hyperbolic.log_density(y, np.asarray(u0), np.asarray(t))
    np.testing.assert_allclose(logs, gauss + weight - t * potential, rtol=0, atol=1e-11)


@pytest.mark.parametrize("t", [1e-6, 1.0, 50.0, 1e3])
def test_far_out_the_motion_is_brownian_with_unit_drift(t):
    y = t + np.sqrt(2.0 * t) * np.linspace(-6.0, 6.0, 13)
    gauss = -((y - t) ** 2) / (4.0 * t) - 0.5 * np.log(4.0 * np.pi * t)
    logs = hyperbolic.log_density(y, np.asarray(1e4), np.asarray(t))
    np.testing.assert_allclose(logs, gauss, rtol=0, atol=2e-13)


@pytest.mark.parametrize("t", [0.1, 1.0, 30.0])
def test_root_of_sech_decays_at_the_bottom_of_the_spectrum(t):
    """E (cosh u_t)^{-1/2} <= e^{-t/4} (cosh u_0)^{-1/2}, an equality far out: the bound's proof."""

    def root(u):
        return np.exp(-0.5 * (np.logaddexp(u, -u) - np.log(2.0)))

    for u0 in (0.0, 1.5):
        assert hyperbolic.Transition(u0, t).expectation(root) < np.exp(-0.25 * t) * root(u0)
    far = hyperbolic.Transition(100.0, t).expectation(root)
    assert far == pytest.approx(np.exp(-0.25 * t) * root(100.0), rel=1e-12)


def test_kernel_of_the_plane_is_recovered_on_the_geodesic():
    """From u_0 = 0 the mean of tanh² is 1 - E 1/(1 + sinh² r cos² φ), r the radius on H²."""
    t = 0.7
    nodes, weights = np.polynomial.legendre.leggauss(200)
    root, root_weights = 2.0 * (1.0 + nodes), 2.0 * weights  # r = root²
    x, x_weights = 2.0 * (1.0 + nodes), 2.0 * weights  # s = r + x²
    r = root**2
    s = r[:, None] + x**2
    gap = 2.0 * np.sinh(r[:, None] + 0.5 * x**2) * np.sinh(0.5 * x**2)
    inner = (2.0 * x * s * np.exp(-(s**2) / (4.0 * t)) / np.sqrt(gap)) @ x_weights
    kernel = np.sqrt(2.0) * np.exp(-t / 4) * (4.0 * np.pi * t) ** -1.5 * inner
    radial = 2.0 * np.pi * np.sinh(r) * kernel * 2.0 * root * root_weights
    over_angles = 1.0 / np.cosh(r)  # the mean of 1/(1 + sinh² r cos² φ)
    law = hyperbolic.Transition(0.0, t)
    assert np.sum(radial) == pytest.approx(1.0, abs=1e-9)
    second = law.expectation(lambda u: np.tanh(u) ** 2)
    assert second == pytest.approx(1.0 - np.sum(radial * over_angles), abs=1e-9)


def test_blocks_do_not_change_the_density():
    u = np.linspace(-4.0, 4.0, 5000)
    whole = density(u, 0.3, 0.8)
    np.testing.assert_allclose(whole[4000:4003], density(u[4000:4003], 0.3, 0.8), rtol=1e-14)
    assert density(u.reshape(50, 100), 0.3, 0.8).shape == (50, 100)
