"""Kernel arguments in the boot entries of the RHEL family, on a stand-in for grubby."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import faces, owned
from .node_tree import Node
from .test_kernel_tuning import tuned

OURS = "/var/lib/railbed-kernel_tuning.staged"
WORDS = ["iommu=pt", "intel_iommu=on", "default_hugepagesz=1G", "hugepagesz=1G", "hugepages=16"]
ENTRY = """title Rocky Linux (5.14.0-{0}.el9.x86_64) 9.4 (Blue Onyx)
version 5.14.0-{0}.el9.x86_64
linux /vmlinuz-5.14.0-{0}.el9.x86_64
initrd /initramfs-5.14.0-{0}.el9.x86_64.img $tuned_initrd
options root=/dev/mapper/rl-root ro crashkernel=1G-4G:192M $tuned_params {1}
grub_class rocky
"""


def entry(node: Node, build: str, words: str = "rhgb quiet") -> None:
    node.write(f"/boot/loader/entries/id-5.14.0-{build}.conf", ENTRY.format(build, words))


def rocky(root: Path, words: list[str], cmdline: str = "") -> Node:
    node = tuned(root, boot="bls", arguments=words)
    for build in ("427", "503"):
        entry(node, build)
    node.write("/etc/default/grub", 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="ro rhgb quiet"\n')
    if cmdline:
        node.write("/etc/kernel/cmdline", cmdline)
    return node


def options(node: Node) -> list[str]:
    """What every entry boots with, and what later kernels will."""
    texts = [one.read_text() for one in sorted((node.root / "boot/loader/entries").iterdir())]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("options ")]
    said = node.read("/etc/default/grub").partition('GRUB_CMDLINE_LINUX="')[2].rstrip('"')
    return [*lines, said]


def updates(node: Node) -> int:
    place = node.root / "said"
    found = place.read_text().count("--update-kernel") if place.exists() else 0
    place.unlink(missing_ok=True)
    return found


def test_every_entry_and_later_kernels_get_the_arguments_once(tmp_path):
    node = rocky(tmp_path, WORDS, "ro quiet\n")
    assert node.run("staged").returncode == 1
    done = node.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert all(one.endswith(" ".join(WORDS)) for one in options(node))
    assert len(options(node)) == 3
    assert "$tuned_params" in options(node)[0]
    assert node.read("/etc/kernel/cmdline") == f"ro quiet {' '.join(WORDS)}"
    assert node.run("staged").returncode == 0
    assert updates(node) == 1
    assert node.run().returncode == 0
    assert updates(node) == 0


def test_what_is_wanted_no_more_is_taken_out_and_the_rest_is_left(tmp_path):
    node = rocky(tmp_path, WORDS)
    assert node.run().returncode == 0
    node.ask({"kernel_tuning_boot": "bls", "kernel_tuning_arguments": ["iommu=pt"]})
    assert node.run("staged").returncode == 1
    assert node.run().returncode == 0
    assert [one.split()[-3:] for one in options(node)] == [["rhgb", "quiet", "iommu=pt"]] * 3
    node.ask({"kernel_tuning_boot": "bls"})
    assert node.run().returncode == 0
    assert all(one.endswith("rhgb quiet") for one in options(node))
    updates(node)
    assert node.run().returncode == 0
    assert updates(node) == 0


def test_a_node_of_which_nothing_was_ever_asked_needs_no_grubby(tmp_path):
    node = tuned(tmp_path, boot="bls")
    done = node.run(PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert not node.has(OURS)


def test_a_kernel_that_came_without_them_and_an_entry_changed_by_hand_are_mended(tmp_path):
    node = rocky(tmp_path, WORDS)
    assert node.run().returncode == 0
    entry(node, "570")
    assert node.run("staged").returncode == 1
    assert node.run().returncode == 0
    entry(node, "427", "hugepages=4 quiet iommu=off")
    assert node.run("staged").returncode == 1
    assert node.run().returncode == 0
    assert all(one.endswith(" ".join(WORDS)) for one in options(node))
    assert not [one for one in options(node) if "iommu=off" in one or "hugepages=4" in one]


def test_a_run_that_was_cut_off_is_finished_and_forgets_nothing(tmp_path):
    """What is ours is noted before it is put there: the next run takes out what is too much."""
    node = rocky(tmp_path, WORDS)
    assert node.run().returncode == 0
    node.ask({"kernel_tuning_boot": "bls", "kernel_tuning_arguments": ["nosmt"]})
    done = node.run(STANDIN_GRUBBY="fails")
    assert done.returncode == 1
    assert "grubby failed: the next boot takes other kernel arguments" in done.stderr
    assert set(WORDS) < set(node.read(OURS).split())
    assert node.run().returncode == 0
    assert all(one.endswith("rhgb quiet nosmt") for one in options(node))
    assert node.read(OURS) == "nosmt"


def test_a_grubby_that_takes_one_key_for_another_is_found_out(tmp_path):
    """`hugepagesz` ends like `default_hugepagesz`."""
    node = rocky(tmp_path, WORDS)
    done = node.run(STANDIN_GRUBBY="careless")
    assert done.returncode == 1
    assert f"has not: {' '.join(WORDS)}" in done.stderr


@pytest.mark.parametrize("gone", ["GRUB_CMDLINE_LINUX", "entries"])
def test_later_kernels_and_lost_entries_count_too(tmp_path, gone):
    node = rocky(tmp_path, WORDS)
    assert node.run().returncode == 0
    if gone == "entries":
        for one in (tmp_path / "boot/loader/entries").iterdir():
            one.unlink()
        node.write("/etc/default/grub", "GRUB_TIMEOUT=5\n")
    else:
        node.write("/etc/default/grub", 'GRUB_CMDLINE_LINUX="ro"\n')
    assert node.run("staged").returncode == 1
    assert node.run().returncode == (1 if gone == "entries" else 0)


def test_the_reboot_signal_is_the_same(tmp_path):
    node = rocky(tmp_path, WORDS)
    assert node.run().returncode == 0
    assert node.read("/run/railbed/reboot-required.d/kernel_tuning").endswith(" ".join(WORDS))
    node.write("/proc/cmdline", f"quiet {' '.join(WORDS)}\n")
    assert node.run().returncode == 0
    assert not node.has("/run/railbed/reboot-required.d/kernel_tuning")


def test_both_faces_leave_the_entries_to_the_program(monkeypatch):
    """No drop-in of GRUB, and no folder for one: they are not read there."""
    values = {**owned.variables("kernel_tuning", "elsewhere"), "kernel_tuning_boot": "bls"}
    for module in (faces, owned):
        monkeypatch.setattr(module, "variables", lambda *_: values)
    wanted = owned.owned("kernel_tuning")
    for found in (
        faces.by_ansible("kernel_tuning", ""),
        faces.by_pyinfra("kernel_tuning", "", monkeypatch),
    ):
        assert (found.files, found.folders, found.units) == (wanted.files, set(), wanted.units)
    assert not [path for path in wanted.files if "grub" in path or "/etc/kernel/" in path]
