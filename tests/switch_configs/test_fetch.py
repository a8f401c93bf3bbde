"""The fetch command on a real shell, and what its answer becomes."""

from __future__ import annotations

import subprocess
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from switch_configs import DialectError, dialect, render
from switch_configs.diff import diff
from switch_configs.intent import Rendered
from tests.switch_configs.plans import LINKS, lab

DIALECT = dialect("linux_frr")
FRR = "/etc/frr/frr.conf"

# What `vtysh -c 'show running-config'` of FRR 8.4.4 writes around and into a configuration
# (captured): its own words, other comments, neighbours in the order in which they were made.
AROUND = "Building configuration...\n\nCurrent configuration:\n!\n{body}!\nend\n"


def as_frr_shows(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("! ")]
    return AROUND.format(body="".join(f"{line}\n" for line in lines))


def b64(text: str) -> str:
    """Like base64(1): lines of 76 characters."""
    whole = b64encode(text.encode()).decode()
    return "".join(f"{whole[at : at + 76]}\n" for at in range(0, len(whole), 76))


def answer(rendered: Rendered, running: str | None) -> str:
    """What a device that holds these files prints."""
    parts = [
        f"file {one.path} {one.owner} {one.group} {one.mode.lstrip('0')} "
        f"{len(one.text.encode())}\n{b64(one.text)}"
        for one in rendered.files
    ]
    text, status = ("\n", 1) if running is None else (running, 0)
    shown = f"running {status} {len(text.encode())}\n{b64(text)}"
    return f"railbed-fetch 1\n{''.join(parts)}{shown}railbed-fetch end\n"


@pytest.fixture(params=[(links, name) for links in LINKS for name in ("leaf-p1-r1", "spine2")])
def rendered(request) -> Rendered:
    links, name = request.param
    return render(lab(links), name)


def frr_conf(rendered: Rendered) -> str:
    return next(one.text for one in rendered.files if one.path == FRR)


def test_a_converged_device_has_no_difference(rendered):
    found = DIALECT.running(rendered.device, answer(rendered, as_frr_shows(frr_conf(rendered))))
    assert found == rendered
    assert diff(found, rendered) == ()


def test_the_order_of_neighbours_is_no_difference(rendered):
    blocks = as_frr_shows(frr_conf(rendered)).split("\n neighbor ")
    other = "\n neighbor ".join([blocks[0], *blocks[1:-1][::-1], blocks[-1]])
    assert other != as_frr_shows(frr_conf(rendered))
    assert DIALECT.running(rendered.device, answer(rendered, other)) == rendered


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("router bgp 42", "router bgp 43"),
        ("no zebra nexthop kernel enable\n", ""),
        ("  maximum-paths", "  maximum-paths 1\n  maximum-paths"),
        (" bgp router-id", " no bgp ebgp-requires-policy\n bgp router-id"),
        ("route-map up-out out", "route-map up-in out"),
        (" timers connect 1\n", " timers connect 1\n neighbor swp9 interface remote-as 1\n"),
    ],
)
def test_what_was_changed_behind_our_back_is_a_difference(old, new):
    """FRR runs another configuration than its file says: the file does not hide it."""
    rendered = render(lab("unnumbered"), "leaf-p1-r0")
    running = as_frr_shows(frr_conf(rendered))
    assert old in running
    found = DIALECT.running(rendered.device, answer(rendered, running.replace(old, new)))
    (one,) = diff(found, rendered)
    assert one.path == FRR
    assert "Building" not in one.text


def test_frr_that_does_not_run_is_a_difference(rendered):
    found = DIALECT.running(rendered.device, answer(rendered, None))
    assert [one.path for one in diff(found, rendered)] == [FRR]


def test_a_new_device_holds_no_such_files(rendered):
    bare = replace(rendered, files=())
    found = DIALECT.running(rendered.device, answer(bare, None))
    assert found.files == ()


def test_running_without_a_file_is_a_difference(rendered):
    rest = replace(rendered, files=tuple(one for one in rendered.files if one.path != FRR))
    found = DIALECT.running(rendered.device, answer(rest, as_frr_shows(frr_conf(rendered))))
    assert [one.path for one in diff(found, rendered)] == [FRR]


def test_an_unconfirmed_change_is_a_difference(rendered):
    whole = answer(rendered, as_frr_shows(frr_conf(rendered)))
    pending = f"file /var/lib/railbed/pending root root 600 4\n{b64('now' + chr(10))}running"
    found = DIALECT.running(rendered.device, whole.replace("running", pending, 1))
    assert [one.path for one in diff(found, rendered)] == ["/var/lib/railbed/pending"]
    assert DIALECT.push_steps(found, rendered, 60)


def test_owner_and_mode_count(rendered):
    whole = answer(rendered, as_frr_shows(frr_conf(rendered)))
    found = DIALECT.running(rendered.device, whole.replace("frr frr 640", "root frr 644", 1))
    (one,) = diff(found, rendered)
    assert "-(root:frr 0644)" in one.text


def test_every_cut_or_doubled_answer_is_refused(rendered):
    """Cut at any line, or with any line twice or missing: never a configuration."""
    lines = answer(rendered, as_frr_shows(frr_conf(rendered))).splitlines(keepends=True)
    broken = [lines[:at] for at in range(len(lines))]
    broken += [[*lines[:at], *lines[at + 1 :]] for at in range(len(lines))]
    broken += [[*lines[:at], lines[at], *lines[at:]] for at in range(len(lines))]
    for one in broken:
        with pytest.raises(DialectError, match=rendered.device):
            DIALECT.running(rendered.device, "".join(one))


@pytest.mark.parametrize("noise", ["Last login: today\n", "file a b c d e\n", "AAAA\n", "odd\n"])
def test_words_of_others_in_the_answer_are_refused(rendered, noise):
    """A banner, or anything else that is no part."""
    whole = answer(rendered, as_frr_shows(frr_conf(rendered)))
    for wrong in (noise + whole, whole.replace("\n", f"\n{noise}", 1), whole + noise):
        with pytest.raises(DialectError, match="cannot be read") as refused:
            DIALECT.running(rendered.device, wrong)
        assert rendered.device in refused.value.message


def test_carriage_returns_of_a_terminal_do_no_harm(rendered):
    whole = answer(rendered, as_frr_shows(frr_conf(rendered)))
    assert DIALECT.running(rendered.device, whole.replace("\n", "\r\n")) == rendered


def test_the_command_runs_in_a_posix_shell_and_changes_nothing(tmp_path: Path):
    """Against files in a folder of the test's own, with a vtysh that only prints."""
    rendered = render(lab("unnumbered"), "spine1")
    command = DIALECT.fetch_command()
    for one in rendered.files:
        path = tmp_path / one.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(one.text)
        command = command.replace(f" {one.path}", f" {path}")
    (tmp_path / "shown").write_text(as_frr_shows(frr_conf(rendered)))
    vtysh = tmp_path / "bin/vtysh"
    vtysh.parent.mkdir()
    vtysh.write_text(f"#!/bin/sh\n[ \"$*\" = '-c show running-config' ] && cat {tmp_path}/shown\n")
    vtysh.chmod(0o755)
    before = snapshot(tmp_path)
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"PATH": f"{vtysh.parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert snapshot(tmp_path) == before
    shown = done.stdout.replace(str(tmp_path), "")
    found = DIALECT.running("spine1", shown)
    assert {one.path: one.text for one in found.files} == {
        one.path: one.text for one in rendered.files
    }


def snapshot(folder: Path) -> dict[str, tuple[float, bytes]]:
    return {
        str(path): (path.stat().st_mtime, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }
