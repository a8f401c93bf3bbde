"""Variables of NCCL and UCX, and kernel parameters of networks, wherever they are set.

NCCL's own file is `KEY=VALUE`, the first of two counts (src/misc/param.cc of NVIDIA/nccl); a
process's environment wins over it. sysctl.d(5): files in the order of their names, the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validation.parse.gpu import nccl_conf

from .reading import OPTION, Chunk, Reader, Reading, not_understood

_VARIABLE = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|Environment=\"?|-x[ \t]+)?((?:NCCL|UCX)_[A-Z0-9_]+)=([^\n]*)$"
)
_SYSCTL = re.compile(
    r"(?m)^[ \t]*-?(net[./]ipv4[./](?:conf|neigh)[./]\S+?)[ \t]*=[ \t]*(\S+)[ \t]*$"
)
_OF_FILES = re.compile(r"(^|/)sysctl(\.d/|\.conf$)")


def _variables(chunk: Chunk) -> Iterator[Reading]:
    if chunk.path.endswith("/nccl.conf"):
        nccl_conf.settings(chunk.text, "nccl.conf")  # a line that sets nothing is Unreadable
    seen: set[str] = set()
    for one in _VARIABLE.finditer(chunk.text):
        if one[1] not in seen:
            seen.add(one[1])
            value = one[2].partition(" #")[0].strip().strip("\"'")
            yield Reading("", f"setting:{one[1]}", value, chunk.at(one.start(1)))


def _sysctls(chunk: Chunk) -> Iterator[Reading]:
    runs = not _OF_FILES.search(chunk.path)
    for one in _SYSCTL.finditer(chunk.text):
        yield Reading("", f"sysctl:{_dotted(one[1])}", one[2], chunk.at(one.start(1)), runs)


_LINE = re.compile(
    r"-?((?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm)[./][\w.*/-]+)\s*=\s*(\S.*)"
)
# Of a port's parameters that say how packets are answered, and to what they are set (ip-sysctl).
_OF_PORTS = re.compile(r"net[./]ipv4[./]conf[./].*[./](\w+)$")
_NUMBERS = re.compile(
    "arp_(?:accept|announce|filter|ignore|notify)|accept_(?:local|redirects|source_route)|forwarding"
    "|ignore_routes_with_linkdown|log_martians|proxy_arp|rp_filter|s(?:ecure|end|hared)_redirects"
    "|src_valid_mark"
)
_NETS = re.compile(r"net[./](?:bridge|core|ipv4|ipv6|mptcp|netfilter|unix)[./]")


def of_sysctl_file(chunk: Chunk) -> Iterator[Reading]:
    """Lines of a file of sysctl.d(5) beside those of ports; others are not understood."""
    for number, line in chunk.lines() if _OF_FILES.search(chunk.path) else ():
        words = line.strip()
        if not words or words[0] in "#;":
            continue
        found = _LINE.fullmatch(words)
        if not found or not _is_known(found[1], found[2]):
            yield not_understood("routing", line, number)
        elif not _SYSCTL.match(line):
            yield Reading("", f"{OPTION}{_dotted(found[1])}", found[2], number)


def _is_known(name: str, value: str) -> bool:
    if name[:3] != "net":
        return True
    one = _OF_PORTS.match(name)
    is_port = not one or (_NUMBERS.fullmatch(one[1]) is not None and value.isdigit())
    return is_port and _NETS.match(name) is not None


def _dotted(name: str) -> str:
    """`net/ipv4/conf/ens1.100/rp_filter` with points between its parts (sysctl.d(5))."""
    return name if name.startswith("net.") else name.translate(str.maketrans("./", "/."))


READERS: tuple[Reader, ...] = ((_VARIABLE, _variables), (_SYSCTL, _sysctls))
