"""A site's own configurations and servers, judged together before anything is changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.progress import Progress

from deploy.errors import RailbedError
from inventory import uncollected
from inventory.plan import Plan
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from validation.audit.audit import Audit, judged
from validation.proof.failures import SiteLoss, losses
from validation.proof.site import site_network

from .render_run import Judged, judged_renders

_FEW = 8
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SiteProof:
    """What rules say of the whole site, and what is lost when a part of it fails."""

    audit: Audit
    losses: tuple[SiteLoss, ...]


@uncollected()
def site_proof(plan: Plan, err: Console, *, failures: bool = True) -> SiteProof:
    """Render every switch, and judge all of them and the site's servers together.

    RailbedError where a switch's text is not what the plan says; without `failures` no losses.
    """
    names = sorted(plan.any_switch)
    made: list[Judged] = []
    with Progress(console=err, transient=True, disable=len(names) < _FEW) as bar:
        task = bar.add_task("rendering", total=len(names))
        for one in judged_renders(plan, names):
            made.append(one)
            bar.advance(task)
    wrong = [f"{one.proof.device} {line}" for one in made for line in one.proof.wrong]
    if wrong:
        raise RailbedError(
            f"{len(wrong)} lines are not what the plan says:\n  " + "\n  ".join(wrong[:_SHOWN]),
            hint="`railbed render` says more",
            exit_code=1,
        )
    seen = site_network(plan, [(one.rendered, one.facts) for one in made])
    return SiteProof(judged(seen), losses(plan, seen) if failures else ())


@uncollected()
def refuse_inconsistent(plan: Plan, said: Iterable[tuple[Rendered, SwitchFacts]]) -> None:
    """RailbedError (exit 1) where switches and servers together break the lossless path.

    Only what is critical: packets of jobs are lost, or the fabric can lock up.
    """
    audit = judged(site_network(plan, said))
    bad = [one for one in audit.problems if one.severity == "critical"]
    if bad:
        first = {one.rule: one for one in reversed(bad)}
        told = [f"{one.rule}: {one.subject}: {one.found}" for one in first.values()][:_SHOWN]
        raise RailbedError(
            f"switches and servers do not fit together in {len(bad)} places:\n  "
            + "\n  ".join(told),
            hint="`railbed prove` says why, and what to do",
            exit_code=1,
        )
