"""Carries out push steps on machines of a lab, past their network, and asks what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import IPv4Network

from deploy.lab.machines import machine
from switch_configs import dialect
from switch_configs.intent import ConfigFile, Phase, Rendered
from tests.labs import lab_name

DIALECT = dialect("linux_frr")
LAB = lab_name("dial")
ALL: tuple[Phase, ...] = ("stage", "check", "checkpoint", "arm", "apply", "confirm", "save")
UNCONFIRMED: tuple[Phase, ...] = ("stage", "check", "checkpoint", "arm", "apply")


class StepFailed(AssertionError):
    """A step did not hold."""


def shell(name: str, command: str, text: bytes = b"") -> str:
    """The output of a command that succeeds."""
    done = machine.inside(LAB, name, ["sh", "-c", command], text, timeout_s=120)
    output = (done.stdout + done.stderr).decode()
    if done.returncode:
        raise StepFailed(f"{name}: {command}: {output}")
    return done.stdout.decode()


def fetched(name: str) -> Rendered:
    """What the machine holds."""
    return DIALECT.running(name, shell(name, DIALECT.fetch_command()))


def with_texts(rendered: Rendered, **replaced: tuple[str, str]) -> Rendered:
    """Another configuration: in the file whose path ends so, one text instead of another."""
    files = []
    for one in rendered.files:
        text = one.text
        for end, (old, new) in replaced.items():
            if one.path.rpartition("/")[2].partition(".")[0] == end:
                assert old in text
                text = text.replace(old, new)
        files.append(replace(one, text=text))
    return replace(rendered, files=tuple(files))


def send(name: str, file: ConfigFile) -> None:
    """Put a file in place, as a pusher does."""
    command = (
        f"mkdir -p $(dirname {file.path}) && cat > {file.path} "
        f"&& chown {file.owner}:{file.group} {file.path} && chmod {file.mode} {file.path}"
    )
    shell(name, command, file.text.encode())


def carry_out(
    old: Rendered, new: Rendered, phases: tuple[Phase, ...] = ALL, window_s: int = 300
) -> None:
    """The steps from old to new, of these phases; StepFailed names the one that did not hold."""
    for step in DIALECT.push_steps(old, new, window_s):
        if step.phase not in phases:
            continue
        if step.file:
            send(new.device, step.file)
        if step.command:
            shell(new.device, step.command)


def push_all(configurations: list[Rendered]) -> None:
    """All at once, each from what its machine holds."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda new: carry_out(fetched(new.device), new), configurations))


def until(what: Callable[[], bool], limit_s: float = 60) -> bool:
    """Ask again and again; whether it came true."""
    give_up = time.monotonic() + limit_s
    while not what():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.3)
    return True


def kernel_paths(name: str, prefix: IPv4Network) -> int:
    """How many next hops the kernel has to a prefix."""
    said = shell(name, f"ip route show {prefix}")
    return said.count("nexthop ") or said.count(" via ")


def delta(name: str) -> str:
    """What frr-reload.py would do if it were asked to load the startup file.

    A switch that restarts begins without a name, and FRR goes on showing that it had none.
    """
    said = shell(name, "/usr/lib/frr/frr-reload.py --test /etc/frr/frr.conf 2>/dev/null").strip()
    nameless = ("Lines To Delete", "no hostname localhost", "hostname localhost")
    left = [line for line in said.splitlines() if line.strip(" =") and line not in nameless]
    return said if left else ""
