"""What is known without simulation: one token, two, many; spectra, phases, the mean field."""

from rqf.theory.critical_lines import bias_lifetime, critical, critical_dimension
from rqf.theory.many_points import all_together, group_size_pmf, invariant_pair
from rqf.theory.mean_field import MeanField
from rqf.theory.one_point import decay_rate, expected_overlap, harmonic
from rqf.theory.phases import phase
from rqf.theory.spectra import lift_exponents, lyapunov_spectrum, top_exponent
from rqf.theory.two_point import TwoPoint

__all__ = [
    "MeanField",
    "TwoPoint",
    "all_together",
    "bias_lifetime",
    "critical",
    "critical_dimension",
    "decay_rate",
    "expected_overlap",
    "group_size_pmf",
    "harmonic",
    "invariant_pair",
    "lift_exponents",
    "lyapunov_spectrum",
    "phase",
    "top_exponent",
]
