"""Files and folders of anybody: what is taken, what is told, what is refused by name."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from deploy.audits.gathered import gathered, sources
from deploy.errors import RailbedError
from validation.audit.audit import audit

from .texts import one, rendered, write


def whys(path: Path) -> dict[str, str]:
    return {each.source: each.why for each in gathered(path).refused}


def test_folders_of_any_depth_flat_files_and_roots(tmp_path):
    for place, text in rendered("sonic").items():
        write(tmp_path / f"dc1/row2/leaf-a{place}", text)
    write(tmp_path / "dc1/eos/leaf-b.cfg", one("eos"))
    write(tmp_path / "leaf-c", one("nxos", 3))
    write(tmp_path / "dc2/leaf-d/config_db.json", rendered("sonic", 1)["/etc/sonic/config_db.json"])
    write(tmp_path / "dc2/leaf-d/frr.conf", rendered("sonic", 1)["/etc/sonic/frr/frr.conf"])
    texts, refused = sources(tmp_path)
    assert set(texts) == {"dc1/row2/leaf-a", "dc1/eos/leaf-b.cfg", "leaf-c", "dc2/leaf-d"}
    assert set(texts["dc2/leaf-d"]) == {"/etc/sonic/config_db.json", "/etc/sonic/frr/frr.conf"}
    assert not refused
    found = audit(texts)
    assert sorted(box.system for box in found.network.boxes) == ["eos", "nxos", "sonic", "sonic"]
    places = {place for box in found.network.boxes for place in box.texts}
    assert "dc2/leaf-d/frr.conf" in places
    assert "dc1/row2/leaf-a/etc/sonic/config_db.json" in places
    assert all((tmp_path / place).is_file() for place in places)


def test_what_is_clearly_no_configuration_is_counted_once(tmp_path):
    write(tmp_path / "leaf.cfg", one("eos"))
    for name in ("README.md", "ports.csv", "map.png", ".git/config", ".git/x/y", "router.db"):
        write(tmp_path / name, b"\x89 what it holds is not looked at")
    found = gathered(tmp_path)
    assert (set(found.texts), found.refused) == ({"leaf.cfg"}, ())
    (note,) = found.notes
    assert note.startswith("6 files are no configurations by their names: 2 .git, ")


@pytest.mark.parametrize(
    ("layout", "device"),
    [
        ("{date}/leaf1.cfg", "leaf1"),
        ("leaf1/{date}.cfg", "leaf1"),
        ("leaf1-{date}.cfg", "leaf1"),
        ("configs/leaf1.cfg.{date}", "leaf1"),
        ("leaf1_{date}-120000.txt", "leaf1"),
    ],
)
@pytest.mark.parametrize("form", ["{}-{}-{}", "{}{}{}", "{}_{}_{}"])
def test_of_dated_backups_the_newest_is_judged_and_older_ones_are_told(
    tmp_path, layout, device, form
):
    days = [("2023", "12", "31"), ("2024", "11", "01"), ("2024", "02", "03")]
    names = [layout.format(date=form.format(*day)) for day in days]
    for name in names:
        write(tmp_path / name, one("eos") + f"! of {name}\n")
    found = gathered(tmp_path)
    assert set(found.texts) == {names[1]}
    assert found.older == {names[1]: (names[2], names[0])}
    assert found.notes == ("2 older backups of 1 devices are not judged",)


def test_a_file_without_a_date_is_what_the_device_has_now(tmp_path):
    for name in ("leaf.cfg", "leaf-2024-01-01.cfg", "leaf.cfg.bak", "leaf.1", "leaf.2"):
        write(tmp_path / name, one("eos"))
    found = gathered(tmp_path)
    assert set(found.texts) == {"leaf.cfg", "leaf.1", "leaf.2"}


def test_a_newest_backup_that_cannot_be_read_is_no_older_one(tmp_path):
    write(tmp_path / "leaf-2024-01-01.cfg", one("eos"))
    write(tmp_path / "leaf-2024-02-01.cfg", b"\0\1\2")
    found = gathered(tmp_path)
    assert not found.texts
    assert whys(tmp_path) == {"leaf-2024-02-01.cfg": "binary data"}


def test_a_device_without_the_latest_date_is_told(tmp_path):
    for name in ("2024-01-01/a.cfg", "2024-01-01/b.cfg", "2024-01-02/a.cfg"):
        write(tmp_path / name, one("eos"))
    notes = gathered(tmp_path).notes
    assert "2024-01-01/b.cfg: the newest of its backups, and others are of 2024-01-02" in notes


def test_what_is_no_plain_file_has_a_word_of_its_own(tmp_path):
    write(tmp_path / "leaf.cfg", one("eos"))
    write(tmp_path / "empty.cfg", "")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(str(tmp_path / "s"))
        (tmp_path / "loop.cfg").symlink_to("loop.cfg")
        (tmp_path / "out.cfg").symlink_to("/etc/hostname")
        (tmp_path / "current.cfg").symlink_to("leaf.cfg")
        (tmp_path / "up").symlink_to("..")
        found = gathered(tmp_path)
    assert {one.source: one.why for one in found.refused} == {
        "empty.cfg": "empty",
        "pipe": "no plain file: a FIFO",
        "s": "no plain file: a socket",
        "loop.cfg": "a link: not followed",
        "out.cfg": "a link: not followed",
    }
    assert set(found.texts) == {"leaf.cfg"}
    assert found.notes == ("2 links are not followed",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_told(tmp_path):
    write(tmp_path / "shut.cfg", one("eos")).chmod(0)
    write(tmp_path / "closed/leaf.cfg", one("eos"))
    (tmp_path / "closed").chmod(0)
    try:
        assert whys(tmp_path) == {
            "shut.cfg": "cannot be read: Permission denied",
            "closed": "cannot be read: Permission denied",
        }
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_bare_repository_and_a_root_without_a_configuration_are_no_pass(tmp_path):
    for name in ("HEAD", "objects/aa/b", "refs/heads/x"):
        write(tmp_path / "devices.git" / name, "x")
    write(tmp_path / "leaf/etc/shadow", "x")
    assert whys(tmp_path) == {
        "devices.git": "a bare Git repository: check it out first",
        "leaf": "files of a system, and no configuration among them that is known here",
    }


def test_a_machine_s_outputs_stay_together(tmp_path):
    for name in ("ip_addr.txt", "mlnx_qos.txt"):
        write(tmp_path / "node1" / name, "words\n")
    write(tmp_path / "leaf.cfg", one("eos"))
    found = gathered(tmp_path)
    assert set(found.texts) == {"leaf.cfg", "node1"}
    assert set(found.texts["node1"]) == {"/ip_addr.txt", "/mlnx_qos.txt"}


def test_names_that_are_no_text_can_be_told(tmp_path):
    (tmp_path / os.fsdecode(b"leaf\xff.cfg")).write_text(one("eos"))
    assert set(gathered(tmp_path).texts) == {"leaf\\xff.cfg"}


def test_no_path_is_a_sentence(tmp_path):
    with pytest.raises(RailbedError, match="there is no such file or folder"):
        gathered(tmp_path / "none")


def test_all_folders_of_netplan_are_read_of_a_root(tmp_path):
    paths = {f"/{folder}/netplan/10.yaml" for folder in ("etc", "run", "lib", "usr/lib")}
    for path in paths:
        write(tmp_path / f"node-1{path}", "network: {version: 2}\n")
    assert set(sources(tmp_path)[0]["node-1"]) == paths
