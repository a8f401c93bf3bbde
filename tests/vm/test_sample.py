"""One reboot, then a blow or a change by hand, drawn by a seed: of `test_survival.py` a quick look.

Emulated, the machine alone takes most of the time that a default run has, so both are of `--full`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from .blows import BLOWS, BY_HAND, ByHand, power_cut, reboot
from .machine import Machine
from .node import vm_node
from .whole import assert_whole, differences

pytestmark = [pytest.mark.lab, pytest.mark.full]

# Those that ask most of a kernel; all of them are the full tier's.
ROLES = "kernel_tuning,roce_nic"
BOOTS = (reboot, power_cut)
# Building Debian's initial root file system takes 70 s of CPU without KVM, and each boot with it
# 40 s more than with the image's own: the full tier does it (initramfs-tools(7)).
KEEP_INITRD = "echo update_initramfs=no >/etc/initramfs-tools/update-initramfs.conf"


def test_a_node_survives_a_reboot_and_a_blow(rng: random.Random):
    """Kernel arguments, pages by NUMA node, addresses and marks of RoCE data come back."""
    boot = rng.choice(("file", "grub"))
    boot_again = rng.choice(BOOTS)
    blows: list[Callable[[Machine], None] | ByHand] = [one for one in BLOWS if one not in BOOTS]
    then = rng.choice([*blows, *BY_HAND])
    with vm_node(boot) as node:
        node.machine.run(KEEP_INITRD)
        node.apply("pyinfra", roles=ROLES)
        assert any("reboot is required" in one.says for one in node.drift().found.notes)
        boot_again(node.machine)
        assert assert_whole(node, ROLES).found.notes == ()
        if isinstance(then, ByHand):
            node.machine.run(then.script)
            assert differences(node, ROLES)
            node.machine.run(f"systemctl restart {then.unit}")
            assert differences(node, ROLES) == []
        else:
            then(node.machine)
            assert_whole(node, ROLES)
