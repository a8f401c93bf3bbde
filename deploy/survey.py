"""The state before: who answers, who already is as planned, and what differs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.diff import diff
from switch_configs.errors import DialectError
from switch_configs.intent import Impact
from validation.gather import Transport

from .context import Context
from .push_result import worst_impact
from .pyinfra_run import run as run_pyinfra

_WORKERS = 32
_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Difference:
    """What would change on one device; `text` is a diff, or the operations by name."""

    device: str
    impact: Impact
    text: str


@dataclass(frozen=True, slots=True)
class Survey:
    """Every device is in exactly one of the three; `silent` carries the reason."""

    plan_digest: str
    as_planned: frozenset[str]
    differences: tuple[Difference, ...]
    silent: tuple[tuple[str, str], ...]

    def differs(self, devices: tuple[str, ...]) -> bool:
        """Whether any of the devices is not known to be as planned."""
        return not self.as_planned.issuperset(devices)


def survey(context: Context, transport: Transport) -> Survey:
    """Ask every device once, in parallel, changing nothing."""
    plan = context.plan
    silent: dict[str, str] = {}
    differences: list[Difference] = []
    with ThreadPoolExecutor(_WORKERS) as pool:
        answers = pool.map(lambda name: _ask(plan, transport, name), plan.devices)
        for name, (difference, reason) in zip(plan.devices, answers, strict=True):
            if reason:
                silent[name] = reason
            elif difference:
                differences.append(difference)
    hosts = [name for name in plan.devices if name not in plan.switch and name not in silent]
    differences.extend(_by_role(context, hosts, silent))
    changed = {one.device for one in differences}
    return Survey(
        plan_digest=plan.digest,
        as_planned=frozenset(set(plan.devices) - changed - set(silent)),
        differences=tuple(sorted(differences, key=lambda one: one.device)),
        silent=tuple(sorted(silent.items())),
    )


def _ask(plan: Plan, transport: Transport, name: str) -> tuple[Difference | None, str]:
    """One trip: a switch's running configuration, or a sign of life."""
    switch = plan.switch.get(name)
    if name in plan.undeployable:
        return None, "no as-built row: planned, not deployable"
    tongue = dialect(switch.dialect) if switch else None
    reply = transport.run(name, tongue.fetch_command() if tongue else "true", _TIMEOUT_S)
    if reply.error or reply.exit_status != 0:
        return None, reply.error or f"exit status {reply.exit_status}"
    if tongue is None:
        return None, ""
    try:
        running = tongue.running(name, reply.stdout.decode("utf-8", "replace"))
    except DialectError as error:
        return None, error.message
    found = diff(running, render(plan, name))
    if not found:
        return None, ""
    text = "\n".join(one.text for one in found)
    return Difference(name, worst_impact(one.impact for one in found), text), ""


def _by_role(context: Context, hosts: list[str], silent: dict[str, str]) -> list[Difference]:
    """What the engine's dry run would change on servers."""
    if not hosts:
        return []
    dry = run_pyinfra(context, tuple(hosts), dry_run=True)
    found = []
    for one in dry.hosts:
        if one.failed:
            silent[one.host] = f"the engine's dry run failed: {one.message}"
        elif one.changed:
            found.append(Difference(one.host, "runtime", "\n".join(one.operations)))
    return found
