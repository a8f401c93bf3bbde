"""What a difference between two configurations of one switch does to its traffic. Pure."""

from __future__ import annotations

from .form import Meaning
from .meaning import meaning, subjects_said

__all__ = ["Meaning", "meaning", "subjects_said"]
