"""The lossless class in the ledger: what was taken on trust, and what nobody here can judge."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Fabric
from ..plan import Assumption, SwitchBuffers
from ..schema import AsicProfile, SwitchProfile
from ..switches.abilities import RULES, how
from .ecn import most_congested_ports
from .port_sets import PortSet, asic_of, attempts


def ledger(fabric: Fabric) -> Iterator[Assumption]:
    """Yield the rows of a full site, each once; a marking-only site has none."""
    yield from dict.fromkeys(_rows(fabric))


def _rows(fabric: Fabric) -> Iterator[Assumption]:
    alike: dict[SwitchBuffers, list[PortSet]] = {}
    for one, made in attempts(fabric):
        if isinstance(made, SwitchBuffers):
            alike.setdefault(made, []).append(one)
    for made, kinds in alike.items():
        asic = asic_of(fabric, kinds[0])
        if asic is not None:
            yield from _asic(made.asic, asic)
        yield from _headroom(made)
        yield from _thresholds(_named(kinds), made)
        yield from _left(kinds[0].profile_name, kinds[0].profile)


def _named(kinds: list[PortSet]) -> str:
    first, more = kinds[0].name, len(kinds) - 1
    return f"{first} and {more} alike" if more else first


def _row(name: str, value: str, source: str) -> Assumption:
    return Assumption(name, value, source, measured=False)


def _asic(name: str, asic: AsicProfile) -> Iterator[Assumption]:
    where = f"ASIC {name}"
    if asic.formula is not None:
        formula = asic.formula
        cell = f"{formula.cell_bytes} bytes"
        yield _row(f"{where}: cell", cell, asic.source)
        delays = f"{formula.pipeline_kib:g} KiB in the pipeline, {formula.mac_phy_kib:g} KiB in MAC"
        yield _row(f"{where}: delays", f"{delays} and PHY", asic.source)
        quanta = ", ".join(f"{one.rate_gbps:g}G {one.quanta}" for one in formula.pause_quanta)
        yield _row(f"{where}: pause response of peers, quanta", quanta, "IEEE 802.3, 31B.3.7")
    if asic.buffer is not None:
        buffer = asic.buffer
        share = f"{buffer.lossless_share_percent} % of what is left is the lossless pool"
        yield _row(f"{where}: buffer", f"{buffer.total_bytes} bytes; {share}", buffer.source)
        yield _row(f"{where}: alpha", f"{buffer.alpha:g}", buffer.source)


def _headroom(made: SwitchBuffers) -> Iterator[Assumption]:
    for port in made.ports:
        kind = f"{port.rate_gbps:g} Gb/s over {port.cable_m:g} m"
        lanes = f", {port.lanes} lanes" if port.lanes > 1 else ""
        name = f"profile {made.profile}: headroom, {kind}{lanes}"
        if port.headroom is not None:
            value = f"xoff {port.headroom.xoff_bytes}, size {port.headroom.size_bytes} bytes"
            yield _row(name, value, port.headroom.source)


def _thresholds(kinds: str, made: SwitchBuffers) -> Iterator[Assumption]:
    """Kmin and Kmax, and how many congested ports they bear (a warning, and no error)."""
    most = sum(port.ports for port in made.ports)
    for port in made.ports:
        ecn = port.ecn
        name = f"profile {made.profile}: ECN on {kinds}, {port.rate_gbps:g} Gb/s"
        value = f"Kmin {ecn.kmin_bytes}, Kmax {ecn.kmax_bytes} bytes, {ecn.probability_percent} %"
        yield _row(name, value, ecn.source)
        judged = f"{name}: Kmax against XOFF"
        yield _row(judged, _against_xoff(made, ecn.kmax_bytes, most), "T = alpha B / (1 + alpha N)")


def _against_xoff(made: SwitchBuffers, kmax_bytes: int, most: int) -> str:
    if made.xoff_point_bytes is None or made.shared_bytes is None or made.alpha is None:
        return "not known: the buffer of this ASIC is not published"
    bears = min(most, most_congested_ports(made.shared_bytes, made.alpha, kmax_bytes))
    alpha = f"alpha {made.alpha:g}"
    at = f"XOFF is {made.xoff_point_bytes} bytes at N = {made.congested_ports}, {alpha}"
    if made.xoff_point_bytes < kmax_bytes:
        return f"warning: {at}, so PFC acts before ECN marks all; Kmax bears N = {bears}"
    return f"{at}; Kmax bears N = {bears} of {most} ports"


def _left(name: str, profile: SwitchProfile) -> Iterator[Assumption]:
    for rule in RULES:
        setting = how(rule, profile.dialect)
        where = f"profile {name}: {rule}"
        if setting is None:
            value = f"not known what {profile.dialect} lets one set"
            yield _row(where, value, "nobody looked it up")
        elif setting.how == "left to the system":
            measure = "no command shows it, only an incast without drops can"
            shown = f"`{setting.shown_by}` shows it" if setting.shown_by else measure
            value = f"left to the system: not judged by configuration; {shown}"
            yield _row(where, value, setting.source)
        elif setting.how == "not possible":
            yield _row(where, f"not possible on {profile.dialect}", setting.source)
