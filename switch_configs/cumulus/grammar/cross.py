"""What NVUE refuses when it applies: references to nothing, shares that cannot be, ports twice.

Each check reads commands that the tree has allowed, so both spellings are judged alike.
Sources: CumulusNetworks/docs, content/cumulus-linux-516/Layer-1-and-Switch-Ports/
Quality-of-Service/_index.md (watchdog, scheduler), content/nvue-reference/
Set-and-Unset-Commands/{QoS,BGP,Router-Policy,Interface,BFD}.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from switch_configs.grammar.tree import GrammarProblem

from .kinds import members, ports
from .tree import masked

ALWAYS = {"default-global"}
BUILT_IN_VRFS = {"default", "mgmt"}
BUILT_IN_ACLS = {"acl-default-dos", "acl-default-whitelist"}
POOL_PERCENT = 100
PEERS = "vrf * router bgp neighbor|peer-group *"
FAMILY = "vrf * router bgp address-family *"


@dataclass(frozen=True, slots=True)
class Fact:
    """A command; `leaf` says that its last word is a value, `allowed` that the tree took it.

    What is not allowed still defines the names in it, so that one wrong word gives one problem.
    """

    line: int
    words: tuple[str, ...]
    leaf: bool
    allowed: bool = True


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a name is used (its last word) and what defines it (the first `*`)."""

    what: str
    uses: tuple[str, ...]
    defined: str
    built_in: frozenset[str] = frozenset()


REFERENCES = (
    *(
        Reference(
            f"qos {kind} profile",
            (f"interface * qos {kind} profile *",),
            f"qos {kind} * ...",
            frozenset(ALWAYS),
        )
        for kind in (
            "pfc", "mapping", "remark", "congestion-control", "egress-scheduler", "egress-shaper",
        )
    ),
    Reference(
        "route-map",
        (
            f"{FAMILY} redistribute|aggregate-route|network * route-map *",
            f"{FAMILY} route-import from-vrf route-map *",
            f"{FAMILY} rib-filter *",
            f"{PEERS} address-family * policy inbound|outbound route-map|unsuppress-map *",
            f"{PEERS} address-family * default-route-origination policy *",
        ),
        "router policy route-map * ...",
    ),
    Reference(
        "prefix-list",
        (
            f"{PEERS} address-family * policy inbound|outbound prefix-list *",
            "router policy route-map * rule * match ip-prefix-list|ip-nexthop-list *",
        ),
        "router policy prefix-list * ...",
    ),
    Reference(
        "as-path-list",
        (
            f"{PEERS} address-family * policy inbound|outbound aspath-list *",
            "router policy route-map * rule * match as-path-list *",
        ),
        "router policy as-path-list * ...",
    ),
    Reference(
        "community-list",
        (
            "router policy route-map * rule * match community-list *",
            "router policy route-map * rule * set community-delete-list *",
        ),
        "router policy community-list * ...",
    ),
    Reference(
        "large-community-list",
        (
            "router policy route-map * rule * match large-community-list *",
            "router policy route-map * rule * set large-community-delete-list *",
        ),
        "router policy large-community-list * ...",
    ),
    Reference("BFD profile", (f"{PEERS} bfd profile *",), "router bfd profile * ..."),
    Reference(
        "VRF",
        (
            "interface * ip vrf *",
            "interface * vrf *",
            "mlag backup * vrf *",
            "system ntp vrf *",
            "system dns|syslog server * vrf *",
            "system aaa tacacs vrf *",
            "service|system snmp-server listening-address * vrf *",
            f"{FAMILY} route-import from-vrf list *",
        ),
        "vrf * ...",
        frozenset(BUILT_IN_VRFS),
    ),
)  # fmt: skip


THRESHOLD = "qos congestion-control * traffic-class * {}-threshold *"
LENGTH = "router policy prefix-list * rule * match * {}-prefix-len *"
# What the checks below ask for, besides the references.
ASKED = (
    "vrf * router bgp peer-group * ...",
    "vrf * router bgp neighbor * peer-group *",
    "acl * ...",
    "interface * acl * ...",
    "interface * bond member *",
    "qos pfc default-global switch-priority *",
    "qos roce mode *",
    "qos roce enable|state *",
    "qos roce ...",
    "interface * qos pfc profile *",
    "interface * qos pfc-watchdog ...",
    "qos traffic-pool * memory-percent *",
    "qos egress-scheduler * traffic-class * bw-percent *",
    *(pattern.format(side) for pattern in (THRESHOLD, LENGTH) for side in ("min", "max")),
)


def fits(words: tuple[str, ...], pattern: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words at the stars of a pattern, which may end in `...`; None where it does not fit."""
    is_open = pattern[-1] == "..."
    wanted = pattern[:-1] if is_open else pattern
    if len(words) < len(wanted) or (len(words) > len(wanted) and not is_open):
        return None
    stars = []
    for word, token in zip(words, wanted, strict=False):
        if token == "*":
            stars.append(word)
        elif word != token and word not in token.split("|"):
            return None
    return tuple(stars)


@lru_cache(maxsize=256)
def tokens_of(pattern: str) -> tuple[str, ...]:
    """A pattern, word by word."""
    return tuple(pattern.split())


@lru_cache(maxsize=1)
def patterns() -> tuple[str, ...]:
    """Every pattern that a check asks for."""
    references = [one for each in REFERENCES for one in (each.defined, *each.uses)]
    return tuple(dict.fromkeys((*references, *ASKED)))


# Switches say much alike below other ports, so what may fit is looked up once for each start.
@lru_cache(maxsize=1 << 16)
def possible(start: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns that a path may fit that begins like this."""
    if not start:
        return patterns()
    out = []
    for pattern in possible(start[:-1]):
        tokens = tokens_of(pattern)
        token = tokens[len(start) - 1] if len(start) <= len(tokens) else tokens[-1]
        reaches = len(start) <= len(tokens) or token == "..."
        if reaches and (token in ("*", "...") or start[-1] in token.split("|")):
            out.append(pattern)
    return tuple(out)


class Facts:
    """The commands of one switch, sorted by the patterns that they fit."""

    def __init__(self, facts: list[Fact]) -> None:
        self.all = facts
        self.by_pattern: dict[str, list[tuple[Fact, tuple[str, ...]]]] = {
            one: [] for one in patterns()
        }
        for fact in facts:
            for pattern in possible(fact.words[:-1]):
                stars = fits(fact.words, tokens_of(pattern))
                if stars is not None:
                    self.by_pattern[pattern].append((fact, stars))


def found(facts: Facts, pattern: str) -> Iterator[tuple[Fact, tuple[str, ...]]]:
    """The facts that fit a pattern, each with the words at its stars."""
    yield from facts.by_pattern[pattern]


def allowed(facts: Facts, pattern: str) -> Iterator[tuple[Fact, tuple[str, ...]]]:
    """Those of them that the tree took."""
    return ((fact, stars) for fact, stars in found(facts, pattern) if fact.allowed)


def problem(fact: Fact, why: str) -> GrammarProblem:
    """A problem on the line of a fact."""
    return GrammarProblem(fact.line, " ".join(masked(fact.words)), why)


def undefined(facts: Facts) -> Iterator[GrammarProblem]:
    """Names that nothing defines."""
    for reference in REFERENCES:
        defined = {stars[0] for _, stars in found(facts, reference.defined)}
        known = defined | reference.built_in | {"none", "auto"}
        for pattern in reference.uses:
            for fact, stars in found(facts, pattern):
                if stars[-1] not in known:
                    yield problem(fact, f"{reference.what} `{stars[-1]}` is defined nowhere")


def undefined_groups(facts: Facts) -> Iterator[GrammarProblem]:
    """Neighbors of a peer group that their VRF does not have."""
    known = {stars for _, stars in found(facts, "vrf * router bgp peer-group * ...")}
    groups = {(vrf, group) for vrf, group, *_ in known}
    for fact, (vrf, _, group) in found(facts, "vrf * router bgp neighbor * peer-group *"):
        if group != "none" and (vrf, group) not in groups:
            yield problem(fact, f"peer-group `{group}` is defined nowhere in vrf {vrf}")


def undefined_lists(facts: Facts) -> Iterator[GrammarProblem]:
    """Access lists on interfaces that nothing defines."""
    known = {name for _, (name,) in found(facts, "acl * ...")} | BUILT_IN_ACLS
    for fact, (_, name) in found(facts, "interface * acl * ..."):
        if name not in known:
            yield problem(fact, f"acl `{name}` is defined nowhere")


def members_twice(facts: Facts) -> Iterator[GrammarProblem]:
    """Ports that are members of two bonds."""
    first: dict[str, str] = {}
    for fact, (bond, listed) in found(facts, "interface * bond member *"):
        for port in ports(listed):
            owner = first.setdefault(port, bond)
            if owner != bond:
                yield problem(fact, f"`{port}` is a member of `{owner}` already")


def with_pfc(facts: Facts) -> set[str] | None:
    """The ports that have PFC; None when all have it."""
    if next(found(facts, "qos pfc default-global switch-priority *"), None):
        return None
    modes = [stars[0] for _, stars in found(facts, "qos roce mode *")]
    is_off = any(
        stars[0] in {"off", "disabled"} for _, stars in found(facts, "qos roce enable|state *")
    )
    is_lossless = not modes or modes[-1].startswith("lossless")
    if next(found(facts, "qos roce ..."), None) and is_lossless and not is_off:
        return None
    named = found(facts, "interface * qos pfc profile *")
    direct = {port for _, stars in named for port in ports(stars[0])}
    bonds = found(facts, "interface * bond member *")
    return direct | {port for _, (bond, inner) in bonds if bond in direct for port in ports(inner)}


def idle_watchdogs(facts: Facts) -> Iterator[GrammarProblem]:
    """Watchdogs on ports that have no PFC to watch."""
    guarded = with_pfc(facts)
    if guarded is None:
        return
    for fact, (listed,) in found(facts, "interface * qos pfc-watchdog ..."):
        bare = [port for port in ports(listed) if port not in guarded]
        if bare and fact.words[-1] not in {"disable", "disabled"}:
            yield problem(fact, f"pfc-watchdog on `{bare[0]}`, which has no PFC")


def pools(facts: Facts) -> Iterator[GrammarProblem]:
    """Traffic pools that together want more than there is."""
    said = list(found(facts, "qos traffic-pool * memory-percent *"))
    if not all(fact.allowed for fact, _ in said):
        return
    total = sum(int(percent) for _, (_, percent) in said)
    if said and total > POOL_PERCENT:
        yield problem(said[-1][0], f"the traffic pools add up to {total} percent, more than 100")


def schedulers(facts: Facts) -> Iterator[GrammarProblem]:
    """Schedulers whose shares do not add up; a list of classes gives each class the share."""
    said = list(found(facts, "qos egress-scheduler * traffic-class * bw-percent *"))
    if not all(fact.allowed for fact, _ in said):
        return
    shares: dict[str, int] = defaultdict(int)
    last: dict[str, Fact] = {}
    for fact, (profile, classes, percent) in said:
        shares[profile] += int(percent) * len(members(classes, 0, 7))
        last[profile] = fact
    for profile, total in shares.items():
        if total != POOL_PERCENT:
            why = f"the bw-percent of egress-scheduler `{profile}` adds up to {total}, not 100"
            yield problem(last[profile], why)


def thresholds(facts: Facts) -> Iterator[GrammarProblem]:
    """ECN that would begin to mark above where it marks everything."""
    top = {stars[:2]: int(stars[2]) for _, stars in allowed(facts, THRESHOLD.format("max"))}
    for fact, (profile, classes, least) in allowed(facts, THRESHOLD.format("min")):
        most = top.get((profile, classes))
        if most is not None and int(least) >= most:
            yield problem(fact, f"min-threshold {least} is not below max-threshold {most}")


def windows(facts: Facts) -> Iterator[GrammarProblem]:
    """Prefix lists whose lengths FRR refuses: length <= min <= max <= the address's bits."""
    least = {stars[:3]: int(stars[3]) for _, stars in allowed(facts, LENGTH.format("min"))}
    for side in ("min", "max"):
        for fact, (name, rule, prefix, text) in allowed(facts, LENGTH.format(side)):
            own, bits = int(prefix.partition("/")[2]), 128 if ":" in prefix else 32
            low = least.get((name, rule, prefix), own) if side == "max" else own
            if not low <= int(text) <= bits:
                yield problem(fact, f"{side}-prefix-len {text} is not within {low} to {bits}")


def said_twice(facts: Facts) -> Iterator[GrammarProblem]:
    """Leaves that are set twice, and objects that are said twice."""
    first: dict[tuple[str, ...], int] = {}
    for fact in filter(lambda one: one.allowed, facts.all):
        path = (*fact.words[:-1], "") if fact.leaf else fact.words
        line = first.setdefault(path, fact.line)
        if line != fact.line:
            yield problem(fact, f"said already on line {line}")


CHECKS = (
    undefined, undefined_groups, undefined_lists, members_twice, idle_watchdogs, pools, schedulers,
    thresholds, windows, said_twice,
)  # fmt: skip


def crossed(facts: list[Fact]) -> list[GrammarProblem]:
    """Everything that is wrong between lines; a line that is wrong by itself is not named again."""
    refused = {fact.line for fact in facts if not fact.allowed}
    known = Facts(facts)
    return [one for check in CHECKS for one in check(known) if one.line not in refused]
