"""Fetch, running form and push of EOS: what is compared, the steps, and what they do to traffic."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from switch_configs import DialectError, dialect, intent
from switch_configs.changes import changes
from switch_configs.eos.cli import CLI
from switch_configs.intent import Rendered, SwitchIntent
from switch_configs.shown.secrets import names
from tests.switch_configs.intents import base, roles
from tests.switch_configs.sites import small

EOS = dialect("eos")
LEAF = "storage-leaf-b1-1"
NEW = EOS.render(base("eos", LEAF))
TEXT = NEW.files[0].text
BARE = Rendered(LEAF, "eos", ())


def answer(text: str, sessions: object = (), first: str = "") -> str:
    """As its command line shows it, secrets and all; `first` as evidence has it."""
    listed = json.dumps({"sessions": dict(sessions)}, indent=4)  # type: ignore[call-overload]
    return f"{listed}\n! Command: show running-config{first}\n{text}"


def held(text: str) -> Rendered:
    return EOS.running(LEAF, answer(text))


def as_eos_shows(text: str) -> str:
    """The same configuration as a switch prints it: its own lines, stored secrets, bare ports."""
    text = text.replace(f"! device: {LEAF} (EOS", f"! device: {LEAF} (DCS-7060X6-64PE, EOS")
    text = re.sub(r"key 0 <<secret:\w+>>", "key 7 070E23455D1A18", text)
    text = re.sub(
        r"v3 auth sha \S+ priv aes \S+", "v3 localized f5717f auth sha ab priv aes cd", text
    )
    own = "! boot system flash:/EOS.swi\n!\nno aaa root\n!\nusername ops secret sha512 $6$x\n!\n"
    body = text.removesuffix("end\n")
    return f"{own}{body}interface Ethernet64/1\n!\nend\n"


@pytest.mark.parametrize("name", roles("eos"))
def test_what_runs_as_rendered_is_no_step(name):
    rendered = EOS.render(intent(small("eos"), name))
    running = EOS.running(name, answer(rendered.files[0].text))
    assert running == rendered
    assert EOS.push_steps(running, rendered, 60) == ()


def test_what_a_switch_adds_of_its_own_is_no_difference():
    assert EOS.push_steps(held(as_eos_shows(TEXT)), NEW, 60) == ()


def test_a_stored_secret_is_never_shown():
    text = held(as_eos_shows(TEXT)).files[0].text
    for value in ("070E23455D1A18", "sha ab", "aes cd", "$6$x"):
        assert value not in text


def test_another_order_of_servers_is_a_difference_and_of_blocks_is_not():
    first, second = "172.16.64.8", "172.16.64.9"
    swapped = TEXT.replace(first, "X").replace(second, first).replace("X", second)
    assert EOS.push_steps(held(swapped), NEW, 60)
    users, admins = "vrf instance users\n!\n", "vrf instance admins\n!\n"
    moved = TEXT.replace(users, "").replace(admins, users + admins)
    assert moved != TEXT
    assert EOS.push_steps(held(moved), NEW, 60) == ()


def test_the_phases_come_in_order():
    steps = EOS.push_steps(BARE, NEW, 90)
    phases = list(dict.fromkeys(one.phase for one in steps))
    assert phases == ["stage", "check", "checkpoint", "arm", "apply", "confirm", "save"]
    (apply,) = [one for one in steps if one.phase == "apply"]
    assert apply.command.endswith("commit timer 00:01:30")
    assert all(one.undo for one in steps if one.phase in ("stage", "arm", "apply", "confirm"))
    written = [one.phase for one in steps if "write memory" in one.command]
    assert written == ["save"], "a restart before the confirmation must lead back"


def test_every_push_has_a_session_of_its_own():
    """EOS enters no session again that it has completed."""
    (one, other) = ({step.undo for step in EOS.push_steps(BARE, NEW, 90)} for _ in range(2))
    assert one.isdisjoint(other - {""})


def test_the_candidate_asks_for_its_secrets_and_takes_the_switch_s_users():
    (sent,) = [one for one in EOS.push_steps(BARE, NEW, 90) if one.file]
    assert sent.file
    assert sent.keeps
    assert names(sent.file.text) == names(TEXT) == ("snmp_auth", "snmp_priv", "tacacs_key")
    assert "end" not in sent.file.text.splitlines(), "the users come after it"


def test_no_value_of_the_plan_stands_in_a_command():
    for one in EOS.push_steps(BARE, NEW, 90):
        assert LEAF not in one.command
        assert "small" not in one.command


SESSIONS = {"work": {"state": "pending"}, "done": {"state": "completed"}}
MINE, OTHER = "railbed-0a1b2c3d", "railbed-99999999"


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ({}, ()),
        ({"sessions": {**SESSIONS, MINE: {"state": "pending"}}}, (MINE,)),
        ({"sessions": {**SESSIONS, MINE: {"state": "pendingCommitTimer"}}}, (MINE,)),
        ({"sessions": {MINE: {"state": "committed"}}, "commitTimerSessionName": MINE}, (MINE,)),
        (
            {
                "sessions": {MINE: {"state": "committed"}, OTHER: {"state": "pending"}},
                "commitTimerSessionName": MINE,
            },
            (MINE, OTHER),
        ),
    ],
)
def test_only_sessions_of_ours_that_wait_are_taken_back(told, names):
    found = CLI.pending(json.dumps({"sessions": SESSIONS} | told))
    assert found == names
    assert CLI.undo(found) == "\n".join(f"configure session {one} abort" for one in names)


@pytest.mark.parametrize(
    "answer",
    [
        "", "{}", "[]", "% Invalid input", '{"sessions": {"x": {}}}',
        json.dumps({"sessions": SESSIONS, "saveToStartupConfigOnCommit": True}),
        json.dumps({"sessions": SESSIONS, "commitTimerSessionName": "work"}),
        json.dumps({"sessions": {"work": {"state": "pendingCommitTimer"}}}),
    ],
)  # fmt: skip
def test_sessions_that_let_no_push_go_on(answer):
    with pytest.raises(DialectError):
        CLI.pending(answer)


@pytest.mark.parametrize("mac", ["00:1c:73:AA:bb:01", "001c.73aa.bb01"])
def test_a_switch_says_who_it_is(mac):
    port = {"interfaces": {"Management1": {"physicalAddress": mac}}}
    told = json.dumps({"hostname": LEAF}) + "\n" + json.dumps(port, indent=4)
    assert CLI.identity(told) == (LEAF, "00:1c:73:aa:bb:01")
    for broken in ("", "{}", "[]\n[]", json.dumps(port)):
        with pytest.raises(DialectError):
            CLI.identity(broken)


@pytest.mark.parametrize(
    ("old", "new", "impact"),
    [
        ("description to node-p1-1:sto0", "description old", "none"),
        ("ntp server vrf MGMT 172.16.64.5", "ntp server vrf MGMT 172.16.64.7", "none"),
        ("lldp hold-time 20", "lldp hold-time 120", "none"),
        ("minimum-threshold 799744", "minimum-threshold 1000", "runtime"),
        ("priority 3 no-drop", "priority 4 no-drop", "runtime"),
        ("   10 deny ip any 10.16.0.0/14\n", "", "runtime"),
        ("maximum-paths 2 ecmp 2", "maximum-paths 4 ecmp 4", "runtime"),
        ("remote-as 4200020000", "remote-as 4200020001", "daemon restart"),
        ("   neighbor up timers 3 9\n", "   neighbor up timers 1 3\n", "daemon restart"),
        ("   ip address 10.32.0.0/31", "   ip address 10.33.0.0/31", "daemon restart"),
        ("speed 200g-2", "speed 100g-2", "link flap"),
        ("error-correction encoding reed-solomon", "no error-correction encoding", "link flap"),
        ("channel-group 5 mode active", "channel-group 6 mode active", "link flap"),
        ("   domain-id 1\n", "   domain-id 2\n", "link flap"),
        ("protocols model multi-agent", "protocols model ribd", "reboot"),
    ],
)
def test_the_impact_is_that_of_the_worst_change(old, new, impact):
    assert old in TEXT
    steps = EOS.push_steps(held(TEXT.replace(old, new)), NEW, 60)
    assert {one.impact for one in steps if one.phase == "apply"} == {impact}
    assert {one.impact for one in steps if one.phase != "apply"} == {"none"}


@pytest.mark.parametrize(
    ("where", "impact"),
    [
        (("interface Ethernet1/1",), "link flap"),
        (("interface Ethernet1/1", "description x"), "none"),
        (("interface Vlan300",), "daemon restart"),
        (("router bgp 65001",), "daemon restart"),
        (("qos profile lossless-1-2-3",), "runtime"),
        (("ntp server vrf MGMT 192.0.2.1 iburst",), "none"),
        (("hostname x",), "none"),
        (("mlag configuration",), "link flap"),
    ],
)
def test_a_place_has_the_worst_impact_of_what_stands_there(where, impact):
    assert EOS.impact(NEW.files[0].path, where) == impact


def test_what_differs_is_told_by_section():
    (change,) = changes(
        held(TEXT.replace("vlan 300\n   name users", "vlan 300\n   name u")), NEW, EOS
    )
    assert (change.section, change.impact) == ("vlan 300", "runtime")


def test_a_change_that_waits_is_pushed_again():
    waiting = EOS.running(LEAF, answer(TEXT, {MINE: {"state": "pendingCommitTimer"}}))
    assert waiting != NEW
    assert EOS.push_steps(waiting, NEW, 60)


@pytest.mark.parametrize("window_s", [0, 9, 86400])
def test_a_window_that_eos_does_not_take_is_refused(window_s):
    with pytest.raises(DialectError, match="window"):
        EOS.push_steps(BARE, NEW, window_s)


@pytest.mark.parametrize("first", ["", " sanitized"])
def test_an_answer_that_is_not_whole_is_refused(first):
    whole = answer(TEXT, first=first)
    assert EOS.running(LEAF, whole) == NEW
    for broken in (
        "", '{"sessions": {}}', f"! Command\n{TEXT}", whole[:-20], whole + whole,
        whole.partition("\n! C")[2], whole.replace("}", "", 1), f"Welcome!\n{whole}",
    ):  # fmt: skip
        with pytest.raises(DialectError, match=LEAF):
            EOS.running(LEAF, broken)


def test_a_drain_names_every_policy_out():
    made = base("eos", LEAF)
    assert isinstance(made, SwitchIntent)
    on, off = EOS.drain_command(made, True), EOS.drain_command(made, False)
    for policy in ("up-out", "users-up-out", "admins-up-out"):
        assert f"route-map {policy} permit 10" in on
    assert on.count("set community GSHUT additive") == off.count("no set community GSHUT") == 3
    drained = EOS.render(replace(made, drained=True)).files[0].text
    assert EOS.push_steps(held(drained), NEW, 60), "a drained switch is not as planned"


OWN = """\
no service interface inactive port-id allocation disabled
!
system l1
   unsupported speed action error
   unsupported error-correction action error
!
"""


def with_more(more: str) -> str:
    return TEXT.replace("!\nhostname", f"!\n{more}hostname", 1)


def test_what_new_releases_print_is_no_difference():
    assert OWN in with_more(OWN)
    assert held(with_more(OWN)) == NEW
    assert EOS.push_steps(held(with_more(OWN)), NEW, 60) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("speed action error", "speed action warn"),
        ("   unsupported speed", "   other thing\n   unsupported speed"),
        ("   unsupported speed action error\n", ""),
        ("no service", "service"),
    ],
)
def test_what_somebody_set_there_is_a_difference(old, new):
    text = with_more(OWN.replace(old, new))
    assert EOS.push_steps(held(text), NEW, 60)
    assert EOS.readback(held(text)).unread


BANNER = "banner login\nHello qos\n   priority-flow-control on\n\n! EOF \nEOF\n!\n"


def test_a_banner_is_no_configuration_and_a_push_keeps_it():
    text = with_more(BANNER + BANNER.replace("login", "motd"))
    assert held(text) == NEW
    assert EOS.push_steps(held(text), NEW, 60) == ()
    users = "username ops secret x\nno username admin\n"
    kept = CLI.kept(answer(with_more(BANNER + users)))
    assert kept == users + BANNER.removesuffix("!\n")


@pytest.mark.parametrize(
    "more", ["", "no username ops\n", "username ops secret \x04\n", "banner motd\n"]
)
def test_a_switch_whose_own_lines_cannot_be_kept_is_not_pushed(more):
    with pytest.raises(DialectError):
        CLI.kept(answer(with_more(more)))


DIFFS = "--- flash:/startup-config\n+++ system:/running-config\n@@ -1,2 +1,2 @@\n"


@pytest.mark.parametrize(
    ("shown", "steps"),
    [
        ("", []),
        (f"{DIFFS}-! Startup-config last modified\n+! device: x\n hostname x\n", []),
        (f"{DIFFS} hostname x\n-lldp timer 5\n", ["save"]),
        (f"{DIFFS}+   mtu 9214\n", ["save"]),
    ],
)
def test_what_is_not_in_the_startup_file_is_saved_only(shown, steps):
    old = EOS.running(LEAF, answer(TEXT).replace("! Command", f"{shown}! Command", 1))
    assert [one.name for one in EOS.push_steps(old, NEW, 60)] == steps


@pytest.mark.parametrize(
    "banner", ["banner login\nHello\n", "banner login\nHello\n   EOF\n", f"banner motd\n{BANNER}"]
)
def test_a_banner_without_its_end_hides_nothing(banner):
    with pytest.raises(DialectError, match=f"{LEAF}: 'banner "):
        held(with_more(banner))
