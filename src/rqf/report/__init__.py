"""What people keep: self-contained pages made of results."""

from rqf.report.verification import write_report

__all__ = ["write_report"]
