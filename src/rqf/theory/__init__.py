"""What is known without simulation: one token, two, many; spectra, phases, the mean field."""

from rqf.theory.attention_pair import (
    attention_drift_antipodal,
    attention_drift_critical_noise,
    attention_noise_antipodal,
    attention_noise_critical_beta,
)
from rqf.theory.clustering_ode import equiangular_overlap, equiangular_rate
from rqf.theory.critical_lines import bias_lifetime, critical, critical_dimension
from rqf.theory.hopf import (
    OnePoint,
    UnitaryExponents,
    hopf_coordinates,
    one_point_variances,
    unitary_exponents,
)
from rqf.theory.many_points import all_together, group_size_pmf, invariant_pair
from rqf.theory.mean_field import MeanField
from rqf.theory.one_point import decay_rate, expected_overlap, harmonic
from rqf.theory.phases import phase
from rqf.theory.small_beta import small_beta_overlap
from rqf.theory.spectra import lift_exponents, lyapunov_spectrum, top_exponent
from rqf.theory.two_point import TwoPoint

__all__ = [
    "MeanField",
    "OnePoint",
    "TwoPoint",
    "UnitaryExponents",
    "all_together",
    "attention_drift_antipodal",
    "attention_drift_critical_noise",
    "attention_noise_antipodal",
    "attention_noise_critical_beta",
    "bias_lifetime",
    "critical",
    "critical_dimension",
    "decay_rate",
    "equiangular_overlap",
    "equiangular_rate",
    "expected_overlap",
    "group_size_pmf",
    "harmonic",
    "hopf_coordinates",
    "invariant_pair",
    "lift_exponents",
    "lyapunov_spectrum",
    "one_point_variances",
    "phase",
    "small_beta_overlap",
    "top_exponent",
    "unitary_exponents",
]
