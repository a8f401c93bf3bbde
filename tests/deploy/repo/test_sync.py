"""The OOB server gets whole releases, only what is new, and never the key."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.packages import repo_run
from deploy.packages.gpg_run import PRIVATE_KEY
from deploy.packages.repo_run import VALID, build, folder_of, sync
from inventory import open_site

from .bench import NODE, STATE, by_ansible, on

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="how packages come to a site"),
]

FOLDER = folder_of(open_site("lab"))
LISTING = f"find {FOLDER} -printf '%p %y %T@ %C@ %s %m %u:%g %l\\n' | sort"


def test_a_second_sync_sends_and_touches_nothing(healthy: Context):
    before = on("oob1", LISTING).text
    assert not sync(healthy)
    assert before.count("\n") > 10
    assert on("oob1", LISTING).text == before


def test_what_somebody_changed_on_the_server_is_mended_and_nothing_else_sent(healthy: Context):
    notes: list[str] = []

    def journal(device: str, phase: str, impact: str, before: str, after: str, detail: str) -> None:
        notes.append(f"{device} {phase} {detail}")

    spoil = f"cd {FOLDER}/current && echo x | tee -a pool/perftest_* && touch stranger"
    assert on("oob1", spoil).status == 0
    assert sync(replace(healthy, journal=journal))
    assert notes == ["oob1 packages begins: 1 files", "oob1 packages done: 1 files"]
    assert on("oob1", f"ls {FOLDER}/current/stranger").status != 0
    assert not sync(healthy)


def test_a_transfer_that_breaks_off_leaves_the_old_release_served(healthy: Context, tmp_path):
    """Digests that do not come out right: nothing of it is served, and sync says so."""
    before = on("oob1", f"readlink {FOLDER}/current").text
    tree = build(healthy.plan, healthy.state_dir, datetime.now(UTC))
    wanted = repo_run.manifest(tree) | {"pool/new.deb": "0" * 64}
    (tree / "pool/new.deb").write_bytes(b"half")
    try:
        with pytest.raises(RailbedError, match="did not take the packages"):
            repo_run.send(healthy, tree, wanted, ["pool/new.deb"])
    finally:
        (tree / "pool/new.deb").unlink()
    assert on("oob1", f"readlink {FOLDER}/current").text == before
    assert not sync(healthy)


def test_it_is_signed_anew_when_half_of_its_time_has_passed(healthy: Context):
    now = datetime.now(UTC)
    tree = build(healthy.plan, healthy.state_dir, now)
    [signed] = tree.rglob("InRelease")
    first = signed.read_text()
    build(healthy.plan, healthy.state_dir, now + VALID / 2.2)
    assert signed.read_text() == first
    build(healthy.plan, healthy.state_dir, now + VALID / 1.9)
    second = signed.read_text()
    assert second != first
    # Signed by a clock that was wrong: not kept until that day comes.
    build(healthy.plan, healthy.state_dir, now)
    assert signed.read_text() not in (first, second)


def test_the_private_key_stays_here_and_is_ours_alone(healthy: Context):
    key = STATE / PRIVATE_KEY
    assert key.stat().st_mode & 0o777 == 0o600
    secret = key.read_text().splitlines()[3]
    for device in ("oob1", NODE):
        found = on(device, f"grep -rlF {secret} /etc /srv /root /run /tmp /var/lib 2>/dev/null")
        assert found.text == ""
    assert secret not in str(healthy.plan)
    holders = [
        path for path in STATE.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]
    assert holders == [key]


def test_the_other_engine_finds_nothing_to_change(healthy: Context):
    """pyinfra set the server up; Ansible agrees with every file, folder and unit of it."""
    said = by_ansible("oob1", "--check", "--diff", "--tags", "package_repo")
    [line] = [one for one in said.splitlines() if one.startswith("oob1 ") and "ok=" in one]
    assert "changed=0" in line, said
    assert "failed=0" in line


def test_the_server_survives_a_restart_of_its_machine(healthy: Context):
    """It serves again by itself, and the firewall still lets nodes in."""
    from deploy import lab

    from .bench import NAME, update

    lab.restart(NAME, "oob1")
    assert update().status == 0
