"""A lock of the RHEL family by dnf's own resolver, rpm, gpg and createrepo_c, as they are here.

RHEL userland is not tried, and vendor packages are stand-ins: of names and fields alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from deploy.errors import RailbedError
from deploy.packages.dnf_run import open_dnf
from deploy.packages.fetch import batches, missing
from deploy.packages.mirrors import Target, named_sources
from deploy.rollout.supply import prepare, programs
from deploy.session import Selection, open_plan
from inventory.nodes.left_out import not_locked
from inventory.plan import LockedRpm
from inventory.problems import InventoryError
from inventory.software.lock import read_lock
from tests.deploy.command_line import railbed
from tests.standins.rpms import Rpm, build, sign

from . import rpm_archive
from .conftest import Rocky

pytestmark = [
    pytest.mark.skipif(
        not all(map(shutil.which, [*programs("rocky-9"), "rpmbuild", "rpmsign"])),
        reason="needs dnf, rpm, createrepo-c and gnupg",
    ),
    pytest.mark.instances(keep=3, of="locks by dnf"),
]

LOCKED = """\
+ chrony 4.5-1.el9
+ kmod-nvidia-open-dkms 3:580.178.04-1.el9
+ libibverbs 48.0-1.el9
+ libseccomp 2.5.2-2.el9
+ lldpd 1.0.18-4.el9
+ nvidia-fabricmanager 580.178.04-1
+ nvidia-open 3:580.178.04-1.el9
+ rdma-core 48.0-1.el9
"""


def systems(*pairs: tuple[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rocky", pairs, indirect=True, ids="-".join)


@systems(("rocky-9", "amd64"), ("rhel-9", "arm64"), ("almalinux-9", "arm64"))
def test_it_resolves_for_the_release_and_architecture_of_the_nodes(rocky):
    """First said, then written; what a minimal system has stays out, but for what is exact."""
    before = rocky.lock.read_bytes()
    assert rocky.refresh() == LOCKED.splitlines()
    assert rocky.lock.read_bytes() == before
    rocky.refresh(write=True)
    lock = read_lock(rocky.lock)
    assert lock.packages["rdma-core"].needs == {"libibverbs": "48.0-1.el9"}
    assert lock.packages["nvidia-open"].needs == {"kmod-nvidia-open-dkms": "3:580.178.04-1.el9"}
    assert {one.licence for one in lock.packages.values()} == {"MIT"}
    assert rocky.refresh() == []
    plan = open_plan(Selection(str(rocky.site), "lab"))
    assert not missing(plan.packages.packages)
    assert {type(one) for one in plan.packages.packages} == {LockedRpm}


def test_lists_that_another_key_signed_or_none_are_refused(rocky):
    """Also after they were good: dnf takes no older ones instead."""
    assert rocky.refresh()
    for key in (rocky.other, None):
        rocky.signed_anew(key)
        assert "repomd.xml" in rocky.refused()


def test_a_key_with_another_fingerprint_is_refused_by_name(rocky):
    rpm_archive.sources(rocky.site, [rocky.row(fingerprints=[rocky.other_fingerprint])])
    assert f"without {rocky.other_fingerprint}" in rocky.refused()


def test_a_key_that_counted_before_counts_no_more(rocky):
    """dnf keeps the keys that it took (dnf.conf(5), gpgkey): with other keys it begins anew."""
    assert rocky.refresh()
    key = str(rpm_archive.armoured(rocky.other))
    row = rocky.row(fingerprints=[rocky.other_fingerprint], keys=[key])
    rpm_archive.sources(rocky.site, [row])
    assert "repomd.xml" in rocky.refused()


@pytest.mark.parametrize("signed", ["packages", "both"])
def test_a_package_that_another_key_signed_is_refused_by_name(rocky, signed):
    sign([rocky.file_of("libseccomp")], rocky.other)
    rocky.signed_anew(rocky.key if signed == "both" else None)
    rpm_archive.sources(rocky.site, [rocky.row(signed=signed)])
    said = rocky.refused()
    assert "libseccomp-2.5.2-2.el9.x86_64.rpm" in said
    assert "not signed by a key of its row" in said


def test_who_signs_the_lists_alone_is_believed_for_them(rocky):
    """As with DOCA's packages: a site says so, and nobody else."""
    [unsigned] = build([Rpm("libseccomp", "2.5.3-1.el9")], rocky.archive / "Packages")
    rocky.signed_anew(rocky.key)
    assert unsigned.name in rocky.refused()
    rpm_archive.sources(rocky.site, [rocky.row(signed="lists")])
    rocky.refresh(write=True)
    assert read_lock(rocky.lock).packages["libseccomp"].version == "2.5.3-1.el9"


@pytest.mark.parametrize("signed", ["packages", "both", "lists"])
def test_a_file_that_was_changed_is_refused(rocky, signed):
    rpm_archive.sources(rocky.site, [rocky.row(signed=signed)])
    with rocky.file_of("chrony").open("r+b") as file:
        file.seek(-8, 2)
        file.write(b"tampered")
    assert "chrony" in rocky.refused()


def listed_as(rocky: Rocky, old: str, new: str) -> None:
    """Have the lists say something else of a package; its file and digest stay."""
    folder = rocky.archive / "repodata"
    [path] = folder.glob("*-primary.xml*")
    argv = ["zstd", "-dc"] if path.suffix == ".zst" else ["gzip", "-dc"]
    text = subprocess.run([*argv, str(path)], capture_output=True, text=True, check=True).stdout
    assert old in text
    made = rocky.site / "primary.xml"
    made.write_text(text.replace(old, new))
    subprocess.run(["modifyrepo_c", str(made), str(folder)], capture_output=True, check=True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'ver="2.5.2" rel="2.el9"', 'ver="2.5.3" rel="1.el9"',
            "found libseccomp 0:2.5.2-2.el9 x86_64 in it, expected libseccomp 2.5.3-1.el9 x86_64",
        ),
        (
            "<arch>aarch64</arch>", "<arch>x86_64</arch>",
            "found libseccomp 0:2.5.4-1.el9 aarch64 in it, expected libseccomp 2.5.4-1.el9 x86_64",
        ),
    ],
)  # fmt: skip
def test_a_package_that_is_not_what_unsigned_lists_call_it_is_refused(rocky, old, new, said):
    """Its maker signed it, also the old one; with `signed: packages` nobody vouches for lists."""
    rpm_archive.sources(rocky.site, [rocky.row(signed="packages")])
    if "aarch64" in old:
        other = Rpm("libseccomp", "2.5.4-1.el9", arch="aarch64")
        sign(build([other], rocky.archive / "Packages"), rocky.key)
        rocky.signed_anew(None)
    listed_as(rocky, old, new)
    assert said in rocky.refused()


def test_a_large_download_has_its_time(rocky, monkeypatch):
    """As with apt: what fits a slow link is not given up halfway."""
    limits: list[float] = []

    def run(*_: object, timeout: float, **__: object) -> SimpleNamespace:
        limits.append(timeout)
        return SimpleNamespace(stdout="{}")

    target = Target(str(rocky.site), rocky.os, "el9", "amd64")
    dnf = open_dnf(rocky.site, named_sources(target), rocky.os, "amd64")
    monkeypatch.setattr("deploy.packages.dnf_run.subprocess.run", run)
    for size in (0, 4 << 30):
        dnf.download([LockedRpm("a", "1-1", "", size)], rocky.site)
    assert limits[1] - limits[0] == (4 << 30) / 2**15


def test_a_version_that_is_gone_is_named_with_what_there_is(rocky):
    rocky.refresh(write=True)
    shutil.rmtree(rocky.site.parent / "cache/files")
    rocky.file_of("chrony").unlink()
    sign(build([Rpm("chrony", "4.6-1.el9")], rocky.archive / "Packages"), rocky.key)
    rocky.signed_anew(rocky.key)
    said = railbed("packages", "fetch", "--site", str(rocky.site))
    assert said.returncode == 1
    assert "chrony 4.5-1.el9 (there is 4.6-1.el9)" in " ".join(said.stderr.split())
    assert rocky.refresh() == ["~ chrony 4.5-1.el9 -> 4.6-1.el9", "- libseccomp 2.5.2-2.el9"]


def test_what_nobody_has_and_a_system_that_nobody_describes(rocky):
    text = rocky.lock.read_text()
    rocky.lock.write_text(text.replace("[chrony]", "[chrony, no-such-thing]"))
    assert "no-such-thing" in rocky.refused()
    rocky.lock.write_text(text)
    subprocess.run(["createrepo_c", "-q", str(rocky.archive)], check=True)
    rpm_archive.sources(rocky.site, [rocky.row(signed="packages")])
    assert "the group 'core'" in rocky.refused()


def test_packages_of_a_stream_are_there_where_a_row_takes_it(rocky):
    plugin = "python3-dnf-plugin-versionlock"
    rocky.lock.write_text(rocky.lock.read_text().replace("[chrony]", f"[chrony, {plugin}]"))
    assert plugin in rocky.refused()
    rpm_archive.sources(rocky.site, [rocky.row(streams=["tools:2"])])
    assert "tools:2" in rocky.refused()
    rpm_archive.sources(rocky.site, [rocky.row(streams=["tools:1"])])
    assert f"+ {plugin} 4.3.0-13.el9" in rocky.refresh()


def test_a_lab_has_no_such_machines(served, rocky):
    (rocky.site / "wiring.csv").touch()
    with pytest.raises(RailbedError, match="are Debian 12, the nodes of pod-256 run rocky-9"):
        prepare(Selection(str(rocky.site), "lab"), print, served.plan)


def test_the_ledger_says_whose_packages_were_stand_ins(served):
    """Those of these tests, not what a reader's own site gets."""
    [said] = (one for one in served.plan.assumptions if one.name == "system of nodes: rocky-9")
    assert said.value.startswith("RHEL userland not tried: railbed itself was tried only by Debian")


def test_what_waits_for_the_lock_is_named_as_its_repositories_have_it(served):
    """As `packages refresh` asks for it: openmpi, and not Debian's openmpi-bin."""
    said = " ".join(not_locked(served.plan))
    assert {"openmpi", "libnccl", "containerd.io"} <= set(re.findall(r"[\w.-]+", said))
    assert "openmpi-bin" not in said


def test_suites_are_apts_and_dnf_has_none(rocky):
    rpm_archive.sources(rocky.site, [rocky.row(suites=["./"])])
    with pytest.raises(InventoryError, match="`suites` for rocky-9, expected none"):
        rocky.refresh()
    rpm_archive.sources(rocky.site, [rocky.row() | {"os": "debian-12"}])
    with pytest.raises(InventoryError, match="no `suites` for debian-12, expected one"):
        rocky.refresh()


def test_packages_come_in_batches_that_stay():
    sizes = [40 << 20, 20 << 20, 10 << 20, 100 << 20, 1]
    wanted = [LockedRpm(str(at), "1-1", "", size) for at, size in enumerate(sizes)]
    told = [(done, [one.name for one in batch]) for done, batch in batches(wanted)]
    assert told == [(2, ["0", "1"]), (3, ["2"]), (4, ["3"]), (5, ["4"])]
