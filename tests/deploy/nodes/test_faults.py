"""What goes wrong on a node stops its wave, says what to do, and leaves the rest alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from _pytest.mark import ParameterSet

from deploy import lab
from deploy.drift import drift_of_site
from deploy.runbook import ApplyResult
from tests.deploy.chain.chain import SELECTION, inside, mended

from .lab_of_nodes import (
    CANARY,
    EARLY,
    OOB_EARLY,
    REST,
    SSH_DIES,
    applied,
    forget,
    has_it,
    touched,
    until,
    when_begun,
)

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("converged")]
ENGINES = sorted(CANARY)


@contextmanager
def mended_afterwards() -> Iterator[None]:
    """However a test ends, the next one finds all nodes as planned."""
    try:
        yield
    finally:
        mended("nodes")
        assert drift_of_site(SELECTION, []).exit_code == 0


def stopped_before_the_rest(result: ApplyResult, hurt: str) -> None:
    """Record and machines agree: the hurt node was tried, the rest was not touched."""
    assert result.exit_code == 1, result.outcome
    assert result.waves[-1].decision == "stop"
    assert result.waves[-1].name == "nodes-canary"
    assert touched() == {hurt}
    assert not any(has_it(name) for name in REST)
    assert "run apply again" in " ".join((*result.waves[-1].reasons, result.outcome))


# Every role by one engine, by turns; `--full`: by both.
EACH_ROLE = [
    pytest.param(engine, role, marks=() if (number + turn) % 2 == 0 else (pytest.mark.full,))
    for number, role in enumerate(EARLY)
    for turn, engine in enumerate(ENGINES)
]


def by(engine: str) -> list[ParameterSet]:
    """This engine; `--full`: also the other."""
    return [pytest.param(one, marks=() if one == engine else pytest.mark.full) for one in ENGINES]


def power_lost(device: str, path: str, step: str) -> ApplyResult:
    """Apply, and kill the machine when a part of the role is done: its file is back."""

    def hurt() -> None:
        until(lambda: has_it(device, path))
        lab.restart(SELECTION.lab, device)
        # It boots in a second: an engine that tries again must not find it by chance.
        inside(device, SSH_DIES)

    try:
        blow = when_begun(device, hurt)
        result = applied(step)
        blow.join(120)
        return result
    finally:
        inside(device, "systemctl start ssh.socket")


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize(("engine", "role"), EACH_ROLE)
def test_power_lost_in_the_middle_of_a_role(engine, role):
    """The machine is killed after a part of the role was done; the next apply converges."""
    node, path = CANARY[engine], EARLY[role]
    with mended_afterwards():
        forget(node, path=path)
        forget(*REST)
        result = power_lost(node, path, "nodes")
        stopped_before_the_rest(result, node)
    assert has_it(node, path)
    assert all(map(has_it, REST))


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("role", sorted(OOB_EARLY))
def test_power_lost_in_the_middle_of_a_role_of_the_oob_server(role):
    """Also the jump host comes back, and the next apply converges it; no node is touched."""
    with mended_afterwards():
        forget("oob1", path=OOB_EARLY[role])
        forget(*REST)
        result = power_lost("oob1", OOB_EARLY[role], "oob")
        assert result.exit_code == 1, result.outcome
        assert (result.waves[-1].name, result.waves[-1].decision) == ("oob", "stop")
        assert touched() <= {"oob1"}
        assert not any(map(has_it, REST))
        again = applied("oob")
        assert again.exit_code == 0, again.outcome
    assert drift_of_site(SELECTION, ["oob1"]).exit_code == 0


@pytest.mark.parametrize("engine", by("ansible"))
def test_sshd_dies_in_the_middle_of_a_run(engine):
    """A node that no longer answers is named; the others stay as they were."""
    node = CANARY[engine]
    with mended_afterwards():
        forget(node, *REST)
        try:
            blow = when_begun(node, lambda: inside(node, SSH_DIES))
            result = applied()
            blow.join(60)
            stopped_before_the_rest(result, node)
            assert node in result.outcome
        finally:
            inside(node, "systemctl start ssh.socket")


@pytest.mark.parametrize("engine", by("pyinfra"))
def test_a_full_disk(engine):
    """The message has what the system said."""
    node, folder = CANARY[engine], "/etc/sysctl.d"
    # A name with a dot in front: any other file of nobody is told at the survey.
    full = f"mount -t tmpfs -o size=4k tmpfs {folder}; cat /dev/zero > {folder}/.fill; true"
    with mended_afterwards():
        forget(node, *REST)
        try:
            inside(node, full)
            result = applied()
            stopped_before_the_rest(result, node)
            assert "No space left" in result.outcome
        finally:
            inside(node, f"umount {folder}")


@pytest.mark.parametrize("engine", by("ansible"))
def test_a_package_that_does_not_install(engine):
    """apt's refusal stops the wave, and the role says which task it was."""
    node = CANARY[engine]
    with mended_afterwards():
        forget(*REST)
        inside(node, "DEBIAN_FRONTEND=noninteractive apt-get -qy purge chrony 2>&1")
        inside(node, "echo pre-invoke=false > /etc/dpkg/dpkg.cfg.d/99broken")
        try:
            result = applied()
            stopped_before_the_rest(result, node)
            assert "nstall the packages" in result.outcome
        finally:
            inside(node, "rm /etc/dpkg/dpkg.cfg.d/99broken; dpkg --configure -a")


@pytest.mark.parametrize("engine", by("pyinfra"))
def test_a_file_of_others_that_sshd_refuses(engine):
    """SSH is not restarted into its end: the role fails with sshd's words, the node answers."""
    node, stranger = CANARY[engine], "/etc/ssh/sshd_config.d/50-stranger.conf"
    with mended_afterwards():
        forget(node, path="/etc/ssh/sshd_config.d/00-railbed.conf")
        forget(*REST)
        try:
            inside(node, f"echo 'Foo x' > {stranger}")
            result = applied()
            stopped_before_the_rest(result, node)
            assert "Bad configuration option: Foo" in result.outcome
            found = drift_of_site(SELECTION, [node]).of(node)
            assert (found.silent, found.found.unknowns) == ("", ())
            assert "sshd refuses its configuration" in " ".join(map(str, found.found.drifts))
        finally:
            inside(node, f"rm {stranger}")


def test_a_canary_that_converges_to_a_wrong_state():
    """Every role is content, but stage 30 is not: a login takes its limits from elsewhere."""
    node, other = CANARY["pyinfra"], "conf=/root/other.conf"
    with mended_afterwards():
        forget(node, *REST)
        try:
            inside(node, "echo 'root - memlock 64' > /root/other.conf")
            inside(node, f"sed -i 's|pam_limits.so|& {other}|' /etc/pam.d/sshd")
            result = applied()
            assert has_it(node)
            stopped_before_the_rest(result, node)
            assert node in " ".join(result.waves[-1].reasons)
        finally:
            inside(node, f"sed -i 's| {other}||' /etc/pam.d/sshd; rm /root/other.conf")


def test_a_file_of_nobody_stops_the_rollout_before_anything_is_changed():
    """No role takes it away, so no gate would pass: that is said at the survey."""
    node, stranger = CANARY["pyinfra"], "/etc/security/limits.d/zz-stranger.conf"
    with mended_afterwards():
        forget(node)
        try:
            inside(node, f"echo 'root - memlock 64' > {stranger}")
            result = applied()
            assert (result.exit_code, result.waves) == (1, ())
            assert f"things of nobody on {node}: {stranger}" in result.outcome
            assert not has_it(node)
        finally:
            inside(node, f"rm {stranger}")
