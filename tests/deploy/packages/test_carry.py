"""Packages are carried to a controller without a mirror: whole, signed and of this site, or not."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.packages.fetch import cached, missing
from deploy.packages.gpg_run import PRIVATE_KEY
from tests.deploy.command_line import railbed

from . import archive
from .conftest import Ubuntu
from .island import Island
from .test_refresh import pytestmark as needs

pytestmark = [needs[0], pytest.mark.instances(keep=4, of="carried packages")]

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.asc"
INTERRUPTED = 130


@pytest.fixture
def island(ubuntu: Ubuntu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Island:
    return Island(ubuntu.site, tmp_path, monkeypatch)


def test_all_that_apply_needs_comes_across(island, ubuntu):
    key = island.export()
    shutil.rmtree(ubuntu.archive)
    said = island.bring("--key", key)
    assert said.returncode == 0, said
    assert said.stdout == "7 packages taken, 0 were there; all 7 are whole\n"
    assert not missing(island.packages)
    # No mirror is left, and nothing asks for one.
    assert railbed("packages", "fetch", "--site", island.site).returncode == 0
    states = [island.tmp_path / name / "state" for name in ("connected", "island")]
    assert len({(state / PRIVATE_KEY).read_text() for state in states}) == 2


def test_the_folder_can_be_checked_by_other_programs(island):
    """gpgv(1) and sha256sum(1), which know nothing of us."""
    island.export()
    run = {"cwd": island.folder, "capture_output": True, "text": True}
    home = island.tmp_path / "home"
    home.mkdir(mode=0o700)
    ring = ["gpg", "--homedir", str(home), "--dearmor", "-o", str(home / "ring"), "key.asc"]
    subprocess.run(ring, **run, check=True)
    done = subprocess.run(["gpgv", "--keyring", str(home / "ring"), SIGNATURE, SUMS], **run)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(["sha256sum", "--strict", "-c", SUMS], **run)
    assert done.returncode == 0, done.stdout
    listed = {line.split(": ")[0] for line in done.stdout.splitlines()}
    files = {str(one.relative_to(island.folder)) for one in island.folder.rglob("*.*")}
    assert files == {*listed, SIGNATURE}


def changed(island: Island) -> None:
    path = island.a_package()
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def signed_again(island: Island) -> None:
    """The list fits the changed file; its signature does not."""
    before = hashlib.sha256(island.a_package().read_bytes()).hexdigest()
    changed(island)
    sums = island.folder / SUMS
    after = hashlib.sha256(island.a_package().read_bytes()).hexdigest()
    assert before in sums.read_text()
    sums.write_text(sums.read_text().replace(before, after))


def signed_by_another(island: Island) -> None:
    """The list and the key beside it stay."""
    home, _ = archive.made_key(island.tmp_path / "stranger")
    argv = ["gpg", "--batch", "--yes", "--homedir", str(home), "--armor", "--output", SIGNATURE]
    subprocess.run([*argv, "--detach-sign", SUMS], cwd=island.folder, check=True)
    archive.end(home)


def a_link(island: Island) -> None:
    """To a file with the right content."""
    path = island.a_package()
    path.symlink_to(path.rename(island.tmp_path / "aside"))


REFUSED: dict[str, tuple[Callable[[Island], object], str]] = {
    "a file is missing": (
        lambda island: island.a_package().unlink(),
        "packages/chrony_4.5-1ubuntu1_DIGEST.deb: missing",
    ),
    "a file is changed": (changed, "packages/chrony_4.5-1ubuntu1_DIGEST.deb: changed"),
    "a file is a link": (a_link, "packages/chrony_4.5-1ubuntu1_DIGEST.deb: a link"),
    "a file is too much": (
        lambda island: (island.folder / "packages/evil.deb").write_text("x"),
        "packages/evil.deb: not signed for",
    ),
    "the list is changed": (signed_again, "is not what was signed: gpg failed: gpg: "),
    "another key signed the list": (
        signed_by_another,
        "Can't check signature: No public key hint: export it again",
    ),
    "there is no list": (
        lambda island: (island.folder / SUMS).unlink(),
        "SHA256SUMS: No such file",
    ),
    "it is unsigned": (
        lambda island: (island.folder / SIGNATURE).unlink(),
        "SHA256SUMS.asc: No such file or directory hint: an export that ended before its time",
    ),
    "the site is changed": (
        lambda island: (island.folder / "site.json").write_bytes(
            (island.folder / "site.json").read_bytes() + b" "
        ),
        "site.json: changed",
    ),
}


@pytest.mark.parametrize("how", REFUSED)
def test_it_is_refused_by_name_where(how, island):
    key = island.export()
    digest = hashlib.sha256(island.a_package().read_bytes()).hexdigest()[:8]
    spoil, reason = REFUSED[how]
    spoil(island)
    said = island.refused("--key", key)
    assert reason.replace("DIGEST", digest) in said, said
    # And mended by another export.
    assert island.export() == key
    assert island.bring("--key", key).returncode == 0


def test_all_that_is_wrong_is_said_at_once(island):
    key = island.export()
    for path in sorted((island.folder / "packages").iterdir())[:3]:
        path.unlink()
    (island.folder / "more").write_text("x")
    said = island.refused("--key", key)
    assert (said.count(": missing"), said.count("not signed for")) == (3, 1)


def test_who_may_sign_is_said_once_by_a_person(island):
    key = island.export()
    said = island.refused()
    assert f"is signed by the key {key}" in said
    assert f"packages import {island.folder} --key {key}" in said
    other = "0" * 40
    assert f"expected {other}" in island.refused("--key", other)
    spaced = " ".join(key[at : at + 4] for at in range(0, 40, 4)).lower()
    assert island.bring("--key", spaced).returncode == 0
    assert island.bring().stdout == "0 packages taken, 7 were there; all 7 are whole\n"
    # Another controller of the same site, with a key that nobody named here.
    shutil.rmtree(island.tmp_path / "connected/state")
    assert island.export() != key
    assert f"expected {key}" in island.refused()


def test_a_folder_of_another_site_is_refused_and_not_written_over(island):
    key = island.export()
    fabric = Path(island.site) / "fabric.yml"
    text = fabric.read_text()
    name = json.loads(text)["site"]
    fabric.write_text(text.replace(f'"{name}"', '"elsewhere"', 1))
    assert f"is of the site {name}, expected elsewhere" in island.refused("--key", key)
    island.be("connected")
    island.monkeypatch.setenv("RAILBED_STATE", str(island.tmp_path / "third"))
    before = (island.folder / SIGNATURE).read_bytes()
    said = railbed("packages", "export", str(island.folder), "--site", island.site)
    assert said.returncode == 2, said
    assert f"is of the site {name}" in said.stderr
    assert (island.folder / SIGNATURE).read_bytes() == before


def test_a_folder_with_somebodys_files_is_not_written_into(island):
    island.folder.mkdir()
    (island.folder / "thesis.txt").write_text("mine")
    said = railbed("packages", "export", str(island.folder), "--site", island.site)
    assert (said.returncode, said.stdout) == (2, ""), said
    assert [one.name for one in island.folder.iterdir()] == ["thesis.txt"]


def test_what_somebody_put_beside_an_export_stays(island):
    """As an inventory that is carried along: the next export says so, and goes no further."""
    island.export()
    mine = island.folder / "sites" / "hall-1" / "fabric.yml"
    mine.parent.mkdir(parents=True)
    mine.write_text("site: hall-1\n")
    before = {one: one.read_bytes() for one in island.folder.rglob("*") if one.is_file()}
    said = railbed("packages", "export", str(island.folder), "--site", island.site)
    assert (said.returncode, said.stdout) == (2, ""), said
    assert "files that no export wrote: sites/hall-1/fabric.yml" in " ".join(said.stderr.split())
    assert before == {one: one.read_bytes() for one in island.folder.rglob("*") if one.is_file()}


def locked_as_of(ubuntu: Ubuntu, day: str) -> None:
    """Have the site's lock be of a later day, with another chrony."""
    debs = [*archive.base(), *archive.stack("2")]
    archive.archive(ubuntu.archive, "noble", debs, ubuntu.key)
    assert railbed("packages", "refresh", "--site", str(ubuntu.site), "--write").returncode == 0
    text = re.sub(r'resolved: "[^"]*"', f'resolved: "{day}"', ubuntu.lock.read_text())
    ubuntu.lock.write_text(text)


def test_an_older_export_over_a_newer_one_is_refused_by_its_lock(island, ubuntu):
    key = island.export()
    older = island.tmp_path / "older"
    shutil.copytree(island.folder, older)
    day = json.loads((older / "site.json").read_text())["resolved"]
    locked_as_of(ubuntu, "2999-01-01")
    assert island.export() == key
    assert island.bring("--key", key).returncode == 0
    shutil.rmtree(island.folder)
    older.rename(island.folder)
    said = island.refused("--key", key)
    assert "packages/chrony_4.5-1ubuntu2_" in said
    assert "missing: the site's lock names it" in said
    lock = "exported from the lock ubuntu-24.04 amd64"
    assert f"{lock} {day}, the site's is ubuntu-24.04 amd64 2999-01-01" in said
    assert not missing(island.packages)


def test_an_inventory_that_stayed_behind_is_named(island, ubuntu):
    """The folder is newer than the lock that the other machine has."""
    key = island.export()
    before = ubuntu.lock.read_bytes()
    locked_as_of(ubuntu, "2999-01-01")
    island.export()
    ubuntu.lock.write_bytes(before)
    said = island.refused("--key", key)
    assert "exported from the lock ubuntu-24.04 amd64 2999-01-01, the site's is" in said


@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_export_is_not_believed_and_goes_on(island, after, monkeypatch):
    key = island.export()
    assert island.bring("--key", key).returncode == 0
    shutil.rmtree(island.folder)
    island.be("connected")
    with monkeypatch.context() as patch:
        interrupt(patch, after)
        said = railbed("packages", "export", str(island.folder), "--site", island.site)
        assert said.returncode == INTERRUPTED
    island.be("island")
    assert "SHA256SUMS: No such file" in island.refused()
    island.be("connected")
    said = railbed("packages", "export", str(island.folder), "--site", island.site)
    assert f"{7 - after} packages written" in said.stderr
    island.be("island")
    assert island.bring().returncode == 0


def test_an_interrupted_export_over_an_earlier_one_is_not_believed(island, ubuntu, monkeypatch):
    """Not even by who has the earlier lock: all its packages are there."""
    key = island.export()
    before = ubuntu.lock.read_bytes()
    debs = [*archive.base(), *archive.stack("2")]
    archive.archive(ubuntu.archive, "noble", debs, ubuntu.key)
    island.be("connected")
    assert railbed("packages", "refresh", "--site", island.site, "--write").returncode == 0
    with monkeypatch.context() as patch:
        interrupt(patch, 0)
        said = railbed("packages", "export", str(island.folder), "--site", island.site)
        assert said.returncode == INTERRUPTED
    island.be("island")
    ubuntu.lock.write_bytes(before)
    assert "SHA256SUMS: No such file" in island.refused("--key", key)


def test_an_interrupted_import_believes_nothing_half_and_goes_on(island, monkeypatch):
    key = island.export()
    with monkeypatch.context() as patch:
        interrupt(patch, 2)
        assert island.bring("--key", key).returncode == INTERRUPTED
    assert len(missing(island.packages)) == 5
    assert sum(one.is_file() for one in cached(island.packages[0]).parent.iterdir()) == 2
    assert "5 packages taken, 2 were there" in island.bring("--key", key).stdout


def interrupt(patch: pytest.MonkeyPatch, after: int) -> None:
    """Ctrl-C in the middle of a copy, when so many are done."""
    real, done = shutil.copyfile, [0]

    def copy(source: Path, target: Path) -> None:
        if done[0] == after:
            Path(target).write_bytes(Path(source).read_bytes()[:100])
            raise KeyboardInterrupt
        done[0] += 1
        real(source, target)

    patch.setattr("deploy.packages.carry.shutil.copyfile", copy)
