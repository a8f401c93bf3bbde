"""Hundreds of switches pushed side by side over real SSH: how long, how much memory, what growth.

Each is the model of EOS's command line, which answers 50 ms after a line and 2 s after a commit;
the models run in processes of their own, on the same processors. What is pushed is the whole
configuration of a switch of a site like superpod-10k, secrets among it, by
`deploy.rollout.switch_wave`, as in a rollout; only the fabric is not asked.
Run as `python -m tests.bench.push_logins [SWITCHES ...]`.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import ceil, log
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from deploy.context import Context, no_journal
from deploy.rollout import switch_wave
from deploy.switches import transcript
from deploy.switches.push_session import unkept
from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan
from tests.bench.results import result
from tests.deploy import fake_eos
from tests.deploy.fake_eos import FakeEos, Terminal
from tests.deploy.rollout.test_eos_rollout import factory
from tests.deploy.switches.test_eos_push import key
from tests.generated.sites import make_up_asbuilt
from tests.shipped import loaded
from tests.switch_configs.sites import in_dialect

LINE_S, COMMIT_S = 0.05, 2.0
BOUND = 32
PODS = 56
LIMIT = 1.3
SECRETS = ("RAILBED_SNMP_AUTH", "RAILBED_SNMP_PRIV", "RAILBED_TACACS_KEY")


class Slow(Terminal):
    """Answers as late as real ones do."""

    def _answer(self, line: str) -> bool:
        time.sleep(COMMIT_S if " commit" in line else LINE_S)
        return super()._answer(line)


def serve(share: Sequence[tuple[str, str, str]], login: str, end: Connection) -> None:
    """Switches, until something is said at the other end; their ports and host keys go there."""
    fake_eos.Terminal = Slow  # type: ignore[misc]
    logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)
    told, (_, host_key) = [], key()
    with ExitStack() as opened:
        for name, mac, start in share:
            switch = opened.enter_context(FakeEos(start, mac, host_key, login))
            told.append((name, switch.port, f"{host_key.get_name()} {host_key.get_base64()}"))
        end.send(told)
        end.recv()


@contextmanager
def served(plan: Plan, names: Sequence[str], folder: Path) -> Iterator[Context]:
    """These switches, new, and the context of a run that reaches them."""
    text, login = key()
    (folder / "id_ed25519").write_text(text)
    (folder / "id_ed25519").chmod(0o600)
    public = login.get_base64()
    all_of = [
        (name, plan.switch[name].management.mac or "", factory(plan, name, public))
        for name in names
    ]
    processes, ends = [], []
    spawn, count = multiprocessing.get_context("spawn"), os.cpu_count() or 1
    for number in range(count):
        near, far = spawn.Pipe()
        worker = spawn.Process(target=serve, args=(all_of[number::count], public, far))
        worker.start()
        processes.append(worker)
        ends.append(near)
    told = [one for end in ends for one in end.recv()]
    hosts = (f"Host {n}\n  HostName 127.0.0.1\n  Port {p}\n  User admin\n" for n, p, _ in told)
    (folder / "config").write_text("".join(hosts))
    (folder / "known_hosts").write_text("".join(f"[127.0.0.1]:{p} {k}\n" for _, p, k in told))
    try:
        yield Context(
            plan, plan.site, folder, folder / "config", folder / "known_hosts",
            lambda _: None, no_journal,
        )  # fmt: skip
    finally:
        for end in ends:
            end.send("over")
        for worker in processes:
            worker.join()


@dataclass(frozen=True)
class Took:
    """Until all have their plan: seconds, and of a processor's, ours and those of the models.

    `more_mib`: what this process held at most, beyond what it held before.
    """

    wall_s: float
    ours_s: float
    models_s: float
    more_mib: float


def pushed(plan: Plan, names: Sequence[str]) -> Took:
    """Bring these from new to their plan."""
    theirs_s = _cpu_s(resource.RUSAGE_CHILDREN)
    works: Any = SimpleNamespace(missing=lambda *_, **__: ())
    undrained: Any = SimpleNamespace(of=lambda _: None, alone=lambda _: [])
    with tempfile.TemporaryDirectory() as at, served(plan, names, Path(at)) as context:
        of = {(plan.switch[name].dialect, plan.switch[name].release) for name in names}
        for system, release in sorted(of):  # a trial has passed
            done = transcript.Trial(
                names[0], system, release, "now", passed=True, parts=(), exchanges=()
            )
            transcript.write(context.state_dir, done)
        changed: list[str] = []
        Path("/proc/self/clear_refs").write_text(
            "5"
        )  # the most that was held, from now on (proc(5))
        held_mib = _most_mib()
        began, ours_s = time.monotonic(), _cpu_s(resource.RUSAGE_SELF)
        switch_wave.push_switches(context, names, lambda _: (), changed, works, undrained, unkept)
        took_s, ours_s = time.monotonic() - began, _cpu_s(resource.RUSAGE_SELF) - ours_s
        assert sorted(changed) == sorted(names), "each has its plan"
        more_mib = _most_mib() - held_mib
    return Took(took_s, ours_s, _cpu_s(resource.RUSAGE_CHILDREN) - theirs_s, more_mib)


def _most_mib() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _cpu_s(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def site_of(folder: Path) -> Plan:
    """A site of 1,158 switches of EOS: superpod-10k with more pods, and few nodes in each."""
    site = loaded(SITES / "superpod-10k" / "fabric.yml")
    shape = site["topology"]
    shape |= {"pods": PODS, "nodes_per_pod": 8, "uplinks_per_superspine": 1}
    shape["maxima"] |= {"pods": PODS, "nodes_per_pod": 8}
    shape["oversubscription"]["spine"] = 2.0
    folder.mkdir()
    (folder / "fabric.yml").write_text(json.dumps(in_dialect(site, "eos")))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    make_up_asbuilt(folder)
    return open_site(folder)


def main(sizes: Sequence[int], say: Callable[[str], None] = print) -> int:
    """Print the figures; 1 where one is short."""
    is_short, of_size = False, {}
    os.environ |= {name: f"made-up-{number}" for number, name in enumerate(SECRETS)}
    with tempfile.TemporaryDirectory() as at:
        plan = site_of(Path(at) / "site")
    for size in sizes:
        names = sorted(plan.switch)[:size]
        alone, every = pushed(plan, names[:1]), pushed(plan, names)
        ideal_s = alone.wall_s * ceil(len(names) / BOUND)
        of_size[size] = every
        load = "/".join(f"{one:.0f}" for one in os.getloadavg()[:2])
        say(
            f"{len(names)} switches, {BOUND} at once: alone {alone.wall_s:.1f} s, all "
            f"{every.wall_s:.1f} s; of a processor a push, ours {every.ours_s / size:.2f} s, the "
            f"models' {every.models_s / size:.2f} s; {every.more_mib:.0f} MiB more; load {load}"
        )
        told = result(f"push_logins_{size}", every.wall_s / ideal_s, "of the ideal", LIMIT)
        say(told)
        is_short |= told.endswith("short")
    if len(of_size) > 1:
        least, most = of_size[min(of_size)], of_size[max(of_size)]
        power = log(most.ours_s / least.ours_s) / log(max(of_size) / min(of_size))
        say(f"growth of our processor time, {min(of_size)} to {max(of_size)}: exponent {power:.2f}")
    return int(is_short)


if __name__ == "__main__":
    sys.exit(main([int(one) for one in sys.argv[1:]] or [64, 300]))
