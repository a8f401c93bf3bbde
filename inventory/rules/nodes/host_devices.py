"""Rules for what the NICs of nodes are told beside the classes: only what they can take."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.load import profile_names as named
from inventory.model import Fabric
from inventory.problems import Problem

# MLX5E_PARAMS_MAXIMUM_LOG_RQ_SIZE 0xd (drivers/net/ethernet/mellanox/mlx5/core/en.h of Linux).
MOST_RINGS = 8192


def rings_are_what_the_driver_takes(fabric: Fabric) -> Iterator[Problem]:
    """The driver rounds up to a power of two: read back, another number would be a failure.

    mlx5e_ethtool_set_ringparam, drivers/net/ethernet/mellanox/mlx5/core/en_ethtool.c of Linux.
    """
    for path, name in named.node_profiles(fabric.intent):
        rings = fabric.node_profiles[name].nics.rings
        if rings is None:
            continue
        nearest = min(1 << (rings - 1).bit_length(), MOST_RINGS)
        if rings != nearest:
            found = f"`{name}`, whose NICs are to have {rings} descriptors"
            expected = f"a power of two, {MOST_RINGS} at most, like {nearest}"
            yield fabric.problem(path, found, expected, "`ethtool -g PORT` shows the most of yours")


HOST_DEVICE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    rings_are_what_the_driver_takes,
)
