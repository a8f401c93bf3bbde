"""What Cumulus Linux tells of the module in a port: `ethtool -m`, and NVUE of its link.

- `ethtool -m`: ethtool's cmis.c; without light a power is `-inf`. Who is not root is refused, as by
  Linux (net/ethtool/netlink.c, ETHTOOL_MSG_MODULE_EEPROM_GET).
- `nv show interface PORT link phy-detail`: NVUE reference, Show Commands, Interfaces. `15E-255` is
  no error at all. What it says of a port that is not there is made up, as is ethtool's status.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from math import inf

from .. import modules
from ..modules import Module
from ..under import Run
from ..under_run import said
from .wanted import wanted


def fitted(run: Run, port: str) -> Module | None:
    """The module in a port."""
    found = modules.modules(run, wanted(""))
    return next((one for one in found if one.device == port), None)


def ethtool(one: Module) -> str:
    """`ethtool -m`."""
    return "".join(f"\t{name:<41} : {value}\n" for name, value in _rows(one))


def _rows(one: Module) -> Iterator[tuple[str, str]]:
    yield "Identifier", f"0x18 ({modules.FORM} (INF-8628))"
    yield "Connector", "0x0c (MPO 1x12)"
    yield "Cable assembly length", "0.00m"
    yield "Transmitter technology", "0x06 (1310 nm EML)"
    yield "Vendor name", modules.VENDOR
    yield "Vendor PN", modules.PART
    yield "Vendor rev", "01"
    yield "Vendor SN", one.serial
    yield "Date code", modules.MADE
    yield "Module temperature", _degrees(modules.TEMPERATURE_C)
    yield "Module voltage", f"{modules.VOLTAGE_V:.4f} V"
    for name, figures, form in (
        ("Laser tx bias current", modules.mapped(modules.BIAS_MA, 0.0), _milliamps),
        ("Transmit avg optical power", modules.mapped(modules.TX_DBM, modules.DARK_DBM), _power),
        ("Rcvr signal avg optical power", modules.mapped(one.rx_dbm, modules.DARK_DBM), _power),
    ):
        for at, figure in enumerate(figures, 1):
            yield f"{name} (Channel {at})", form(figure)
    for name, warn, word in (
        ("Laser output power", modules.TX_WARN_DBM, _power),
        ("Laser rx power", modules.RX_WARN_DBM, _power),
        ("Laser bias current", modules.BIAS_WARN_MA, _milliamps),
        ("Module temperature", modules.TEMPERATURE_WARN_C, _degrees),
    ):
        for end, value in modules.limits(warn).items():
            yield f"{name} {end} threshold", word(value)


def _power(dbm: float) -> str:
    milliwatts = 10 ** (dbm / 10) if dbm > modules.DARK_DBM else 0.0
    return f"{milliwatts:.4f} mW / {dbm if milliwatts else -inf:.2f} dBm"


def _milliamps(current: float) -> str:
    return f"{current:.3f} mA"


def _degrees(celsius: float) -> str:
    return f"{celsius:.2f} degrees C / {celsius * 1.8 + 32:.2f} degrees F"


def phy(words: Sequence[str], run: Run, up_s: float) -> tuple[int, str] | None:
    """`nv show interface PORT link phy-detail --output json`; None for other words."""
    match words:
        case ["show", "interface", port, "link", "phy-detail", "--output", "json"]:
            if not fitted(run, port):
                return 1, "Error: The requested item does not exist."
            before = f"{modules.PRE_FEC_RATIO:.0E}".replace("E-0", "E-")
            told = {
                "effective-ber": "15E-255",
                "effective-errors": 0,
                "raw-ber": before,
                **{f"raw-ber-lane{lane}": before for lane in range(modules.LANES)},
                "time-since-last-clear-min": int(up_s / 60),
            }
            return 0, json.dumps(told, indent=2)
    return None


def main(port: str) -> int:
    """Of the program that stands before ethtool: the status that it ends with."""
    if os.geteuid():
        sys.stderr.write("netlink error: Operation not permitted\n")
        return 1
    found = fitted(said, port)
    if not found:
        sys.stderr.write("netlink error: No such device\n")
        return 1
    sys.stdout.write(ethtool(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
