"""`python -m deploy` is the command line."""

from __future__ import annotations

from .commands.main import main

main()
