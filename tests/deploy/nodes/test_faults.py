"""What goes wrong on a node stops its wave, says what to do, and leaves the rest alone.

Every test hurts both canaries or brings both into the wave, so each holds whatever an earlier
one left. The apply that all this must end in, with every node as planned, comes once after all
of them; in `--full` after each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import pytest

from deploy import lab
from deploy.backups.asked import drift_of_site
from deploy.rollout.runbook import ApplyResult
from tests.deploy.chain.chain import SELECTION, inside, mended

from .lab_of_nodes import (
    CANARY,
    EARLY,
    OOB_EARLY,
    OWNED,
    REST,
    SSH_DIES,
    applied,
    forget,
    has_it,
    touched,
    until,
    when_begun,
)

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("mended_afterwards")]
ENGINES = sorted(CANARY)


def _how_often(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    """An apply of all nodes is half of what a fault costs."""
    return "function" if config.getoption("--full") else "module"


@pytest.fixture(scope=_how_often)
def mended_afterwards(converged: object) -> Iterator[None]:
    """The next apply converges, and finds what no fault may leave; the next file's lab is whole."""
    yield
    mended("nodes")
    assert drift_of_site(SELECTION, []).exit_code == 0


def stopped_before_the_rest(result: ApplyResult) -> None:
    """Record and machines agree: the canaries were tried, the rest was not touched."""
    assert result.exit_code == 1, result.outcome
    assert result.waves[-1].decision == "stop"
    assert result.waves[-1].name == "nodes-canary"
    assert touched() == {*CANARY.values()}
    assert not any(has_it(name) for name in REST)
    assert "run apply again" in " ".join((*result.waves[-1].reasons, result.outcome))


# Every role by one engine, by turns; `--full`: by both.
EACH_ROLE = [
    pytest.param(engine, role, marks=() if (number + turn) % 2 == 0 else (pytest.mark.full,))
    for number, role in enumerate(EARLY)
    for turn, engine in enumerate(ENGINES)
]


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


@pytest.mark.instances(keep=1, of="what goes wrong on a node stops its wave")
@pytest.mark.instances(keep=1)
@pytest.mark.parametrize(("engine", "role"), EACH_ROLE)
def test_power_lost_in_the_middle_of_a_role(engine, role):
    """Killed after a part of the role was done, it is told; the other canary is brought on."""
    node, path = CANARY[engine], EARLY[role]
    (other,) = {*CANARY.values()} - {node}
    forget(node, path=path)
    forget(other, *REST)
    result = power_lost(node, path, "nodes")
    stopped_before_the_rest(result)
    assert of_node(node, result.outcome), result.outcome
    assert not of_node(other, result.outcome), result.outcome
    assert has_it(other)


@pytest.mark.instances(keep=1, of="what goes wrong on a node stops its wave")
@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("role", sorted(OOB_EARLY))
def test_power_lost_in_the_middle_of_a_role_of_the_oob_server(role):
    """Also the jump host comes back, and the next apply converges it; no node is touched."""
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


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong on a node: how it is made and undone, and what must be said."""

    hurt: str
    undo: str
    said: str
    # It hits when the engine has begun on the node, not before.
    in_the_middle: bool = False
    forgotten: str = OWNED
    # What drift says of the node while it is hurt; empty where a node is not asked.
    drift: str = ""


STRANGER = "/etc/ssh/sshd_config.d/50-stranger.conf"
FAULTS = {
    "sshd dies in the middle of a run": Fault(
        SSH_DIES, "systemctl start ssh.socket", said="", in_the_middle=True
    ),
    # A name with a dot in front: any other file of nobody is told at the survey.
    "a full disk": Fault(
        "mount -t tmpfs -o size=4k tmpfs /etc/sysctl.d; cat /dev/zero > /etc/sysctl.d/.fill; true",
        "umount /etc/sysctl.d",
        said="No space left",
    ),
    "a package that does not install": Fault(
        "DEBIAN_FRONTEND=noninteractive apt-get -qy purge chrony 2>&1;"
        "echo pre-invoke=false > /etc/dpkg/dpkg.cfg.d/99broken",
        "rm /etc/dpkg/dpkg.cfg.d/99broken; dpkg --configure -a",
        said="nstall the packages",
    ),
    # SSH is not restarted into its end: the role fails with sshd's words, the node answers. By its
    # socket alone, which nobody has called on since the boot, it would not start at all.
    "a file of others that sshd refuses": Fault(
        f"systemctl start ssh.service; echo 'Foo x' > {STRANGER}",
        f"rm {STRANGER}",
        said="50-stranger.conf: terminating, 1 bad configuration options",
        forgotten="/etc/ssh/sshd_config.d/00-railbed.conf",
        drift="sshd refuses its configuration",
    ),
}
# Two at a time, one by each engine, in one wave: a fault less to wait for, and neither may
# hide the other. `--full`: by the other engine, too.
BY_ENGINE = [
    ("sshd dies in the middle of a run", "a full disk"),
    ("a package that does not install", "a file of others that sshd refuses"),
]
PAIRS = [
    *(pytest.param(one, other, id=f"{one}, {other}") for one, other in BY_ENGINE),
    *(
        pytest.param(one, other, id=f"{one}, {other}", marks=pytest.mark.full)
        for other, one in BY_ENGINE
    ),
]


def of_node(node: str, outcome: str) -> str:
    """What the outcome of a run says of one node."""
    _, _, after = outcome.partition(f"{node}: ")
    return after.partition("; node-")[0]


@pytest.mark.instances(keep=1, of="what goes wrong on a node stops its wave")
@pytest.mark.parametrize(("by_ansible", "by_pyinfra"), PAIRS)
def test_nodes_hurt_in_different_ways_stop_the_wave_each_with_its_own_words(by_ansible, by_pyinfra):
    """The wave stops, each node is told with what its own system said, the rest stays as it was."""
    hurt = {
        CANARY["ansible"]: FAULTS[by_ansible],
        CANARY["pyinfra"]: FAULTS[by_pyinfra],
    }
    forget(*REST)
    blows = []
    try:
        for node, fault in hurt.items():
            forget(node, path=fault.forgotten)
            if fault.in_the_middle:
                blows.append(when_begun(node, partial(inside, node, fault.hurt)))
            else:
                inside(node, fault.hurt)
        result = applied()
        for blow in blows:
            blow.join(60)
        stopped_before_the_rest(result)
        for node, fault in hurt.items():
            own = of_node(node, result.outcome)
            assert own, result.outcome
            assert fault.said in own
            others = {one.said for one in hurt.values()} - {fault.said, ""}
            assert not any(said in own for said in others)
        asked = {node: fault.drift for node, fault in hurt.items() if fault.drift}
        if asked:
            found = drift_of_site(SELECTION, [*asked]).servers
            assert found is not None
            for node, words in asked.items():
                one = found.of(node)
                assert (one.silent, one.found.unknowns) == ("", ())
                assert words in " ".join(map(str, one.found.drifts))
    finally:
        for node, fault in hurt.items():
            inside(node, fault.undo)


@pytest.mark.instances(keep=1, of="what goes wrong on a node stops its wave")
def test_a_canary_that_converges_to_a_wrong_state():
    """Every role is content, but stage 30 is not: a login takes its limits from elsewhere."""
    node, sound, other = CANARY["pyinfra"], CANARY["ansible"], "conf=/root/other.conf"
    forget(node, sound, *REST)
    try:
        inside(node, "echo 'root - memlock 64' > /root/other.conf")
        inside(node, f"sed -i 's|pam_limits.so|& {other}|' /etc/pam.d/sshd")
        result = applied()
        assert has_it(node)
        stopped_before_the_rest(result)
        assert node in " ".join(result.waves[-1].reasons)
        assert sound not in " ".join(result.waves[-1].reasons)
    finally:
        inside(node, f"sed -i 's| {other}||' /etc/pam.d/sshd; rm /root/other.conf")


@pytest.mark.instances(keep=1, of="what goes wrong on a node stops its wave")
def test_a_file_of_nobody_stops_the_rollout_before_anything_is_changed():
    """No role takes it away, so no gate would pass: that is said at the survey."""
    node, stranger = CANARY["pyinfra"], "/etc/security/limits.d/zz-stranger.conf"
    forget(node)
    try:
        inside(node, f"echo 'root - memlock 64' > {stranger}")
        result = applied()
        assert (result.exit_code, result.waves) == (1, ())
        assert f"things of nobody on {node}: {stranger}" in result.outcome
        assert touched() == set()
        assert not has_it(node)
    finally:
        inside(node, f"rm {stranger}")
