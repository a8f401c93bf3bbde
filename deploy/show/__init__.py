"""How answers look to people, and the same answers as plain data for machines.

A name is imported when it is asked for (PEP 562): of all that answers need, a command needs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit import (
        audit_json,
        audit_text,
        explained_json,
        explained_text,
        rules_json,
        rules_text,
    )
    from .bios import bios_json, bios_text
    from .cabling import cabling_json, cabling_text
    from .check import check_json, check_text, problems_json
    from .drift import drift_json, drift_text
    from .imports import (
        imported_json,
        imported_text,
        learned_json,
        learned_text,
        lists_json,
        lists_text,
    )
    from .lab import lab_text
    from .node import node_json, node_text
    from .plan import Look, plan_json, plan_text
    from .preview import preview_json, preview_text
    from .rollout import (
        apply_json,
        apply_text,
        saved_json,
        saved_text,
        survey_json,
        survey_text,
    )
    from .runs import (
        bisect_json,
        bisect_text,
        compare_json,
        compare_text,
        history_json,
        history_text,
    )
    from .timing import runs_json, runs_text, timing_json, timing_text
    from .verdicts import validate_json, validate_text
    from .words import plain_table

__all__ = [
    "Look",
    "apply_json",
    "apply_text",
    "audit_json",
    "audit_text",
    "bios_json",
    "bios_text",
    "bisect_json",
    "bisect_text",
    "cabling_json",
    "cabling_text",
    "check_json",
    "check_text",
    "compare_json",
    "compare_text",
    "drift_json",
    "drift_text",
    "explained_json",
    "explained_text",
    "history_json",
    "history_text",
    "imported_json",
    "imported_text",
    "lab_text",
    "learned_json",
    "learned_text",
    "lists_json",
    "lists_text",
    "node_json",
    "node_text",
    "plain_table",
    "plan_json",
    "plan_text",
    "preview_json",
    "preview_text",
    "problems_json",
    "rules_json",
    "rules_text",
    "runs_json",
    "runs_text",
    "saved_json",
    "saved_text",
    "survey_json",
    "survey_text",
    "timing_json",
    "timing_text",
    "validate_json",
    "validate_text",
]

# Whose name does not begin with its module's.
_MODULES = {
    "apply": "rollout",
    "bisect": "runs",
    "compare": "runs",
    "explained": "audit",
    "history": "runs",
    "imported": "imports",
    "learned": "imports",
    "lists": "imports",
    "Look": "plan",
    "plain": "words",
    "problems": "check",
    "rules": "audit",
    "runs": "timing",
    "saved": "rollout",
    "survey": "rollout",
    "validate": "verdicts",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        first = name.partition("_")[0]
        return getattr(import_module(f".{_MODULES.get(first, first)}", __name__), name)
