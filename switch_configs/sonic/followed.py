"""Which rows of CONFIG_DB daemons follow as they run; a change of any other needs a reload.

Followed is only what orchagent or a daemon of the host does without a restart, and SONiC's own
programs or tests do on switches (sonic-swss, sonic-utilities, sonic-mgmt, 202405 to 202505):
- DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP: qosorch sets the whole list of a map that is there
  (tests/test_qos_map.py does so on its virtual switch). A list that lost an entry: nobody says
  what SAI does with it, so every entry stays.
- WRED_PROFILE: thresholds and probabilities, as `ecnconfig`; qosorch orders them so that they never
  cross. SCHEDULER: weights, as tests/qos/qos_sai_base.py writes them. BUFFER_PROFILE: `dynamic_th`,
  as `mmuconfig` and tests/generic_config_updater/test_mmu_dynamic_threshold_config_update.py.
- PORT, `admin_status`: portmgrd sets it in Linux, and tells orchagent (portmgr.cpp,
  setPortAdminStatus), as after `config interface shutdown`, which writes that field alone
  (sonic-utilities, config/main.py). Rows of buffers that no dynamic model owns stay: buffermgrd
  takes them from a port that is down only on platforms mellanox and barefoot (buffermgr.cpp).
- PFC_WD: pfcwdorch; a new action only with the row written anew, as `pfcwd start` does: one that
  runs keeps its action (`m_entryMap.emplace`).

Not followed, by source:
- which map PORT_QOS_MAP|global names: Broadcom refuses it, and orchagent only logs it (sonic-mgmt
  #21985); `pfcwd_sw_enable`: read when a watchdog starts (pfcwdorch, registerInWdDb);
  `pfc_enable` and BUFFER_PG belong together, and a port without the one loses what it is sent;
- `default_dynamic_th`: buffermgrdyn keeps it for profiles to come.
Not followed, because no source shows it on a port that carries traffic: pools and their sizes,
`xoff`, `xon` and `size` of profiles (gcu_field_operation_validators.conf.json lets some, by
platform), what BUFFER_PG and BUFFER_QUEUE name, maps to priority groups and of pauses, caps of
schedulers, which profile or map a QUEUE or a port names, rows of these tables that come and go.
`config qos reload` empties all these tables and renders the image's own templates
(sonic-utilities, config/main.py): it would not bring ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switch_configs.intent import Impact

Row = Mapping[str, Any]

# Tables whose daemons follow every row at any time: pfcwdorch, hostcfgd, aclorch.
_ROWS = frozenset(
    {"AAA", "ACL_RULE", "NTP_SERVER", "PFC_WD", "SYSLOG_SERVER", "TACPLUS", "TACPLUS_SERVER"}
)
# PFC_WD's row of all watchdogs: of a field that is there no more, pfcwdorch (createEntry) hears
# nothing, and keeps its value.
_EVERY_PORT = "GLOBAL"
# Fields that are followed while the row keeps all that it has.
_FIELDS = {
    "WRED_PROFILE": frozenset(
        f"{colour}_{field}"
        for colour in ("green", "yellow", "red")
        for field in ("min_threshold", "max_threshold", "drop_probability")
    ),
    "SCHEDULER": frozenset({"weight"}),
    "BUFFER_PROFILE": frozenset({"dynamic_th"}),
    "DSCP_TO_TC_MAP": frozenset(map(str, range(64))),
    "TC_TO_QUEUE_MAP": frozenset(map(str, range(8))),
    "PORT": frozenset({"admin_status", "description"}),
}
# Those of these that take the light away.
_FLAPS = {("PORT", "admin_status")}
IN_ASIC = frozenset(_FIELDS) - {"PORT"}
"""Tables of which ASIC_DB says whether the switch has taken them: `device/asic_took.py`."""


def impact_at(where: tuple[str, ...]) -> Impact:
    """What changing a place (table, key, field) does; the worst where no field is named."""
    table, key, field = (*where, "", "", "")[:3]
    is_row = table in _ROWS and (key != _EVERY_PORT or field)
    follows = is_row or field in _FIELDS.get(table, frozenset())
    if (table, field) in _FLAPS:
        return "link flap"
    return "runtime" if follows else "reload"


def is_followed(table: str, key: str, held: Row | None, wanted: Row | None) -> bool:
    """Whether daemons follow a row from what it holds to what is wanted; None where it is not."""
    if table in _ROWS and key != _EVERY_PORT:
        return True
    if held is None or wanted is None or set(held) != set(wanted):
        return False
    changed = {one for one in held if held[one] != wanted[one]}
    return table in _ROWS or changed <= _FIELDS.get(table, frozenset())


def is_anew(table: str, held: Row | None, wanted: Row | None) -> bool:
    """Whether its daemon takes the change only of a row that was deleted before."""
    if held is None or wanted is None:
        return False
    return table == "PFC_WD" and held.get("action") != wanted.get("action")


def flaps(table: str, held: Row | None, wanted: Row | None) -> bool:
    """Whether a port goes down with this change of a row, or comes up."""
    changed = {one for one in held if held[one] != wanted.get(one)} if held and wanted else set()
    return any((table, one) in _FLAPS for one in changed)
