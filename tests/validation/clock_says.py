"""What switches answer of the servers that they ask for the time, by hand in the tools' forms.

`Asked` is one server as a switch has it. SONiC answers by ntpd or by chronyd, by its release;
Linux asks the server itself, and says what timesyncd does. NX-OS tells no offset.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from inventory.plan import Plan
from inventory.reading.sections import Section, written
from switch_configs.answers import answers

NOW_S = 1_795_796_811
_BEFORE_1970_S = 2_208_988_800
NTPD = "sonic-ntpd"
SYSTEMS = ("cumulus", "eos", "linux_frr", "nxos", NTPD, "sonic")


@dataclass(frozen=True)
class Asked:
    """A server; `ahead_s` is the switch's clock against it."""

    server: str
    is_followed: bool = True
    answers: bool = True
    ahead_s: float = 0.000012


def healthy(plan: Plan, device: str) -> dict[str, str]:
    """The answer of a switch that follows the first of the planned servers."""
    first, *others = plan.switch_services.ntp
    dialect = plan.any_switch[device].dialect
    known, asked = answers(dialect).clocks, [Asked(first)]
    assert known is not None
    asked += [Asked(one, is_followed=False) for one in others]
    return {known.line(plan.switch_services.ntp): says(dialect, *asked)}


def says(system: str, *asked: Asked, in_container: bool = False) -> str:
    """What a switch with these servers prints."""
    match system:
        case "cumulus":
            return ntpq(asked)
        case "eos":
            return eos(asked)
        case "linux_frr":
            return timesyncd(asked, in_container=in_container)
        case "nxos":
            return nxos(asked)
        case "sonic-ntpd":
            return sonic({"which": (0, "ntpd"), "peers": (0, ntpq(asked))})
        case "sonic":
            return sonic(chrony(asked))
    raise LookupError(system)


def ntpq(asked: Sequence[Asked]) -> str:
    """`ntpq -p -n -w` of NTPsec."""
    if not asked:
        return "No association IDs returned\n"
    head = "     remote           refid      st t when poll reach   delay   offset   jitter"
    rows = [head, "=" * 79]
    for one in asked:
        mark = "*" if one.is_followed else " "
        name = f"{mark}{one.server}"
        if len(one.server) > 15:
            rows.append(name)
            name = ""
        reach, offset = (377, -1000 * one.ahead_s) if one.answers else (0, 0.0)
        rows.append(
            f"{name:<16} 192.0.2.5        3 u   41   64 {reach:>4} {0.207:9.4f} {offset:9.4f} "
            f"{0.1344:9.4f}"
        )
    return "\n".join(rows) + "\n"


def eos(asked: Sequence[Asked]) -> str:
    """`show ntp associations | json`."""
    peers = {
        one.server: {
            "delay": 0.207,
            "jitter": 0.134,
            "lastReceived": float(NOW_S) if one.answers else 2085978496.0,
            "peerType": "unicast",
            "reachabilityHistory": [one.answers] * 8,
            "condition": "sys.peer" if one.is_followed else "reject",
            "offset": -1000 * one.ahead_s if one.answers else 0.0,
            "peerIpAddr": one.server,
            "pollInterval": 64,
            "refid": "192.0.2.5" if one.answers else ".INIT.",
            "stratumLevel": 3 if one.answers else 16,
        }
        for one in asked
    }
    return json.dumps({"peers": peers}, indent=4) + "\n"


def nxos(asked: Sequence[Asked]) -> str:
    """`show ntp peer-status | json`: a lone row is no list, without rows there is no table."""
    rows = [
        {
            "syncmode": "*" if one.is_followed else "=",
            "remote": one.server,
            "local": "0.0.0.0",
            "st": "3" if one.answers else "16",
            "poll": "64",
            "reach": "377" if one.answers else "0",
            "delay": "0.00021",
            "vrf": "management",
        }
        for one in asked
    ]
    told: dict[str, object] = {"totalpeers": f"Total peers : {len(rows)}"}
    if rows:
        told["TABLE_peersstatus"] = {"ROW_peersstatus": rows if len(rows) > 1 else rows[0]}
    return json.dumps(told) + "\n"


def chrony(asked: Sequence[Asked]) -> dict[str, tuple[int, str]]:
    """chronyc with -c."""
    followed = [one for one in asked if one.is_followed]
    tracking = "00000000,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n"
    if followed:
        (one,) = followed
        tracking = (
            f"C0000205,{one.server},3,{NOW_S}.5,{-one.ahead_s:.9f},0.0,0.0,0.0,0.0,0.0,0.0,0.0,64.2,"
            "Normal\n"
        )
    sources = "".join(
        f"^,{'*' if one.is_followed else '?'},{one.server},3,6,{377 if one.answers else 0},23,"
        "-0.000000479,-0.000000621,0.000052000\n"
        for one in asked
    )
    return {"which": (0, "chrony"), "tracking": (0, tracking), "sources": (0, sources)}


def sonic(told: dict[str, tuple[int, str]]) -> str:
    """The sections of all programs: of those that are not there, the shell's status."""
    every = {"which": (1, ""), "tracking": (127, ""), "sources": (127, ""), "peers": (127, "")}
    return written({name: Section(*one) for name, one in {**every, **told}.items()})


def timesyncd(asked: Sequence[Asked], *, in_container: bool) -> str:
    """What timedatectl says, and each server's own answer; one that follows is no measured one."""
    followed = next((one.server for one in asked if one.is_followed), "")
    message = "{ Leap=0, Version=4, Mode=4, Stratum=3, Precision=-24, Ignored=no, PacketCount=7 }"
    told = f"ServerAddress={followed}\n" + (f"NTPMessage={message}\n" if followed else "")
    sections = {
        "container": (1, "none") if not in_container else (0, "systemd-nspawn"),
        "timesync": (1, "") if in_container else (0, told),
        "kernel": (0, f"NTPSynchronized={'yes' if followed else 'no'}\n"),
    }
    for one in asked:
        sections[f"measured:{one.server}"] = (0 if one.answers else 124, measured(one))
    return written({name: Section(*one) for name, one in sections.items()})


def measured(one: Asked) -> str:
    """The clock before and after, and a server's packet: half a millisecond there and back."""
    if not one.answers:
        return "asks\n"
    sent = _stamp(NOW_S + 0.25 - one.ahead_s)
    head = "240300e7000000000000000c7f7f0101eeb42dba480b0c7c3030303030303030"
    dumped = bytes.fromhex(head + sent + sent).hex(" ")
    rows = (f" {dumped[at : at + 47]}\n" for at in range(0, len(dumped), 48))
    return f"asks\n{NOW_S}.249750 {NOW_S}.250250\n{''.join(rows)}"


def _stamp(unix_s: float) -> str:
    whole, part = divmod(unix_s, 1)
    return f"{int(whole) + _BEFORE_1970_S:08x}{int(part * 2**32):08x}"
