"""A line that a readback does not understand: what it is about, never what it says.

Such a line is somebody else's, and may hold a secret in words that no list has. So only words that
everybody's configurations share are kept of it, up to the first that announces a secret.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

KEY = secrets.token_bytes(32)
"""Not the same in another process: of a digest that is written a short secret could be guessed."""
_LONGEST_WORDS = 6

# What a line is about; the first that fits. QoS comes first, as the lossless class is judged by it.
_TOPICS = tuple(
    (name, re.compile(f"(?i){words}"))
    for name, words in (
        ("QoS", r"qos|pfc|priority|flow-?control|pause|buffer|queu|ecn|wred|random-detect|dscp"),
        ("QoS", r"traffic.class|lossless|headroom|watchdog|service-policy|scheduler"),
        ("EVPN", r"evpn|vxlan|\bvni\b|\bnve\b|\bvtep"),
        ("MLAG", r"mlag|\bvpc\b|mclag|peer-?link|multihoming|ethernet-segment"),
        ("users", r"\baaa\b|username|\buser\b|ssh|password|tacacs|radius|ldap|\brole\b"),
        ("SNMP", r"snmp"),
        ("access lists", r"\bacl|access-list|nftables|iptables|control-plane|copp"),
        ("multicast", r"multicast|\bpim\b|igmp|\bmld\b|\bmsdp\b"),
        ("spanning tree", r"spanning-tree|\bstp\b"),
        ("policies", r"route-map|prefix-list|community|as-path|router policy"),
        ("routing", r"router|\bbgp\b|ospf|isis|\bbfd\b|\bvrf\b|\broute\b|ipv6|\bip\b"),
        ("time and logs", r"\bntp\b|\bptp\b|syslog|logging|clock"),
        ("telemetry", r"gnmi|grpc|telemetry|sflow|netflow|\bwjh\b"),
        ("interfaces", r"interface|\bport\b|vlan|bond|channel|bridge|link"),
    )
)
SHARED = frozenset(
    """
    aaa access-list acl address address-family advertise agent allowed api arp authentication
    authorization autonomous-system bandwidth bfd bgp bond bridge broadcast buffer channel-group
    class class-map clock community-list config congestion-control control-plane default
    description dhcp disable disabled domain dscp ecmp ecn egress enable enabled errdisable
    ethernet evpn export feature forwarding gateway global gnmi-server grpc hardware header hostname
    hash-seed igmp import in inbound ingress interface ip ipv4 ipv4-unicast ipv6 ipv6-unicast isis
    l2vpn-evpn lacp line link lldp logging loopback mac maximum-paths management mapping match mlag
    mode mtu multicast multipath neighbor neighbour network nftables no ntp nve off on ospf out
    outbound peer-group permit pfc pfc-watchdog pim policy policy-map port port-channel prefix-list
    priority profile ptp qos queue queuing rate redistribute remark roce route route-map router rule
    sampling scheduler sflow service service-policy set snmp-server spanning-tree ssh-server state
    static storm-control switch-priority switchport sysctl syslog system tag telemetry timers
    traffic-class traffic-policy trust type unicast user username vlan vni vpc vrf vrrp vxlan wred
    active auto both down false none passive rs shutdown true up yes
    """.split()  # noqa: SIM905  a list of words is read as words
)
"""Words that everybody's configurations share: none is a secret."""
_SECRET = re.compile(r"(?i).*(pass|secret|key|community$|auth-|encrypt|token|cak|psk|md5|sha)")


@dataclass(frozen=True, slots=True, order=True)
class Unread:
    """One such line; two are equal when their lines were, as long as this process lives.

    `by_form` says that the whole line has a known form (`beside`), which `kind` then is: it is
    nothing of the lossless path, and no plan has it all the same.
    """

    topic: str
    kind: str
    digest: str
    by_form: bool = False

    def __str__(self) -> str:
        """What may be shown of it."""
        return f"{self.topic}: {self.kind}"


@lru_cache(maxsize=1 << 14)
def unread(line: str) -> Unread:
    """What is kept of a line."""
    topic = next((name for name, rule in _TOPICS if rule.search(line)), "other")
    return Unread(topic, " ".join(_kind(line)) or "(not shown)", digest(line))


def digest(line: str) -> str:
    """The same for the same line, as long as this process lives."""
    return blake2b(line.encode("utf-8", "replace"), digest_size=8, key=KEY).hexdigest()


def _kind(line: str) -> list[str]:
    """Shared words, `*` for others, up to the first word of a secret."""
    out: list[str] = []
    for word in re.split(r"[\s|:,/=.]+", line):
        if _SECRET.match(word) or len(out) == _LONGEST_WORDS:
            break
        shown = word if word in SHARED else "*"
        if word and not (shown == "*" and out[-1:] == ["*"]):
            out.append(shown)
    return out
