"""The report of one run: one self-contained HTML page, JUnit and JSON beside it."""

from __future__ import annotations

from .page import html_page
from .story import Story, tell

__all__ = ["Story", "html_page", "tell"]
