"""The programs that roles put on nodes, on a tree of files that stands for the kernel's."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from roles.face import ROLES, text_of

from .owned import variables


class Node:
    """A folder with the program and its configuration; the program's paths lead into it."""

    def __init__(
        self,
        root: Path,
        role: str,
        program: str,
        config: str,
        more: dict[str, Any],
        settings: str = "",
    ):
        self.root = root
        values = {**variables(role), **more}
        text = text_of(role, f"{program}.j2", values)
        for place in ("/sys/", "/proc/", "/run/", "/etc/", "/boot/"):
            text = text.replace(place, f"{root}{place}")
        self.program = self.write(f"/{program}", text)
        self.write(
            f"/etc/default/railbed-{config}", text_of(role, f"{settings or config}.j2", values)
        )

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text().strip()

    def run(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(self.program), *arguments],
            env={"PATH": f"{path}:/usr/sbin:/usr/bin:/sbin:/bin"},
            capture_output=True,
            text=True,
            timeout=30,
        )


PAGES = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
SIGNAL = "/run/railbed/reboot-required.d/kernel_tuning"
GOVERNOR = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
IDLE = "/sys/devices/system/cpu/cpu0/cpuidle/state{}"


def tuned(root: Path, **more: Any) -> Node:
    values = {f"kernel_tuning_{name}": value for name, value in more.items()}
    node = Node(root, "kernel_tuning", "railbed-kernel-tuning", "kernel-tuning", values)
    node.write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/vda1 iommu=pt quiet\n")
    return node


def test_a_node_that_is_asked_for_nothing_is_left_alone(tmp_path):
    node = tuned(tmp_path)
    done = node.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "run").exists()


def test_pages_governor_and_idle_states_are_set(tmp_path):
    node = tuned(
        tmp_path,
        hugepages=[{"size_kib": 1048576, "count": 16}],
        governor="performance",
        idle_exit_us=2,
    )
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


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"hugepages": [{"size_kib": 2048, "count": 4}]}, "hugepages-2048kB/nr_hugepages is not"),
        ({"governor": "performance"}, "scaling_governor is not there, wanted performance"),
        ({"idle_exit_us": 0}, "there are no idle states to turn off"),
    ],
)
def test_a_wish_that_the_kernel_cannot_grant_is_a_failure(tmp_path, asked, said):
    done = tuned(tmp_path, **asked).run()
    assert done.returncode == 1
    assert said in done.stderr


def test_fewer_pages_than_wanted_are_a_failure(tmp_path):
    """The kernel takes the number and gives what it has (hugetlbpage.rst): a full device."""
    node = tuned(tmp_path, hugepages=[{"size_kib": 1048576, "count": 16}])
    place = node.write(PAGES, "")
    place.unlink()
    place.symlink_to("/dev/null")
    done = node.run()
    assert done.returncode == 1
    assert "nr_hugepages is , wanted 16" in done.stderr


def test_arguments_that_do_not_run_ask_for_a_reboot_until_they_do(tmp_path):
    node = tuned(tmp_path, arguments=["iommu=pt", "hugepagesz=1G", "pci=realloc"])
    assert node.run().returncode == 0
    said = "kernel arguments staged, not running: iommu=pt hugepagesz=1G pci=realloc"
    assert node.read(SIGNAL) == said
    node.write("/proc/cmdline", "root=/dev/vda1 iommu=pt hugepagesz=1G pci=realloc\n")
    assert node.run().returncode == 0
    assert not (tmp_path / SIGNAL.lstrip("/")).exists()


def test_the_order_of_arguments_counts(tmp_path):
    """`hugepages` belongs to the size before it (kernel-parameters.txt)."""
    words = ["hugepagesz=2M", "hugepages=16", "hugepagesz=1G", "hugepages=8"]
    node = tuned(tmp_path, arguments=words)
    node.write("/proc/cmdline", "quiet hugepagesz=2M hugepages=8 hugepagesz=1G hugepages=16\n")
    assert node.run().returncode == 0
    assert node.read(SIGNAL).endswith(f": {' '.join(words)}")
    node.write("/proc/cmdline", f"quiet {' '.join(words)}\n")
    assert node.run().returncode == 0
    assert not (tmp_path / SIGNAL.lstrip("/")).exists()
    assert set(node.read("/run/railbed/kernel-arguments").split()) == set(words)


def test_part_of_an_argument_is_not_the_argument(tmp_path):
    node = tuned(tmp_path, arguments=["iommu=p"])
    node.run()
    assert node.read(SIGNAL).endswith(": iommu=p")


def test_grubs_menu_is_built_when_it_is_older_than_the_drop_in(tmp_path):
    """Also where a power cut came between the two: the next start of the unit builds it."""
    node = tuned(tmp_path, boot="grub", arguments=["iommu=pt"])
    tools = tmp_path / "tools"
    grub = node.write("/tools/update-grub", f"#!/bin/sh\necho new >{tmp_path}/boot/grub/grub.cfg\n")
    grub.chmod(0o755)
    menu = node.write("/boot/grub/grub.cfg", "old\n")
    staged = node.write("/etc/default/grub.d/90-railbed.cfg", "x\n")
    set_time(menu, 100)
    set_time(staged, 200)
    assert node.run(path=str(tools)).returncode == 0
    assert menu.read_text() == "new\n"
    menu.write_text("built iommu=pt\n")
    assert node.run(path=str(tools)).returncode == 0
    assert menu.read_text() == "built iommu=pt\n"
    menu.write_text("other\n")
    assert node.run(path=str(tools)).returncode == 0
    assert menu.read_text() == "new\n"


def set_time(path: Path, seconds: int) -> None:
    import os

    os.utime(path, (seconds, seconds))


# -- RDMA --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "program"), [
    ("kernel_tuning", "railbed-kernel-tuning"), ("roce_nic", "railbed-roce-nic"),
])  # fmt: skip
def test_programs_are_plain_posix_shell(role, program):
    text = (ROLES / role / "templates" / f"{program}.j2").read_text()
    assert "{{" not in text
    assert subprocess.run(["dash", "-n"], input=text, text=True).returncode == 0
