"""The steps of a push: which, in what order, and what no shell can misread."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

import pytest

from switch_configs import DialectError, dialect, render
from switch_configs.intent import ConfigFile, Rendered, Step
from tests.switch_configs.plans import lab

DIALECT = dialect("linux_frr")
NEW = render(lab("unnumbered"), "leaf-p1-r0")
BARE = Rendered("leaf-p1-r0", "linux_frr", ())


def but(path: str, text: str) -> Rendered:
    """What the switch holds when one file has another text."""
    files = tuple(replace(one, text=text) if one.path == path else one for one in NEW.files)
    assert files != NEW.files
    return replace(NEW, files=files)


def text_of(path: str) -> str:
    return next(one.text for one in NEW.files if one.path == path)


def names(steps: tuple[Step, ...], phase: str) -> list[str]:
    return [one.name for one in steps if one.phase == phase]


def test_nothing_to_do_is_no_step():
    assert DIALECT.push_steps(NEW, NEW, 60) == ()


def test_the_phases_come_in_the_safe_order():
    steps = DIALECT.push_steps(BARE, NEW, 60)
    phases = [phase for phase, _ in groupby(one.phase for one in steps)]
    assert phases == ["stage", "check", "checkpoint", "arm", "apply", "confirm", "save"]


def test_a_first_push_applies_all_and_cuts_management_off_data_first():
    steps = DIALECT.push_steps(BARE, NEW, 60)
    parts = ("nftables", "sysctl", "interfaces", "daemons", "frr", "lldpd", "timesyncd")
    assert names(steps, "apply") == [f"apply {part}" for part in parts]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/etc/frr/daemons", "daemons"),
        ("/etc/lldpd.d/railbed.conf", "lldpd"),
        ("/etc/network/interfaces", "interfaces"),
        ("/etc/nftables.conf", "nftables"),
        ("/etc/sysctl.d/90-railbed.conf", "sysctl"),
        ("/etc/systemd/timesyncd.conf.d/railbed.conf", "timesyncd"),
    ],
)
def test_only_what_changed_is_sent_and_applied(path, part):
    steps = DIALECT.push_steps(but(path, "# old\n"), NEW, 60)
    assert names(steps, "apply") == [f"apply {part}"]
    staged = [one.file.path for one in steps if one.phase == "stage" and one.file]
    assert staged == ["/var/lib/railbed/switch-push", f"/var/lib/railbed/candidate{path}"]


def test_routes_by_nexthop_objects_are_learnt_again():
    frr = "/etc/frr/frr.conf"
    without = text_of(frr).replace("no zebra nexthop kernel enable\n", "")
    steps = DIALECT.push_steps(but(frr, without), NEW, 60)
    assert names(steps, "apply") == ["apply frr", "apply relearn"]
    other = text_of(frr).replace("maximum-paths 2", "maximum-paths 3")
    assert names(DIALECT.push_steps(but(frr, other), NEW, 60), "apply") == ["apply frr"]
    assert "apply relearn" not in names(DIALECT.push_steps(BARE, NEW, 60), "apply")


def test_a_change_that_resets_sessions_says_so():
    frr = "/etc/frr/frr.conf"
    other_asn = but(frr, text_of(frr).replace("router bgp 4200000100", "router bgp 4200000111"))
    one_more = text_of(frr).replace(
        " neighbor swp5 bfd\n", " neighbor swp5 bfd\n neighbor swp7 interface remote-as 65000\n"
    )
    wider = but(frr, text_of(frr).replace("maximum-paths 2", "maximum-paths 3"))
    for old, impact in (
        (other_asn, "daemon restart"),
        (but(frr, one_more), "daemon restart"),
        (wider, "runtime"),
        (BARE, "runtime"),
    ):
        steps = DIALECT.push_steps(old, NEW, 60)
        assert [one.impact for one in steps if one.name == "apply frr"] == [impact]


def test_startup_files_are_sent_beside_their_place_only():
    for step in DIALECT.push_steps(BARE, NEW, 60):
        if step.file and not step.file.path.startswith("/etc/systemd/system/railbed-"):
            assert step.file.path.startswith("/var/lib/railbed/")


def test_after_an_unconfirmed_change_everything_is_sent():
    pending = ConfigFile("/var/lib/railbed/pending", "x\n", "root", "root", "0600", "none")
    steps = DIALECT.push_steps(replace(NEW, files=(*NEW.files, pending)), NEW, 60)
    assert len(names(steps, "apply")) == 7


def test_the_window_is_the_timer():
    steps = DIALECT.push_steps(BARE, NEW, 77)
    (timer,) = [one.file for one in steps if one.file and one.file.path.endswith(".timer")]
    assert timer is not None
    assert "\nOnActiveSec=77\n" in timer.text
    with pytest.raises(DialectError, match="window of 9 s"):
        DIALECT.push_steps(BARE, NEW, 9)


def test_every_step_that_changes_what_runs_can_be_taken_back():
    for step in DIALECT.push_steps(BARE, NEW, 60):
        if step.phase in ("arm", "apply") and step.command:
            assert step.undo == DIALECT.undo_command()
        if step.impact != "none":
            assert step.phase == "apply"
        assert 0 < step.timeout_s <= 300


def test_commands_are_plain_words_whatever_the_plan_says():
    plain = re.compile(r"/var/lib/railbed/switch-push [a-z]+( [a-z]+)?")
    wild = but("/etc/nftables.conf", "'; rm -rf / #\n$(reboot)\n")
    for steps in (DIALECT.push_steps(wild, NEW, 60), DIALECT.push_steps(NEW, wild, 60)):
        for step in steps:
            assert not step.command or plain.fullmatch(step.command)


def test_the_device_knows_every_word_it_is_told():
    steps = DIALECT.push_steps(BARE, NEW, 60)
    script = next(one.file.text for one in steps if one.file)
    words = {one.command.split()[-1] for one in steps if one.command}
    for word in words - {"relearn"}:
        assert re.search(rf"^(apply_)?{word}\(\)", script, re.MULTILINE), word


def test_the_way_back_at_boot_comes_before_all_that_reads_the_files():
    steps = DIALECT.push_steps(BARE, NEW, 60)
    unit = next(
        one.file.text for one in steps if one.file and one.file.path.endswith("rollback.service")
    )
    before = next(line for line in unit.splitlines() if line.startswith("Before="))
    for reader in ("nftables", "networking", "frr", "lldpd", "systemd-sysctl"):
        assert f"{reader}.service" in before
