"""What railbed-kernel-tuning sets and says, on a tree of files that stands for the kernel's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from .node_tree import Node

PAGES = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
OF_NODE = "/sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages"
SIGNAL = "/run/railbed/reboot-required.d/kernel_tuning"
FREQUENCY = "/sys/devices/system/cpu/cpu{}/cpufreq/{}"
GOVERNOR = FREQUENCY.format(0, "scaling_governor")
IDLE = "/sys/devices/system/cpu/cpu0/cpuidle/state{}"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
MODE = "/sys/devices/system/cpu/intel_pstate/status"


def row(size_kib: int, count: int, node: str = "all") -> dict[str, object]:
    return {"size_kib": size_kib, "count": count, "node": node}


def named(asked: dict[str, Any]) -> dict[str, Any]:
    return {f"kernel_tuning_{name}": value for name, value in asked.items()}


def tuned(root: Path, **asked: Any) -> Node:
    node = Node(root, "kernel_tuning", "railbed-kernel-tuning", "kernel-tuning", named(asked))
    node.write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/vda1 iommu=pt quiet\n")
    return node


def test_a_node_that_is_asked_for_nothing_is_left_alone(tmp_path):
    node = tuned(tmp_path)
    done = node.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not node.has("/run")


# -- at run time -------------------------------------------------------------------------------


def test_pages_governor_and_idle_states_are_set(tmp_path):
    node = tuned(tmp_path, hugepages=[row(1048576, 16)], governor="performance", idle_exit_us=2)
    node.write(PAGES, "0\n")
    node.write(GOVERNOR, "schedutil\n")
    for number, latency in enumerate((0, 2, 133)):
        node.write(f"{IDLE.format(number)}/latency", f"{latency}\n")
        node.write(f"{IDLE.format(number)}/disable", "0\n")
    done = node.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert node.read(PAGES) == "16"
    assert node.read(GOVERNOR) == "performance"
    assert [node.read(f"{IDLE.format(number)}/disable") for number in range(3)] == ["0", "0", "1"]


def test_pages_of_several_sizes_go_to_their_numa_nodes(tmp_path):
    rows = [row(1048576, 8, "0"), row(1048576, 0, "1"), row(2048, 64, "0"), row(2048, 32, "1")]
    node = tuned(tmp_path, hugepages=rows)
    for number in (0, 1):
        for size in (1048576, 2048):
            node.write(OF_NODE.format(number, size), "4\n")
    done = node.run()
    assert (done.returncode, done.stderr) == (0, "")
    found = [node.read(OF_NODE.format(one["node"], one["size_kib"])) for one in rows]
    assert found == ["8", "0", "64", "32"]


def test_what_is_as_wanted_is_not_written_again(tmp_path):
    node = tuned(tmp_path, hugepages=[row(1048576, 16)], governor="performance", thp="madvise")
    places = [node.write(PAGES, "16\n"), node.write(GOVERNOR, "performance\n")]
    places.append(node.write(THP, "always [madvise] never\n"))
    for place in places:
        place.chmod(0o400)
        set_time(place, 100)
    assert node.run().returncode == 0
    assert [place.stat().st_mtime for place in places] == [100, 100, 100]


def test_every_cpu_that_runs_gets_governor_and_preference(tmp_path):
    """A CPU that is off has a file that says so, and no frequency."""
    node = tuned(tmp_path, governor="powersave", energy_preference="balance_performance")
    for cpu in (0, 1, 10):
        node.write(FREQUENCY.format(cpu, "scaling_governor"), "performance\n")
        node.write(FREQUENCY.format(cpu, "energy_performance_preference"), "default\n")
    node.write("/sys/devices/system/cpu/cpu2/online", "0\n")
    assert node.run().returncode == 0
    for cpu in (0, 1, 10):
        assert node.read(FREQUENCY.format(cpu, "scaling_governor")) == "powersave"
        assert node.read(FREQUENCY.format(cpu, "energy_performance_preference")) == (
            "balance_performance"
        )


def test_the_mode_of_the_frequency_driver_is_set(tmp_path):
    node = tuned(tmp_path, pstate="intel passive")
    node.write(MODE, "active\n")
    assert node.run().returncode == 0
    assert node.read(MODE) == "passive"


def test_a_driver_that_waits_for_the_reboot_is_no_fault_and_one_that_never_comes_is(tmp_path):
    """The BIOS may hide what the driver needs: then the reboot changes nothing."""
    node = tuned(tmp_path, pstate="amd active", arguments=["amd_pstate=active"])
    assert node.run().returncode == 0
    assert node.read(SIGNAL).endswith(": amd_pstate=active")
    node.write("/proc/cmdline", "quiet amd_pstate=active\n")
    done = node.run()
    assert done.returncode == 1
    assert "amd_pstate/status is not there, wanted active" in done.stderr


def test_transparent_pages_are_one_word_of_three(tmp_path):
    """A plain file keeps what was written, where the kernel puts brackets around it."""
    node = tuned(tmp_path, thp="madvise")
    place = node.write(THP, "[always] madvise never\n")
    done = node.run()
    assert done.returncode == 1
    assert "enabled is madvise, wanted madvise" in done.stderr
    place.write_text("always [madvise] never\n")
    assert node.run().returncode == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"hugepages": [row(2048, 4)]}, "hugepages-2048kB/nr_hugepages is not"),
        ({"hugepages": [row(2048, 4, "3")]}, "node3/hugepages/hugepages-2048kB/nr_hugepages is"),
        ({"governor": "performance"}, "scaling_governor is not there, wanted performance"),
        ({"energy_preference": "power"}, "energy_performance_preference is not there, wanted"),
        ({"idle_exit_us": 0}, "there are no idle states to turn off"),
        ({"thp": "never"}, "transparent_hugepage/enabled is"),
        ({"pstate": "intel active"}, "intel_pstate/status is not there, wanted active"),
    ],
)
def test_a_wish_that_the_kernel_cannot_grant_is_a_failure(tmp_path, asked, said):
    done = tuned(tmp_path, **asked).run()
    assert done.returncode == 1
    assert said in done.stderr


def test_fewer_pages_than_wanted_are_a_failure(tmp_path):
    """The kernel takes the number and gives what it has (hugetlbpage.rst): a full device."""
    node = tuned(tmp_path, hugepages=[row(1048576, 16)])
    place = node.write(PAGES, "")
    place.unlink()
    place.symlink_to("/dev/null")
    done = node.run()
    assert done.returncode == 1
    assert "nr_hugepages is , wanted 16" in done.stderr


# -- kernel arguments --------------------------------------------------------------------------


def test_arguments_that_do_not_run_ask_for_a_reboot_until_they_do(tmp_path):
    node = tuned(tmp_path, arguments=["iommu=pt", "hugepagesz=1G", "pci=realloc"])
    assert node.run().returncode == 0
    said = "kernel arguments staged, not running: iommu=pt hugepagesz=1G pci=realloc"
    assert node.read(SIGNAL) == said
    node.write("/proc/cmdline", "root=/dev/vda1 iommu=pt hugepagesz=1G pci=realloc\n")
    assert node.run().returncode == 0
    assert not node.has(SIGNAL)


def test_the_order_of_arguments_counts(tmp_path):
    """`hugepages` belongs to the size before it (kernel-parameters.txt)."""
    words = ["hugepagesz=2M", "hugepages=16", "hugepagesz=1G", "hugepages=0:8,1:8"]
    node = tuned(tmp_path, arguments=words)
    node.write("/proc/cmdline", "quiet hugepagesz=2M hugepages=0:8,1:8 hugepagesz=1G hugepages=16")
    assert node.run().returncode == 0
    assert node.read(SIGNAL).endswith(f": {' '.join(words)}")
    node.write("/proc/cmdline", f"quiet {' '.join(words)}\n")
    assert node.run().returncode == 0
    assert not node.has(SIGNAL)
    assert set(node.read("/run/railbed/kernel-arguments").split()) == set(words)


def test_part_of_an_argument_is_not_the_argument(tmp_path):
    node = tuned(tmp_path, arguments=["iommu=p"])
    node.run()
    assert node.read(SIGNAL).endswith(": iommu=p")


def test_grubs_menu_is_built_when_it_is_older_than_the_drop_in(tmp_path):
    """Also where a power cut came between the two: the next start of the unit builds it."""
    node = tuned(tmp_path, boot="grub", arguments=["iommu=pt"])
    node.tool("update-grub", f"echo new >{tmp_path}/boot/grub/grub.cfg")
    menu = node.write("/boot/grub/grub.cfg", "linux /vmlinuz iommu=pt\n")
    staged = node.write("/etc/default/grub.d/90-railbed.cfg", "x\n")
    set_time(menu, 100)
    set_time(staged, 200)
    assert node.run("staged").returncode == 1
    assert node.run().returncode == 0
    assert menu.read_text() == "new\n"
    menu.write_text("built iommu=pt\n")
    assert node.run("staged").returncode == 0
    assert node.run().returncode == 0
    assert menu.read_text() == "built iommu=pt\n"
    menu.write_text("other\n")
    assert node.run("staged").returncode == 1
    assert node.run().returncode == 0
    assert menu.read_text() == "new\n"


def test_a_menu_that_cannot_be_built_is_a_failure(tmp_path):
    node = tuned(tmp_path, boot="grub", arguments=["iommu=pt"])
    node.tool("update-grub", "exit 1")
    done = node.run()
    assert done.returncode == 1
    assert "the next boot takes the old kernel arguments" in done.stderr


def test_asking_what_is_staged_changes_nothing(tmp_path):
    node = tuned(tmp_path, boot="grub", arguments=["iommu=pt"], hugepages=[row(1048576, 16)])
    node.write(PAGES, "0\n")
    assert node.run("staged").returncode == 1
    assert node.read(PAGES) == "0"
    assert not node.has("/run")


def set_time(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))
