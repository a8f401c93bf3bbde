"""What runs, and the steps from it to what shall run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import DialectError, dialect, render
from switch_configs.changes import changes
from switch_configs.intent import Rendered
from tests.switch_configs.intents import base
from tests.switch_configs.sites import small

NXOS = dialect("nxos")
LEAF = "storage-leaf-b1-1"
NEW = render(small("nxos"), LEAF)
(FILE,) = NEW.files


def fetched(text: str) -> str:
    return f"railbed-fetch 1\r\n{text}railbed-fetch end\r\n"


# How a Nexus shows it: its own stanzas, secrets in its own encoding, ports that nobody named.
SHOWN = (
    "\n!Command: show running-config\n!Running configuration last done at: Mon Nov 17 2025\n\n"
    + FILE.text.replace("version 10.5(3)", "version 10.5(3) Bios:version 01.08")
    .replace("key 0 <<secret:tacacs_key>>", 'key 7 "fewhg123"')
    .replace("<<secret:snmp_auth>>", "0xabc")
    .replace("<<secret:snmp_priv>>", "0xdef localizedkey")
    .replace("interface mgmt0", "interface Ethernet1/64\n\ninterface mgmt0")
    .replace("hostname", "vdc x id 1\n  limit-resource vlan minimum 16 maximum 4094\nhostname")
    + "username admin password 5 $5$abc role network-admin\n"
    + "snmp-server user admin network-admin auth md5 0x1 priv aes-128 0x2 localizedV2key\n"
    + "banner motd #\nhostname: none of yours\n  Go away\n#\n"
    + "line console\n  exec-timeout 0\nboot nxos bootflash:/nxos64-s1.10.5.3.F.bin\n"
)


def changed(old: str, new: str) -> Rendered:
    assert old in FILE.text
    return replace(NEW, files=(replace(FILE, text=FILE.text.replace(old, new)),))


def test_what_is_rendered_and_runs_is_the_same():
    assert NXOS.running(LEAF, fetched(FILE.text)) == NEW
    assert NXOS.push_steps(NXOS.running(LEAF, fetched(FILE.text)), NEW, 120) == ()


def test_what_the_switch_adds_is_no_difference():
    held = NXOS.running(LEAF, fetched(SHOWN))
    assert NXOS.push_steps(held, NEW, 120) == ()
    assert "<<secret:shown>>" in held.files[0].text
    assert "fewhg123" not in held.files[0].text
    assert "admin" not in held.files[0].text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first or last"),
        (FILE.text, "first or last"),
        (fetched(FILE.text)[:-30], "first or last"),
        (fetched(FILE.text + FILE.text), "not one line 'version'"),
        (fetched(""), "not one line 'version'"),
    ],
)
def test_an_answer_that_is_cut_or_doubled_is_an_error(text, why):
    with pytest.raises(DialectError, match=why):
        NXOS.running(LEAF, text)


def test_steps_are_in_order_and_go_back_by_themselves():
    steps = NXOS.push_steps(changed("maximum-paths 2", "maximum-paths 1"), NEW, 120)
    phases = [one.phase for one in steps]
    assert phases == sorted(phases, key=lambda one: list(dict.fromkeys(phases)).index(one))
    assert [*dict.fromkeys(phases)] == ["stage", "check", "checkpoint", "apply", "confirm", "save"]
    (apply,) = [one for one in steps if one.phase == "apply"]
    assert apply.command.endswith("commit-timeout 120")
    assert apply.undo == NXOS.undo_command()
    assert apply.impact == "runtime"
    saves = [at for at, one in enumerate(steps) if "startup-config" in one.command]
    assert saves == [len(steps) - 1], "a restart before that goes back"


@pytest.mark.parametrize(
    ("old", "new", "impact"),
    [
        ("logging server 172.16.64.6", "logging server 172.16.64.7", "none"),
        ("description to node-p1-1:sto0", "description to another", "none"),
        ("route-map up-out permit 20", "route-map up-out permit 30", "runtime"),
        ("set local-preference 0", "set local-preference 1", "runtime"),
        ("    remote-as 4200020000", "    remote-as 4200020009", "daemon restart"),
        ("pause pfc-cos 3", "pause pfc-cos 4", "link flap"),
        ("map 400g-2x", "map 200g-2x", "link flap"),
        ("  fec rs-fec", "  fec off", "link flap"),
        ("maximum-threshold 3000000", "maximum-threshold 2000000", "link flap"),
        ("feature bfd\n", "", "runtime"),
        ("feature bfd\n", "feature bfd\nfeature vpc\n", "daemon restart"),
        ("  no switchport\n  priority", "  priority", "link flap"),
        ("    pause pfc-cos 3\n    mtu 9216\n", "    mtu 9216\n    pause pfc-cos 3\n", "link flap"),
        ("bfd interval", "hardware access-list tcam region ing-sup 768\nbfd interval", "reload"),
    ],
)
def test_the_impact_is_that_of_the_worst_change(old, new, impact):
    steps = NXOS.push_steps(changed(old, new), NEW, 120)
    assert next(one.impact for one in steps if one.phase == "apply") == impact


def test_a_change_is_told_by_stanza_with_its_impact():
    (change,) = changes(changed("pause pfc-cos 3", "pause pfc-cos 4"), NEW, NXOS)
    assert change.impact == "link flap"
    assert "policy-map type network-qos lossless" in change.section


@pytest.mark.parametrize("window_s", [0, 29, 3601])
def test_a_window_that_the_switch_does_not_take_is_refused(window_s):
    with pytest.raises(DialectError, match=LEAF):
        NXOS.push_steps(changed("maximum-paths 2", "maximum-paths 1"), NEW, window_s)


def test_a_drain_marks_every_policy_out_and_its_end_takes_that_back():
    made = base("nxos", "business-leaf-b1-1")
    on, off = NXOS.drain_command(made, True), NXOS.drain_command(made, False)
    for policy in ("up-out", "users-up-out", "admins-up-out"):
        assert f"route-map {policy} permit 20 ; set community 65535:0 additive" in on
        assert f"route-map {policy} permit 20 ; no set community 65535:0 additive" in off
    assert on.endswith("graceful-shutdown activate ; end")
    assert "startup" not in on


def test_the_drain_is_what_a_drained_switch_is_rendered_with():
    made = base("nxos", LEAF)
    drained = NXOS.render(replace(made, drained=True)).files[0].text
    added = set(drained.splitlines()) - set(FILE.text.splitlines())
    assert {one.strip() for one in added} == {
        "set community 65535:0 additive",
        "graceful-shutdown activate",
    }
