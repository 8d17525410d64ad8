"""The version of the package, read by the build and recorded in every result."""

__version__ = "0.1.0"
