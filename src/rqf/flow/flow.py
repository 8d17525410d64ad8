"""The stochastic flow φ(t, ω, x) of a field, and its linear lift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.flow import images
from rqf.flow.graded import GradedLift
from rqf.flow.movers import scheme_of
from rqf.flow.stepper import Stepper, moves_tokens, stepper
from rqf.flow.summands import require_realization
from rqf.flow.tokens import TokenStepper, token_stepper
from rqf.noise import Wiener
from rqf.noise.grid import whole_steps

FEW, WIDEST = 4.0, 16.0  # e-folds between two orthonormalisations of a frame: wanted, tolerated


@dataclass(frozen=True)
class Flow:
    """The flow that a field makes of a noise path, with steps dt of a scheme.

    Parameters
    ----------
    field : Field
        What blows.
    dt : float > 0
        Step; must be cell / 2^k for the noise it is used with.
    scheme : str, optional
        Of a linear field "euler", "heun", "exponential", "ninomiya-victoir" (default for n <= 4)
        or "corrected-exponential" (default for n > 4); of any other "heun" (default) or "euler".
    refine : bool
        Whether the second-order schemes may cut a step into parts, along the same path, when it is
        too long for an error of about 1 %: n · strength · dt above 1/8 for Ninomiya–Victoir, above
        1 for the corrected exponential.

    Raises
    ------
    rqf.errors.InvalidArgument
        For an unknown scheme, a step that is not positive, or a field without a pathwise scheme.

    Notes
    -----
    Linear fields are moved by their lift: one matrix product per step and realisation moves any
    number of tokens. With fewer tokens than dimensions the tokens are moved directly. Any other
    field moves the tokens themselves, all of them together (coincident ones as one): "euler" is the
    tangent step, "heun" the midpoint rule along the field of a step held fast.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> flow = rqf.Flow(rqf.RandomQuadraticForm(n=3), dt=1/64)
    >>> omega = rqf.Wiener(seed=7)
    >>> x = np.eye(3)
    >>> once = flow(omega, x, t=2.0)
    >>> twice = flow(omega.shift(0.5), flow(omega, x, t=0.5), t=1.5)
    >>> bool(np.allclose(once, twice, atol=1e-12))
    True
    """

    field: Field
    dt: float = 1 / 64
    scheme: str = ""
    refine: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "dt", checks.real("dt", self.dt, 0.0, open_minimum=True))
        if not isinstance(self.field, Field):
            raise InvalidArgument(f"field = {checks.shown(self.field)}: must be a field of rqf")
        require_realization(self.field)
        object.__setattr__(self, "scheme", scheme_of(self.field, self.scheme))

    def __call__(self, omega: Wiener, x: ArrayLike, t: float) -> NDArray[np.float64]:
        """φ(t, ω, x): where tokens x stand after time t under the noise ω.

        Parameters
        ----------
        omega : Wiener
            The noise path; every token feels the same one.
        x : array of shape (..., n)
            Unit rows.
        t : float >= 0
            A multiple of dt.

        Returns
        -------
        array of shape (..., n), unit rows.

        Raises
        ------
        rqf.errors.InvalidArgument
            If a row is not a unit vector, t is negative or not a multiple of dt, or dt does not
            fit the cell of ω.
        """
        return self.path(omega, x, [t])[0]

    def path(self, omega: Wiener, x: ArrayLike, times: ArrayLike) -> NDArray[np.float64]:
        """φ(t, ω, x) at several times: shape (len(times), ..., n).

        `times` is increasing, each a multiple of dt and >= 0.
        """
        points = checks.unit_rows("x", x, self.n)
        steps = self._steps_at(times)
        flat = np.ascontiguousarray(points.reshape(-1, self.n))
        if not isinstance(self.field, LinearField) and not self.field.interacting:
            flat, back = np.unique(flat, axis=0, return_inverse=True)
        else:
            back = np.arange(len(flat))
        machine: Stepper | TokenStepper = self._along(omega)
        direct = not isinstance(self.field, LinearField) or moves_tokens(len(flat), self.field)
        state = np.ascontiguousarray(flat.T)[None] if direct else np.eye(self.n)[None]
        out = np.empty((1, len(steps), *flat.shape))
        done = 0
        for index, step in enumerate(steps):
            self._advance(machine, omega, state, done, step - done, direct)
            here = out[:, index : index + 1]
            if direct:
                images.of_columns(state[:, None], here)
            else:
                images.by_lifts(state[:, None], flat[None], here)
            done = step
        return out[0][:, back.ravel()].reshape(len(steps), *points.shape)

    def lift(self, omega: Wiener, t: float) -> NDArray[np.float64]:
        """The linear lift G_t up to scale: shape (n, n), spectral norm 1; X_t = G x / |G x|.

        When the singular values of G_t are further apart than rounding, the small ones are lost
        here; `graded_lift` keeps them all.
        """
        state = np.eye(self.n)[None]
        self._advance(self._stepper(omega), omega, state, 0, self._steps_at([t])[0], False)
        return np.asarray(state[0] / np.linalg.norm(state[0], 2))

    def graded_lift(self, omega: Wiener, t: float) -> GradedLift:
        """The lift as Q · diag(exp(s)) · U, whose grades s may be thousands apart."""
        return next(self.graded_lifts(omega, [t]))

    def graded_lifts(self, omega: Wiener, times: ArrayLike) -> Iterator[GradedLift]:
        """The graded lifts at increasing times, one after the other."""
        steps = self._steps_at(times)
        machine = self._stepper(omega)
        parts, machine = machine.parts, machine.in_parts()
        longest = frame_steps(self.field, self.dt / parts)
        graded = GradedLift.identity(self.n)
        done = 0
        for step in steps:
            while done < step * parts:
                count = min(longest, step * parts - done)
                frame = np.ascontiguousarray(graded.frame)[None]
                self._advance(machine, omega, frame, done, count, False)
                graded = graded.followed_by(frame[0])
                done += count
            yield graded

    @property
    def n(self) -> int:
        """Dimension of the ambient space."""
        return self.field.n

    def _along(self, omega: Wiener) -> Stepper | TokenStepper:
        """What moves tokens along ω."""
        if isinstance(self.field, LinearField):
            return self._stepper(omega)
        return token_stepper(self.field, self.dt, self.scheme, omega)

    def _stepper(self, omega: Wiener) -> Stepper:
        """What moves the lift along ω; raises if the field has none."""
        if not isinstance(self.field, LinearField):
            raise InvalidArgument(
                f"field = {checks.shown(self.field)}: is not linear, no matrix moves its tokens"
            )
        return stepper(self.field, self.dt, self.scheme, omega, self.refine)

    def _steps_at(self, times: ArrayLike) -> list[int]:
        values = np.atleast_1d(checks.finite_array("t", times))
        steps = [whole_steps("t", checks.real("t", t, 0.0), self.dt) for t in values]
        if any(later < sooner for sooner, later in pairwise(steps)):
            raise InvalidArgument("times: must be increasing")
        return steps

    @staticmethod
    def _advance(
        machine: Stepper | TokenStepper,
        omega: Wiener,
        state: NDArray[np.float64],
        begin: int,
        steps: int,
        tokens: bool,
    ) -> None:
        realization = np.array([omega.realization], dtype=np.uint64)
        machine.advance(state, omega.seed, realization, begin, steps, tokens)


def frame_steps(field: Field, dt: float) -> int:
    """Number of steps over which a moving frame stays well-conditioned: a few e-folds.

    Raises if a single step may spread directions so far that rounding hides the smaller ones.
    """
    assert isinstance(field, LinearField)
    spread = field.n * field.symmetric_strength + 1e-9
    if field.drift is not None:
        values = np.linalg.eigvalsh(field.drift)
        spread += float(values[-1] - values[0])
    if not spread * dt <= WIDEST:
        raise InvalidArgument(
            f"dt = {dt:g}: a step spreads directions by {spread * dt:.3g} e-folds, at most"
            f" {WIDEST:g} can be followed; take dt <= {WIDEST / spread:.3g}"
        )
    return max(1, int(FEW / (spread * dt)))
