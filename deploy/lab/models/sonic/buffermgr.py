"""What buffermgrd makes of buffer rows of CONFIG_DB, in APPL_DB: profiles, and each group's one.

Sources: sonic-swss, branches 202405 to 202505:
- cfgmgr/buffermgr.cpp, buffermgrdyn.cpp: rows of groups and profiles are taken as they are. In the
  dynamic model a port that is down has none, and a group whose profile is NULL gets one that is
  worked out, once its port's speed and cable, the pools and the threshold are known, under a name
  of these (getDynamicProfileName).
- cfgmgr/buffer_headroom_mellanox.lua: how. Its cells and delays: sonic-buildimage,
  platform/mellanox/asic_table.j2. Other platforms' plugins, and Spectrum-6, are not here: where a
  plugin fails, there is no profile.
Gearboxes and profiles with a threshold of their own are not here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from .tables import Hashes

Row = dict[str, str]
_POOL = "ingress_lossless_pool"
_DEFAULT, _TRAFFIC = "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", "LOSSLESS_TRAFFIC_PATTERN|AZURE"
_MTU_BYTES = "9100"
_WIDE = 8  # lanes
_WHOLE = {"4": "400000", "5": "800000"}  # what only wide ports of a series run
_KIB = 1024
_SHORTEST_BYTES = 64
_QUANTA = {  # of a pause, by Mb/s
    "800000": 905, "400000": 905, "200000": 453, "100000": 394, "50000": 147, "40000": 118,
    "25000": 80, "10000": 67,
}  # fmt: skip
_CELL_BYTES = {"2": 96, "3": 144, "4": 144, "5": 192}  # by the thousands of a model's number
_PIPELINE_BYTES, _MAC_PHY_BYTES = 19 * _KIB, 0.8 * _KIB
_METRES_PER_S = 198_000_000


def buffers(held: Hashes) -> Hashes:
    """What CONFIG_DB holds gives this in APPL_DB."""
    made = {
        f"BUFFER_PROFILE_TABLE:{name.partition('|')[2]}": dict(row)
        for name, row in held.items()
        if name.startswith("BUFFER_PROFILE|")
    }
    for name, row in held.items():
        table, _, key = name.partition("|")
        if table != "BUFFER_PG":
            continue
        ports, _, group = key.partition("|")
        for port in ports.split(","):
            for profile, worth in _profile(held, port, row.get("profile", "NULL")):
                made |= {f"BUFFER_PROFILE_TABLE:{profile}": worth} if worth else {}
                made[f"BUFFER_PG_TABLE:{port}:{group}"] = {"profile": profile}
    return made


def _profile(held: Hashes, port: str, said: str) -> Iterator[tuple[str, Row]]:
    """The profile of a port's group, if it has one, and what it is worth if it was worked out."""
    box, has = _row(held, "DEVICE_METADATA|localhost"), _row(held, f"PORT|{port}")
    is_dynamic = box.get("buffer_model") == "dynamic"
    if is_dynamic and has.get("admin_status") != "up":
        return
    if said != "NULL":
        yield said, {}
        return
    cable, speed = _row(held, "CABLE_LENGTH|AZURE").get(port, "0m"), has.get("speed", "")
    threshold = _row(held, _DEFAULT).get("default_dynamic_th")
    series = next(iter(re.findall(r"sn(\d)\d{3}", box.get("platform", ""))), "")
    is_known = speed in _QUANTA and series in _CELL_BYTES and cable != "0m"
    has_all = {f"BUFFER_POOL|{_POOL}", _TRAFFIC} <= held.keys() and threshold is not None
    if not (is_dynamic and is_known and has_all):
        return
    mtu, lanes = has.get("mtu", _MTU_BYTES), len(has.get("lanes", "").split(","))
    sized = f"_mtu{mtu}" if mtu != _MTU_BYTES else ""
    wide = "_8lane" if lanes == _WIDE and _WHOLE.get(series, speed) != speed else ""
    worth = headroom(held, speed, int(cable.removesuffix("m")), int(mtu), lanes, series)
    made = worth | {"pool": _POOL, "dynamic_th": str(threshold)}
    yield f"pg_lossless_{speed}_{cable}{sized}{wide}_profile", made


def headroom(
    held: Hashes, speed: str, cable_m: int, mtu_bytes: int, lanes: int, series: str
) -> Row:
    """`xon`, `xoff` and `size` of such a port, in bytes."""
    traffic = held[_TRAFFIC]
    packet_bytes, small = int(traffic["mtu"]), int(traffic["small_packet_percentage"])
    is_shared = any(
        float(_row(held, name).get(one, "0"))
        for name, one in (
            (f"BUFFER_POOL|{_POOL}", "xoff"),
            (_DEFAULT, "over_subscribe_ratio"),
        )
    )
    cell, mbps = _CELL_BYTES[series], int(speed)
    narrow = cell <= 2 * _SHORTEST_BYTES
    worst = math.ceil(2 * cell / (1 + cell) if narrow else cell / _SHORTEST_BYTES)
    flying = mtu_bytes + 2 * cable_m * mbps * 1e6 / _METRES_PER_S / 8 + _MAC_PHY_BYTES
    flying += _QUANTA[speed] * 64 + (mbps / 1000 * 120 / 8 if series == "5" else 0)
    mean = (small * _SHORTEST_BYTES + (100 - small) * packet_bytes) / 100
    share = _SHORTEST_BYTES / mean
    xoff = _rounded(packet_bytes + flying * (1 - share + share * worst))
    is_wide = lanes == _WIDE
    xon = _PIPELINE_BYTES * (2 if is_wide else 1)
    size = xon if is_shared else _rounded(xoff + xon + (mtu_bytes if is_wide else 0))
    return {"xon": str(xon), "xoff": str(xoff), "size": str(size)}


def _row(held: Hashes, name: str) -> Row:
    return held.get(name, {})


def _rounded(size_bytes: float) -> int:
    return math.ceil(size_bytes / _KIB) * _KIB
