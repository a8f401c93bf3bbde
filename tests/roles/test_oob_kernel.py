"""What systemd-networkd makes of the OOB server's trunk on a kernel that has VLANs, Debian's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of
from tests.vm import memory

from .owned import variables

pytestmark = [pytest.mark.lab, pytest.mark.full]

JOB = Path(__file__).parent / "oob_kernel" / "job.py"
ZONES = {"netmgmt": 10, "hostmgmt": 20}
# As netplan writes it (netplan.io 0.106), before any file of ours in the order of names.
NETPLAN = "[Match]\nName=ens1\n\n[Network]\nLinkLocalAddressing=ipv6\nAddress=192.0.2.10/24\n"


def files(access: str, trunk: str) -> dict[str, str]:
    """The role's files for systemd-networkd, of a server with a trunk."""
    values = variables("oob_server", "elsewhere") | {
        "oob_server_access_port": access,
        "oob_server_trunk_port": trunk,
        "oob_server_vlans": [{"port": f"{trunk}.{vlan}", "id": vlan} for vlan in ZONES.values()],
    }
    for zone in values["oob_server_zones"]:
        zone["ports"] = [f"{trunk}.{ZONES[zone['name']]}"]
    found = {}
    for zone in values["oob_server_zones"]:
        for kind in ("bridge.netdev", "bridge.network", "ports.network"):
            path = f"/etc/systemd/network/50-railbed-{zone['name']}-{kind}"
            text = text_of("oob_server", f"{kind}.j2", values | {"oob_server_zone": zone})
            found[path] = text
    for vlan in values["oob_server_vlans"]:
        text = text_of("oob_server", "vlan.netdev.j2", values | {"oob_server_vlan": vlan})
        found[f"/etc/systemd/network/50-railbed-vlan-{vlan['id']}.netdev"] = text
    for src, path in (
        ("trunk.network.j2", "50-railbed-trunk.network"),
        ("trunk-netplan.conf.j2", f"10-netplan-{trunk}.network.d/50-railbed.conf"),
        ("networkd.conf", "../networkd.conf.d/50-railbed.conf"),
    ):
        found[f"/etc/systemd/network/{path}"] = text_of("oob_server", src, values)
    return found


def cases() -> dict[str, dict[str, Any]]:
    plan = {"/run/systemd/network/10-netplan-ens1.network": NETPLAN}
    return {
        "apart": {"port": "eno1", "files": files("up0", "eno1"), "vlans": 2},
        "both": {"port": "eno1", "files": files("eno1", "eno1"), "vlans": 2},
        "netplan": {"port": "ens1", "files": files("ens1", "ens1") | plan, "vlans": 2},
    }


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """By case, what was there before systemd-networkd ran, while it ran, and afterwards."""
    folder = tmp_path_factory.mktemp("job")
    shutil.copy(JOB, folder)
    (folder / "cases.json").write_text(json.dumps(cases()))
    lines = memory.run_job(folder).splitlines()
    found: dict[str, Any] = {}
    for line in lines:
        if line.startswith("case: "):
            found |= json.loads(line.removeprefix("case: "))
    assert set(found) == set(cases()), lines[-20:]
    return found


@pytest.mark.parametrize("case", ["apart", "both", "netplan"])
def test_each_zone_is_a_vlan_of_the_trunk_in_its_own_bridge(seen, case):
    port = cases()[case]["port"]
    assert seen[case]["after"]["vlans"] == sorted(
        [f"{port}.{vlan}", port, vlan, f"br-{zone}"] for zone, vlan in ZONES.items()
    )


@pytest.mark.parametrize("case", ["both", "netplan"])
def test_what_is_on_the_access_port_stays(seen, case):
    port = cases()[case]["port"]
    for when in ("before", "after", "left"):
        assert f"{port} 192.0.2.10/24" in seen[case][when]["addresses"]
        assert seen[case][when]["routes"][:3] == ["default", "via", "192.0.2.1"]
