"""What mlxlink, ethtool, SONiC, EOS and NX-OS print of modules, written by hand in their forms."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .roce_site import redis

LANES = range(1, 5)


@dataclass(frozen=True)
class Shown:
    """One end of a link; light is of lane 1, all others are well. `made`: YYMMDD and the lot."""

    serial: str
    part: str = "OSFP-400G-DR4"
    kind: str = "Optical Module (separated)"
    rx_dbm: float = -0.1
    temperature_c: float = 51.0
    pre_fec: str = "5E-10"
    post_fec: str = "15E-255"
    downs: int = 0
    made: str = "240510"

    @property
    def copper(self) -> bool:
        """Whether it is the end of a copper cable."""
        return "copper" in self.kind


def mlxlink(one: Shown) -> str:
    """`mlxlink -m -c --json` of MFT 4.34.1, as far as it is read."""
    rx = [one.rx_dbm, 0.2, 0.1, -0.3]
    light = {
        "Bias Current [mA]": "92.0,91.5,92.8,92.3 [40..130]",
        "Rx Power Current [dBm]": f"{','.join(map(str, rx))} [-6.0..4.0]",
        "Temperature [C]": f"{one.temperature_c:g} [0..70]",
        "Tx Power Current [dBm]": "2.0,1.8,1.9,1.8 [-3.3..4.0]",
    }
    module = {
        **(dict.fromkeys(light, "N/A") if one.copper else light),
        "Cable Type": one.kind,
        "Identifier": "OSFP",
        **({"Manufacturing Date": _backwards(one.made)} if one.made else {}),
        "Transfer Distance [m]": "3" if one.copper else "0.0",
        "Vendor Name": "EXAMPLE",
        "Vendor Part Number": one.part,
        "Vendor Serial Number": one.serial,
    }
    counted = {
        "Effective Physical BER": one.post_fec,
        "Effective Physical Errors": "0",
        "Link Down Counter": str(one.downs),
        "Raw Physical BER": one.pre_fec,
        "Raw Physical BER Per Lane": {"values": [one.pre_fec] * 4},
        "Time Since Last Clear [Min]": "2718.1",
    }
    state = {"FEC": "Standard_RS-FEC - (544,514)", "Speed": "400G", "State": "Active"}
    output = {
        "Module Info": module,
        "Operational Info": state,
        "Physical Counters and BER Info": counted,
    }
    status = {"code": 0, "message": "success"}
    return json.dumps({"result": {"output": output}, "status": status}, indent=1) + "\n"


def _backwards(made: str) -> str:
    """As mlxlink prints a date code: its pairs from the last to the first, a blank lot left out."""
    pairs = [made[at : at + 2] for at in range(0, len(made), 2)]
    return "_".join(reversed(pairs))


def ethtool(one: Shown) -> str:
    """`ethtool -m` of the same module."""
    rows = [("Identifier", "0x1e (QSFP+ or later with CMIS)")]
    length = "3.00m" if one.copper else "0.00m"
    technology = "0x0a (Copper cable, passive, unequalized)" if one.copper else "0x04 (1310 nm EML)"
    rows += [("Cable assembly length", length), ("Transmitter technology", technology)]
    rows += [("Vendor name", "EXAMPLE"), ("Vendor PN", one.part), ("Vendor SN", one.serial)]
    rows += [("Date code", one.made)] if one.made else []
    if not one.copper:
        rows += [("Module temperature", _degrees(one.temperature_c))]
        rows += [("Module voltage", "3.2789 V")]
        rows += [(f"Laser tx bias current (Channel {n})", "92.000 mA") for n in LANES]
        sent = "1.5849 mW / 2.00 dBm"
        rows += [(f"Transmit avg optical power (Channel {n})", sent) for n in LANES]
        for n in LANES:
            value = one.rx_dbm if n == 1 else 0.1
            label = f"Rcvr signal avg optical power (Channel {n})"
            rows.append((label, f"{10 ** (value / 10):.4f} mW / {value:.2f} dBm"))
        for name, low, high, unit in (
            ("Laser output power", "0.4677 mW / -3.30", "2.5119 mW / 4.00", "dBm"),
            ("Laser rx power", "0.2512 mW / -6.00", "2.5119 mW / 4.00", "dBm"),
            ("Laser bias current", "35.000", "130.000", "mA"),
        ):
            rows.append((f"{name} high warning threshold", f"{high} {unit}"))
            rows.append((f"{name} low warning threshold", f"{low} {unit}"))
        for end, value in (("high", 70.0), ("low", 0.0)):
            rows.append((f"Module temperature {end} warning threshold", _degrees(value)))
    return "".join(f"\t{name:<41} : {value}\n" for name, value in rows) + "end-of-module\n"


def _degrees(value: float) -> str:
    return f"{value:.2f} degrees C / {value * 1.8 + 32:.2f} degrees F"


def nvue(one: Shown) -> str:
    """`nv show interface PORT link phy-detail --output json`, as far as it is read."""
    told = {
        "effective-ber": one.post_fec,
        "effective-errors": 0,
        "raw-ber": one.pre_fec,
        "raw-ber-lane0": one.pre_fec,
        "time-since-last-clear-min": 324,
    }
    return json.dumps(told, indent=2) + "\n"


def sonic(ports: dict[str, Shown]) -> tuple[str, str, str]:
    """Dumps of STATE_DB's modules, COUNTERS_DB's rates, and its map of names."""
    state: dict[str, dict[str, object]] = {}
    rates: dict[str, dict[str, object]] = {}
    names: dict[str, object] = {}
    for at, (port, one) in enumerate(sorted(ports.items())):
        names[port] = f"oid:0x10000000000{at:02x}"
        rates[f"RATES:{names[port]}"] = {
            "FEC_PRE_BER": str(float(one.pre_fec)),
            "FEC_POST_BER": str(float(one.post_fec)),
            "RX_BPS": "0",
        }
        state[f"TRANSCEIVER_INFO|{port}"] = {
            "serial": one.serial,
            "model": one.part,
            "manufacturer": "EXAMPLE",
            "vendor_date": _dashed(one.made) if one.made else "N/A",
            "connector": "MPO 1x12",
            "cable_length": "0",
            "specification_compliance": "sm_media_interface",
        }
        light = {f"rx{n}power": str(one.rx_dbm if n == 1 else 0.1) for n in LANES}
        light |= {f"tx{n}power": "1.9" for n in LANES} | {f"tx{n}bias": "92.0" for n in LANES}
        light |= {"temperature": str(one.temperature_c), "voltage": "3.3"}
        state[f"TRANSCEIVER_DOM_SENSOR|{port}"] = dict(light)
        state[f"TRANSCEIVER_DOM_THRESHOLD|{port}"] = {
            "temphighwarning": "70.0",
            "templowwarning": "0.0",
            "rxpowerhighwarning": "4.0",
            "rxpowerlowwarning": "-6.0",
            "txpowerhighwarning": "4.0",
            "txpowerlowwarning": "-3.3",
            "txbiashighwarning": "130.0",
            "txbiaslowwarning": "35.0",
        }
    return redis(state), redis(rates), redis({"COUNTERS_PORT_NAME_MAP": names})


def _dashed(made: str) -> str:
    """As SONiC prints a date code, with the blank before a lot that is not there."""
    return f"20{made[:2]}-{made[2:4]}-{made[4:6]} {made[6:]}"


def eos(port: str, one: Shown) -> tuple[str, str]:
    """Both shows of EOS for one port."""
    band = {"lowWarn": -6.0, "highWarn": 4.0, "lowAlarm": -7.0, "highAlarm": 5.0}
    light = {str(n): one.rx_dbm if n == 1 else 0.1 for n in LANES}
    rx = {"unit": "dBm", "channels": light, "threshold": band}
    sent = {"unit": "dBm", "channels": {str(n): 1.9 for n in LANES}, "threshold": band}
    warm = {"unit": "C", "channels": {"-": one.temperature_c}, "threshold": {}}
    parts = {"rxPower": rx, "txPower": sent, "temperature": warm}
    told = {"displayName": port, "vendorSn": one.serial, "mediaType": "400GBASE-DR4"}
    phy = {
        "fec": {"uncorrectedCodewords": {"value": 0, "changes": 0, "lastChange": 0.0}},
        "preFecBer": {"value": float(one.pre_fec)},
    }
    statuses = {"phyStatuses": [{"description": {"phyChipName": "X"}}, phy]}
    return (
        json.dumps({"interfaces": {port: {**told, "parameters": parts}}}) + "\n",
        json.dumps({"interfacePhyStatuses": {port: statuses}}) + "\n",
    )


def nxos(ports: dict[str, Shown]) -> str:
    """`show interface transceiver details | json`: a lone row is no list."""
    rows = [_nxos(port, one) for port, one in sorted(ports.items())]
    return json.dumps({"TABLE_interface": {"ROW_interface": rows if rows[1:] else rows[0]}}) + "\n"


def _nxos(port: str, one: Shown) -> dict[str, object]:
    kind = "QSFP-100G-CR4" if one.copper else "QDD-400G-DR4"
    row: dict[str, object] = {
        "interface": port, "sfp": "present", "type": kind, "name": "EXAMPLE", "rev": "01",
        "partnum": one.part, "serialnum": one.serial, "nom_bitrate": "425000", "ciscoid": "24",
    }  # fmt: skip
    limits = {"temp": ("0.00", "70.00"), "current": ("35.00", "130.00")}
    limits |= {"tx_pwr": ("-3.30", "4.00"), "rx_pwr": ("-6.00", "4.00")}
    warns = {
        f"{name}_warn_{end}": value
        for name, both in limits.items()
        for end, value in zip(("lo", "hi"), both, strict=True)
    }
    lanes = [
        {
            "lane_number": str(lane),
            "temperature": f"{one.temperature_c:.2f}",
            "temp_flag": None,
            "current": "92.00",
            "tx_pwr": "1.90",
            "rx_pwr": f"{one.rx_dbm if lane == 1 else 0.1:.2f}",
            "xmit_faults": "0",
            **warns,
        }
        for lane in LANES
    ]
    return row if one.copper else row | {"TABLE_lane": {"ROW_lane": lanes}}
