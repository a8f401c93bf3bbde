"""Asks SONiC's own validator what it thinks of a rendered config_db.json.

The validator is `sonic_yang` of sonic-buildimage (src/sonic-yang-mgmt) over libyang: a SONiC
switch or build container has both. It runs in a Python of its own, because neither is part of
this project: the option names the folder of its YANG models, and PYTHONPATH finds the module.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from switch_configs.intent import Rendered

_TIMEOUT_S = 120
# What the validator is asked; argv: folder of models, configuration.
_ASK = """
import json, sys
import sonic_yang
judge = sonic_yang.SonicYang(sys.argv[1])
judge.loadYangModel()
judge.loadData(configdbJson=json.load(open(sys.argv[2])))
judge.validate_data_tree()
if judge.tablesWithOutYang:
    sys.exit("no model for " + ", ".join(sorted(judge.tablesWithOutYang)))
"""


def check(rendered: Rendered, models: Path | None) -> tuple[str, ...]:
    """What is wrong with a device's config_db.json; empty is a pass, or that nobody asked."""
    if models is None:
        return ()
    return tuple(
        f"{one.path}: {words}"
        for one in rendered.files
        if one.path.endswith("config_db.json")
        for words in _ask(one.text, models)
    )


def _ask(text: str, models: Path) -> tuple[str, ...]:
    # The system's Python, and not ours: that is where a SONiC container has its modules.
    python = shutil.which("python3") or "python3"
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        argv = [python, "-c", _ASK, str(models), file.name]
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return (f"SONiC's validator gave no answer: {error}",)
    if done.returncode == 0:
        return ()
    return (" ".join((done.stderr or done.stdout).split())[-500:] or "refused without a word",)
