"""The system of a device: by the dialect that the plan gives a switch; servers are Linux."""

from __future__ import annotations

from inventory.plan import Plan
from switch_configs.answers import answers
from switch_configs.answers.routing import System, Words


def system(dialect: str) -> System:
    """How a dialect is asked; "" is a server, and other switches have Linux's own tools."""
    return answers(dialect).system


def dialect_of(plan: Plan, device: str) -> str:
    """A switch's dialect, "" for a server."""
    return plan.any_switch[device].dialect if device in plan.any_switch else ""


def words(plan: Plan, device: str) -> Words:
    """The words of a device's system."""
    return system(dialect_of(plan, device)).words
