"""First contact on loopback, by OpenSSH's own client: whose keys, whose logins, what is missing."""

from __future__ import annotations

import json
import logging

import pytest

from deploy.contact.contact_run import Way, installed
from deploy.contact.decide import Asked, Decided
from deploy.contact.enroll import Options, _Work
from deploy.contact.keys import key_in
from deploy.contact.site import open_at_first
from deploy.errors import RailbedError
from deploy.session import Selection, open_plan
from tests.deploy.command_line import Said, railbed

from .conftest import Hall
from .machines import REFUSES, keygen

ALL = ("oob1", "node-p1-1", "node-p1-2", "leaf-p1-r0")


def enroll(hall: Hall, *words: str) -> Said:
    said = railbed("enroll", *ALL, "--site", str(hall.site), *words)
    for secret in ("open sesame", "first light"):
        assert secret not in said.stdout + said.stderr
    return said


def listed(hall: Hall) -> dict[str, str]:
    path = hall.state / "hostkeys.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def rows(said: Said) -> dict[str, dict[str, object]]:
    return {one["device"]: one for one in json.loads(said.stdout)["devices"]}


def test_by_given_keys_and_passwords_the_sites_key_comes_to_each_login(hall):
    """A preview changes nothing; then keys are kept and logins let the site's key in, once."""
    hall.let_in("leaf-p1-r0")
    keys = ("--keys", str(hall.keys(*ALL)))
    preview = enroll(hall, *keys)
    assert preview.returncode == 3, preview.stderr
    assert "4 host keys would be written" in preview.stdout
    assert listed(hall) == {}
    assert not hall.machines["oob1"].authorized.exists()
    assert not any(one.passwords for one in hall.machines.values())

    done = enroll(hall, *keys, "--write")
    assert done.returncode == 0, done.stdout
    assert listed(hall) == {name: hall.machines[name].line for name in ALL}
    assert (hall.state / "hostkeys.json").stat().st_mode & 0o777 == 0o600
    assert all(hall.machines[name].takes(hall.public) for name in ALL)
    assert hall.machines["node-p1-1"].passwords == ["first light"]
    assert "4 of 4 devices known and let in" in done.stdout

    again = enroll(hall, "--write", "--json")
    assert again.returncode == 0, again.stdout
    assert not any(one["installed"] for one in rows(again).values())
    assert json.loads(again.stdout)["written"] == ""
    assert all(hall.machines[name].authorized.read_text().count(hall.public) == 1 for name in ALL)


def test_what_stood_in_authorized_keys_stays(hall):
    others = "ssh-rsa AAAAB3 somebody\nno end of line"
    hall.machines["node-p1-1"].authorized.write_text(others)
    enroll(hall, "--keys", str(hall.keys(*ALL)), "--write")
    text = hall.machines["node-p1-1"].authorized.read_text()
    assert text.startswith(f"{others}\nssh-ed25519 {hall.public} ")
    assert text.endswith("\n")


def test_the_sites_key_is_brought_once_whoever_brings_it(hall, tmp_path):
    """Two runs at once: the second finds it there."""
    machine, way = hall.machines["oob1"], Way(password="open sesame")
    hosts, config = tmp_path / "known_hosts", tmp_path / "config"
    hosts.write_text(f"{machine.address} {machine.line}\n")
    config.write_text(f"Host oob1\n  HostName {machine.address}\n  User jump\n")
    for comment in ("railbed", "another"):
        line = f"ssh-ed25519 {hall.public} {comment}"
        assert installed(config, hosts, "oob1", way, line) == ""
    assert machine.authorized.read_text() == f"ssh-ed25519 {hall.public} railbed\n"
    assert machine.authorized.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["oob1", "node-p1-1"])
def test_a_wrong_host_key_is_refused_by_name_and_nothing_is_sent_there(hall, name):
    """Another machine in its place: neither a password nor the key of the site goes to it."""
    keys = ("--keys", str(hall.keys(*ALL)))
    good = hall.machines[name].line
    hall.machines[name].new_host_key()
    hall.machines[name].logins = 0
    done = enroll(hall, *keys, "--write", "--json")
    assert done.returncode == 1
    row = rows(done)[name]
    assert "its host key" in str(row["missing"])
    assert "SHA256:" in str(row["missing"])
    assert hall.machines[name].passwords == []
    assert not hall.machines[name].authorized.exists()
    assert listed(hall)[name] == good
    if name != "oob1":
        assert not rows(done)["oob1"]["missing"]
        said = enroll(hall).stdout
        assert "do: compare on its console" in said
        assert f"railbed enroll {name} --keys FILE --replace" in said


def test_a_key_that_differs_is_replaced_only_where_that_is_asked_for(hall):
    hall.let_in(*ALL)
    assert enroll(hall, "--keys", str(hall.keys(*ALL)), "--write").returncode == 0
    hall.machines["node-p1-1"].new_host_key()
    known = listed(hall)
    new = ("--keys", str(hall.keys(*ALL)))
    refused = enroll(hall, *new, "--write", "--json")
    assert refused.returncode == 1
    assert rows(refused)["node-p1-1"]["key"] == "refused"
    assert listed(hall) == known
    one = ("enroll", "node-p1-1", "--site", str(hall.site), *new, "--replace")
    assert railbed(*one).returncode == 3
    assert listed(hall) == known
    assert railbed(*one, "--write").returncode == 0
    assert listed(hall) == {**known, "node-p1-1": hall.machines["node-p1-1"].line}


def test_the_network_is_believed_only_where_that_is_asked_for(hall):
    """Asked through the jump host by its own ssh-keyscan, shown, and kept with `--write` alone."""
    hall.let_in(*ALL)
    silent = enroll(hall, "--write")
    assert silent.returncode == 3
    assert listed(hall) == {}
    asked = enroll(hall, "--ask-once")
    assert asked.returncode == 3
    assert listed(hall) == {}
    assert "whoever is on the way may be it" in asked.stdout
    assert asked.stdout.count("by the network, asked once") == len(ALL)
    done = enroll(hall, "--ask-once", "--write")
    assert done.returncode == 0, done.stdout
    assert listed(hall) == {name: hall.machines[name].line for name in ALL}
    hall.machines["leaf-p1-r0"].new_host_key()
    other = enroll(hall, "--ask-once", "--write", "--json")
    assert other.returncode == 1
    assert rows(other)["leaf-p1-r0"]["key"] == "refused"


def test_a_fingerprint_on_a_console_holds_what_answers_to_it(hall, tmp_path):
    """As cloud-init prints it; another fingerprint there is a refusal, by name."""
    hall.let_in(*ALL)
    enroll(hall, "--keys", str(hall.keys("oob1", "node-p1-2", "leaf-p1-r0")), "--write")
    key = key_in(hall.machines["node-p1-1"].line)
    assert key is not None
    log = tmp_path / "console.log"
    head = "<14>cloud-init: -----BEGIN SSH HOST KEY FINGERPRINTS-----\n<14>cloud-init: 256 "
    log.write_text(f"{head}{'SHA256:' + 'A' * 43} root@x (ED25519)\n")
    wrong = enroll(hall, "--keys", f"node-p1-1={log}", "--write", "--json")
    assert wrong.returncode == 1
    assert rows(wrong)["node-p1-1"]["key"] == "refused"
    log.write_text(f"{head}{key.fingerprint} root@x (ED25519)\n")
    done = enroll(hall, "--keys", f"node-p1-1={log}", "--write")
    assert done.returncode == 0, done.stdout
    assert listed(hall)["node-p1-1"] == hall.machines["node-p1-1"].line


def test_a_server_that_is_not_named_is_neither_believed_nor_changed(hall):
    """Only the way: not by the network's word, not by a new key, and no password goes there."""
    node = ("enroll", "node-p1-1", "--site", str(hall.site), "--write")
    keys = ("--keys", str(hall.keys(*ALL)))
    server = hall.machines["oob1"]
    assert railbed(*node, "--ask-once").returncode == 3
    assert railbed(*node, *keys).returncode == 3
    assert (server.passwords, server.authorized.exists(), set(listed(hall))) == (
        [], False, {"node-p1-1"},
    )  # fmt: skip
    hall.let_in("oob1")
    known = {**listed(hall), "oob1": server.line}
    (hall.state / "hostkeys.json").write_text(json.dumps(known))
    server.new_host_key()
    for more in (("--keys", str(hall.keys(*ALL)), "--replace"), ()):
        said = railbed(*node, *more, "--json")
        assert said.returncode == 1
        assert "its host key" in str(rows(said)["oob1"]["missing"])
        assert listed(hall) == known


def test_what_another_run_wrote_meanwhile_stays(hall, tmp_path):
    chosen = Selection(str(hall.site), "lab")
    work = _Work(
        open_at_first(chosen, open_plan(chosen)), tmp_path, Options(write=True), Asked(), {}, print
    )
    path = hall.state / "hostkeys.json"
    path.write_text(json.dumps({"oob1": hall.machines["oob1"].line}))
    key = key_in(hall.machines["node-p1-1"].line)
    assert work._written([Decided("node-p1-1", "new", key, "f")]) == path
    assert set(listed(hall)) == {"oob1", "node-p1-1"}
    other = key_in(hall.machines["oob1"].line)
    path.write_text(json.dumps({"node-p1-1": str(other)}))
    with pytest.raises(RailbedError, match="node-p1-1: another run wrote"):
        work._written([Decided("node-p1-1", "new", key, "f")])
    assert listed(hall) == {"node-p1-1": str(other)}


def test_a_login_whose_shell_takes_nothing_is_no_login_that_took_the_key(hall, tmp_path):
    machine, way = hall.machines["oob1"], Way(password="open sesame")
    hosts, config = tmp_path / "known_hosts", tmp_path / "config"
    hosts.write_text(f"{machine.address} {machine.line}\n")
    config.write_text(f"Host oob1\n  HostName {machine.address}\n  User jump\n")
    (machine.programs / "sh").write_text("#!/bin/false\n")
    (machine.programs / "sh").chmod(0o755)
    said = installed(config, hosts, "oob1", way, f"ssh-ed25519 {hall.public}")
    assert said == "its shell ended with 1"


def test_what_is_missing_is_said_with_what_mends_it(hall, monkeypatch):
    hall.let_in("oob1", "node-p1-2")
    hall.machines["node-p1-2"].sudo(REFUSES)
    monkeypatch.setenv("NODE_PASSWORD", "")
    keys = str(hall.keys("oob1", "node-p1-1", "node-p1-2"))
    found = enroll(hall, "--keys", keys, "--write")
    assert found.returncode == 3
    said = found.stdout
    assert "credential 'node_password': env:NODE_PASSWORD is not set, or empty" in said
    assert "sudo without a password for ubuntu" in said
    assert "echo 'ubuntu ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/railbed" in said
    assert "leaf-p1-r0 linux_frr switch: host key unknown; login as root not tried" in said
    assert f"`./railbed enroll leaf-p1-r0 --keys FILE --site {hall.site}`" in said


def test_while_nobody_is_let_in_at_the_jump_host_nothing_behind_it_is_tried(hall, monkeypatch):
    monkeypatch.delenv("JUMP_PASSWORD")
    found = enroll(hall, "--keys", str(hall.keys(*ALL)), "--write")
    assert found.returncode == 3
    assert found.stdout.count("the way there: oob1 lets nobody in yet") == 3
    assert hall.machines["node-p1-1"].passwords == []


def test_a_key_that_is_let_in_already_brings_the_sites(hall):
    """The login that exists is another key's: an image's, or a person's."""
    other = hall.state / "others"
    keygen(other)
    text = other.with_suffix(".pub").read_text()
    for name in ALL:
        hall.machines[name].authorized.write_text(text)
    done = enroll(hall, "--keys", str(hall.keys(*ALL)), "--identity", str(other), "--write")
    assert done.returncode == 0, done.stdout
    assert all(hall.machines[name].takes(hall.public) for name in ALL)
    assert not any(one.passwords for one in hall.machines.values())


def test_a_log_of_it_holds_names_and_no_secret(hall):
    enroll(hall, "--keys", str(hall.keys(*ALL)), "--write")
    text = (hall.state / "railbed.log").read_text()
    assert "host key of oob1 kept, by keys" in text
    assert "open sesame" not in text
    logging.getLogger("deploy").handlers.clear()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nodee-p1-1"], "nodee-p1-1: lab has no such device or group"),
        (["--keys", "/nowhere"], "/nowhere is not there"),
        (["--replace"], "--replace: found no device"),
        (["--ca", "README.md"], "README.md:3:1: found no public key"),
        (["--keys", "README.md"], "--keys README.md: found no host key of a device of lab"),
    ],
)
def test_bad_input_is_named(hall, words, why):
    said = railbed("enroll", "--site", str(hall.site), *words)
    assert (said.returncode, why in said.stderr) == (2, True), said.stderr


def test_a_site_without_its_key_is_told_how_to_make_it(hall):
    (hall.state / "id_ed25519").unlink()
    said = railbed("enroll", "--site", str(hall.site))
    assert said.returncode == 2
    assert f"ssh-keygen -t ed25519 -N '' -C lab -f {hall.state}/id_ed25519" in said.stderr
