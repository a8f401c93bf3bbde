"""The supervisor's process; people use `railbed lab`."""

from __future__ import annotations

import sys

from .supervisor import main

main(sys.argv[1])
