"""Each of several NICs of a server answers and sends for itself: addresses, rules, routes, ARP."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from validation.audit.hosts.facts import HostFacts, NicFacts, key_of
from validation.audit.hosts.host import Host
from validation.audit.hosts.join import NicLink
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

# ip-rule(8): where the kernel's own rule looks up the main table.
_MAIN_PRIORITY = 32_766


class RailsHaveRoutes(Rule):
    """Each of several NICs in reach of one another has a rule and a table of its own."""

    id = "nic-routes"
    severity = "critical"
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
    keys = [own, *(key for key in facts.sysctls if fnmatchcase(own, key))]
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
    """Whether a rule is of this address: itself or its own subnet."""
    net = _network(source) if "/" in source else None
    return source.partition("/")[0] == address or bool(net and _within(address, net))


def _shared(nics: list[NicFacts]) -> set[str]:
    """Names of NICs that have a subnet with another one in common."""
    nets = defaultdict(set)
    for nic in nics:
        for net in _nets(nic):
            nets[net].add(nic.name)
    return {name for names in nets.values() if len(names) > 1 for name in names}


class GatewaysAreNear(Rule):
    """What leaves a NIC for a gateway finds the gateway in the NIC's own subnet."""

    id = "nic-gateway"
    severity = "critical"
    why = "the kernel refuses a route to a gateway that no subnet of the port holds (ip-route(8))"

    def of_host(self, host: Host) -> Iterator[Problem]:
        rails = {nic.name: nic for nic in _rails(host.facts)}
        for one in host.facts.routes or ():
            nic = rails.get(one.port)
            if nic and one.via and not any(_within(one.via, net) for net in _nets(nic)):
                found = f"{one.via} for {one.prefix} is in none of its subnets"
                fix = "the switch's address in the NIC's subnet"
                yield self.host_problem(host, key_of(one), found, fix, nic)


class AddressIsOfThePort(Rule):
    """A NIC's address lies in a subnet of the switch port that it is cabled to."""

    id = "nic-address"
    severity = "critical"
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
    """No two NICs have one address."""

    id = "nic-twin"
    severity = "critical"
    why = "of two NICs with one address the fabric reaches one, and not always the same"

    def of_network(self, network: Network) -> Iterator[Problem]:
        owners: dict[str, list[tuple[Host, NicFacts]]] = defaultdict(list)
        for host in network.hosts:
            for nic in host.facts.roce_nics:
                for text in nic.addresses or ():
                    owners[text.partition("/")[0]].append((host, nic))
        for address, some in owners.items():
            for host, nic in some[1:]:
                found = f"{address} is also on {some[0][0].name}:{some[0][1].name}"
                key = f"{nic.name}.addresses"
                yield self.host_problem(host, key, found, "an address of its own")


class RailsAreTunedAlike(Rule):
    """The kernel treats all rails of a server alike."""

    id = "rails-sysctl"
    severity = "minor"
    why = "the odd rail answers or filters otherwise, and fails alone (ip-sysctl of the kernel)"
    names = ("arp_announce", "arp_ignore", "rp_filter")

    def of_host(self, host: Host) -> Iterator[Problem]:
        for name in self.names:
            said = {nic.name: in_force(host.facts, nic.name, name) for nic in _rails(host.facts)}
            values = Counter(value for _, value in said.values() if value is not None)
            if len(values) > 1:
                (usual, _), *_ = values.most_common()
                for port, (key, value) in said.items():
                    if value not in (usual, None):
                        found = f"{name} is {value}, on other rails {usual}"
                        fix = f"net.ipv4.conf.{port}.{name} = {usual}"
                        yield self.host_problem(host, key, found, fix, host.nic(port))


class TablesReachAlike(Rule):
    """A rail's table comes before the main one, and reaches what other rails' tables reach."""

    id = "nic-table"
    severity = "critical"
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


def _nets(nic: NicFacts) -> list[IPv4Network]:
    return [one.network for text in nic.addresses or () if (one := _interface(text))]


def _within(address: str, net: IPv4Network) -> bool:
    try:
        return IPv4Address(address) in net
    except ValueError:
        return False


def _network(prefix: str) -> IPv4Network | None:
    try:
        return IPv4Network(prefix, strict=False)
    except ValueError:
        return None


def _interface(text: str) -> IPv4Interface | None:
    try:
        return IPv4Interface(text)
    except ValueError:
        return None
