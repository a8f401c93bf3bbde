"""What xcvrd writes of modules into STATE_DB: rows as Redis holds them.

sonic-net/SONiC, transceiver monitor design; sonic-utilities, tests/mock_tables/state_db.json: of a
CMIS module its uses are an advertisement, and each lane of its bank has figures. No light is
`-inf`: sonic-platform-common, sonic_xcvr/api/xcvr_api.py (mw_to_dbm).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .. import modules
from ..modules import Module
from .tables import Hashes

_MADE = "20{}-{}-{}".format(*(modules.MADE[at : at + 2] for at in (0, 2, 4)))
_USES = (
    "{1: {'host_electrical_interface_id': '400GAUI-8 C2M (Annex 120E)', "
    f"'module_media_interface_id': '{modules.KIND} (Clause 124)', "
    f"'media_lane_count': {modules.LANES}, 'host_lane_count': {modules.ROOM}, "
    "'host_lane_assignment_options': 1, 'media_lane_assignment_options': 1}}"
)
_LIMITS = {
    f"{name}{end.replace(' ', '')}": str(value)
    for name, warn in (
        ("temp", modules.TEMPERATURE_WARN_C),
        ("rxpower", modules.RX_WARN_DBM),
        ("txpower", modules.TX_WARN_DBM),
        ("txbias", modules.BIAS_WARN_MA),
    )
    for end, value in modules.limits(warn).items()
}


def rows(found: Iterable[Module]) -> Hashes:
    """Of these modules."""
    made: Hashes = {}
    for one in found:
        made[f"TRANSCEIVER_INFO|{one.device}"] = {
            "type": modules.FORM,
            "manufacturer": modules.VENDOR,
            "model": modules.PART,
            "vendor_rev": "01",
            "serial": one.serial,
            "vendor_date": _MADE,
            "connector": "MPO 1x12",
            "cable_type": "Length Cable Assembly(m)",
            "cable_length": "0",
            "specification_compliance": "sm_media_interface",
            "application_advertisement": _USES,
        }
        made[f"TRANSCEIVER_DOM_SENSOR|{one.device}"] = dict(_sensor(one))
        made[f"TRANSCEIVER_DOM_THRESHOLD|{one.device}"] = dict(_LIMITS)
    return made


def _sensor(one: Module) -> Iterator[tuple[str, str]]:
    yield "temperature", str(modules.TEMPERATURE_C)
    yield "voltage", str(modules.VOLTAGE_V)
    for name, lit in (("rx{}power", one.rx_dbm), ("tx{}power", modules.TX_DBM)):
        for at, power in enumerate(modules.mapped(lit, modules.DARK_DBM), 1):
            yield name.format(at), str(power) if power > modules.DARK_DBM else "-inf"
    for at, current in enumerate(modules.mapped(modules.BIAS_MA, 0.0), 1):
        yield f"tx{at}bias", str(current)
