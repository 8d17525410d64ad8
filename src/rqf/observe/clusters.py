"""Clusters: which tokens have come together.

Two answers. *Polar* clusters are the two sides of the hyperplane that splits the tokens of a
bipolar state. *Separated* clusters need no number of poles in advance: groups whose diameter is at
most a tenth of the distance between any two of them. Such groups are what single linkage yields at
some height (the minimum spanning tree, its longer edges cut), so that few partitions come in
question.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numba import int64, njit
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.observe.overlaps import apply

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

SEPARATION = 10.0  # least ratio of the distance between clusters to the diameter of any of them
FLOOR_POINTS = 1e-15  # angles below are rounding of the coordinates
FLOOR_GRAM = 1e-6  # angles below are rounding of the overlaps: 1 - z is known to some 1e-13
EXACT_TOKENS = 4096  # up to here every token is looked at; beyond, landmarks stand for them
LANDMARKS = 512


@dataclass(frozen=True)
class Clusters:
    """Labels of tokens and what they add up to; arrays or DataArrays, as the tokens were given.

    Attributes
    ----------
    labels : integers of shape (..., N), dims (..., token)
        Cluster of each token, numbered from 0 in the order in which tokens first meet them.
    count : integers of shape (...)
        Number of clusters.
    sizes : integers of shape (..., C), dims (..., cluster)
        Tokens in each cluster; C is the largest number of clusters (2 for polar clusters), and
        sizes beyond `count` are 0.
    """

    labels: Any
    count: Any
    sizes: Any


def polar_clusters(x: xr.DataArray | ArrayLike) -> Clusters:
    """Tokens split by the hyperplane orthogonal to the axis along which they are most aligned.

    The axis is the top eigenvector of the mean of x xᵀ. Token 0 has label 0, tokens on the other
    side label 1. The axis, and so the labels, are arbitrary if the top eigenvalue is degenerate.

    Parameters
    ----------
    x : points (..., N, n), or DataArray of points or overlaps
        See `rqf.observe.overlaps`. One split for each configuration of N tokens.

    Returns
    -------
    Clusters
        `count` is 1 or 2; `sizes` has two entries.

    Raises
    ------
    rqf.errors.InvalidArgument
        If rows are not unit vectors or dims are missing.

    Notes
    -----
    Under a random quadratic form the two sides of the limit are those of a uniformly random
    hyperplane: sizes are Binomial(N, 1/2) for independent uniform tokens.

    Examples
    --------
    >>> polar_clusters([[1.0, 0.0], [-1.0, 0.0], [0.8, 0.6]]).labels
    array([0, 1, 0])
    """
    return _clusters(x, _sides, least=2)


def clusters(x: xr.DataArray | ArrayLike, resolution: float | None = None) -> Clusters:
    """Clusters of tokens, by separation or at a given resolution.

    Parameters
    ----------
    x : points (..., N, n), or DataArray of points or overlaps
        See `rqf.observe.overlaps`. Each configuration of N tokens is clustered by itself.
    resolution : float from 0 to π (radians), or None
        A number: tokens at most that far apart are linked, and clusters are the connected
        components. None: the partition whose clusters stand out most, see below.

    Returns
    -------
    Clusters

    Raises
    ------
    rqf.errors.InvalidArgument
        If rows are not unit vectors, dims are missing or the resolution is out of range.

    Notes
    -----
    Without a resolution, a partition is admissible if the smallest angle between clusters (π, if
    there is one cluster) is at least 10 times the largest diameter of a cluster. All admissible
    partitions are nested; the one with the largest ratio is returned, and if there is none every
    token is a cluster of its own, `count` = N: the tokens have not clustered. Diameters are taken
    as no less than 1e-15, for overlaps 1e-6: what rounding leaves undecided is together. Chance
    alone makes a close pair among many uniform tokens stand out, so that `count` < N, with
    probability about 10^{1-n}, whatever N.

    The tree comes from Prim's algorithm, which needs memory for N and not for N² numbers, in time
    proportional to N² n. Beyond 4096 tokens, without a resolution, 512 landmarks stand for all
    tokens: each is the token farthest from those before it (T. F. Gonzalez, Theor. Comput. Sci. 38
    (1985) 293), so that the last ones still find a single stray token. With every token within r
    of a landmark, separation and diameter are known to 2r and the worse value is used: a partition
    that is returned is admissible for all tokens, but one into more than 512 clusters, or one
    whose ratio is close to 10, may be missed, and then `count` is N.

    Examples
    --------
    >>> import numpy as np
    >>> phi = np.array([0.0, 0.01, 3.0, 3.02])
    >>> found = clusters(np.stack([np.cos(phi), np.sin(phi)], axis=-1))
    >>> found.labels, int(found.count)
    (array([0, 0, 1, 1]), 2)
    """
    if resolution is None:
        return _clusters(x, separate)
    level = checks.real("resolution", resolution, 0.0, math.pi)
    return _clusters(x, lambda data, from_gram: _linked(data, from_gram, level))


def separate(data: Array, from_gram: bool, floor: float = FLOOR_POINTS) -> Labels:
    """Labels (..., N) of separated clusters, for checked points (..., N, n) or overlaps.

    `floor` is the angle below which tokens of a configuration of points are together.
    """
    batch = _batch(data)
    if from_gram:
        labels = _separated(batch, True, FLOOR_GRAM, 0.0)
    elif batch.shape[1] <= EXACT_TOKENS:
        labels = _separated(batch, False, floor, 0.0)
    else:
        labels = np.stack([_separated_by_landmarks(points) for points in batch])
    alone = labels[:, 0] < 0
    labels[alone] = np.arange(labels.shape[-1])
    return labels.reshape(data.shape[:-1])


def _separated(batch: Array, from_gram: bool, floor: float, slack: float) -> Labels:
    order, parent, height = _trees(batch, from_gram)
    merges = np.sort(height, axis=-1)[:, 1:]  # token 0 has no edge; its 0 comes first
    labels = np.full(batch.shape[:2], -1, np.int64)
    _separate(batch, from_gram, order, parent, height, merges, floor, slack, labels)
    return labels


def _separated_by_landmarks(points: Array) -> Labels:
    """Labels of one configuration, through landmarks; -1 throughout if there are no clusters."""
    chosen, nearest, radius = _landmarks(points[None], LANDMARKS, FLOOR_POINTS)
    slack = max(2.0 * radius, FLOOR_POINTS)
    labels = _separated(points[None, chosen], False, FLOOR_POINTS, slack)[0, nearest]
    if labels[0] >= 0:
        first_met = np.unique(labels, return_index=True)[1]
        labels = np.argsort(np.argsort(first_met))[labels]
    return labels


def _linked(data: Array, from_gram: bool, resolution: float) -> Labels:
    """Labels of the components of the graph {angle <= resolution}."""
    order, parent, height = _trees(_batch(data), from_gram)
    labels = np.empty(order.shape, np.int64)
    _link(order, parent, height, resolution, labels)
    return labels.reshape(data.shape[:-1])


def _batch(data: Array) -> Array:
    """The configurations in one row, in the memory layout that the kernels are compiled for."""
    return np.ascontiguousarray(data).reshape(-1, *data.shape[-2:])


def _clusters(x: Any, label: Callable[[Array, bool], Labels], least: int = 1) -> Clusters:
    """Apply a labelling of points or overlaps, count, and name the results."""

    def counted(labels: Labels) -> tuple[Labels, Labels, Labels]:
        count = np.max(labels, axis=-1) + 1
        return labels, count, _sizes(labels, max(int(np.max(count)), least))

    results = apply(
        x,
        lambda points: counted(label(points, False)),
        lambda gram: counted(label(gram, True)),
        ("token",),
        (),
        ("cluster",),
    )
    if isinstance(x, xr.DataArray):
        names = ("labels", "count", "sizes")
        results = [array.rename(name) for array, name in zip(results, names, strict=True)]
    return Clusters(*results)


def _sizes(labels: Labels, width: int) -> Labels:
    batch = labels.reshape(-1, labels.shape[-1])
    shifted = batch + width * np.arange(len(batch))[:, None]
    counts = np.bincount(shifted.ravel(), minlength=width * len(batch))
    return counts.astype(np.int64).reshape(*labels.shape[:-1], width)


def _sides(data: Array, from_gram: bool) -> Labels:
    """Which side of the polar hyperplane a token is on, 0 for the side of token 0."""
    tokens, n = data.shape[-2:]
    transposed = np.swapaxes(data, -1, -2)
    if from_gram or n > tokens:
        # the top eigenvector of the overlaps lists the components along the axis, up to a factor
        gram = data if from_gram else data @ transposed
        component = np.linalg.eigh(gram)[1][..., -1]
    else:
        axis = np.linalg.eigh(transposed @ data)[1][..., -1]
        component = np.squeeze(data @ axis[..., None], axis=-1)
    side = component >= 0.0
    return (side != side[..., :1]).astype(np.int64)


# The kernels fill their arrays in loops: array functions would take longer to compile than to run.


@njit(nogil=True, cache=True, fastmath={"reassoc"}, error_model="numpy")
def _versine(batch, b, from_gram, i, j):  # type: ignore[no-untyped-def]
    """1 - x_i·x_j in configuration b, from points as |x_i - x_j|²/2, which does not cancel."""
    if from_gram:
        return max(0.0, 1.0 - batch[b, i, j])
    total = 0.0
    for k in range(batch.shape[2]):
        difference = batch[b, i, k] - batch[b, j, k]
        total += difference * difference
    return 0.5 * total


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _angle(versine):  # type: ignore[no-untyped-def]
    return 2.0 * math.atan2(math.sqrt(versine), math.sqrt(max(0.0, 2.0 - versine)))


@njit(nogil=True, cache=True, error_model="numpy")
def _grow(batch, from_gram, order, parent, height):  # type: ignore[no-untyped-def]
    """Minimum spanning trees by Prim's algorithm from token 0, one for each configuration.

    Fills in the tokens in the order in which they join, and for each token the one it is tied to
    (which joined before it) and the angle of that edge; arrays of shape (B, N), zero before.
    """
    tokens = batch.shape[1]
    nearest = np.empty(tokens)
    waiting = np.empty(tokens, np.int64)
    for b in range(batch.shape[0]):
        for token in range(1, tokens):
            nearest[token] = math.inf
            waiting[token - 1] = token
        last = int64(0)
        for position in range(1, tokens):
            left = tokens - position
            best = 0
            for slot in range(left):
                token = waiting[slot]
                versine = _versine(batch, b, from_gram, last, token)
                if versine < nearest[token]:
                    nearest[token] = versine
                    parent[b, token] = last
                if nearest[token] < nearest[waiting[best]]:
                    best = slot
            last = waiting[best]
            waiting[best] = waiting[left - 1]
            order[b, position] = last
            height[b, last] = _angle(nearest[last])


def _trees(batch: Array, from_gram: bool) -> tuple[Labels, Labels, Array]:
    """Minimum spanning trees of all configurations: order, parents and heights of shape (B, N)."""
    shape = batch.shape[:2]
    order, parent, height = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape)
    _grow(batch, from_gram, order, parent, height)
    return order, parent, height


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _cut(order, parent, height, b, level, labels, number):  # type: ignore[no-untyped-def]
    """Fill in the labels of the components of tree b without the edges longer than `level`.

    Clusters are numbered in the order in which tokens first meet them. `number` is a work array of
    the size of `labels`.
    """
    labels[order[b, 0]] = 0
    count = 1
    for position in range(1, labels.size):
        token = order[b, position]
        if height[b, token] <= level:
            labels[token] = labels[parent[b, token]]
        else:
            labels[token] = count
            count += 1
    for cluster in range(count):
        number[cluster] = -1
    met = 0
    for token in range(labels.size):
        if number[labels[token]] < 0:
            number[labels[token]] = met
            met += 1
        labels[token] = number[labels[token]]


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _diameter(batch, b, from_gram, labels):  # type: ignore[no-untyped-def]
    """The largest angle between tokens of one cluster."""
    largest = 0.0
    for i in range(labels.size):
        for j in range(i):
            if labels[i] == labels[j]:
                largest = max(largest, _versine(batch, b, from_gram, i, j))
    return _angle(largest)


@njit(nogil=True, cache=True, error_model="numpy")
def _separate(  # type: ignore[no-untyped-def]
    batch, from_gram, order, parent, height, merges, floor, slack, result
):
    """Labels of the most separated admissible partition of each configuration.

    `result` (B, N) is -1 before and stays so where there is none. `merges` are the edges of the
    tree in order of their length. `slack` is how far separations and diameters may be off; where
    it is not zero each token stands for several, and the partition into single tokens is not
    trivial.
    """
    tokens = batch.shape[1]
    labels = np.empty(tokens, np.int64)
    number = np.empty(tokens, np.int64)
    for b in range(batch.shape[0]):
        best = SEPARATION
        for joined in range(0 if slack > 0.0 else 1, tokens):
            level = merges[b, joined - 1] if joined > 0 else -1.0
            separation = (merges[b, joined] if joined < tokens - 1 else math.pi) - slack
            if separation < best * max(level, slack, floor):
                continue  # the diameter is at least the longest edge
            _cut(order, parent, height, b, level, labels, number)
            extent = max(_diameter(batch, b, from_gram, labels) + slack, floor)
            if separation >= best * extent:
                best = separation / extent
                for token in range(tokens):
                    result[b, token] = labels[token]


@njit(nogil=True, cache=True, error_model="numpy")
def _link(order, parent, height, resolution, result):  # type: ignore[no-untyped-def]
    """Fill in the labels of the components that edges up to `resolution` hold together."""
    tokens = order.shape[1]
    labels = np.empty(tokens, np.int64)
    number = np.empty(tokens, np.int64)
    for b in range(order.shape[0]):
        _cut(order, parent, height, b, resolution, labels, number)
        for token in range(tokens):
            result[b, token] = labels[token]


@njit(nogil=True, cache=True, error_model="numpy")
def _landmarks(points, limit, floor):  # type: ignore[no-untyped-def]
    """Farthest-first landmarks from token 0, until `limit` or until all tokens are within `floor`.

    `points` (1, N, n) is one configuration. Returns the landmarks, for each token the position of
    its nearest landmark, and the largest angle between a token and its nearest landmark.
    """
    tokens = points.shape[1]
    chosen = np.zeros(limit, np.int64)
    nearest = np.zeros(tokens, np.int64)
    distance = np.empty(tokens)
    for token in range(tokens):
        distance[token] = math.inf
    count = 0
    farthest = 0
    while count < limit:
        chosen[count] = farthest
        for token in range(tokens):
            versine = _versine(points, 0, False, chosen[count], token)
            if versine < distance[token]:
                distance[token] = versine
                nearest[token] = count
        count += 1
        farthest = np.argmax(distance)
        if _angle(distance[farthest]) <= floor:
            break
    return chosen[:count], nearest, _angle(distance[farthest])
