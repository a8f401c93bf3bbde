"""The commands of the page "from boxes to gate 10", as it prints them."""

from __future__ import annotations

import re
import shlex

from tests.tree import ROOT

_PAGE = (ROOT / "deploy/contact/README.md").read_text()
_BLOCK = re.findall(r"^```\n(.*?)^```", _PAGE, re.MULTILINE | re.DOTALL)[0]
COMMANDS = [line for line in _BLOCK.splitlines() if line.strip()]
INIT, EXPORT, IMPORT, *REST = COMMANDS
# Of those after the site is there, the words behind `./railbed`.
IN_LAB = [shlex.split(line)[1:] for line in REST]
