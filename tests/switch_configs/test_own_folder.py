"""What knows a switch system lies in its folder: elsewhere no product line names one."""

from __future__ import annotations

import ast
import re

import pytest

from inventory.switches.systems import packages
from switch_configs import bundles, dialects
from tests.tree import PACKAGES, ROOT, files

# Systems, their makers and their languages.
NAMES = re.compile(
    r"(?i)(?<![a-z0-9])(eos|nxos|nx-os|cumulus|nvue|sonic|linux_frr|arista)(?![a-z0-9])"
)
# A switch profile is named for its box and its system; sites and defaults name profiles.
PROFILE = re.compile(r"\b[a-z0-9][a-z0-9-]*-(cumulus|sonic|eos|nxos)\b")
# `frr/` is what systems that run FRR share; the lab runs one of them, and profiles are of boxes.
APART = ("deploy/lab/", "inventory/profiles/", "inventory/sites/", "switch_configs/frr/")
MAY_NAME = {
    "deploy/audits/places.py": "which tool's bundle keeps which file where",
    "deploy/commands/switches.py": "options for Cumulus's commands and SONiC's YANG models",
    "deploy/switches/sonic_run.py": "runs SONiC's own validator, which no folder of texts may",
    "deploy/switches/syntax_check.sh": "runs FRR's own checker, where SONiC keeps its file too",
    "deploy/switches/syntax_run.py": "asks SONiC's validator",
    "inventory/versions/compat.yml": "which releases of everything were read to go together",
    "switch_configs/shown/said.py": "words that are never a secret, in an answer of any system",
}


def code(path: str) -> str:
    """A file without its comments and docstrings, in which sources are named."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if not path.endswith(".py"):
        return re.sub(r"(?m)(^|\s)#.*$", "", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [one for one in body if not _is_text(one)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def named(path: str) -> list[str]:
    if not NAMES.search((ROOT / path).read_text(encoding="utf-8")):
        return []  # Nor does its code: most files are not parsed.
    return sorted({found[0] for found in NAMES.finditer(PROFILE.sub("", code(path)))})


def test_what_knows_a_switch_system_lies_in_its_folder():
    own = tuple(f"switch_configs/{name}/" for name in dialects())
    paths = [str(path) for path in files() if path.parts[0] in PACKAGES]
    wrong = {
        path: names
        for path in paths
        if path.endswith((".py", ".yml", ".sh", ".j2")) and not path.startswith((*own, *APART))
        if path not in MAY_NAME
        if (names := named(path))
    }
    assert not wrong


@pytest.mark.parametrize("path", MAY_NAME)
def test_what_may_name_one_still_does(path):
    assert named(path)


def test_a_system_that_writes_bundles_says_their_layout_itself():
    assert named("deploy/audits/places.py") == ["cumulus", "nvue"]
    assert [one.files[0] for one in bundles()] == ["/etc/sonic/config_db.json"]


def test_every_system_is_found_as_a_package():
    assert packages() == {name: f"switch_configs.{name}" for name in dialects()}
