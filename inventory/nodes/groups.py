"""The groups a node is in, by its place in the fabric: for both engines and for `engine_groups`.

Each name has a prefix and an underscore, which no device's name has, so that it is valid for
Ansible and never the name of a host.
"""

from __future__ import annotations

from collections.abc import Iterable

from inventory.oob.plane import NODE_ZONE
from inventory.topology.population import GPU

NODES = "kind_node"


def node_groups(
    pod: int,
    rack: int | None,
    profile: str,
    rails: Iterable[int],
    kind: str = GPU,
    zone: str = NODE_ZONE,
) -> tuple[str, ...]:
    """Every group of one node. `rack` counts from 1 in its pod or group; None: nobody said."""
    names = [NODES, f"profile_{profile}", f"zone_{zone}"]
    if kind == GPU:
        names += ["plane_compute", f"pod_{pod}"]
        names += [f"rack_p{pod}_{rack}"] if rack is not None else []
    else:
        names += [f"group_{kind}"]
        names += [f"rack_{kind}_{rack}"] if rack is not None else []
    names += [f"rail_{rail}" for rail in rails]
    return tuple(name.replace("-", "_") for name in names)
