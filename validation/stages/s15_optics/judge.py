"""One module, one link, both ends of one cable: what is wrong with them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

from inventory.plan import PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.module_form import Band, Lanes, Link, Module

from .terms import Limits

_END_OF_CABLE = re.compile(r"[-_ /.]?[12AB]$")
_DAY_MINUTES = 24 * 60


def called(module: Module) -> str:
    """A module by what is printed on it."""
    return f"{module.part} {module.serial}"


def module_faults(module: Module, limits: Limits) -> Iterator[str]:
    """Everything about it that is out of its limits; Unreadable where it does not measure.

    A copper cable has no light and no laser: its kind is enough. Temperature is asked of all that
    tell it.
    """
    if module.temperature_c is not None:
        ours = Band(limits.temperature_c_least, limits.temperature_c_most)
        warm = _or(module.temperature, ours)
        yield from _outside((module.temperature_c,), warm, "temperature", "C")
    if module.copper:
        return
    if not module.rx_dbm or not module.tx_dbm:
        raise Unreadable(f"module {called(module)} does not measure its light")
    if module.temperature_c is None:
        raise Unreadable(f"module {called(module)} does not tell its temperature")
    yield from _outside(module.rx_dbm, _or(module.rx, Band(limits.rx_dbm_least)), "rx", "dBm")
    yield from _outside(module.tx_dbm, _or(module.tx, Band(limits.tx_dbm_least)), "tx", "dBm")
    if module.bias.told and not module.bias_ma:
        raise Unreadable(f"module {called(module)} does not tell the current of its lasers")
    if module.bias.told:
        yield from _outside(module.bias_ma, module.bias, "bias", "mA")


def whole_for(module: Module, rate_gbps: float) -> None:
    """Unreadable where it tells the light of fewer lanes than a link of this rate takes.

    What it says of itself counts, by the share of its rate that this port has. One that says
    nothing has lanes of 100 Gb/s at most, or of 200 (IEEE 802.3dj) from 800 Gb/s on.
    """
    plain = ceil(rate_gbps / (200 if rate_gbps >= 800 else 100))
    said = module.media
    if said is None:
        least = plain
    elif said.gbps is None:
        least = min(said.lanes, plain)
    else:
        least = ceil(said.lanes * min(1.0, rate_gbps / said.gbps))
    if module.rx_dbm and len(module.rx_dbm) < least:
        raise Unreadable(f"{called(module)} tells {len(module.rx_dbm)} of {least} lanes")


def _or(own: Band, ours: Band) -> Band:
    return own if own.told else ours


def _outside(values: Lanes, band: Band, what: str, unit: str) -> Iterator[str]:
    for lane, value in enumerate(values, 1):
        which = f"{what} of lane {lane}" if len(values) > 1 else what
        if band.low is not None and value < band.low:
            yield f"{which} is {value:g} {unit}, below {band.low:g}"
        elif band.high is not None and value > band.high:
            yield f"{which} is {value:g} {unit}, above {band.high:g}"


def link_faults(link: Link, limits: Limits) -> Iterator[str]:
    """What its error ratios say; Unreadable where one of them is not told."""
    if link.pre_fec_ber is None or (link.post_fec_ber is None and link.uncorrected is None):
        raise Unreadable("the error ratio before or after correction is not told")
    since = f" in {link.minutes / 60:.1f} h" if link.minutes is not None else ""
    if link.post_fec_ber is not None and link.post_fec_ber > limits.post_fec_ber_most:
        most = limits.post_fec_ber_most
        yield f"after correction {link.post_fec_ber:.1e} of its bits are wrong{since}, above {most}"
    if link.uncorrected:
        yield f"{link.uncorrected} blocks could not be corrected"
    if link.pre_fec_ber > limits.pre_fec_ber_most:
        most = limits.pre_fec_ber_most
        yield f"before correction {link.pre_fec_ber:.1e} of its bits are wrong{since}, above {most}"


def flap_fault(link: Link, limits: Limits) -> str:
    """Why it went down too often, with the time that was counted; "" where it did not."""
    if link.downs is None or link.minutes is None:
        raise Unreadable("how often the link went down, or since when, is not told")
    days = max(1.0, link.minutes / _DAY_MINUTES)
    if link.downs <= limits.flaps_per_day_most * days:
        return ""
    return f"it went down {link.downs} times in {link.minutes / 60:.1f} h"


def ends_fault(a: PortRef, one: Module, b: PortRef, other: Module) -> str:
    """Why two modules cannot be the ends of one cable; "" where they can.

    A cable in one piece tells one serial at both ends, or one that ends in its side.
    """
    said = f"{a} has {called(one)}, {b} has {called(other)}"
    if one.copper != other.copper:
        return f"one end is copper and the other is not: {said}"
    if one.fixed != other.fixed:
        return f"one end is a cable in one piece and the other a module: {said}"
    if one.fixed and _cable(one.serial) != _cable(other.serial):
        return f"they are ends of two cables: {said}"
    if not one.fixed and one.serial == other.serial and one.part == other.part:
        return f"one module cannot be at both ends: {said}"
    return ""


def _cable(serial: str) -> str:
    return _END_OF_CABLE.sub("", serial) if re.search(r"[-_ /.][12AB]$", serial) else serial
