"""The report of one run in four forms: one HTML page, Markdown, JUnit and JSON."""

from __future__ import annotations

from .machine import story_json
from .markdown import markdown
from .page import html_page
from .story import Story, tell

__all__ = ["Story", "html_page", "markdown", "story_json", "tell"]
