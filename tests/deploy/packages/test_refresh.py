"""A lock of a release that this machine does not run, by apt's own resolver, gpg and archives."""

from __future__ import annotations

import json
import shutil

import pytest

from deploy.lab.hardware.debs import Deb, build
from deploy.packages.fetch import cached, missing
from deploy.packages.licence_run import named
from deploy.session import Selection, open_plan
from inventory.nodes.left_out import not_locked
from inventory.software.lock import VERSIONS, read_lock
from tests.deploy.command_line import Said, railbed
from tests.standins.roots import repository

from . import archive
from .conftest import Ubuntu

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("apt-ftparchive") and shutil.which("gpg")),
        reason="needs apt-utils and gnupg",
    ),
    pytest.mark.instances(keep=3, of="refreshed locks"),
]

FORM = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
COMMON = "/usr/share/common-licenses"


def refresh(ubuntu: Ubuntu, *options: str) -> Said:
    return railbed("packages", "refresh", "--site", str(ubuntu.site), *options)


def rows(ubuntu: Ubuntu, **changed: object) -> None:
    """Change the one row of the site's sources."""
    row = archive.repository(ubuntu.archive, str(ubuntu.key / "key.gpg"), ubuntu.fingerprint)
    text = json.dumps({"repositories": [{**row, **changed}]})
    (ubuntu.site / "versions/sources.yml").write_text(text)


def refused(ubuntu: Ubuntu, code: int = 1) -> str:
    """What a refresh says that fails; the lock is untouched."""
    before = ubuntu.lock.read_bytes()
    said = refresh(ubuntu, "--write")
    assert said.returncode == code, said
    assert said.stdout == ""
    assert ubuntu.lock.read_bytes() == before
    return " ".join(said.stderr.split())


def test_it_resolves_against_the_release_not_this_machine(ubuntu):
    """First said, then written; what the release's base has stays out, what this machine has in."""
    before = ubuntu.lock.read_bytes()
    said = refresh(ubuntu)
    assert said.returncode == 1
    assert said.stdout.splitlines() == [
        "+ chrony 4.5-1ubuntu1",
        "+ libibverbs1 50.0-2",
        "+ lldpd 1.0.18-1ubuntu0.1",
        "+ nvidia-fabricmanager-580 580.178.04-1",
        "+ nvidia-open-580 580.178.04-1",
        "+ rdma-core 50.0-2",
        "+ zlib1g 1:1.3.dfsg-3.1ubuntu2",
    ]
    assert f"--write writes {ubuntu.lock}" in said.stderr
    assert ubuntu.lock.read_bytes() == before
    assert refresh(ubuntu, "--write").returncode == 0
    lock = read_lock(ubuntu.lock)
    assert lock.packages["rdma-core"].needs == {"libibverbs1": "50.0-2"}
    assert lock.packages["chrony"].licence == "GPL-2"
    assert lock.packages["zlib1g"].licence is None
    again = refresh(ubuntu)
    assert (again.returncode, again.stdout) == (0, "")


def test_a_site_without_a_lock_gets_one_of_its_own(ubuntu):
    """The project's lock says what roles ask for, and stays as it is."""
    ours, text = VERSIONS / ubuntu.lock.name, (VERSIONS / ubuntu.lock.name).read_text()
    ubuntu.lock.unlink()
    names = {one for of in read_lock(ours).components.values() for one in of}
    there = {one.name for one in archive.stack()}
    debs = [Deb(one, "580.178.04-1", depends="libc6") for one in sorted(names - there)]
    archive.archive(ubuntu.archive, "noble", [*archive.base(), *archive.stack(), *debs], ubuntu.key)
    said = refresh(ubuntu, "--write")
    assert said.returncode == 0, said
    assert f"written: {ubuntu.lock}" in said.stderr
    assert ours.read_text() == text
    assert names <= {*read_lock(ubuntu.lock).packages}


def test_a_new_version_is_a_difference(ubuntu):
    assert refresh(ubuntu, "--write").returncode == 0
    debs = [*archive.base(), *archive.stack("2")]
    archive.archive(ubuntu.archive, "noble", debs, ubuntu.key)
    assert refresh(ubuntu).stdout == "~ chrony 4.5-1ubuntu1 -> 4.5-1ubuntu2\n"


def test_what_profiles_ask_for_comes_into_the_lock_where_a_repository_has_it(ubuntu):
    """And is no longer waited for; the rest is named, with the packages that nobody has."""
    debs = [Deb("containerd", "1.7.28-0ubuntu1", "runc"), Deb("runc", "1.3.0-0ubuntu2"),
            Deb("nvidia-container-toolkit", "1.18.0-1")]  # fmt: skip
    archive.archive(ubuntu.archive, "noble", [*archive.base(), *archive.stack(), *debs], ubuntu.key)
    said = refresh(ubuntu)
    assert {"+ containerd 1.7.28-0ubuntu1", "+ runc 1.3.0-0ubuntu2"} <= {*said.stdout.splitlines()}
    assert "doca_ofed: no repository has doca-ofed" in said.stderr
    assert refresh(ubuntu, "--write").returncode == 0
    assert read_lock(ubuntu.lock).components["containerd"] == ["containerd"]
    assert "containers (" not in open_waits(ubuntu)
    assert "DOCA (doca_ofed)" in open_waits(ubuntu)
    assert (refresh(ubuntu).returncode, refresh(ubuntu).stdout) == (0, "")


def open_waits(ubuntu: Ubuntu) -> str:
    """What `check` says that nodes wait for."""
    return "\n".join(not_locked(open_plan(Selection(str(ubuntu.site), "lab"))))


def test_what_is_locked_can_be_fetched_byte_by_byte(ubuntu):
    assert refresh(ubuntu, "--write").returncode == 0
    said = railbed("packages", "fetch", "--site", str(ubuntu.site))
    assert said.returncode == 0, said
    packages = open_plan(Selection(str(ubuntu.site), "lab")).packages.packages
    assert len(packages) == 7
    assert not missing(packages)
    cached(packages[0]).write_bytes(b"x")
    assert missing(packages) == [packages[0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{FORM}Files: *\nCopyright: a\nLicense: NVIDIA-drivers\n", "NVIDIA-drivers"),
        (f"{FORM}Files: a.c\n b.c\nCopyright: a\n b\nLicense: MIT\n", "MIT"),
        (f"see {COMMON}/LGPL-2.1.\nand `{COMMON}/GPL-3'", "GPL-3, LGPL-2.1"),
        ("LICENSE FOR CUSTOMER USE\n", "as in its copyright file"),
        ('Files: *\nLicense: a "b" \\x\n', "a b x"),
    ],
)
def test_a_licence_is_what_the_copyright_file_names(text, said):
    assert named(text) == said


def test_a_package_that_nobody_has_is_named(ubuntu):
    text = ubuntu.lock.read_text().replace("[chrony]", "[chrony, no-such-thing]")
    ubuntu.lock.write_text(text)
    assert "no-such-thing" in refused(ubuntu)


def test_another_key_is_refused(ubuntu):
    archive.archive(ubuntu.archive, "noble", archive.stack(), ubuntu.other)
    said = refused(ubuntu)
    assert "NO_PUBKEY" in said
    assert "not signed" in said


def test_lists_that_were_good_do_not_stand_in_for_those_that_are_not(ubuntu):
    """apt-get update alone would warn, and go on with the older lists."""
    assert refresh(ubuntu).returncode == 1
    debs = [*archive.base(), *archive.stack("2")]
    archive.archive(ubuntu.archive, "noble", debs, ubuntu.other)
    assert "NO_PUBKEY" in refused(ubuntu)


def test_a_key_that_lies_beside_the_right_one_signs_nothing(ubuntu, tmp_path):
    both = (ubuntu.key / "key.gpg").read_bytes() + (ubuntu.other / "key.gpg").read_bytes()
    (tmp_path / "both.gpg").write_bytes(both)
    rows(ubuntu, keys=[str(tmp_path / "both.gpg")])
    assert refresh(ubuntu).returncode == 1
    archive.archive(ubuntu.archive, "noble", archive.stack(), ubuntu.other)
    assert "NO_PUBKEY" in refused(ubuntu)


def test_a_key_with_another_fingerprint_is_refused_by_name(ubuntu):
    rows(
        ubuntu,
        fingerprints=[ubuntu.other_fingerprint],
        keys=["none.asc", str(ubuntu.key / "key.gpg")],
    )
    said = refused(ubuntu)
    assert f"without {ubuntu.other_fingerprint}" in said
    assert "none.asc: No such file or directory" in said


@pytest.mark.parametrize("how", ["relative", "by URL", "in a package", "second"])
def test_a_key_is_found_where_it_is(ubuntu, how, tmp_path):
    key = ubuntu.key / "key.gpg"
    shutil.copy(key, ubuntu.site / "versions/mirror.gpg")
    held = Deb("ubuntu-keyring", "1", files={"usr/share/keyrings/a.gpg": key.read_bytes()})
    [package] = build([held], tmp_path / "keyring")
    places = {
        "relative": ["mirror.gpg"],
        "by URL": [f"file://{key}"],
        "in a package": [f"file://{package}"],
        "second": ["nobody.gpg", "mirror.gpg"],
    }
    rows(ubuntu, keys=places[how])
    assert refresh(ubuntu).stdout.count("+ ") == 7


def test_a_makers_flat_repository_stands_beside_the_archive(ubuntu, tmp_path):
    """Its own key signs it, and no other: as NVIDIA's are."""

    maker = repository(
        tmp_path / "maker", [Deb("rdma-core", "2510.0-1", depends="libc6")], ubuntu.other
    )
    key = ubuntu.other / "key.gpg"
    flat = archive.repository(maker, str(key), ubuntu.other_fingerprint)
    ours = archive.repository(ubuntu.archive, str(ubuntu.key / "key.gpg"), ubuntu.fingerprint)
    flat |= {"suites": ["./"], "components": []}
    sources = ubuntu.site / "versions/sources.yml"
    sources.write_text(json.dumps({"repositories": [ours, flat]}))
    assert "+ rdma-core 2510.0-1" in refresh(ubuntu).stdout
    flat |= {"fingerprints": [ubuntu.fingerprint], "keys": [str(ubuntu.key / "key.gpg")]}
    sources.write_text(json.dumps({"repositories": [ours, flat]}))
    assert "NO_PUBKEY" in refused(ubuntu)


def test_an_os_of_which_nobody_knows_a_source(ubuntu):
    rows(ubuntu, arch=["arm64"])
    assert "nobody says where packages of ubuntu-24.04-amd64 come from" in refused(ubuntu, 2)
