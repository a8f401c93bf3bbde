"""What the devices behind the interfaces are told of the lossless class."""

from __future__ import annotations

from pyinfra.operations import systemd

from .. import resources
from ..pyinfra_role import File, Files, Services

UNIT = "railbed-roce-nic.service"
PROGRAM = "/usr/local/sbin/railbed-roce-nic"
VENDORS = "/usr/local/lib/railbed/nic"


def apply(files: Files, services: Services) -> None:
    """Have the settings of the NICs, now and whenever a device appears; idempotent."""
    settings = files.put(
        "Apply the settings whenever a device appears",
        File("roce-nic.j2", "/etc/default/railbed-roce-nic"),
        File("vendor.sh.j2", f"{VENDORS}/{files.values['roce_nic_vendor']}.sh"),
        File("railbed-roce-nic", PROGRAM, "0755"),
        File("railbed-roce-nic.service", f"/etc/systemd/system/{UNIT}"),
        File("railbed-roce-nic@.service", "/etc/systemd/system/railbed-roce-nic@.service"),
        # udev reads a changed rule by itself (udev(7)).
        File("udev.rules.j2", "/etc/udev/rules.d/90-railbed-roce-nic.rules"),
        folders=["/usr/local/lib/railbed", VENDORS],
    )
    told = services.follow(settings)
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(
        name="Apply the settings of the NICs now and at boot",
        service=UNIT,
        running=True,
        enabled=True,
    )
    # Nothing that we wrote differs where somebody set a NIC by hand.
    resources.applied_again(
        name="Compare the settings of the NICs with what they have",
        check=f"{PROGRAM} check",
        unit=UNIT,
    )
    systemd.service(name="Apply the settings of the NICs", service=UNIT, restarted=True, **told)
