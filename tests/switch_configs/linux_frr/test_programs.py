"""What Debian's own programs say of a leaf of users, a switch of the OOB plane, and of classes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.lab.machines.image import ensure_images
from deploy.switches import syntax_run
from switch_configs import render
from switch_configs.intent import Rendered
from tests.switch_configs.intents import roles
from tests.switch_configs.sites import small

pytestmark = pytest.mark.lab

QUEUES, INTERFACES = "/etc/railbed/queues.tc", "/etc/network/interfaces"
NFTABLES = "/etc/nftables.conf"
BREAKS = [
    ("leaf-p1-r0", QUEUES, "quanta", "quantum"),
    ("leaf-p1-r0", QUEUES, "flower ip_tos", "flower ip_tox"),
    ("leaf-p1-r0", QUEUES, "ecn nodrop", "ecn nodorp"),
    ("business-leaf-b1-1", INTERFACES, "bond-slaves", "bond-slafes"),
    ("business-leaf-b1-1", INTERFACES, "vrf-table auto", "vrf-table none"),
    ("business-leaf-b1-1", NFTABLES, "jump vlan300", "jump vlan301"),
    ("business-leaf-b1-1", NFTABLES, "dscp set cs0", "dscp set cs99"),
    ("business-leaf-b1-1", "/etc/rsyslog.d/50-railbed.conf", "omfwd", "omfwt"),
    ("business-leaf-b1-1", "/etc/systemd/timesyncd.conf.d/railbed.conf", "NTP=", "NPT="),
    ("oob-p1-net1", INTERFACES, "bridge-allow-untagged", "bridge-allow-untaged"),
]


@pytest.fixture(scope="module")
def _image() -> None:
    ensure_images(lambda _: None)


def broken(name: str, path: str, old: str, new: str) -> Rendered:
    made = render(small("linux_frr"), name)
    files = tuple(
        replace(one, text=one.text.replace(old, new)) if one.path == path else one
        for one in made.files
    )
    assert files != made.files
    return replace(made, files=files)


@pytest.mark.instances(keep=1, of="a switch's own programs accept our files")
@pytest.mark.usefixtures("_image")
def test_they_accept_every_role():
    """ifup -s, nft -c, sysctl, tc and FRR's own accept a switch of each role."""
    plan = small("linux_frr")
    found = syntax_run.check_all([render(plan, one) for one in roles("linux_frr")])
    assert found == dict.fromkeys(roles("linux_frr"), ())


@pytest.mark.usefixtures("_image")
@pytest.mark.parametrize(("name", "path", "old", "new"), BREAKS)
def test_they_refuse_a_broken_file_by_name(name, path, old, new):
    problems = syntax_run.check_syntax(broken(name, path, old, new))
    assert problems
    assert all(one.startswith(f"{path}: ") for one in problems), problems
