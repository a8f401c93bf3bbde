"""The pyinfra part of the role oob_server."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import server, systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File
from . import network
from .network import CONFIG, FIREWALL, NETWORKD, UNITS, WAY_BACK

ROLE = "oob_server"
DNSMASQ = "railbed-dnsmasq.service"
CHRONY = "railbed-chrony.service"
_TIME = (
    File("chrony.conf.j2", "/etc/chrony/railbed.conf", validate="chronyd -p -f %s"),
    File(f"{CHRONY}.j2", f"{UNITS}/{CHRONY}"),
)


@deploy("OOB server")
def apply() -> None:
    """Give every planned device its address and name, and keep the zones apart; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    files = pyinfra_role.Files(ROLE, values)
    put = files.put
    services = pyinfra_role.Services(ROLE, values)
    network.take_back()
    resources.preflight(
        name="Look whether anything speaks against this network and firewall",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    _programs()
    hostname = put("Give the server its name", File("hostname.j2", "/etc/hostname"))
    written = network.write(files, values)
    names = put(
        "Write the reservations and the names",
        File("dhcp-hosts.j2", f"{CONFIG}/dhcp-hosts"),
        File("hosts.j2", f"{CONFIG}/hosts"),
    )
    dnsmasq = put(
        "Configure dnsmasq",
        File("dnsmasq.conf.j2", f"{CONFIG}/dnsmasq.conf", validate="dnsmasq --test --conf-file=%s"),
        File(DNSMASQ, f"{UNITS}/{DNSMASQ}"),
    )
    # No folder of ours: chronyd may read here alone (usr.sbin.chronyd of AppArmor).
    chrony = put("Configure chrony", *_TIME, folders=["/etc/chrony"])
    server.shell(
        name="Take the new name",
        commands=["hostname --file /etc/hostname"],
        **services.follow(hostname),
    )
    systemd.daemon_reload(
        name="Read the units again",
        **services.follow(written.way_back, written.filter_unit, dnsmasq, chrony),
    )
    resources.units_as_on_disk(
        name="Read what others changed of the units",
        units=[f"{WAY_BACK}.service", FIREWALL, NETWORKD, DNSMASQ, CHRONY],
    )
    # To enable systemd-networkd enables this too, unless it is masked (its unit file, Also=).
    resources.masked(
        name="Do not hold the boot for zones without devices",
        unit="systemd-networkd-wait-online.service",
    )
    for unit in (FIREWALL, NETWORKD, DNSMASQ, CHRONY):
        systemd.service(
            name=f"Start {unit}, now and at boot", service=unit, running=True, enabled=True
        )
    _follow(services, written, names, dnsmasq, chrony)
    network.confirm(written.armed, values, str(host.data.get("ssh_config_file")))
    services.note()


def _programs() -> None:
    """Have the programs of the services, and no service of the distribution's in their place."""
    # Before the package, which would start it (deb-systemd-invoke(1p)).
    resources.masked(name="Keep the distribution's chrony from starting", unit="chrony.service")
    resources.packages(
        name="Install what is missing, from the server's own sources",
        wanted=dict.fromkeys(("chrony", "dnsmasq-base", "nftables"), ""),
        family="deb",
        replaced=["systemd-timesyncd"],
    )


def _follow(
    services: pyinfra_role.Services,
    written: network.Written,
    names: OperationMeta,
    dnsmasq: OperationMeta,
    chrony: OperationMeta,
) -> None:
    """Tell the running services what changed; a service that just started read it already."""
    systemd.service(
        name="Reload the firewall",
        service=FIREWALL,
        reloaded=True,
        **services.follow(written.firewall),
    )
    # A reload takes old routes away, which after a restart would be nobody's.
    server.shell(
        name="Reload systemd-networkd",
        commands=["networkctl reload"],
        **services.follow(written.networks),
    )
    systemd.service(
        name="Restart systemd-networkd",
        service=NETWORKD,
        restarted=True,
        **services.follow(written.networkd),
    )
    systemd.service(name="Reload dnsmasq", service=DNSMASQ, reloaded=True, **services.follow(names))
    systemd.service(
        name="Restart dnsmasq", service=DNSMASQ, restarted=True, **services.follow(dnsmasq)
    )
    systemd.service(
        name="Restart chrony", service=CHRONY, restarted=True, **services.follow(chrony)
    )
