"""Configurations within what terminals and `show tech` leave: placed at the lines of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.audits import limits, reader
from deploy.audits.gathered import gathered
from validation.audit.audit import audit

from .texts import hostname, one, write

EOS, NXOS = one("eos"), one("nxos", 3)


def tech_eos(text: str, command: str = "show running-config sanitized") -> str:
    return (
        "------------- show version detail -------------\n\nArista DCS-7060X6-64PE\n"
        "hostname of another thing\n"
        f"\n------------- {command} -------------\n\n{text}\n"
        "------------- show interfaces -------------\n\nEthernet1/1 is up\n  mtu 1500\n"
    )


def tech_nxos(text: str) -> str:
    return (
        "`show switchname`\nleaf\n`show interface brief`\nEth1/1 up\n"
        f"`show running-config`\n\n!Command: show running-config\n!Time: Fri\n\n{text}\n"
        "`show vlan`\nVLAN Name\n"
    )


def log_of(text: str, command: str = "show running-config", line_end: str = "\r\n") -> str:
    host = hostname(text)
    body = text.split("\n")
    body.insert(40, " --More-- \x08\x08\x08\x08\x08\x08\x08\x08\x08\x08          \r" + body.pop(40))
    lines = [
        "Trying 192.0.2.1...", "************", "* Authorised use only! *", "Password: ",
        f"{host}#show clock", "Fri Nov  1", f"{host}# {command}", *body,
        f"{host}#exit", "logout", "",
    ]  # fmt: skip
    return "\x1b[?2004h" + line_end.join(lines)


CASES = {
    "eos-tech": (EOS, tech_eos(EOS)),
    "eos-tech-startup": (EOS, tech_eos(EOS, "show startup-config")),
    "nxos-tech": (NXOS, tech_nxos(NXOS)),
    "eos-log": (EOS, log_of(EOS)),
    "eos-log-short": (EOS, log_of(EOS, "sh run")),
    "nxos-log": (NXOS, log_of(NXOS, "show run | no-more", "\n")),
    "sonic-log": (
        one("sonic"),
        f"admin@leaf1:~$ sudo cat /etc/sonic/config_db.json\n{one('sonic')}admin@leaf1:~$ exit\n",
    ),
    "cumulus-log": (
        one("cumulus"),
        f"cumulus@leaf1:mgmt:~$ nv config show\n{one('cumulus')}cumulus@leaf1:mgmt:~$ \n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_running_configuration_is_found_at_its_lines(tmp_path, case):
    plain, text = CASES[case]
    path = write(tmp_path / "session.log", text)
    found = gathered(path)
    assert not found.refused
    bare = audit(gathered(write(tmp_path / "bare.cfg", plain)).texts)
    held = audit(found.texts)
    assert held.network.boxes[0].facts == bare.network.boxes[0].facts
    assert (held.exit_code, held.inconclusive) == (bare.exit_code, bare.inconclusive)
    (kept,) = (inner for texts in found.texts.values() for inner in texts.values())
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(kept.split("\n")):
        assert not line or lines[number].endswith(line)


def test_a_finding_is_placed_in_the_file_that_the_user_has(tmp_path):
    text = tech_eos(EOS.replace("mtu 9214", "mtu 1500", 1))
    path = write(tmp_path / "tech.txt", text)
    box = audit(gathered(path).texts).network.boxes[0]
    line = text.split("\n").index("hostname " + hostname(EOS)) + 1
    assert box.place("", "hostname") == f"tech.txt:{line}"


def test_two_switches_in_one_log_are_two(tmp_path):
    other = one("eos", 5)
    found = gathered(write(tmp_path / "both.log", log_of(EOS, line_end="\n") + log_of(other)))
    assert set(found.texts) == {f"both.log#{hostname(EOS)}", f"both.log#{hostname(other)}"}
    boxes = audit(found.texts).network.boxes
    assert {one.name for one in boxes} == {hostname(EOS), hostname(other)}


def test_what_runs_goes_before_what_is_saved_and_the_last_before_the_first(tmp_path):
    old, new = EOS.replace("mtu 9214", "mtu 9000"), EOS
    host = hostname(EOS)
    text = (
        f"{host}#show run\n{old}{host}#show run\n{new}{host}#show startup-config\n{old}"
        f"{host}#show run int Et1/1\ninterface Ethernet1/1\n"
    )
    found = gathered(write(tmp_path / "a.log", text))
    assert found.notes == (
        f"a.log: {host} shows its configuration more than once: the last is taken",
    )
    assert "mtu 9000" not in found.texts["a.log"]["a.log"]


def test_a_part_of_a_configuration_is_none(tmp_path):
    text = "leaf#show running-config interface Et1\ninterface Ethernet1\n   mtu 9214\nleaf#\n"
    found = gathered(write(tmp_path / "a.log", text))
    assert not found.texts
    assert found.refused[0].why.startswith("a part of a configuration only: show running-config i")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Cisco IOS", tech_eos("Building configuration...\n\nCurrent configuration : 15272 bytes\n"
                               "!\nversion 15.1\nservice timestamps log datetime\nend")),
        ("Junos", "## Last commit: 2024-11-01\nversion 20.4R3.8;\nsystem {\n    host-name r;\n}"),
        ("IOS-XR", "!! IOS XR Configuration 7.3.2\nhostname r\n"),
        ("VyOS or EdgeOS", "interfaces {\n    ethernet eth0 {\n    }\n}\n"),
        ("Huawei VRP", "!Software Version V200R019C10\n#\nsysname leaf\n"),
        ("commands of NVUE (`nv config show` is read)", "nv set interface swp1 link mtu 9216\n"),
        ("FortiOS", "#config-version=FGT60F-7.0\n"),
        ("ArubaOS-CX", "!\n!Version ArubaOS-CX FL.10.06\nhostname x\n"),
    ],
)  # fmt: skip
def test_a_system_that_nobody_here_understands_is_named(tmp_path, name, text):
    found = gathered(write(tmp_path / "a.cfg", text))
    assert [one.why for one in found.refused] == [f"{name}: not understood here"]
    assert not found.texts


def test_a_bundle_longer_than_any_configuration_is_looked_through(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "TEXT_BYTES", len(tech_eos(EOS)) + 1000)
    filler = "Ethernet1/1 counters 12345\n" * 2_000
    long = tech_eos(EOS) + filler
    found = gathered(write(tmp_path / "tech.txt", long))
    assert not found.refused
    assert audit(found.texts).exit_code == 0
    noise = gathered(write(tmp_path / "noise.txt", filler * 3))
    assert "no output of `show running-config` in it" in noise.refused[0].why
    line = gathered(write(tmp_path / "line.txt", "x" * 400_000))
    assert "no lines of a text" in line.refused[0].why
    monkeypatch.setattr(reader, "STREAM_BYTES", 100_000)
    assert "no configuration is so long" in gathered(tmp_path / "noise.txt").refused[0].why


def test_no_secret_of_a_bundle_is_told(tmp_path):
    text = tech_eos(EOS.replace("\nend", "\nusername root secret 0 hunter2\n\x01\nend"))
    for name, data in {"a.txt": text, "b.txt": text[:-2000], "c.txt": text + EOS}.items():
        write(Path(tmp_path) / name, data)
    found = gathered(tmp_path)
    told = " ".join([*found.notes, *(f"{one.source} {one.why}" for one in found.refused)])
    assert "hunter2" not in told


def test_limits_are_those_of_the_readme():
    readme = (Path(limits.__file__).parent / "README.md").read_text()
    for number in (limits.TEXT_BYTES, limits.STREAM_BYTES, limits.UNPACKED_BYTES):
        assert f"{number // limits.MIB:,} MiB" in readme
