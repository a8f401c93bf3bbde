"""The random sites in the words of `validation/order`, and its versions back in theirs."""

from __future__ import annotations

from typing import Any

from validation.order.model import Cable, Device, End, Fabric, HostSide, Side, Version, Word

from .walked import Box, Site


def fabric(site: Site) -> Fabric:
    """A site of old and new."""
    devices = {}
    for name, versions in site.versions.items():
        words: list[Word] = ["old", "new"]
        made = tuple(_version(word, box) for word, box in zip(words, versions, strict=False))
        devices[name] = Device(name, site.tiers[name], made)
    return Fabric(devices, tuple(sorted(Cable(*link) for link in site.links)))


def _version(word: Word, box: Box) -> Version:
    if box is None:
        return Version("absent", None, {})
    return Version(word, box["asn"], {k: _end(v) for k, v in box["ports"].items()}, box["box"])


def _end(port: dict[str, Any]) -> End:
    roce, strict = tuple(sorted(port["roce"].items())), tuple(sorted(port["strict"]))
    if "send" in port:
        dscp, cnp = port["send"]
        return HostSide(dscp, cnp, port["mtu"], roce, strict, port["ooo"])
    return Side(roce, strict, port["mtu"], port["ar"], port["peer"])


def site(fabric: Fabric, like: Site) -> Site:
    """A fabric with versions between, to be walked."""
    versions: dict[str, list[Box]] = {
        name: [_box(one) for one in device.versions] for name, device in fabric.devices.items()
    }
    return Site(like.tiers, versions, like.links)


def _box(version: Version) -> Box:
    if version.word == "absent":
        return None
    ports = {name: _port(end) for name, end in version.ends.items()}
    return {"asn": version.asn, "box": version.box, "ports": ports}


def _port(end: End) -> dict[str, Any]:
    port = {"roce": dict(end.roce), "strict": set(end.strict), "mtu": end.ip_mtu_bytes}
    if isinstance(end, HostSide):
        send = (end.dscp, end.cnp_dscp)
        return port | {"ar": False, "peer": None, "send": send, "ooo": end.out_of_order}
    return port | {"ar": end.adaptive, "peer": end.peer_asn}
