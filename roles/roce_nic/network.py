"""Interfaces, addresses, routes and kernel parameters of the data ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pyinfra.operations import server, systemd

from .. import resources
from ..pyinfra_role import File, Files, Services

SYSCTL = "/etc/sysctl.d/60-railbed-roce-nic.conf"
UNIT = "railbed-network.service"
PROGRAM = "/usr/local/sbin/railbed-network"
# Names of NICs may be given before the root file system is there.
INITRAMFS = (
    "if command -v update-initramfs >/dev/null; then update-initramfs -u; "
    "elif command -v dracut >/dev/null; then dracut --force; fi"
)
_NETWORKD = ("netplan", "networkd")
# Of networking.service nothing is started: that would be all ports, the management port's too.
_SERVICE = {
    "networkd": ("Start systemd-networkd, now and at boot", "systemd-networkd.service", True),
    "netplan": ("Start systemd-networkd, now and at boot", "systemd-networkd.service", True),
    "networkmanager": ("Start NetworkManager, now and at boot", "NetworkManager.service", True),
    "ifupdown2": ("Bring the interfaces up at boot", "networking.service", None),
}


def apply(files: Files, services: Services) -> None:
    """Give each data port its address, MTU, routes and rules; idempotent."""
    values, put = files.values, files.put
    tool = values["roce_nic_network_tool"]
    settings = []
    if tool in _NETWORKD:
        settings = [
            put(
                "Let systemd-networkd keep its hands off what others set up",
                File("networkd.conf", "/etc/systemd/networkd.conf.d/50-railbed.conf"),
                folders=["/etc/systemd/networkd.conf.d"],
            )
        ]
    named = [one for one in values["roce_nic_interfaces"] if one["pci"]]
    names = put("Name the NICs", *map(_link, named))
    interfaces = put("Describe the interfaces", *_described(values), folders=["/etc/railbed"])
    put("Write the kernel parameters of the NICs", File("sysctl.conf.j2", SYSCTL))
    told = services.follow(interfaces, *settings)
    systemd.daemon_reload(name="Read the units again", **told)
    _units(tool)
    if named:
        server.shell(
            name="Have the names in the initramfs", commands=[INITRAMFS], **services.follow(names)
        )
    # Nothing that we wrote differs where somebody took a rule or a route away by hand.
    resources.applied_again(
        name="Compare the interfaces with what the kernel has", check=f"{PROGRAM} check", unit=UNIT
    )
    systemd.service(name="Apply the interfaces", service=UNIT, restarted=True, **told)
    resources.kernel_parameters(
        name="Apply the kernel parameters of the NICs",
        values=values["roce_nic_sysctls"],
        path=SYSCTL,
        is_for_ports=True,
    )


def _units(tool: str) -> None:
    name, unit, is_running = _SERVICE[tool]
    if tool == "networkd":
        # To enable systemd-networkd enables this too, unless it is masked (its unit file, Also=).
        resources.masked(
            name="Do not hold the boot for rails that are down",
            unit="systemd-networkd-wait-online.service",
        )
    resources.units_as_on_disk(name="Read what others changed of the units", units=[unit, UNIT])
    systemd.service(name=name, service=unit, running=is_running, enabled=True)
    systemd.service(
        name="Apply the interfaces now and at boot", service=UNIT, running=True, enabled=True
    )


def _link(one: dict[str, Any]) -> File:
    return _of("interface.link.j2", f"/etc/systemd/network/50-railbed-{one['name']}.link", one)


def _described(values: Mapping[str, Any]) -> Iterator[File]:
    yield File("network.j2", "/etc/railbed/network")
    yield File("railbed-network", PROGRAM, "0755")
    yield File("railbed-network.service", f"/etc/systemd/system/{UNIT}")
    tool, interfaces = values["roce_nic_network_tool"], values["roce_nic_interfaces"]
    if tool == "netplan":
        yield File("netplan.yaml.j2", "/etc/netplan/60-railbed.yaml", "0600")
    if tool == "ifupdown2":
        yield File("interfaces.intf.j2", "/etc/network/interfaces.d/railbed.intf")
    if tool == "networkmanager":
        yield File("networkmanager.conf.j2", "/etc/NetworkManager/conf.d/50-railbed.conf")
    for one in interfaces:
        yield from _own_files(tool, one)


def _own_files(tool: str, one: dict[str, Any]) -> Iterator[File]:
    """Files of one interface, where the tool has one for each."""
    if tool == "networkd":
        place = f"/etc/systemd/network/50-railbed-{one['name']}"
        yield _of("interface.network.j2", f"{place}.network", one)
        if one["kind"] != "nic":
            yield _of("interface.netdev.j2", f"{place}.netdev", one)
    if tool == "networkmanager":
        place = f"/etc/NetworkManager/system-connections/railbed-{one['name']}.nmconnection"
        yield _of("interface.nmconnection.j2", place, one, "0600")


def _of(src: str, path: str, one: dict[str, Any], mode: str = "0644") -> File:
    return File(src, path, mode, more={"roce_nic_interface": one})
