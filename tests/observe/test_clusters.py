"""Clusters: against single linkage of SciPy, the definition itself, and planted groups."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from rqf import sphere
from rqf.errors import InvalidArgument
from rqf.observe.clusters import (
    EXACT_TOKENS,
    FLOOR_POINTS,
    LANDMARKS,
    SEPARATION,
    _separated,
    clusters,
    polar_clusters,
)
from rqf.observe.overlaps import angles, overlap


def planted(centres, sizes, radius, rng, shuffle=True):
    """Tokens within about `radius` of centres, and which centre they belong to."""
    group = np.repeat(np.arange(len(centres)), sizes)
    if shuffle:
        rng.shuffle(group)
    noise = sphere.uniform(len(group), centres.shape[1], rng) * rng.random((len(group), 1))
    return sphere.normalize(centres[group] + radius * noise), group


def same_partition(labels, others):
    return np.array_equal(labels[:, None] == labels, np.asarray(others)[:, None] == others)


def numbered_by_first_appearance(labels):
    first = [np.flatnonzero(labels == k)[0] for k in range(np.max(labels) + 1)]
    return first == sorted(first)


def by_definition(x):
    """The most separated admissible partition, from every cut of SciPy's single linkage."""
    theta = angles(x)
    tree = linkage(squareform(theta), "single")
    best, found = SEPARATION, np.arange(len(x))
    for count in range(len(x) - 1, 0, -1):
        labels = fcluster(tree, count, "maxclust")
        inside = labels[:, None] == labels
        separation = np.min(theta[~inside]) if count > 1 else math.pi
        ratio = separation / max(np.max(theta[inside]), 1e-15)
        if ratio >= best:
            best, found = ratio, labels
    return found


def as_gram(x):
    return overlap(xr.DataArray(x, dims=("token", "component")))


# --- at a resolution ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("resolution", [1e-3, 0.1, 0.3, 1.0])
def test_linked_clusters_are_those_of_single_linkage(n, resolution):
    x = sphere.uniform((4, 60), n, 1)
    found = clusters(x, resolution)
    for labels, count, points in zip(found.labels, found.count, x, strict=True):
        tree = linkage(squareform(angles(points)), "single")
        assert same_partition(labels, fcluster(tree, resolution, "distance"))
        assert numbered_by_first_appearance(labels)
        assert count == np.max(labels) + 1


def test_links_at_a_distance_of_exactly_the_resolution_count():
    x = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    assert clusters(x, math.pi / 2).count == 1
    assert clusters(x, math.nextafter(math.pi / 2, 0.0)).count == 3


def test_resolution_zero_links_identical_tokens_only():
    x = [[1.0, 0.0], [1.0, 1e-12], [1.0, 0.0]]
    assert list(clusters(x, 0.0).labels) == [0, 1, 0]


def test_sizes():
    found = clusters([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]] * 3], 0.1)
    assert found.sizes.tolist() == [[2, 1], [3, 0]]
    assert found.count.tolist() == [2, 1]


@pytest.mark.parametrize("resolution", [-0.1, 3.2, math.nan, "wide"])
def test_resolutions_that_are_refused(resolution):
    with pytest.raises(InvalidArgument, match="resolution"):
        clusters(sphere.uniform(3, 3, 0), resolution)


# --- by separation -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("seed", range(8))
def test_separated_clusters_by_definition(n, seed):
    rng = np.random.default_rng(seed)
    # a hierarchy of three levels whose gaps lie on both sides of what is admissible
    x = sphere.uniform(rng.integers(1, 4), n, rng)
    for _ in range(2):
        radius = 10.0 ** rng.uniform(-2.5, -0.3)
        x, _ = planted(x, rng.integers(1, 5, len(x)), radius, rng)
    x, _ = planted(x, rng.integers(1, 4, len(x)), 10.0 ** rng.uniform(-5, -1), rng)
    found = clusters(x)
    assert same_partition(found.labels, by_definition(x))
    assert numbered_by_first_appearance(found.labels)


@pytest.mark.parametrize("radius", [1e-2, 1e-6, 1e-12, 0.0])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_planted_clusters(count, radius):
    rng = np.random.default_rng(count)
    centres = np.eye(5)[:count]
    x, group = planted(centres, rng.integers(1, 20, count) + 1, radius, rng)
    found = clusters(x)
    assert found.count == count
    assert same_partition(found.labels, group)
    if radius > 1e-8:  # overlaps do not hold less
        assert same_partition(clusters(as_gram(x)).labels.values, group)


def test_the_most_separated_level_of_a_hierarchy_is_chosen():
    rng = np.random.default_rng(2)
    pairs, pair = planted(np.eye(3), [2, 2, 2], 1e-2, rng)
    x, group = planted(pairs, [4] * 6, 1e-9, rng)  # ratio 1e7 below, 1e2 above
    assert same_partition(clusters(x).labels, group)
    x, group = planted(pairs, [4] * 6, 1e-3, rng)  # ratio 10 at most below, 1e2 above
    assert same_partition(clusters(x).labels, pair[group])


@pytest.mark.parametrize("n", [2, 3, 8])
def test_uniform_tokens_are_not_clustered(n):
    # For N → ∞ the smallest distances, to the power n - 1, are those of a Poisson process, and the
    # ratio of its arrivals k and k + 1 is at most q with probability q^k.
    samples, tokens, q = 3000, 64, SEPARATION ** (1 - n)
    count = clusters(sphere.uniform((samples, tokens), n, 3)).count
    rate = 1.0 - math.prod(1.0 - q**k for k in range(1, 5))
    error = math.sqrt(rate * (1.0 - rate) / samples)
    assert abs(np.mean(count < tokens) - rate) < 4.0 * error
    assert np.min(count) > tokens - 5


@pytest.mark.parametrize("tokens", [600, EXACT_TOKENS + 1])
def test_a_densely_filled_sphere_is_not_one_cluster(tokens):
    x = sphere.uniform(tokens, 3, 4)
    assert clusters(x, 0.5).count == 1  # though all of it is connected
    assert clusters(x).count >= tokens - 1


@pytest.mark.parametrize("n", [2, 3, 1000])
def test_partitions_do_not_depend_on_frame_and_order(n):
    rng = np.random.default_rng(5)
    x, group = planted(sphere.uniform(4, n, rng), [1, 5, 9, 3], 1e-3, rng)
    permutation = rng.permutation(len(x))
    turn = sphere.rotation(n, rng, reflections=True) if n < 100 else np.eye(n)[::-1]
    for resolution in (None, 0.02):
        assert same_partition(clusters(x, resolution).labels, group)
        turned = clusters((x @ turn.T)[permutation], resolution)
        assert same_partition(turned.labels, group[permutation])
        assert numbered_by_first_appearance(turned.labels)


def test_antipodes_are_two_clusters_and_their_separation_is_finite():
    rng = np.random.default_rng(6)
    x, group = planted(np.array([[1.0, 0.0], [-1.0, 0.0]]), [5, 5], 0.1, rng)
    assert same_partition(clusters(x).labels, group)
    wide, _ = planted(np.array([[1.0, 0.0], [-1.0, 0.0]]), [20, 20], 0.3, rng)
    assert clusters(wide).count > 2


def test_one_two_and_identical_tokens():
    assert clusters(np.array([[0.6, 0.8]])).count == 1
    assert clusters([[1.0, 0.0], [-1.0, 0.0]]).count == 2
    assert clusters([[1.0, 0.0], [1.0, 1e-300]]).count == 1
    assert clusters(np.tile([0.6, 0.8, 0.0], (50, 1))).count == 1
    edge = math.pi / SEPARATION
    for angle, count in ((0.999 * edge, 1), (1.001 * edge, 2)):
        assert clusters([[1.0, 0.0], [math.cos(angle), math.sin(angle)]]).count == count


@pytest.mark.parametrize("tokens", [30, EXACT_TOKENS + 4])
def test_rounding_does_not_make_clusters(tokens):
    rng = np.random.default_rng(15)
    a = sphere.uniform(2, 4, rng)
    x = np.repeat(a, tokens // 2, axis=0)
    steps = rng.integers(-1, 2, x.shape)  # some tokens identical, others one unit in the last place
    nudged = np.nextafter(x, x + steps)
    assert clusters(nudged).count == 2


def test_rounding_of_overlaps_does_not_make_clusters():
    gram = np.ones((4, 4))
    gram[2, :2] = gram[:2, 2] = 1.0 - 2e-15  # to rounding, token 2 is where 0 and 1 are
    gram[3, :3] = gram[:3, 3] = -1.0
    found = clusters(xr.DataArray(gram, dims=("token", "token_other")))
    assert found.labels.values.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("n", [2, 3, 50])
@pytest.mark.parametrize("radius", [0.0, 1e-10, 1e-3])
def test_landmarks_find_planted_clusters_and_a_stray_token(n, radius):
    rng = np.random.default_rng(7)
    centres = np.concatenate([np.eye(n)[:1], -np.eye(n)[:1], np.eye(n)[1:2]])
    x, group = planted(centres, [3000, 3000, 1], radius, rng)
    found = clusters(x)
    assert same_partition(found.labels, group)
    assert sorted(found.sizes) == [1, 3000, 3000]
    assert numbered_by_first_appearance(found.labels)


def test_landmarks_number_clusters_as_tokens_meet_them():
    # the landmark after the first is in the last group
    x, group = planted(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), [1500] * 3, 1e-4,
                       np.random.default_rng(14), shuffle=False)
    assert np.array_equal(clusters(x).labels, group)


@pytest.mark.parametrize("slack", [0.0, 0.004])
def test_slack_counts_against_separation_and_diameter(slack):
    # pairs of diameter d whose distance, up to slack, is at least 10 diameters, up to slack
    d = 0.03
    least = SEPARATION * (d + slack) + slack
    for factor, found in ((1.001, True), (0.999, False)):
        phi = np.array([0.0, d, d + factor * least, 2 * d + factor * least])
        x = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
        labels = _separated(x[None], False, FLOOR_POINTS, slack)[0]
        assert np.array_equal(labels, [0, 0, 1, 1]) == found
    largest = (math.pi - slack) / SEPARATION - slack
    for factor, found in ((0.999, True), (1.001, False)):
        phi = np.linspace(0.0, factor * largest, 40)
        x = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
        labels = _separated(x[None], False, FLOOR_POINTS, slack)[0]
        assert np.array_equal(labels, np.zeros(40)) == found


def test_what_landmarks_return_is_admissible_for_all_tokens():
    rng = np.random.default_rng(8)
    found = {}
    for radius in (0.003, 0.03, 0.1, 0.3):
        x, _ = planted(np.array([[1.0, 0.0], [-0.5, math.sqrt(0.75)]]), [2500] * 2, radius, rng)
        labels = clusters(x).labels
        found[radius] = np.max(labels) + 1
        if found[radius] < len(x):
            phi = np.arctan2(x[:, 1], x[:, 0])  # both groups are far from the cut at π
            sides = [phi[labels == k] for k in range(2)]
            low, high = sorted(sides, key=np.min)
            assert np.min(high) - np.max(low) >= SEPARATION * max(np.ptp(low), np.ptp(high))
    assert list(found.values()) == [2, 2, len(x), len(x)]


def test_more_groups_than_landmarks_are_not_told_apart():
    rng = np.random.default_rng(9)
    phi = 2.0 * math.pi * np.arange(LANDMARKS + 100) / (LANDMARKS + 100)
    centres = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    x, _ = planted(centres, [8] * len(centres), 1e-9, rng)
    assert clusters(x).count == len(x)
    few, group = planted(centres[::2], [16] * len(centres[::2]), 1e-9, rng)
    assert same_partition(clusters(few).labels, group)


# --- polar -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tokens", "n"), [(30, 3), (5, 40), (4, 2)])
def test_polar_clusters_are_the_sides_of_the_axis(tokens, n):
    rng = np.random.default_rng(10)
    axis = sphere.uniform(1, n, rng)
    sign = rng.choice([-1.0, 1.0], (6, tokens, 1))
    x = sphere.normalize(sign * axis + 0.2 * sphere.uniform((6, tokens), n, rng))
    found = polar_clusters(x)
    side = np.squeeze(sign, -1) < 0.0
    assert np.array_equal(found.labels, side != side[:, :1])
    assert np.array_equal(found.sizes[:, 1], np.sum(found.labels, axis=-1))
    assert np.all(np.sum(found.sizes, axis=-1) == tokens)
    assert np.array_equal(found.count, 1 + np.any(found.labels, axis=-1))
    by_gram = polar_clusters(xr.DataArray(overlap(x), dims=("time", "token", "token_other")))
    assert np.array_equal(by_gram.labels, found.labels)


@pytest.mark.parametrize(("tokens", "n"), [(30, 3), (5, 40)])
def test_polar_clusters_of_uniform_tokens(tokens, n):
    x = sphere.uniform((20, tokens), n, 16)
    found = polar_clusters(x).labels
    for points, labels in zip(x, found, strict=True):
        top = np.linalg.svd(points, full_matrices=False)[2][0]
        side = points @ top > 0.0
        assert np.array_equal(labels, side != side[0])


def test_flipping_a_token_changes_its_side_and_no_other():
    x = sphere.uniform((20, 7), 3, 11)
    before = polar_clusters(x).labels
    x[:, 3] *= -1.0
    after = polar_clusters(x).labels
    assert np.array_equal(np.flatnonzero(np.any(before != after, axis=0)), [3])


def test_polar_clusters_of_one_token_and_of_tokens_together():
    assert polar_clusters([[0.0, 1.0]]).sizes.tolist() == [1, 0]
    assert polar_clusters([[0.6, 0.8]] * 4).sizes.tolist() == [4, 0]


# --- DataArrays --------------------------------------------------------------------------------


@pytest.mark.parametrize("observable", [clusters, polar_clusters])
def test_dataarrays_keep_their_dims_and_coordinates(observable):
    values = sphere.uniform((2, 3, 5), 4, 12)
    dims = ("realization", "time", "token", "component")
    x = xr.DataArray(values, dims=dims, coords={"time": [0.0, 1.0, 2.0]}, name="x")
    found, plain = observable(x), observable(values)
    assert found.labels.dims == ("realization", "time", "token")
    assert found.count.dims == ("realization", "time")
    assert found.sizes.dims == ("realization", "time", "cluster")
    assert list(found.count.time.values) == [0.0, 1.0, 2.0]
    turned = observable(x.transpose("component", "token", "time", "realization"))
    xr.testing.assert_identical(turned.labels.transpose(*found.labels.dims), found.labels)
    for name in ("labels", "count", "sizes"):
        assert getattr(found, name).name == name
        assert np.array_equal(getattr(found, name).values, getattr(plain, name))
