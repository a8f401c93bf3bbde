"""What differs on devices, thing by thing: wanted and found, by lines, with impact and cause."""

from __future__ import annotations

from .detail import Detail, worst
from .inventory import Causes, keep, kept_plan
from .meanings import meanings
from .servers import of_drift, of_servers, of_unknown
from .switches import of_change, of_switch

__all__ = [
    "Causes",
    "Detail",
    "keep",
    "kept_plan",
    "meanings",
    "of_change",
    "of_drift",
    "of_servers",
    "of_switch",
    "of_unknown",
    "worst",
]
