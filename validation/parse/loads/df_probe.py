"""The result of `on_node/df_probe.py send`, as its sender printed it."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import Whole, count

_PORT = Whole("source port", "1", 1, 65535)
_IP_BYTES = Whole("IP packet", "B", 20, 65535)
_TOS = Whole("TOS", "1", 0, 255)
_PING_EXIT = Whole("ping's exit status", "1", 0, 255)
_ECHOES = count("echoes received")


@dataclass(frozen=True, slots=True)
class PortResult:
    """What came of one source port. A TOS is None where no packet came back.

    `answered_by` is the hostname of the responder; `error` the sender's own, e.g. that
    its NIC refuses the size.
    """

    port: int
    small: bool
    full: bool
    answered_by: str
    tos_there: int | None
    tos_back: int | None
    error: str


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A probe's packets by source port, and how many whole ICMP echoes came back."""

    id: str
    ip_bytes: int
    tos: int
    ports: tuple[PortResult, ...]
    icmp_received: int


def result(text: str) -> ProbeResult:
    """Raises Unreadable."""
    root = mapping(document(text, "the probe"), "the probe's result")
    ports = tuple(
        _port(mapping(one, "port")) for one in sequence(root.get("ports"), "the probe's ports")
    )
    if not ports:
        raise Unreadable("the probe used no source port")
    icmp = mapping(root.get("icmp"), "icmp")
    # ping(8): 1 is "no reply", 2 "other error".
    if _PING_EXIT.of(icmp, "exit", "icmp") not in (0, 1):
        raise Unreadable(f"ping did not run: {text_of(icmp, 'said', 'icmp')[:160]}")
    return ProbeResult(
        text_of(root, "id", "the probe"),
        _IP_BYTES.of(root, "ip_bytes", "the probe"),
        _TOS.of(root, "tos", "the probe"),
        ports,
        _ECHOES.of(icmp, "received", "icmp"),
    )


def _port(fields: dict[str, object]) -> PortResult:
    number = _PORT.of(fields, "port", "port")
    small = mapping(fields.get("small"), f"port {number}: small")
    full = mapping(fields.get("full"), f"port {number}: full")
    best = full if "host" in full else small
    return PortResult(
        number,
        "host" in small,
        "host" in full,
        str(best.get("host", "")),
        _tos(best, "tos"),
        _tos(best, "tos_back"),
        str(full.get("error", "")),
    )


def _tos(fields: dict[str, object], key: str) -> int | None:
    return _TOS.of(fields, key, "answer") if fields.get(key) is not None else None
