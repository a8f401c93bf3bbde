"""The only room that changes the world: command line, runbook, hands and lab."""

from __future__ import annotations

import logging

# Heard by those whom deploy/logs.py adds: without any, logging itself would print warnings.
logging.getLogger(__name__).addHandler(logging.NullHandler())
