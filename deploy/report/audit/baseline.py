"""An earlier audit as JSON: what was known then, so that only what is new is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError

FORMAT = "railbed audit 1"
_LISTS = ("findings", "known", "suppressed")


@dataclass(frozen=True, slots=True)
class Known:
    """A place of an earlier audit."""

    rule: str
    subject: str
    found: str


@dataclass(frozen=True, slots=True)
class Since:
    """What of an earlier audit is not found any more.

    `mended` are those of boxes that were read again; of `gone` no box of that name was.
    """

    mended: tuple[Known, ...] = ()
    gone: tuple[Known, ...] = ()


def read_baseline(path: Path) -> Mapping[str, Known]:
    """What was known, by fingerprint. RailbedError where the file is no audit."""
    hint = "`railbed audit PATH --out audit.json` writes one"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RailbedError(f"{path}: cannot be read: {error.strerror}", hint) from None
    except (ValueError, RecursionError):
        raise RailbedError(f"{path}: found no JSON, expected an audit's", hint) from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        found = repr(said.get("format")) if isinstance(said, dict) else "no object"
        raise RailbedError(f"{path}: format: found {found:.60}, expected '{FORMAT}'", hint)
    try:
        return dict(_known(said))
    except (KeyError, TypeError, AttributeError):
        message = f"{path}: found an audit that lacks some of its fields, expected it whole"
        raise RailbedError(message, hint) from None


def _known(said: Mapping[str, Any]) -> Iterable[tuple[str, Known]]:
    for name in _LISTS:
        for finding in said[name]:
            for place in finding["places"]:
                known = Known(str(finding["rule"]), str(place["subject"]), str(place["found"]))
                yield str(place["fingerprint"]), known


def since(baseline: Mapping[str, Known], now: Iterable[str], names: Iterable[str]) -> Since:
    """What the fingerprints of `now` lack; `names` are those of the boxes that were read."""
    read, there = set(names), set(now)
    lost = sorted(
        (one for key, one in baseline.items() if key not in there),
        key=lambda one: (one.rule, one.subject, one.found),
    )
    again = [one.subject.partition(":")[0] in read for one in lost]
    return Since(
        tuple(one for one, is_read in zip(lost, again, strict=True) if is_read),
        tuple(one for one, is_read in zip(lost, again, strict=True) if not is_read),
    )
