"""This cluster's own past: what an expectation was judged by in the runs where it passed. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from validation.verdict import Figure

# By expectation, oldest first.
Past = Mapping[str, tuple[Figure, ...]]


def earlier(past: Past, expectation: str, terms: str) -> tuple[float, ...]:
    """The figures that were measured in the same terms, oldest first; empty where none were."""
    return tuple(figure.value for figure in past.get(expectation, ()) if figure.terms == terms)
