"""Who takes what of which pool of the buffer: as makers publish it, or as what can drop nothing.

A pause keeps nothing from being dropped where the queue of the class may not hold what came in. So
both ways of each port are judged, and the pools.
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.plan import SwitchPort
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import PoolFacts, ReservedFacts, ShareFacts

from . import expected
from .published import ALPHA, MEMORY, SPECTRUM, SPECTRUM_LAYOUT, TOMAHAWK_LAYOUT, Layout

_Users = dict[tuple[str, str, str], list[ShareFacts]]


def wrong_shares(
    asked: SwitchIntent, said: ReservedFacts, headroom_bytes: int | None
) -> Iterator[str]:
    """Sentences on pools and on who takes of them.

    `headroom_bytes` is what the paused draw from, None where nobody knows or the box finds it.
    """
    buffers = asked.switch.buffers
    layout = SPECTRUM_LAYOUT if buffers and buffers.asic in SPECTRUM else TOMAHAWK_LAYOUT
    users: _Users = {}
    for one in said.users:
        users.setdefault((one.port, one.way, one.who), []).append(one.share)
    pools = {pool.name: pool for pool in said.pools}
    for way in ("ingress", "egress"):
        names = {
            user.share.pool for user in said.users if (user.way, user.who) == (way, "lossless")
        }
        if len(names) != 1:
            yield f"paused classes are on {way} of pools {sorted(names)}, and must be of one"
            continue
        paused = names.pop()
        lossy = {user.share.pool for user in said.users if (user.way, user.who) == (way, "lossy")}
        apart = lossy - {paused}
        if len(lossy) != 1 or len({paused, *apart}) != layout.pools:
            yield f"lossy classes are on {way} of pools {sorted(lossy)}, paused ones of {paused}"
        for name in sorted({paused, *apart} & {*pools}):
            yield from _pool(asked, layout, pools[name], way, name == paused, headroom_bytes)
        # What holds for many ports is told of the first.
        told: dict[str, str] = {}
        for port in asked.switch.ports:
            for sentence in _of_port(asked, layout, users, port, way, paused):
                told.setdefault(sentence, port.name)
        yield from (f"{port} {sentence}" for sentence, port in told.items())


def _pool(
    asked: SwitchIntent,
    layout: Layout,
    found: PoolFacts,
    way: str,
    is_paused: bool,
    headroom_bytes: int | None,
) -> Iterator[str]:
    """Thresholds follow what is free; what is lossless on its way out may fill all memory."""
    total = _total(asked)
    size, room = None, None
    if is_paused and way == "egress":
        size = total
    elif layout.pools == 1:
        # Of an ASIC that nobody published it is as the text says, but not beside all memory.
        room = found.headroom_bytes if headroom_bytes is None else headroom_bytes
        size = None if total is None else total - (room or 0)
    want = PoolFacts(found.name, way, "dynamic", size, room)
    if found != want:
        yield f"pool: found {found}, and must be {want}"


def _of_port(
    asked: SwitchIntent, layout: Layout, users: _Users, port: SwitchPort, way: str, paused: str
) -> Iterator[str]:
    whole = users.get((port.name, way, "port"), [])
    for who in ("lossless", "lossy"):
        if who == "lossy" or expected.carries(asked, port):
            shares = users.get((port.name, way, who), [])
            yield from _classes(asked, layout, way, who, shares)
        of_pool = [share for share in whole if (share.pool == paused) == (who == "lossless")]
        yield from _all(asked, layout, way, who, of_pool)


def _classes(
    asked: SwitchIntent, layout: Layout, way: str, who: str, shares: list[ShareFacts]
) -> Iterator[str]:
    if not shares:
        yield f"gives {who} classes nothing on {way}"
    for share in shares:
        if (way, who) == ("ingress", "lossless"):
            yield from _asks(asked, layout, share)
            continue
        own, alpha = layout.shares[way, who]
        yield from _unlike(asked, f"{who} classes on {way}", share, own, alpha)


def _asks(asked: SwitchIntent, layout: Layout, one: ShareFacts) -> Iterator[str]:
    """Of a paused priority group headroom is judged elsewhere; here when it asks for a pause."""
    buffers = asked.switch.buffers
    alpha = ALPHA if buffers is None or buffers.asic in MEMORY else buffers.alpha
    if one.alpha != alpha or one.most_bytes is not None:
        yield f"pauses from {one.alpha} of what is free, {one.most_bytes} bytes, not from {alpha}"
    if (layout.pools == 2) != (one.own_bytes is None):
        yield f"has a priority group of {one.own_bytes} bytes"


def _all(
    asked: SwitchIntent, layout: Layout, way: str, who: str, shares: list[ShareFacts]
) -> Iterator[str]:
    if (way, who) not in layout.ports:
        return
    if len(shares) != 1:
        yield f"takes {len(shares)} shares of the {who} pool of {way}"
    own, alpha = layout.ports[way, who]
    frame = asked.lossless.switch_ip_mtu_bytes
    for share in shares:
        yield from _unlike(asked, f"all on {way}", share, frame if own is None else own, alpha)


def _unlike(
    asked: SwitchIntent, what: str, one: ShareFacts, own: int, alpha: float | None
) -> Iterator[str]:
    if one.headroom is not None:
        yield f"has headroom for {what}"
    if one.own_bytes != own:
        yield f"keeps {one.own_bytes} bytes for {what}, and must keep {own}"
    if alpha is not None:
        if one.alpha != alpha or one.most_bytes is not None:
            yield f"gives {what} {one.alpha} of what is free, and must give {alpha}"
        return
    total = _total(asked)
    if one.alpha is not None or total is None or (one.most_bytes or 0) < total:
        yield f"drops {what} from {one.most_bytes} bytes on, and must not within {total}"


def _total(asked: SwitchIntent) -> int | None:
    """All memory of the box: published, or as the site says of an ASIC that nobody published."""
    buffers = asked.switch.buffers
    if buffers is None:
        return None
    return MEMORY[buffers.asic].total_bytes if buffers.asic in MEMORY else buffers.total_bytes
