"""The steps of a push, what they cost, and what comes back from a device."""

from __future__ import annotations

import base64
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from switch_configs import DialectError, sonic
from switch_configs.intent import ConfigFile, Rendered, Step
from switch_configs.sonic.files import CONFIG_DB, FRR, PENDING
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, database, made, with_database

NAME = "leaf-p1-r0"


def rendered() -> Rendered:
    return SONIC.render(made(small("sonic"), NAME))


def with_text(path: str, old: str, new: str) -> Rendered:
    files = []
    for one in rendered().files:
        assert path != one.path or old in one.text
        text = one.text.replace(old, new) if one.path == path else one.text
        files.append(replace(one, text=text))
    return replace(rendered(), files=tuple(files))


def applied(steps: tuple[Step, ...]) -> dict[str, str]:
    return {one.name: one.impact for one in steps if one.phase == "apply"}


def test_nothing_to_do_is_no_step():
    assert SONIC.push_steps(rendered(), rendered(), 120) == ()


@pytest.mark.parametrize(
    ("path", "old", "new", "impacts"),
    [
        (
            CONFIG_DB,
            '"detection_time": "200"',
            '"detection_time": "400"',
            {"apply rows": "runtime"},
        ),
        (CONFIG_DB, '"172.16.64.5"', '"172.16.64.7"', {"apply rows": "runtime"}),
        (
            CONFIG_DB,
            '_drop_probability": "5"',
            '_drop_probability": "6"',
            {"apply rows": "runtime"},
        ),
        (CONFIG_DB, '"description": "to ', '"description": "from ', {"apply rows": "runtime"}),
        (CONFIG_DB, '"mtu": "9000"', '"mtu": "8900"', {"apply reload": "reload"}),
        (CONFIG_DB, '"weight": "50"', '"weight": "51"', {"apply rows": "runtime"}),
        (CONFIG_DB, '"26": "3"', '"26": "0"', {"apply rows": "runtime"}),
        (CONFIG_DB, '"dynamic_th": "3"', '"dynamic_th": "2"', {"apply rows": "runtime"}),
        (CONFIG_DB, '"pir": "', '"pir": "1', {"apply reload": "reload"}),
        (CONFIG_DB, '"26": "3",', "", {"apply reload": "reload"}),
        (CONFIG_DB, '"wred_profile": "ECN_', '"wred_profile": "X', {"apply reload": "reload"}),
        (FRR, "remote-as 42", "remote-as 43", {"apply frr": "daemon restart"}),
    ],
)
def test_a_change_says_what_it_costs(path, old, new, impacts):
    if old == '"mtu": "9000"':
        old = f'"mtu": "{database(rendered())["PORT"]["Ethernet0"]["mtu"]}"'
    steps = SONIC.push_steps(with_text(path, old, new), rendered(), 120)
    assert applied(steps) == impacts


@pytest.mark.parametrize(
    ("path", "where", "impact"),
    [
        (CONFIG_DB, ("PFC_WD", "Ethernet0"), "runtime"),
        (CONFIG_DB, ("PORT", "Ethernet0", "description"), "runtime"),
        (CONFIG_DB, ("PORT", "Ethernet0"), "reload"),
        (CONFIG_DB, (), "reload"),
        (FRR, ("router bgp 65000",), "daemon restart"),
        ("/etc/motd", (), "none"),
    ],
)
def test_a_place_says_what_its_change_costs(path, where, impact):
    assert SONIC.impact(path, where) == impact


def test_both_files_are_one_reload():
    """It starts FRR anew with its new file."""
    old = with_text(CONFIG_DB, '"fec": "rs"', '"fec": "fc"')
    old = replace(old, files=(old.files[0], replace(old.files[1], text="")))
    assert applied(SONIC.push_steps(old, rendered(), 120)) == {"apply reload": "reload"}


def test_what_an_unconfirmed_change_left_is_reloaded():
    pending = ConfigFile(PENDING, "since then\n", "root", "root", "0600", "none")
    old = replace(rendered(), files=(*rendered().files, pending))
    assert applied(SONIC.push_steps(old, rendered(), 120)) == {"apply reload": "reload"}


def test_steps_stand_in_the_order_of_a_safe_push():
    steps = SONIC.push_steps(with_text(FRR, "remote-as 42", "remote-as 43"), rendered(), 120)
    phases = list(dict.fromkeys(one.phase for one in steps))
    assert phases == ["stage", "check", "checkpoint", "arm", "apply", "confirm", "save"]
    assert all(one.command or one.file for one in steps)


@pytest.mark.parametrize(
    ("old", "seconds"), [('"fec": "rs"', 600), ('"detection_time": "200"', 120)]
)
def test_the_window_counts_from_the_end_of_a_reload(old, seconds):
    steps = SONIC.push_steps(
        with_text(CONFIG_DB, old, old.replace("rs", "fc").replace("2", "4")), rendered(), 120
    )
    (timer,) = [one.file.text for one in steps if one.file and one.file.path.endswith(".timer")]
    assert f"OnActiveSec={seconds}\n" in timer


def test_a_window_that_is_too_short_is_refused():
    with pytest.raises(DialectError, match="5 s"):
        SONIC.push_steps(with_text(FRR, "bfd", "bfD"), rendered(), 5)


def test_rows_go_forth_and_back():
    """A server that is new is taken away on the way back, and the old one written again."""
    steps = SONIC.push_steps(
        with_text(CONFIG_DB, '"172.16.64.5"', '"172.16.64.7"'), rendered(), 120
    )
    sent = {one.file.path.rpartition("/")[2]: one.file.text for one in steps if one.file}
    assert sent["rows.del"] == "- NTP_SERVER|172.16.64.7\n"
    assert list(json.loads(sent["rows.json"])["NTP_SERVER"]) == ["172.16.64.5"]
    assert sent["back.del"] == "- NTP_SERVER|172.16.64.5\n"
    assert list(json.loads(sent["back.json"])["NTP_SERVER"]) == ["172.16.64.7"]


# -- what comes back from a device ------------------------------------------------------------


def answer(files: Rendered, db: str, frr: str) -> str:
    lines = ["railbed-fetch 1"]
    for one in files.files:
        owner, group = (number.replace("root", "0") for number in (one.owner, one.group))
        content = one.text.encode()
        lines.append(f"file {one.path} {owner} {group} {one.mode.lstrip('0')} {len(content)}")
        lines.append(base64.b64encode(content).decode())
    for what, text in (("db", db), ("frr", frr)):
        lines += [f"{what} 0 {len(text.encode())}", base64.b64encode(text.encode()).decode()]
    return "\n".join([*lines, "railbed-fetch end"])


def of_the_system(files: Rendered) -> str:
    """CONFIG_DB as it runs: with what init_cfg.json and daemons put there."""
    tables = database(files)
    tables["FEATURE"] = {"bgp": {"state": "enabled"}}
    tables["CRM"] = {"Config": {"polling_interval": "300"}}
    tables["FLEX_COUNTER_TABLE"]["QUEUE"] = {"FLEX_COUNTER_STATUS": "enable"}
    tables["INTERFACE"] = {
        key: row or {"NULL": "NULL"} for key, row in tables.get("INTERFACE", {}).items()
    }
    return json.dumps(dict(reversed(tables.items())))


def running(files: Rendered, db: str, frr: str) -> Rendered:
    return SONIC.running(NAME, answer(files, db, frr))


def test_what_runs_as_rendered_is_as_rendered():
    own = rendered()
    assert running(own, of_the_system(own), own.files[1].text) == own


def test_what_runs_otherwise_is_seen():
    own = rendered()
    tables = json.loads(of_the_system(own))
    tables["STATIC_ROUTE"] = {"default|10.0.0.0/8": {"nexthop": "10.1.1.1"}}
    held = running(own, json.dumps(tables), own.files[1].text)
    assert "STATIC_ROUTE" in held.files[0].text
    assert applied(SONIC.push_steps(held, own, 120)) == {"apply reload": "reload"}
    other = own.files[1].text.replace("remote-as 42", "remote-as 43")
    assert running(own, of_the_system(own), other).files[1].text == other


def as_frr_shows(text: str) -> str:
    """FRR's own words around it, and what vtysh.conf says: docker-fpm-frr writes that one at each
    start (docker_init.sh), and vtysh shows it (FRR, vtysh/vtysh.c)."""
    said = text.replace("!\n", "service integrated-vtysh-config\n!\n", 1)
    return f"Building configuration...\n\nCurrent configuration:\n!\n{said}end\n"


def test_what_frr_shows_beside_its_file_is_no_difference():
    own = rendered()
    shown = as_frr_shows(own.files[1].text)
    assert shown.count("integrated-vtysh") == 1
    assert running(own, of_the_system(own), shown) == own
    other = running(own, of_the_system(own), shown.replace("remote-as 42", "remote-as 43"))
    assert other.files[1].text != own.files[1].text
    assert SONIC.readback(other).unread == SONIC.readback(own).unread == ()
    saved = replace(own, files=(own.files[0], replace(own.files[1], text=shown)))
    assert "service integrated-vtysh-config" not in str(SONIC.readback(saved).unread)


@pytest.mark.parametrize("cut", [0, 1, -1])
def test_an_answer_that_is_cut_is_refused(cut):
    own = rendered()
    lines = answer(own, of_the_system(own), "!").splitlines()
    del lines[cut]
    with pytest.raises(DialectError, match=NAME):
        SONIC.running(NAME, "\n".join(lines))


def test_a_changed_table_is_a_difference():
    own = rendered()
    other = with_database(own, database(own) | {"DNS_NAMESERVER": {"192.0.2.1": {}}})
    held = running(other, of_the_system(other), own.files[1].text)
    assert held.files[0].text == other.files[0].text


def test_the_commands_are_shell_that_a_device_reads():
    script = Path(sonic.__file__).parent / "device/switch-push"
    for text in (script.read_text(), SONIC.fetch_command(), SONIC.undo_command()):
        subprocess.run(["sh", "-n"], input=text, text=True, check=True, timeout=10)


def test_a_drain_is_said_to_bgpd():
    one = made(small("sonic"), "spine-p1-1")
    assert SONIC.drain_command(one, True).startswith("docker exec bgp vtysh -c 'configure")
    assert "'no bgp graceful-shutdown'" in SONIC.drain_command(one, False)
