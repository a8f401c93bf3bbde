"""How FRR in SONiC differs from FRR elsewhere."""

from __future__ import annotations

from switch_configs import frr
from switch_configs.readback.facts import Hazard

from .names import RELEASES

# docker-fpm-frr appends the first two and, in 202405, the third where it does not find them
# (docker_init.sh): a file without them would change by itself.
_FPM = ("no fpm use-next-hop-groups", "fpm address 127.0.0.1")
_NO_NEXTHOPS = "no zebra nexthop kernel enable"

# `TSA` in the container looks for V4 in the name of a policy that goes out, and adds entries
# 20 to 40 (docker-fpm-frr, TSA and bgpd.tsa.isolate.conf.j2): ours come after them.
_FIRST_ENTRY = 100
NAMES = frr.Names(map_suffix="_V4")

# sonic-frr builds by FRR's own debian/rules: --enable-multipath=256.
_PATHS = 256


def printing(release: str) -> frr.Printing:
    """What is printed for this release."""
    return frr.Printing(
        release=RELEASES[release].frr,
        names=NAMES,
        system=(*_FPM, _NO_NEXTHOPS),
        paths_built=_PATHS,
        first_entry=_FIRST_ENTRY,
    )


READING = frr.Reading(
    names=NAMES,
    system={
        _FPM[0]: Hazard(
            "FRR sends next hop groups, and fpmsyncd of this release may not take them",
            "routing-beside",
        ),
        _FPM[1]: Hazard(
            "FRR does not know where fpmsyncd listens: no route reaches the ASIC", "routing-beside"
        ),
        _NO_NEXTHOPS: "",
        "service integrated-vtysh-config": "",  # of vtysh.conf, which docker_init.sh writes
    },
    paths_built=_PATHS,
)
