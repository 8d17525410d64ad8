"""Which claims there are, in which order, and how a selection of them is run."""

from __future__ import annotations

import difflib
import importlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from rqf import checks
from rqf.claims.base import FALSE_ALARM, LEVELS, Claim, Level, Result, decide, stream
from rqf.errors import InvalidArgument

GROUPS = (
    "one_point", "pair", "pair_ends", "pair_rates",
    "spectrum", "attractor", "attractor_in_time", "circle",
    "many_tokens", "mean_field", "gram", "deterministic", "layers",
    "bias", "harmonics", "exponents", "mlp", "mlp_layers", "mlp_clusters", "mlp_phases",
    "attention", "attention_noise", "complex_fields",
)


@lru_cache
def registered() -> tuple[Claim, ...]:
    """Every claim, in the order of its number, which starts at 1."""
    found: list[Claim] = []
    for group in GROUPS:
        found += importlib.import_module(f"rqf.claims.{group}").CLAIMS
    names = [claim.id for claim in found]
    if len(set(names)) < len(names):
        raise ValueError(f"claims have one id: {sorted(n for n in names if names.count(n) > 1)}")
    return tuple(found)


def false_alarm(claim: Claim) -> float:
    """The probability with which this claim may fail though it is true."""
    return FALSE_ALARM * claim.weight / sum(other.weight for other in registered())


def select(only: str | int | Iterable[str | int] | None = None) -> list[tuple[int, Claim]]:
    """The claims that ids, beginnings of ids or numbers name, with their numbers, in order."""
    claims = registered()
    if only is None:
        return list(enumerate(claims, start=1))
    wanted: Sequence[str | int] = list(only) if isinstance(only, Iterable) else [only]
    if isinstance(only, str):
        wanted = [only]
    if not wanted:
        raise InvalidArgument("only: names no claim; leave it out for all of them")
    chosen: set[int] = set()
    for name in wanted:
        chosen |= _named(name, claims)
    return [(number, claims[number - 1]) for number in sorted(chosen)]


def _named(name: str | int, claims: Sequence[Claim]) -> set[int]:
    if not isinstance(name, str) or name.isdigit():
        number = int(name) if isinstance(name, str) else name
        return {checks.integer("only", number, 1, len(claims))}
    ids = [claim.id for claim in claims]
    if name in ids:
        return {ids.index(name) + 1}
    found = {index for index, known in enumerate(ids, start=1) if known.startswith(name)}
    if not name or not found:
        near = difflib.get_close_matches(name, ids, n=1, cutoff=0.0)
        raise InvalidArgument(
            f"only = {name!r}: no claim has an id that begins so; the nearest is {near[0]!r}"
        )
    return found


def each(
    level: Level = "quick",
    seed: int = 0,
    only: str | int | Iterable[str | int] | None = None,
) -> Iterator[Result]:
    """The results of `run`, one by one as they come."""
    checks.choice("level", level, LEVELS)
    seed = checks.integer("seed", seed, 0)
    selection = select(only)
    return (_measured(number, claim, level, seed) for number, claim in selection)


def run(
    level: Level = "quick",
    seed: int = 0,
    only: str | int | Iterable[str | int] | None = None,
    progress: bool = False,
) -> list[Result]:
    """Check the claims: measure each one and hold it against its prediction.

    Parameters
    ----------
    level : {"quick", "full"}
        "full" takes 30 times the samples: standard errors less than a fifth.
    seed : int >= 0
        The same seed gives the same results, on any number of threads.
    only : id, beginning of ids, number, or several of them, optional
        Which claims; all by default.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    list of Result
        In the order of their numbers.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is not allowed or `only` names no claim.

    Notes
    -----
    A claim fails if its p-value is below its `false_alarm`. These levels add up to 5e-4 over all
    claims, whichever are selected: so rarely does a true set of claims fail anywhere.

    Examples
    --------
    >>> import rqf
    >>> [result] = rqf.claims.run(only="pair.together")
    >>> result.passed
    True
    """
    results = each(level, seed, only)
    if not progress:
        return list(results)
    from rqf.progress import bar

    finished = []
    with bar("checking claims", len(select(only))) as advance:
        for result in results:
            finished.append(result)
            advance(1)
    return finished


def _measured(number: int, claim: Claim, level: Level, seed: int) -> Result:
    began = time.perf_counter()
    measurement = claim.measure(level, stream(seed, claim.id))
    result = decide(claim, measurement, false_alarm(claim), number=number, level=level)
    return replace(result, seconds=time.perf_counter() - began)
