"""The limits of `terms.yml`, read strictly."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml

THRESHOLDS = Path(__file__).with_name("terms.yml")


@dataclass(frozen=True, slots=True)
class Limits:
    """What modules and links may show; the file has the reasons."""

    pre_fec_ber_most: float
    post_fec_ber_most: float
    flaps_per_day_most: float
    temperature_c_least: float
    temperature_c_most: float
    rx_dbm_least: float
    tx_dbm_least: float
    batch_least: int
    batch_share: float
    source: str


@cache
def limits() -> Limits:
    """All of them. ValueError where the file lacks or adds one."""
    said: dict[str, Any] = own_yaml(THRESHOLDS)
    expected = {field.name for field in fields(Limits)}
    if set(said) != expected:
        wrong = ", ".join(sorted(set(said) ^ expected))
        raise ValueError(f"{THRESHOLDS.name}: {wrong}: missing or unknown")
    return Limits(**said)
