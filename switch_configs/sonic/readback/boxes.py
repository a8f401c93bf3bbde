"""What is known of a box by its platform: its memory, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

from .database import Database


@dataclass(frozen=True, slots=True)
class Box:
    """The buffer that all ports share, None if unpublished, and the names of its splits."""

    memory_bytes: int | None
    skus: frozenset[str]


# sonic-buildimage, device/mellanox and device/arista: the folders in that of the platform, and
# the size of egress_lossless_pool in buffers_defaults_t0.j2 (Arista: both pools of ingress).
_BOXES = {
    "x86_64-nvidia_sn5600-r0": Box(
        158229504,
        frozenset(
            {
                "ACS-SN5600", "Mellanox-SN5600-C224O8", "Mellanox-SN5600-C256S1",
                "Mellanox-SN5600-O128", "Mellanox-SN5600-V256",
            }
        ),
    ),
    "x86_64-mlnx_msn4700-r0": Box(
        60817392, frozenset({"ACS-MSN4700", "Mellanox-SN4700-O28", "Mellanox-SN4700-O8C48"})
    ),
}  # fmt: skip
# A Broadcom box is divided by its model: 202505's folders, of which two have no sizes.
_ARISTA = "x86_64-arista_7060x6_64pe"
_ARISTA_BYTES = {
    "": None,
    "-256x200G": 165660324,
    "-64x400G": None,
    "-C224O8": 166266368,
    "-C256S2": 166607744,
    "-O128S2": 166115492,
}
_BY_MODEL = {
    f"Arista-7060X6-64PE{end}": Box(size, frozenset({f"Arista-7060X6-64PE{end}"}))
    for end, size in _ARISTA_BYTES.items()
}
_LEAST_BYTES = 1 << 20


def read(db: Database, platform: str | None, sku: str | None) -> Box | None:
    """The box; None where nobody looked it up, which is no fault of the file."""
    box = _BOXES.get(platform or "")
    others = {one for name, each in _BOXES.items() if name != platform for one in each.skus}
    if platform == _ARISTA:
        box = _BY_MODEL.get(sku or "", Box(None, frozenset(_BY_MODEL)))
    else:
        others |= set(_BY_MODEL)
    if (box and sku not in box.skus) or (not box and sku in others):
        db.hazard(f"box and model do not belong together: {platform} and {sku}")
    return box


def pools(
    db: Database, box: Box | None, sizes: dict[str, int | None], room_bytes: int | None
) -> None:
    """A pool is no larger than the memory; that of lossless traffic out of the box is all of it.

    `room_bytes` is what the pool of ingress has beside its size for headroom.
    """
    most = box.memory_bytes if box else None
    for name, size in sizes.items():
        if size is not None and (size < _LEAST_BYTES or (most is not None and size > most)):
            db.broken(f"pool {name} of {size} bytes cannot be")
    if most is None or not sizes:
        return
    if sizes.get("egress_lossless_pool") != most:
        db.broken(f"the pool of lossless traffic that leaves is not the box's {most} bytes")
    inside = sizes.get("ingress_lossless_pool")
    if room_bytes and (inside or 0) + room_bytes != most:
        db.broken(f"the pool of ingress and its headroom are not the box's {most} bytes")
