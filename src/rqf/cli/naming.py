"""Fields in words: how the command line writes them, and how they read on the screen.

`NAME`, `NAME:VALUE,…` or `NAME:KEY=VALUE,…`; independent fields are joined by `+`. Values without
a key go to the parameters of the field in their order, after its dimension.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rqf.errors import InvalidArgument

if TYPE_CHECKING:
    from rqf.fields import Field


class Name(NamedTuple):
    """How a field is called: its class, its title, and how many real coordinates its n has."""

    kind: str
    title: str
    size: str = "n"


NAMES = {
    "rqf": Name("RandomQuadraticForm", "random quadratic form"),
    "linear": Name("LinearLayer", "random linear layer"),
    "skew": Name("Skew", "random rotation"),
    "bias": Name("Bias", "random bias"),
    "potential": Name("RandomPotential", "random potential"),
    "harmonic": Name("Harmonic", "harmonic noise", ""),
    "mlp": Name("MLP", "random MLP"),
    "attention": Name("Attention", "attention"),
    "attention-noise": Name("AttentionNoise", "attention inside the noise"),
    "hermitian": Name("HermitianForm", "random Hermitian form", "m"),
    "holomorphic": Name("HolomorphicPotential", "holomorphic potential", "m"),
}
TITLES = {name.kind: name.title for name in NAMES.values()}
LEAK = "activation"  # the parameter into which the slope of a leaky ReLU goes
SUMMANDS = re.compile(r"\+(?=\s*[a-zA-Z]|\s*$)")
ROOT = re.compile(r"sqrt\(?([^()]+)\)?")


def number(text: Any) -> float:
    """A number: 0.5, 1e-3, a fraction such as 1/64, or a root such as sqrt2."""
    if not isinstance(text, str):
        return float(text)
    try:
        if root := ROOT.fullmatch(text.strip()):
            return math.sqrt(float(root[1]))
        over, slash, under = text.partition("/")
        return float(over) / float(under) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidArgument(f"{text!r} is not a number") from None


def read_field(
    text: str, n: int, sigma: float, varied: Mapping[str, float] | None = None
) -> Field:
    """The field that `text` names; `sigma` is the strength of linear ones that name none.

    `varied` puts values into parameters: by their name where one summand alone has it, as
    NAME.PARAMETER, or, for the first parameter of a summand, as NAME.
    """
    parts = [part.strip() for part in SUMMANDS.split(text)]
    given: list[dict[str, float]] = [{} for _ in parts]
    for key, value in (varied or {}).items():
        where, parameter = _place(key, parts, text)
        given[where][parameter] = value
    field: Field | None = None
    for part, values in zip(parts, given, strict=True):
        try:
            term = _term(part, n, sigma, values)
        except InvalidArgument as error:
            if str(error).startswith("n = "):
                raise
            raise InvalidArgument(f"field = {text!r}: {error}") from error
        field = term if field is None else field + term
    assert field is not None
    return field


def axis_label(key: str, text: str) -> str:
    """What a varied parameter is called: FIELD.PARAMETER for a summand that stands for its first.

    Examples
    --------
    >>> axis_label("bias", "rqf+bias"), axis_label("gain", "mlp:erf")
    ('bias.sigma', 'gain')
    """
    parts = [part.strip() for part in SUMMANDS.split(text)]
    where, parameter = _place(key, parts, text)
    name = parts[where].partition(":")[0]
    return f"{name}.{parameter}" if key == name else key


def describe(field: Field) -> str:
    """A field in words: "random quadratic form (sigma = 1) on S²"."""
    from rqf.cli.screen import sphere

    return f"{' + '.join(_words(term) for term in field.summands)} on {sphere(field.n)}"


def _place(key: str, parts: list[str], text: str) -> tuple[int, str]:
    """Which summand and which of its parameters a varied parameter is."""
    names = [part.partition(":")[0] for part in parts]
    field, dot, parameter = key.partition(".")
    found = []
    for where, name in enumerate(names):
        own = _parameters(name)
        if dot:
            if name == field and (parameter in own or parameter.isdigit()):
                found.append((where, parameter))
        elif key == name:
            found.append((where, own[0]))
        elif key in own or (own[0] == LEAK and key == "leak"):
            found.append((where, key))
    if len(found) != 1:
        those = sorted({f"{name}.{p}" for name in names for p in _parameters(name)})
        raise InvalidArgument(
            f"{key!r} is {'no parameter' if not found else 'a parameter of several fields'} in"
            f" {text!r}; there are {', '.join(['dimension', *those])}"
        )
    return found[0]


def _known(name: str) -> Name:
    if name not in NAMES:
        near = difflib.get_close_matches(name, NAMES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InvalidArgument(f"{name!r} is no field; there are {', '.join(NAMES)}{hint}")
    return NAMES[name]


def _parameters(name: str) -> list[str]:
    """The parameters of a field after its dimension."""
    import rqf

    known = _known(name)
    signature = inspect.signature(getattr(rqf, known.kind))
    return [key for key in signature.parameters if key != (known.size or "n")]


def _term(text: str, n: int, sigma: float, varied: dict[str, float]) -> Field:
    import rqf

    name, _, rest = text.partition(":")
    known = _known(name)
    kind = getattr(rqf, known.kind)
    given = _arguments(rest, _parameters(name), name)
    for key, value in varied.items():
        if key == "leak":
            given["activation"] = f"leaky_relu:{value!r}"
        elif key.isdigit():
            given["coefficients"] = {**given.get("coefficients", {}), int(key): value}
        else:
            given[key] = value
    for key, parameter in inspect.signature(kind).parameters.items():
        if key not in (known.size, "n", *given) and parameter.default is parameter.empty:
            raise InvalidArgument(f"{name} needs {key}: {name}:VALUE or {name}:{key}=VALUE")
    if name in ("rqf", "linear", "skew"):
        given.setdefault("sigma", sigma)
    if known.size == "m":
        if n % 2:
            raise InvalidArgument(f"n = {n}: {name} needs an even dimension, n = 2 m")
        return kind(m=n // 2, **given)
    return kind(**({"n": n} if known.size else {}), **given)


def _arguments(text: str, names: list[str], field: str) -> dict[str, Any]:
    """The parameters that stand after the colon."""
    given: dict[str, Any] = {}
    coefficients: dict[int, float] = {}
    parts = [part.strip() for part in text.split(",")] if text else []
    for position, part in enumerate(parts):
        key, equals, value = part.partition("=")
        if not equals:
            if position >= len(names):
                raise InvalidArgument(f"{field} takes at most {len(names)} values: {names}")
            given[names[position]] = _value(part)
        elif key.isdigit() and "coefficients" in names:
            coefficients[int(key)] = number(value)
        elif key in names:
            given[key] = _value(value)
        else:
            raise InvalidArgument(f"{key!r} is no parameter of {field}; it has {', '.join(names)}")
    if coefficients:
        given["coefficients"] = coefficients
    return given


def _value(text: str) -> Any:
    """An integer, a number, True, False or None; otherwise the word itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    try:
        return number(text)
    except InvalidArgument:
        return text


def _words(term: Any) -> str:
    from rqf.cli.screen import plain

    title = TITLES.get(type(term).__name__, type(term).__name__)
    shown = [
        f"{item.name} = {plain(value) if isinstance(value, float) else value}"
        for item in dataclasses.fields(term)
        if item.name not in ("n", "m", "matrix")
        and ((value := getattr(term, item.name)) != item.default or item.name == "sigma")
    ]
    return f"{title} ({', '.join(shown)})" if shown else title
