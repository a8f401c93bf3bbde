"""Each of several NICs of a server answers and sends for itself: addresses, rules, routes, ARP."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from ipaddress import IPv4Interface, IPv4Network

from validation.audit.hosts.facts import HostFacts, NicFacts, key_of
from validation.audit.hosts.host import Host
from validation.audit.hosts.join import NicLink
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

# ip-rule(8): where the kernel's own rule looks up the main table.
_MAIN, _MAIN_PRIORITY = "main", 32_766


class RailsHaveRoutes(Rule):
    """Each of several NICs in reach of one another has a rule and a table of its own."""

    id = "nic-routes"
    severity = "critical"
    needs = frozenset({"host.rules", "nic.addresses"})
    why = (
        "without them the kernel answers for all rails on one NIC: flows leave by the wrong rail "
        "or not at all (AMD Instinct system acceptance guide; ip-rule(8))"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        facts = host.facts
        nics = _rails(facts)
        if facts.rules is None or len(nics) < 2:
            return
        tables = {nic.name: _table(facts, nic) for nic in nics}
        shared = _shared(nics)
        for nic in nics:
            address = _address(nic)
            number = 100 + [one.name for one in nics].index(nic.name)
            if tables[nic.name] is None and (nic.name in shared or any(tables.values())):
                found = f"no rule for {address}, as other NICs of it have or need"
                fix = f"ip rule add from {address} table {number}"
                yield self.host_problem(host, f"{nic.name}.addresses", found, fix)
            elif (table := tables[nic.name]) and facts.routes is not None:
                ports = {one.port for one in facts.routes if one.table == table and one.port}
                if ports != {nic.name} and (ports or facts.routes):
                    told = ", ".join(sorted(ports)) or "nothing"
                    found = f"table {table} of {address} leads to {told}"
                    fix = f"ip route add default dev {nic.name} table {table}"
                    key = next((key_of(r) for r in facts.routes if r.table == table), "routes")
                    yield self.host_problem(host, key, found, fix, nic)


class RailsAnswerForThemselves(Rule):
    """Of several NICs in one subnet, each answers ARP for its own address alone."""

    id = "nic-arp"
    severity = "major"
    needs = frozenset({"host.arp_announce", "host.arp_ignore"})
    why = "any NIC answers for all addresses otherwise, and a rail's traffic takes another rail"
    wanted = (("arp_ignore", 1), ("arp_announce", 2))

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic_name in sorted(_shared(_rails(host.facts))):
            for name, least in self.wanted:
                key, value = in_force(host.facts, nic_name, name)
                if value is not None and value < least:
                    found = f"{name} is {value}, in a subnet with other NICs"
                    fix = f"net.ipv4.conf.{nic_name}.{name} = {least}"
                    yield self.host_problem(host, key, found, fix, host.nic(nic_name))


class FilterIsLoose(Rule):
    """Of several rails, none drops what another rail has the route back to."""

    id = "nic-rp-filter"
    severity = "major"
    needs = frozenset({"host.rp_filter"})
    why = (
        "strict reverse path filtering drops what comes by another NIC than the way back takes "
        "(RFC 3704; ip-sysctl of the kernel: the larger of all's and the port's counts)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        rails = _rails(host.facts)
        for nic in rails if len(rails) > 1 else ():
            key, value = in_force(host.facts, nic.name, "rp_filter")
            if value == 1:
                fix = f"net.ipv4.conf.{nic.name}.rp_filter = 2"
                yield self.host_problem(host, key, "rp_filter is strict", fix, nic)


def in_force(facts: HostFacts, port: str, name: str) -> tuple[str, int | None]:
    """A kernel parameter of a port: the larger of its own and `all`'s; the key that says it.

    None where the port's own is not said: what a distribution sets by itself is not known.
    """
    own = f"net.ipv4.conf.{port}.{name}"
    keys = [own, *(key for key in facts.sysctls if "*" in key and fnmatchcase(own, key))]
    keys += [f"net.ipv4.conf.default.{name}"]
    key = next((one for one in keys if facts.sysctls.get(one, "").isdigit()), None)
    every = facts.sysctls.get(f"net.ipv4.conf.all.{name}", "0")
    if key is None:
        return own, None
    return key, max(int(facts.sysctls[key]), int(every) if every.isdigit() else 0)


def _rails(facts: HostFacts) -> list[NicFacts]:
    """NICs with RoCE and an address, of which one server has several."""
    return [nic for nic in facts.roce_nics if nic.addresses and not nic.bond]


def _address(nic: NicFacts) -> str:
    return (nic.addresses or ("",))[0].partition("/")[0]


def _table(facts: HostFacts, nic: NicFacts) -> str | None:
    address = _address(nic)
    mine = (one.table for one in facts.rules or () if _holds(one.source, address))
    return next(mine, None)


def _holds(source: str, address: str) -> bool:
    """Whether a rule is of this address: itself or a prefix that it is in."""
    bare, _, bits = source.partition("/")
    if bits in ("", "32") or bare == "all":
        return bare == address
    net = _network(source, strict=False)
    return net is not None and _within(address, net)


def _shared(nics: list[NicFacts]) -> set[str]:
    """Names of NICs that have a subnet with another one in common."""
    nets = defaultdict(set)
    for nic in nics:
        for net in _nets(nic):
            nets[net].add(nic.name)
    return {name for names in nets.values() if len(names) > 1 for name in names}


class GatewaysAreNear(Rule):
    """What leaves a port for a gateway finds the gateway in the port's own subnet."""

    id = "nic-gateway"
    severity = "critical"
    needs = frozenset({"host.routes"})
    why = "the kernel refuses a route to a gateway that no subnet of the port holds (ip-route(8))"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for one in host.facts.routes or ():
            nic = host.nic(one.port)
            if _network(one.prefix) is None:
                found = f"{one.prefix} of table {one.table} is no prefix"
                fix = "an address whose bits after its length are 0"
                yield self.host_problem(host, key_of(one), found, fix, nic)
            nets = _nets(nic) if nic else []
            if nets and one.via and not any(_within(one.via, net) for net in nets):
                found = f"{one.via} for {one.prefix} is in none of its subnets"
                fix = "the switch's address in the NIC's subnet"
                yield self.host_problem(host, key_of(one), found, fix, nic)


class AddressIsOfThePort(Rule):
    """A NIC's address lies in a subnet of the switch port that it is cabled to."""

    id = "nic-address"
    severity = "critical"
    needs = frozenset({"nic.addresses", "port.addresses"})
    why = "an address of another subnet, or the switch's own, has no way to and from the fabric"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        far = [one for text in link.port.addresses if (one := _interface(text))]
        near = [one for text in link.nic.addresses or () if (one := _interface(text))]
        good = any(a.network == b.network and a.ip != b.ip for a in near for b in far)
        if far and near and not good:
            found = f"{near[0]}; {link} has {far[0]} (by {link.by})"
            fix = f"an address of {far[0].network} that the switch has not"
            yield self.host_problem(link.host, f"{link.nic.name}.addresses", found, fix)


class AddressesAreOnce(Rule):
    """No two NICs have one address, one RDMA device or one place on the bus."""

    id = "nic-twin"
    severity = "critical"
    needs = frozenset({"nic.addresses"})
    why = "of two NICs with one address the fabric reaches one, and not always the same"

    def of_host(self, host: Host) -> Iterator[Problem]:
        """Inside a server no port at all; between servers, some share one on purpose."""
        seen: dict[str, str] = {}
        for nic in host.facts.roce_nics:
            for what, name in (("device", nic.device), ("pci", nic.pci)):
                first = seen.setdefault(name, nic.name)
                if name and first != nic.name:
                    found = f"{name} is also {first}'s"
                    yield self.host_problem(host, f"{nic.name}.{what}", found, "one NIC, one name")
        for nic in host.facts.nics if len(host.facts.nics) > 1 else ():
            for text in nic.addresses or ():
                first = seen.setdefault(text.partition("/")[0], nic.name)
                if first != nic.name and nic.name != "lo":
                    found = f"{text} is also on {first}"
                    key = f"{nic.name}.addresses"
                    yield self.host_problem(host, key, found, "an address of its own")

    def of_network(self, network: Network) -> Iterator[Problem]:
        owners: dict[str, list[tuple[Host, NicFacts]]] = defaultdict(list)
        for host in network.hosts:
            for nic in host.facts.roce_nics:
                for text in nic.addresses or ():
                    owners[text.partition("/")[0]].append((host, nic))
        for address, some in owners.items():
            for host, nic in some[1:]:
                if host is some[0][0]:
                    continue
                found = f"{address} is also on {some[0][0].name}:{some[0][1].name}"
                key = f"{nic.name}.addresses"
                yield self.host_problem(host, key, found, "an address of its own")


class RailsAreTunedAlike(Rule):
    """The kernel treats all rails of a server alike."""

    id = "rails-sysctl"
    severity = "minor"
    needs = frozenset({"host.rp_filter"})
    why = "the odd rail answers or filters otherwise, and fails alone (ip-sysctl of the kernel)"
    names = ("arp_announce", "arp_ignore", "rp_filter")

    def of_host(self, host: Host) -> Iterator[Problem]:
        for name in self.names:
            said = {nic.name: in_force(host.facts, nic.name, name) for nic in _rails(host.facts)}
            values = Counter(value for _, value in said.values())
            if len(values) > 1:
                (usual, _), *_ = values.most_common()
                for port, (key, value) in said.items():
                    if value != usual:
                        told = ["not said" if one is None else one for one in (value, usual)]
                        found = f"{name} is {told[0]}, on other rails {told[1]}"
                        fix = f"net.ipv4.conf.{port}.{name} = {usual}"
                        yield self.host_problem(host, key, found, fix, host.nic(port))


class TablesReachAlike(Rule):
    """A rail's table comes before the main one, and reaches what other rails' tables reach."""

    id = "nic-table"
    severity = "critical"
    needs = frozenset({"host.routes", "host.rules"})
    why = (
        "what a table lacks, and what a rule after the main table asks, goes by the main table: "
        "by another rail, or nowhere (ip-rule(8): main is at 32766)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        facts = host.facts
        prefixes: dict[str, tuple[str, ...]] = {}
        for nic in _rails(facts):
            rule = next((r for r in facts.rules or () if _holds(r.source, _address(nic))), None)
            if rule and rule.priority is not None and rule.priority >= _MAIN_PRIORITY:
                found = (
                    f"the rule of table {rule.table} is at {rule.priority}, after the main table"
                )
                fix = f"ip rule add from {rule.source} table {rule.table} priority 1000"
                yield self.host_problem(host, key_of(rule), found, fix, nic)
            mine = {r.prefix for r in facts.routes or () if rule and r.table == rule.table}
            if mine:
                prefixes[nic.name] = tuple(sorted(mine))
        for name, reached in prefixes.items():
            yield from self._narrow(host, name, reached, Counter(prefixes.values()))

    def _narrow(
        self, host: Host, name: str, mine: tuple[str, ...], every: Counter[tuple[str, ...]]
    ) -> Iterator[Problem]:
        address = _address(host.nic(name) or NicFacts(name))
        fits = {
            some: count
            for some, count in every.items()
            if any(_within(address, net) for net in map(_network, some) if net)
        }
        usual = max(fits, key=lambda some: fits[some], default=mine)
        if mine not in fits or every[mine] < fits[usual] // 2:
            nic = host.nic(name)
            found = f"its table reaches {', '.join(mine)}"
            other = (
                f", other rails' {', '.join(usual)}" if usual != mine else ", not its own subnet"
            )
            fix = f"the prefix of all rails: {', '.join(usual)}"
            routes = [one for one in host.facts.routes or () if one.port == name]
            key = next((key_of(one) for one in routes if one.prefix in mine), "routes")
            yield self.host_problem(host, key, found + other, fix, nic)


class RailsAreRoutedAlike(Rule):
    """Rails with one reach have routes of one size in the main table."""

    id = "rails-main"
    severity = "major"
    needs = frozenset({"host.routes"})
    why = "what is bound to no address goes by the main table: a route too wide takes other rails'"

    def of_host(self, host: Host) -> Iterator[Problem]:
        routes = host.facts.routes or ()
        sizes: dict[str, tuple[int, ...]] = {}
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for nic in _rails(host.facts):
            mine = [(one, _network(one.prefix)) for one in routes if one.port == nic.name]
            groups[tuple(sorted(one.prefix for one, _ in mine if one.table != _MAIN))].append(
                nic.name
            )
            main = (net.prefixlen for one, net in mine if one.table == _MAIN and net)
            sizes[nic.name] = tuple(sorted(main))
        for names in groups.values():
            usual, count = Counter(sizes[name] for name in names).most_common(1)[0]
            for name in names if count > 2 else ():
                if sizes[name] != usual:
                    own = [one for one in routes if (one.port, one.table) == (name, _MAIN)]
                    key = key_of(own[0]) if own else "routes"
                    found = f"routes of /{_bits(sizes[name])}, on {count} rails of /{_bits(usual)}"
                    yield self.host_problem(host, key, found, "route all alike", host.nic(name))


def _bits(sizes: tuple[int, ...]) -> str:
    return ", /".join(map(str, sizes)) or "-"


class RoceHasAnAddress(Rule):
    """A NIC that is told of RoCE has an address where others of it have."""

    id = "nic-no-address"
    severity = "major"
    needs = frozenset({"nic.addresses"})
    why = "without an IPv4 address a NIC has no routable GID (RoCE v2): its name may be another's"

    def of_host(self, host: Host) -> Iterator[Problem]:
        nics = host.facts.roce_nics
        bare = [nic for nic in nics if not nic.addresses and not nic.bond]
        if bare and len(bare) * 2 < len(nics):
            for nic in bare:
                found = f"no address, as {len(nics) - len(bare)} other NICs with RoCE have"
                key = next((f"{nic.name}.{w}" for w in ("device", "trust", "tos")), "")
                yield self.host_problem(host, key, found, "an address, or the right name", nic)


class ParametersNamePorts(Rule):
    """Kernel parameters of ports are of ports that are there."""

    id = "sysctl-port"
    severity = "minor"
    needs = frozenset({"host.nics"})
    why = "sysctl passes over a port that is not there, and the one that is meant keeps its default"

    def of_host(self, host: Host) -> Iterator[Problem]:
        if not any(nic.addresses for nic in host.facts.roce_nics):
            return
        for key in host.facts.sysctls:
            port = key.removeprefix("net.ipv4.conf.").rpartition(".")[0]
            if port == key.rpartition(".")[0] or port in ("all", "default", "lo") or "*" in port:
                continue
            if not host.nic(port.replace("/", ".")):
                found = f"{key}: there is no {port}"
                yield self.host_problem(host, key, found, "the name of a port")


def _nets(nic: NicFacts) -> list[IPv4Network]:
    return [one.network for text in nic.addresses or () if (one := _interface(text))]


def _within(address: str, net: IPv4Network) -> bool:
    one = _interface(address)
    return one is not None and one.ip in net


@lru_cache(maxsize=1 << 15)  # the same of every rule that asks
def _network(prefix: str, *, strict: bool = True) -> IPv4Network | None:
    try:
        return IPv4Network(prefix, strict)
    except ValueError:
        return None


@lru_cache(maxsize=1 << 15)
def _interface(text: str) -> IPv4Interface | None:
    try:
        return IPv4Interface(text)
    except ValueError:
        return None
