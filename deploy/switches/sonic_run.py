"""Asks SONiC's own validator what it thinks of a rendered config_db.json.

The validator is `sonic_yang` of sonic-buildimage (src/sonic-yang-mgmt) over libyang: a SONiC
switch or build container has both. It runs in a Python of its own, because neither is part of
this project: the option names the folder of its YANG models, and PYTHONPATH finds the module.
One run reads many devices: the models take longer to load than a device to judge.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from switch_configs.intent import Rendered
from switch_configs.shown.secrets import WORD

_TIMEOUT_S = 60
_EACH_S = 1
_LONGEST = 500
# How a line begins that says that nobody judged.
_NOT_CHECKED = "not checked:"
# A secret is put in on the device. Its placeholder holds a colon, which the models refuse in a
# password (sonic-snmp.yang); this is as long as the shortest one that they take anywhere.
_STAND_IN = "Stand-in-for-it0"
# What the validator is asked; argv: folder of models. Standard input: configurations by device;
# standard output: complaints by device.
_ASK = """
import json, sys
import sonic_yang
judge = sonic_yang.SonicYang(sys.argv[1], print_log_enabled=False)
judge.loadYangModel()
if not judge.confDbYangMap:
    sys.exit("no YANG models are in " + sys.argv[1])
said = {}
for device, text in json.load(sys.stdin).items():
    try:
        judge.loadData(configdbJson=json.loads(text))
        judge.validate_data_tree()
        unknown = sorted(judge.tablesWithOutYang)
        said[device] = ("no model for " + ", ".join(unknown)) if unknown else ""
    except Exception as error:
        said[device] = str(error) or repr(error)
json.dump(said, sys.stdout)
"""


def check_all(
    configurations: Sequence[Rendered], models: Path | None
) -> dict[str, tuple[str, ...]]:
    """What is wrong with each device's config_db.json; empty is a pass, or that nobody asked."""
    files = {
        rendered.device: file
        for rendered in configurations
        for file in rendered.files
        if file.path.endswith("config_db.json")
    }
    texts = {device: WORD.sub(_STAND_IN, file.text) for device, file in files.items()}
    if models is None or not texts:
        return {}
    said, why_not = _ask(texts, models)
    return {
        device: (f"{file.path}: {words}",)
        for device, file in files.items()
        if (words := _short(said.get(device, why_not)))
    }


def _ask(texts: dict[str, str], models: Path) -> tuple[dict[str, str], str]:
    """What the validator says of each device, and what to say of those it says nothing of."""
    # The system's Python, and not ours: that is where a SONiC container has its modules.
    argv = [shutil.which("python3") or "python3", "-c", _ASK, str(models)]
    try:
        done = subprocess.run(
            argv,
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S + _EACH_S * len(texts),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {}, f"{_NOT_CHECKED} SONiC's validator gave no answer: {error}"
    last = done.stderr.strip().rpartition("\n")[2]
    why_not = f"{_NOT_CHECKED} SONiC's validator gave no answer: {last}"
    try:
        said = json.loads(done.stdout) if done.returncode == 0 else {}
    except ValueError:
        said = {}
    return said, why_not


def _short(words: str) -> str:
    """One line, its end kept: that is where libyang names the field."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST else f"... {line[-_LONGEST:]}"
