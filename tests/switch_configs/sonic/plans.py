"""Plans for SONiC: the small site of every role on Spectrum, and a fabric on Broadcom."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, intent
from switch_configs.intent import ConfigFile, Rendered, SwitchIntent
from switch_configs.sonic.files import CONFIG_DB
from tests.inventory.own_sites import pod

SONIC = dialect("sonic")
BROADCOM = "arista-7060x6-64pe-sonic"


@cache
def broadcom(form: str = "dedicated") -> Plan:
    """A pod of 400 Gb/s switches, with headroom of each port's own or shared."""
    site: dict[str, Any] = pod()
    site["compute"] |= dict.fromkeys(("leaf_profile", "spine_profile"), BROADCOM)
    site["topology"] |= {
        "breakout": {"nodes": 2, "fabric": 2}, "uplinks_per_spine": 4, "oversubscription": {},
    }  # fmt: skip
    site["lossless"] |= {"headroom": form, "over_subscription": 1 if form == "dedicated" else 4}
    site["racks"]["power_of"][BROADCOM] = 2400
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "site"
        path.mkdir()
        (path / "fabric.yml").write_text(json.dumps(site))
        (path / "asbuilt.csv").write_text("device,port,mac,serial\n")
        return open_site(path)


def made(plan: Plan, name: str) -> SwitchIntent:
    """The intent of a data switch."""
    found = intent(plan, name)
    assert isinstance(found, SwitchIntent)
    return found


def database(rendered: Rendered) -> dict[str, Any]:
    """The tables of a configuration."""
    text = next(one.text for one in rendered.files if one.path == CONFIG_DB)
    found: dict[str, Any] = json.loads(text)
    return found


def with_database(rendered: Rendered, tables: dict[str, Any]) -> Rendered:
    """The same with other tables."""
    files = tuple(
        ConfigFile(one.path, json.dumps(tables), one.owner, one.group, one.mode, one.impact)
        if one.path == CONFIG_DB
        else one
        for one in rendered.files
    )
    return Rendered(rendered.device, rendered.dialect, files)
