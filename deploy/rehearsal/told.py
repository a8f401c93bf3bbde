"""A rehearsal on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from deploy.show.words import print_line

from .acts import NOTHING, Act
from .estimate.told import estimate_json, estimate_text, stands_on
from .flows import Gap, Traffic, meanwhile, totals
from .rehearse import NEVER, Rehearsal
from .twin import Exceptional
from .twin_site import Twin


def twin_text(twin: Twin, later: Twin | None, out: Console) -> None:
    """What the twin is, what it has otherwise than its site, and what cannot be rehearsed.

    Of the change, which is `later`, what it adds to both.
    """
    switches = len(twin.plan.any_switch)
    print_line(
        out,
        f"the twin: {len(twin.plan.devices)} machines ({switches} switches, "
        f"{len(twin.plan.nodes)} nodes, the OOB server), {len(twin.plan.cables)} cables; "
        f"{twin.same_texts} of {switches} switches get the very text of the site",
    )
    print_line(out, "otherwise than on the site:")
    for setting, profiles in _alike(twin.exceptions):
        before = f"{setting.site} -> " if setting.site else ""
        print_line(out, f"  {profiles}: {before}{setting.twin} ({setting.why})")
    print_line(out, "not rehearsed:")
    for what in (*twin.left_out, *NEVER):
        print_line(out, f"  {what.what}: {what.why}")
    if later is not None:
        _of_the_change(twin, later, out)


def _of_the_change(twin: Twin, later: Twin, out: Console) -> None:
    if twin.plan.digest == later.plan.digest:
        print_line(out, NOTHING)
    if come := sorted({*later.plan.node} - {*twin.plan.node}):
        print_line(
            out,
            f"the change brings {', '.join(come)}: a machine from the start, off until the "
            "change; on the way back it stays on, as nobody planned it",
        )
    new = [one for one in later.exceptions if one not in twin.exceptions]
    lacks = [one for one in later.left_out if one not in twin.left_out]
    if new or lacks:
        print_line(out, "of the change, otherwise or not rehearsed:")
    for setting, profiles in _alike(new):
        print_line(out, f"  {profiles}: {setting.site} -> {setting.twin} ({setting.why})")
    for what in lacks:
        print_line(out, f"  {what.what}: {what.why}")


def _alike(found: Iterable[Exceptional]) -> list[tuple[Exceptional, str]]:
    """Settings that several profiles have alike, once, with the names of all."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    first: dict[tuple[str, str, str, str], Exceptional] = {}
    for one in found:
        where, colon, setting = one.where.partition(": ")
        key = (setting if colon else where, one.site, one.twin, one.why)
        alike.setdefault(key, []).append(where.removeprefix("profile ") if colon else "")
        first.setdefault(key, one)
    return [
        (first[key], f"{key[0]} of {', '.join(names)}" if names[0] else key[0])
        for key, names in alike.items()
    ]


def rehearsal_text(found: Rehearsal, out: Console) -> None:
    """How each act ended, wave by wave, and the verdict."""
    for act in found.acts:
        act_text(act, out)
    for estimate in found.real.estimates:
        estimate_text(estimate, out)
    stands_on(found.real.estimates, out)
    if found.real.why:
        print_line(out, f"how long the real site would take is not known: {found.real.why}")
    machines = len((found.later or found.twin).plan.devices)
    minutes = sum(act.took_s for act in found.acts) / 60
    most = f"at most {found.memory_bytes / 2**20:.0f} MiB at once"
    memory = most if found.memory_bytes else "memory not known"
    print_line(out, f"{machines} machines, {memory}, {minutes:.0f} min")
    if found.report:
        print_line(out, f"reports: {found.report}")
    said = "rehearsed to its end" if not found.exit_code else "stopped: see above"
    print_line(out, said)


def act_text(act: Act, out: Console) -> None:
    """How an act ended, its waves, and what flowed meanwhile."""
    word = ("passed", "green") if act.passed else ("failed", "red")
    print_line(out, word, f" {act.title}, {act.took_s:.0f} s: {act.outcome}")
    for wave in act.waves:
        print_line(out, f"    {wave.decision:5} {wave.name}, {wave.took_s:.0f} s")
    if act.traffic is not None:
        _traffic_text(act, act.traffic, out)


def _traffic_text(act: Act, traffic: Traffic, out: Console) -> None:
    """What flowed, what was lost, by flow with its longest gap, and what flapped."""
    if traffic.none:
        print_line(out, f"  no traffic meanwhile: {traffic.none}")
        return
    sent, lost = totals(traffic.flows)
    count = len(traffic.flows)
    print_line(out, f"  {count} flows meanwhile: {lost:,} of {sent:,} packets lost")
    for one in traffic.flows:
        if one.unknown:
            print_line(out, f"    {one.flow}: not known: {one.unknown}")
        elif one.lost:
            where = _when(act, one.gaps[0]) if one.gaps else ""
            longest = f", longest gap {one.gaps[0].took_ms:.0f} ms{where}" if one.gaps else ""
            print_line(out, f"    {one.flow}: {one.lost:,} of {one.sent:,} lost{longest}")
    said = traffic.flapped or ("no port, session or unit",)
    print_line(out, f"  flapped, was reset or failed: {said[0]}")
    for more in said[1:]:
        print_line(out, f"    {more}")


def _when(act: Act, gap: Gap) -> str:
    waves = meanwhile(gap, [(one.name, one.began, one.ended) for one in act.waves])
    return f" in {waves}" if waves else " between waves"


def rehearsal_json(found: Rehearsal) -> dict[str, Any]:
    """The same for machines."""
    return {
        "site": found.site,
        "passed": not found.exit_code,
        "memory_bytes": found.memory_bytes,
        "acts": [act_json(one) for one in found.acts],
        "real": [estimate_json(one) for one in found.real.estimates],
        "real_not_known": found.real.why,
        **twin_json(found.twin, found.later),
    }


def twin_json(twin: Twin, later: Twin | None = None) -> dict[str, Any]:
    """What the twin is, and that of the change, where there is one."""
    change = {"change": twin_json(later)} if later else {}
    return change | {
        "machines": len(twin.plan.devices),
        "cables": len(twin.plan.cables),
        "same_texts": twin.same_texts,
        "otherwise": [
            {"where": one.where, "site": one.site, "twin": one.twin, "why": one.why}
            for one in twin.exceptions
        ],
        "not_rehearsed": [{"what": one.what, "why": one.why} for one in (*twin.left_out, *NEVER)],
    }


def act_json(one: Act) -> dict[str, Any]:
    """An act, its waves and its traffic for machines."""
    waves = [
        {"wave": wave.name, "seconds": wave.took_s, "gate": wave.decision} for wave in one.waves
    ]
    traffic = {"traffic": _traffic(one, one.traffic)} if one.traffic else {}
    return {
        "title": one.title, "passed": one.passed, "outcome": one.outcome, "seconds": one.took_s,
        "changed": list(one.changed), "waves": waves, **traffic,
    }  # fmt: skip


def _traffic(act: Act, traffic: Traffic) -> dict[str, Any]:
    flows = [
        {
            "flow": str(one.flow),
            "sent": one.sent,
            "lost": one.lost,
            "not_known": one.unknown,
            "gaps": [{"ms": gap.took_ms, "lost": gap.lost, "when": _when(act, gap)[1:]}
                     for gap in one.gaps],
        }
        for one in traffic.flows
    ]  # fmt: skip
    return {"none": traffic.none, "flows": flows, "flapped": list(traffic.flapped)}
