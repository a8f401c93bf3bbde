"""What is printed is what was found: no part of it is taken for a smiley."""

from __future__ import annotations

import pytest

from deploy.commands import asbuilt as cli_asbuilt
from deploy.commands import export as cli_export
from deploy.commands import imports as cli_import
from deploy.commands import init as cli_init
from deploy.commands import lab as cli_lab
from deploy.commands import main as cli

CONSOLES = [
    getattr(module, name)
    for module in (cli, cli_asbuilt, cli_export, cli_import, cli_init, cli_lab)
    for name in ("out", "err")
    if hasattr(module, name)
]


@pytest.mark.parametrize("console", CONSOLES)
def test_a_mac_with_ab_in_it_stays_one(console):
    with console.capture() as shown:
        console.print("02:ab:00:00:00:0a", markup=False)
    assert shown.get() == "02:ab:00:00:00:0a\n"
