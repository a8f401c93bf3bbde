"""What changes from one version to the next, and why a step stands where it does, in words."""

from __future__ import annotations

from collections.abc import Iterator

from .model import End, HostSide, Side, Version


def changes(before: Version, after: Version) -> tuple[str, ...]:
    """What differs, each once, sorted; `put in`, `taken out` or `replaced` for the box itself."""
    if before.word == "absent":
        return ("put in",)
    if after.word == "absent":
        return ("taken out",)
    said = {"replaced"} if before.box != after.box else set[str]()
    if before.asn != after.asn:
        said.add("another AS")
    kinds = {(before.ends[port], end) for port, end in after.ends.items() if port in before.ends}
    for old, new in kinds:
        said |= {*_of_end(old, new)}
    if before.ends.keys() != after.ends.keys():
        said.add("other ports are used")
    return tuple(sorted(said))


def _of_end(old: End, new: End) -> Iterator[str]:
    was, will = dict(old.roce), dict(new.roce)
    for dscp in sorted({*was, *will}):
        if dscp not in was:
            yield f"takes DSCP {dscp} in priority {will[dscp]}"
        elif dscp not in will:
            yield f"takes DSCP {dscp} no more"
        elif was[dscp] != will[dscp]:
            yield f"DSCP {dscp} goes from priority {was[dscp]} to {will[dscp]}"
    for dscp in sorted(set(old.strict) ^ set(new.strict)):
        yield f"takes CNPs of DSCP {dscp}" + " no more" * (dscp in old.strict)
    if old.ip_mtu_bytes != new.ip_mtu_bytes:
        yield f"IP MTU {old.ip_mtu_bytes} becomes {new.ip_mtu_bytes}"
    if isinstance(old, HostSide) and isinstance(new, HostSide):
        if old.dscp != new.dscp:
            yield f"sends DSCP {new.dscp} instead of {old.dscp}"
        if old.cnp_dscp != new.cnp_dscp:
            yield f"sends CNPs of DSCP {new.cnp_dscp} instead of {old.cnp_dscp}"
        if old.out_of_order != new.out_of_order:
            yield "takes packets in any order" if new.out_of_order else "wants packets in order"
    elif isinstance(old, Side) and isinstance(new, Side):
        if old.adaptive != new.adaptive:
            yield f"adaptive routing {'on' if new.adaptive else 'off'}"
        if old.peer_asn != new.peer_asn:
            any_as = new.peer_asn == "external"
            yield "takes any other AS of its neighbours" if any_as else "expects its neighbours' AS"


def reason(level: int, after: str, told: tuple[str, ...], *, one_by_one: bool) -> str:
    """Why this step stands where it does."""
    who = "hosts" if level == 0 else "switches"
    if one_by_one:
        rest = "its hosts' ports with it" if level == 1 else "flows take the paths beside it"
        return f"each is away while it changes: drained before (RFC 8326), {rest}, back after"
    if after == "ready":
        return "accepts both, so that it does not matter who sends which"
    if after == "moved" or any(one.startswith("sends ") for one in told):
        return "every hop on its ways takes it already"
    if any("IP MTU" in one for one in told):
        return _of_size(level, told)
    if any("adaptive" in one or "order" in one for one in told):
        return "NICs must take packets in any order whenever a switch spreads them"
    if after in ("new", "via"):
        return f"nobody sends what these {who} stop to take"
    return "no mixture with what was is wrong"


def _of_size(level: int, told: tuple[str, ...]) -> str:
    sizes = next(one for one in told if one.startswith("IP MTU")).split()
    is_up = sizes[2] != "None" and int(sizes[4]) > int(sizes[2])
    if level:
        return (
            "no host sends more before every hop carries it" if is_up
            else "no host sends more than this any longer"
        )  # fmt: skip
    return "every hop carries it" if is_up else "hops may carry less once nobody sends more"
