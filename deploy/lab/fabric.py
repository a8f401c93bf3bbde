"""A large fabric without systemd: a plan's cables and configuration, at once.

For protocols and validation at a size that booted machines do not reach. Here the plan
itself lays the cables, so nothing in such a lab can prove that the plan's cables are right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from deploy.errors import RailbedError
from inventory.plan import Management, Node, Plan, RailNic, Switch, SwitchPort
from switch_configs import render
from switch_configs.intent import ConfigFile

from .lab import build
from .machines.netns_run import NetnsTransport
from .modelled import DATA_RATE_MBPS
from .paths import LabPaths
from .site import Hardware, access_mac, machines, planned_machines, wiring_digest
from .spec import LabSpec, Link

_WORKERS = 4
_CONFIGURE_LIMIT_S = 120.0
_LLDP_TIMES = "configure lldp tx-interval 2\nconfigure lldp tx-hold 2\n"
_LLDPD = "mkdir -p /run/lldpd\nlldpd\n"


def netns_fabric(
    plan: Plan,
    name: str,
    say: Callable[[str], None] = print,
    lldp: bool = True,
    rate_mbps: int = DATA_RATE_MBPS,
) -> LabSpec:
    """Build the plan's site as namespaces and give every device its configuration.

    Switches get the files that their dialect renders and start FRR from them; addresses
    and MTUs come from the plan. Returns when all is started: sessions may still come up.
    `deploy.lab.down(name)` removes it.
    """
    spec, mac = _spec(plan, name, rate_mbps)
    built = build(spec, mac, say)
    scripts = {switch.name: _switch(plan, switch) for switch in plan.switches}
    scripts |= {node.name: _node(node) for node in plan.nodes}
    say(f"lab {name}: configuring {len(scripts)} devices")
    _configure(name, {device: text + _LLDPD * lldp for device, text in scripts.items()})
    return built


def _spec(plan: Plan, name: str, rate_mbps: int) -> tuple[LabSpec, str]:
    known = Hardware(_macs(plan))
    cables = tuple(
        sorted(
            Link(
                known.port(cable.a.device, cable.a.port),
                known.port(cable.b.device, cable.b.port),
                shaped=cable.plane != "oob",
            )
            for cable in plan.cables
        )
    )
    spec = LabSpec(
        name=name,
        kind="netns",
        slot=-1,
        rate_mbps=rate_mbps,
        images="",
        machines=machines(cables, known, planned_machines(plan)),
        links=cables,
        wiring=wiring_digest(cables),
        state=str(LabPaths(name).state),
        since=time.time(),
    )
    return spec, access_mac(spec, known)


def _macs(plan: Plan) -> dict[tuple[str, str], str]:
    found = {(plan.oob.name, plan.oob.access_port): plan.oob.mac}
    for switch in plan.switches:
        found[switch.name, switch.management.port] = switch.management.mac
    for node in plan.nodes:
        found[node.name, node.management.port] = node.management.mac
        found |= {(node.name, nic.port): nic.mac for nic in node.rails}
    return {port: mac for port, mac in found.items() if mac is not None}


def _configure(name: str, scripts: dict[str, str]) -> None:
    transport = NetnsTransport(name)

    def one(device: str) -> str:
        reply = transport.run(device, scripts[device], _CONFIGURE_LIMIT_S)
        return "" if reply.exit_status == 0 else f"{device}: {reply.error or 'no reason given'}"

    with ThreadPoolExecutor(_WORKERS) as pool:
        failed = [why for why in pool.map(one, sorted(scripts)) if why]
    if failed:
        raise RailbedError("\n".join(failed), hint=f"`railbed lab down --name {name}`", exit_code=1)


def _switch(plan: Plan, switch: Switch) -> str:
    files = render(plan, switch.name).files
    ports = (line for port in switch.ports for line in _switch_port(port))
    lines = [f"address add {switch.loopback}/32 dev lo", *_management(switch.management), *ports]
    sysctls = [f"sysctl -q -e -p {file.path}" for file in files if "/sysctl.d/" in file.path]
    nft = [f"nft -f {file.path}" for file in files if file.path.endswith("/nftables.conf")]
    steps = [*(_install(file) for file in files), *sysctls, _batch(lines), *nft]
    return "\n".join(["set -e", *steps, "/usr/lib/frr/frrinit.sh start >/dev/null", ""])


def _switch_port(port: SwitchPort) -> Iterator[str]:
    if port.address is not None:
        yield f"address add {port.address} dev {port.name}"
    yield f"link set dev {port.name} mtu {port.ip_mtu_bytes} up"


def _node(node: Node) -> str:
    lines = [*_management(node.management), *(line for nic in node.rails for line in _rail(nic))]
    # No role runs here: what os_base tells a node's lldpd.
    named = [*(nic.port for nic in node.rails), *(nic.port for nic in node.nics)]
    ports = ",".join(named)
    lldp = f"configure lldp portidsubtype ifname\nconfigure system interface pattern {ports}\n"
    told = f"cat >/etc/lldpd.d/railbed.conf <<'END-OF-FILE'\n{lldp}{_LLDP_TIMES}END-OF-FILE"
    return "\n".join(["set -e", _batch(lines), told, ""])


def _rail(nic: RailNic) -> Iterator[str]:
    yield f"link set dev {nic.port} mtu {nic.ip_mtu_bytes} up"
    yield f"address add {nic.address} dev {nic.port}"
    yield f"route add {nic.rail_prefix} via {nic.gateway} dev {nic.port}"
    yield f"route add {nic.fabric_prefix} via {nic.gateway} dev {nic.port} table {nic.table}"
    yield f"rule add from {nic.address.ip} table {nic.table} priority {nic.rule_priority}"


def _management(management: Management) -> Iterator[str]:
    yield f"address add {management.address} dev {management.port}"
    yield f"link set dev {management.port} up"


def _batch(lines: list[str]) -> str:
    return "\n".join(["ip -batch - <<'END-OF-BATCH'", *lines, "END-OF-BATCH"])


def _install(file: ConfigFile) -> str:
    how = f"-D -o {file.owner} -g {file.group} -m {file.mode}"
    body = file.text.removesuffix("\n")
    return f"install {how} /dev/stdin {file.path} <<'END-OF-FILE'\n{body}\nEND-OF-FILE"
