"""What runs, and the steps from it to what shall run."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from switch_configs import DialectError, dialect, render
from switch_configs.changes import changes
from switch_configs.intent import Rendered
from switch_configs.nxos.cli import CLI
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
    assert "<<held>>" in held.files[0].text
    assert "fewhg123" not in held.files[0].text
    assert "admin" not in held.files[0].text


ADMIN = "snmp-server user admin network-admin auth md5 0x1 priv aes-128 0x2 localizedV2key"
EVIL = "snmp-server user evil network-admin auth md5 c4 priv aes-128 e6 localizedV2key"
ENGINE = f"{EVIL} engineID 128:0:0:9:3:12:226:241:132:47:0"


def held(more: str) -> str:
    """What the switch runs beside ours, as it is compared."""
    text = NXOS.running(LEAF, fetched(f"{FILE.text}{more}\n")).files[0].text
    return text.removeprefix(FILE.text)


@pytest.mark.parametrize(
    "more",
    [
        "ip domain-lookup", "no ip domain-lookup", "feature bash-shell", "interface Vlan1",
        f"username admin password 5 $5$abc  role network-admin\n{ADMIN}",
        f"{ADMIN}\nusername admin password 5 <removed>",
        f"username admin sshkey ssh-rsa AAAA\n{ADMIN}",
        ENGINE,
    ],
)  # fmt: skip
def test_what_is_the_switchs_own_is_left_out(more):
    assert held(more) == ""


@pytest.mark.parametrize(
    "more",
    [
        EVIL,
        f"username admin password 5 $5$abc\n{EVIL}",
        f"username evil password 5 !  role network-admin\n{EVIL}",
        f"username evil password 5 !\n{EVIL}",
        f"username evil role network-admin\n{EVIL}",
    ],
)
def test_an_snmp_user_of_no_login_stays_without_its_keys(more):
    shown = "<<held>>"
    kept = f"snmp-server user evil network-admin auth md5 {shown} priv aes-128 {shown}\n"
    assert held(more) == kept


@pytest.mark.parametrize(
    "more",
    [
        "snmp-server user x network-admin auth md5 0xc4\n priv aes-128 0xe6 localizedV2key",
        "snmp-server user x network-admin auth md5 0xc4\n08 priv aes-128 0xe6 localizedV2key",
        "snmp-server user x network-admin auth md5 0xc4 priv 0xe6\nc4e6 localizedkey",
        "snmp-server user x network-admin auth sha-256 0xc4\nc4e6\npriv 0xe6",
    ],
)
def test_a_key_that_goes_on_in_the_next_line_is_never_kept(more):
    assert held(more)
    assert not re.search("c4|e6", held(more))


@pytest.mark.parametrize("login", ["", "username reader password 5 $5$abc\n"])
@pytest.mark.parametrize("word", ["localizedkey", "localizedV2key"])
def test_the_planned_user_is_there_however_its_keys_are_shown(word, login):
    text = FILE.text.replace("<<secret:snmp_priv>>", f"0xdef {word}")
    assert text != FILE.text
    shown = NXOS.running(LEAF, fetched(text + login))
    assert NXOS.push_steps(shown, NEW, 120) == ()


READER = "snmp-server user reader {} auth sha 0xc4 priv aes-128 0xe6 localizedV2key\n"
MADE = "username reader password 5 !  role network-operator\n"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (f"{MADE}username reader passphrase  lifetime 99999 warntime 14 gracetime 3\n", 0),
        ("username reader password 5 !\n", 0),
        (MADE.replace("operator", "admin"), 1),
        (MADE.replace("!", "$5$abc"), 1),
        (f"{MADE}username reader sshkey ssh-rsa AAAA\n", 2),
        (MADE.replace("reader", "other"), 1),
    ],
)
def test_a_login_made_of_the_planned_snmp_user_is_no_way_in(more, told):
    text = f"{FILE.text}{READER.format('network-operator')}{more}"
    own = NXOS.own(NXOS.held(LEAF, fetched(text)))
    assert sum(not one.shipped for one in own if one.kind == "users") == told


def test_a_vlan_with_something_below_it_stays():
    assert held("interface Vlan1\n  no shutdown") == "interface Vlan1\n  no shutdown\n"


KEPT = "username ops password 5 $5$x  role network-admin\n"
BANNER = "banner exec ^\nfeature bgp\n\n  line console\n^\n"


@pytest.mark.parametrize(
    "more",
    [
        "", "ip domain-lookup\n", "feature bash-shell\n", "feature scp-server\n", BANNER,
        f"line console\n  exec-timeout 0\n{BANNER}", "banner motd # Go away #\n",
    ],
)  # fmt: skip
def test_a_push_keeps_what_is_left_out(more):
    text = fetched(f"{FILE.text}{KEPT}{more}")
    assert NXOS.running(LEAF, text) == NEW
    assert sorted(CLI.kept(text).splitlines()) == sorted(f"{KEPT}{more}".splitlines())


def test_a_push_keeps_no_snmp_user_that_nobody_planned():
    mine = f"username admin password 5 $5$abc\n{ADMIN}\n{ENGINE}\n"
    kept = CLI.kept(fetched(f"{FILE.text}{mine}{EVIL}\ninterface Ethernet1/9\n  mtu 9216\n"))
    assert kept == mine, "else the replace would keep it for ever"


@pytest.mark.parametrize(
    "more",
    [
        "", "username ops role network-admin\n", MADE, f"{KEPT}banner motd #\nHello\n",
        f"username ops sshkey ssh-rsa {'A' * 511}\n", f"{KEPT}banner motd #\x04#\n",
    ],
)  # fmt: skip
def test_a_switch_whose_own_lines_cannot_be_kept_is_not_pushed(more):
    with pytest.raises(DialectError):
        CLI.kept(fetched(f"{FILE.text}{more}"))


def test_what_is_not_in_the_startup_file_is_saved_only():
    running = fetched(SHOWN).removesuffix("railbed-fetch end\r\n")
    for saved, steps in ((SHOWN, []), (SHOWN.replace("lldp timer 5", "lldp timer 9"), ["save"])):
        text = f"{running}railbed-fetch startup\n{saved}railbed-fetch end\n"
        old = NXOS.running(LEAF, text)
        assert [one.name for one in NXOS.push_steps(old, NEW, 120)] == steps


SUMMARY = """\
User Checkpoint Summary
----------------------------------------------------------------
1) railbed-0a1b2c3d:
Created by admin
Description: None

2) before-railbed-0a1b2c3e:
Created by admin
Description: 3) railbed-0a1b2c3f: is not one

System Checkpoint Summary
----------------------------------------------------------------
3) system-fm-vrrp:
"""
LISTED = (
    "   4096    Nov 26 02:00:00 2026  railbed-candidate.cfg\n\nUsage for bootflash://sup-local\n"
)


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("No such file or directory", ()),
        (f"{SUMMARY}No such file or directory (railbed-candidate.cfg)", ("railbed-0a1b2c3d",)),
        (f"{SUMMARY}{LISTED}", ("railbed-0a1b2c3d", "railbed-candidate.cfg")),
        (LISTED.replace("\n", "\r\n"), ("railbed-candidate.cfg",)),
        (LISTED.replace("candidate.cfg", "candidate.cfg.old"), ()),
    ],
)
def test_a_change_that_nobody_confirmed_is_seen_by_its_checkpoint_and_file(answer, names):
    assert CLI.pending(answer) == names
    lines = CLI.undo(names).splitlines()
    forget = "delete bootflash:/railbed-candidate.cfg no-prompt"
    back = [
        "rollback running-config checkpoint railbed-0a1b2c3d atomic",
        "no checkpoint railbed-0a1b2c3d",
        forget,
        "configure replace commit",
    ]
    assert lines == (back if "railbed-0a1b2c3d" in names else [forget]), "no timer of others"


@pytest.mark.parametrize("key", ["eth_hw_addr", "svi_mac"])
def test_a_switch_says_who_it_is(key):
    row = {"interface": "mgmt0", key: "5254.00AA.bb01"}
    told = json.dumps({"TABLE_interface": {"ROW_interface": row}})
    assert CLI.identity(f"{LEAF}.example.com \r\n{told}\r\n") == (LEAF, "52:54:00:aa:bb:01")
    for broken in ("", LEAF, told, f"{LEAF}\n{{}}", f"two words\n{told}"):
        with pytest.raises(DialectError):
            CLI.identity(broken)


@pytest.mark.parametrize(
    ("line", "is_no"),
    [
        ("% Invalid command at '^' marker.", True),
        ("Invalid range at '^' marker.", True),
        ("ERROR: no", True),
        ("Verification failed, Rolling back to previous configuration", True),
        ("is not recommended, as this may lead to Config Replace failure.", False),
        ("Note: Applying config parallelly may fail Rollback verification", False),
        ("Syntax error while parsing 'switchport mode access'", False),
    ],
)
def test_a_refusal_is_told_from_what_nx_os_always_says(line, is_no):
    """Recorded of Nexus 9000v and 3000; the last one stood before a patch that was taken."""
    assert bool(CLI.refused.search(line)) == is_no


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


def test_where_the_switch_sets_a_stanza_is_no_difference():
    stanzas = re.split(r"(?m)^(?=\S)", FILE.text)
    held = NXOS.running(LEAF, fetched("".join(stanzas[::-1])))
    assert held != NEW
    assert NXOS.push_steps(held, NEW, 120) == ()


def test_steps_are_in_order_and_go_back_by_themselves():
    steps = NXOS.push_steps(changed("maximum-paths 2", "maximum-paths 1"), NEW, 120)
    phases = [one.phase for one in steps]
    assert phases == sorted(phases, key=lambda one: list(dict.fromkeys(phases)).index(one))
    assert [*dict.fromkeys(phases)] == [
        "stage", "check", "checkpoint", "arm", "apply", "confirm", "save",
    ]  # fmt: skip
    (apply,) = [one for one in steps if one.phase == "apply"]
    assert apply.command.endswith(f"commit-timeout {120 + NXOS.reload_s}")
    (mark,) = [one.command for one in steps if one.phase == "checkpoint"]
    assert apply.undo == CLI.undo((mark.removeprefix("checkpoint "),))
    assert [one.keeps for one in steps if one.file] == [True]
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
        assert f"route-map {policy} permit 20\nset community 65535:0 additive\n" in on
        assert f"route-map {policy} permit 20\nno set community 65535:0 additive\n" in off
    assert on.endswith("\ngraceful-shutdown activate\nend")
    assert "startup" not in on


def test_the_drain_is_what_a_drained_switch_is_rendered_with():
    made = base("nxos", LEAF)
    drained = NXOS.render(replace(made, drained=True)).files[0].text
    added = set(drained.splitlines()) - set(FILE.text.splitlines())
    assert {one.strip() for one in added} == {
        "set community 65535:0 additive",
        "graceful-shutdown activate",
    }
