"""`rqf attractor`: the points that a noise path leaves, found by pullback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rqf.cli import naming, options, screen
from rqf.errors import InvalidArgument

if TYPE_CHECKING:
    from rqf.fields import Field
    from rqf.observe import PullbackAttractor

EXAMPLE = "rqf attractor --seed 7 --t 24"
PASTS = 6
COLUMNS = 4
LOST = 0.1  # an angle beyond which the points say nothing


def command(
    field: options.Field = "rqf",
    n: options.Dimension = options.DIMENSION,
    sigma: options.Sigma = 1.0,
    seed: options.Seed = 0,
    realization: Annotated[int, typer.Option(help="Which noise of this seed.")] = 0,
    t: Annotated[
        float,
        typer.Option(parser=options.number, metavar="NUMBER", help="How far back to start."),
    ] = 30.0,
    dt: options.Step = 1 / 64,
    scheme: options.SchemeName = None,
    shift: Annotated[
        float,
        typer.Option(
            parser=options.number, metavar="NUMBER", help="Look at this time instead of 0."
        ),
    ] = 0.0,
    version: options.Version = False,
    debug: options.Debug = False,
) -> None:
    """Find where tokens released in the far past stand now, whatever their start.

    The noise is that of `rqf simulate` with the same seed and step. The error is an angle in
    radians by which the points may still move.
    """
    import rqf
    from rqf import checks
    from rqf.noise.grid import whole_steps
    from rqf.progress import bar

    blowing = naming.read_field(field, n, sigma)
    flow = rqf.Flow(blowing, dt, scheme or "")
    omega = options.noise(seed, dt, realization).shift(shift)
    steps = whole_steps("t", checks.real("t", t, 0.0, open_minimum=True), dt)
    shares = {steps * share // PASTS for share in range(1, PASTS + 1)} - {0}
    pasts = [dt * share for share in sorted(shares)]
    found = []
    with bar("looking back", round(sum(pasts) / dt)) as advance:
        for past in pasts:
            found.append(rqf.pullback_attractor(flow, omega, past))
            advance(round(past / dt))
    final = found[-1]
    typer.echo(f"attractor: {naming.describe(blowing)}")
    typer.echo(
        f"seed {seed}, realisation {realization}, at time {shift:g}, from {t:g} back in steps of"
        f" {dt:g} ({flow.scheme})\n"
    )
    for name, point in zip(_names(blowing, final), final.points, strict=True):
        for first in range(0, n, COLUMNS):
            numbers = " ".join(f"{x:15.12f}" for x in point[first : first + COLUMNS])
            typer.echo(f"{name if first == 0 else '':>2} {numbers}")
    if len(final.points):
        typer.echo(f"\nerror  {final.error:.1e}\n")
    screen.table(
        ("from", "angle to the last", "error", "points"),
        [
            (
                f"{-past:g}", _gap(attractor, final), f"{attractor.error:.1e}",
                str(len(attractor.points)),
            )
            for past, attractor in zip(pasts, found, strict=True)
        ],
    )
    if _does_not_contract(blowing):
        typer.echo(
            "\nthis field does not contract: no attractor"
            + (", the points are arbitrary" if len(final.points) else "")
        )
    elif final.error > LOST:
        typer.echo("\nnot converged: start further back, with a longer --t")


def _names(field: Field, found: PullbackAttractor) -> list[str]:
    """What the points are called: a and -a if they are opposite by symmetry, else a1, a2, …"""
    from rqf.fields import LinearField

    if isinstance(field, LinearField):
        return ["a", "-a"]
    return [f"a{number}" for number in range(1, len(found.points) + 1)]


def _does_not_contract(field: Field) -> bool:
    """Whether theory says so; False where it does not know the field."""
    import rqf

    try:
        return bool(rqf.theory.top_exponent(field) >= 0.0)
    except InvalidArgument:
        return False


def _gap(attractor: PullbackAttractor, final: PullbackAttractor) -> str:
    """The angle between the points that two pasts lead to."""
    if attractor is final or not len(attractor.points) or not len(final.points):
        return ""
    from rqf import angle

    return f"{min(angle(attractor.points, final.points[0])):.1e}"
