"""What the box is, what it starts, and how it is reached (sonic-device_metadata.yang and on)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

from switch_configs.readback.facts import ServiceFacts

from . import boxes
from .database import Database, DatabaseRow

_SCHEMA = re.compile(r"version_(\d{6})_\d{2}")
# sonic-buildimage, rules/frr.mk in the branch of each release.
_FRR = {"202405": "8.5.4", "202411": "10.0.1", "202505": "10.3"}
_QUICK = "202311"
# sonic-buildimage, dockers/docker-orchagent/switch.json.j2.
_SEEDS = {"ToRRouter": 0, "LeafRouter": 10, "SpineRouter": 25}
_MAC = re.compile(r"(?i)([0-9a-f]{2}:){5}[0-9a-f]{2}")
_HASHED = {"SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT"}
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}")
_KNOWN_HASHED = _HASHED | {"IN_PORT"}


@dataclass(frozen=True, slots=True)
class Device:
    """What DEVICE_METADATA says; `is_dynamic` is None where no buffer model is said."""

    hostname: str | None
    asn: int | None
    release: str | None
    is_dynamic: bool | None
    has_bfd: bool
    type: str | None
    box: boxes.Box | None


def read(db: Database, frr_release: str | None) -> Device:
    """DEVICE_METADATA, VERSIONS and SWITCH_HASH."""
    row = db.rows("DEVICE_METADATA").get("localhost") or DatabaseRow(
        "DEVICE_METADATA", "localhost", {}
    )
    model = row.text("buffer_model")
    if model not in (None, "dynamic", "traditional"):
        db.broken(f"there is no buffer model '{model}'")
    if row.text("docker_routing_config_mode") != "split-unified":
        words = "frr.conf is not used: docker_routing_config_mode is not split-unified"
        db.hazard(words, "routing-beside")
    names = {name: row.text(name) for name in ("hwsku", "platform")}
    for name, value in names.items():
        if not value:
            db.hazard(f"the switch does not know what it is: no {name}")
    if row.text("synchronous_mode") not in (None, "enable"):
        db.hazard("failures of the ASIC are not seen: synchronous_mode is not enable")
    if row.text("timezone") not in (None, "UTC"):
        db.hazard("logs are not in UTC")
    mac = row.text("mac")
    if mac is not None and not _MAC.fullmatch(mac):
        db.hazard(f"'{mac}' is no MAC address")
    kind = row.text("type")
    if kind not in _SEEDS:
        db.hazard("no device type with a hash seed that we know", "routing-beside")
    has_bfd = row.text("frr_mgmt_framework_config") == "true"
    asn, release = row.number("bgp_asn"), _release(db)
    if release in _FRR and frr_release is not None and _FRR[release] != frr_release:
        words = f"frr.conf is for FRR {frr_release}, and SONiC {release} has {_FRR[release]}"
        db.hazard(words, "routing-beside")
    _hash(db)
    return Device(
        hostname=row.text("hostname"),
        asn=asn,
        release=release,
        is_dynamic=model == "dynamic" if model else None,
        has_bfd=has_bfd,
        type=kind,
        box=boxes.read(db, names["platform"], names["hwsku"]),
    )


def types(directions: set[str]) -> set[str]:
    """The device types of who has sessions so: other types would hash as another tier does.

    A spine without superspines looks as a superspine does, so both pass there.
    """
    if not directions:
        return set(_SEEDS)
    if "down" not in directions:
        return {"LeafRouter"}
    return {"SpineRouter"} if "up" in directions else {"SpineRouter", "ToRRouter"}


def _release(db: Database) -> str | None:
    row = db.rows("VERSIONS").get("DATABASE")
    match = _SCHEMA.fullmatch(row.fields.get("VERSION", "")) if row else None
    if row is None or match is None:
        db.hazard("no schema version: SONiC would migrate the file as one of its first release")
        return None
    row.text("VERSION")
    return match[1]


def _hash(db: Database) -> None:
    row = db.rows("SWITCH_HASH").get("GLOBAL")
    if row is None:
        return
    fields = set(row.texts("ecmp_hash"))
    if not fields >= _HASHED:
        missing = ", ".join(sorted(_HASHED - fields))
        db.hazard(f"flows of RoCE are not spread: the hash leaves out {missing}")
    if not fields <= _KNOWN_HASHED:
        db.hazard(f"unknown hash fields: {', '.join(sorted(fields - _KNOWN_HASHED))}")


def services(db: Database, release: str | None) -> ServiceFacts:
    """Management port and table, and the servers; each must be in the management table."""
    vrf = db.rows("MGMT_VRF_CONFIG").get("vrf_global")
    in_vrf = vrf is not None and vrf.text("mgmtVrfEnabled") == "true"
    address, gateway = _management(db)
    ntp_vrf = db.rows("NTP").get("global")
    ntp = db.rows("NTP_SERVER")
    if ntp and in_vrf and (ntp_vrf is None or ntp_vrf.text("vrf") != "mgmt"):
        db.hazard("NTP does not ask in the management table")
    quick = {row.key: row.text("iburst") for row in ntp.values()}
    # Since there is such a word, without it there is none (ntp.conf.j2, chrony.conf.j2).
    is_said = any(quick.values()) or (release or "") >= _QUICK
    for server, said in quick.items():
        if said != ("on" if is_said else None):
            db.hazard(f"NTP server {server} is asked slowly: no iburst")
    syslog = db.rows("SYSLOG_SERVER")
    _in_table(db, syslog, in_vrf)
    return ServiceFacts(
        management_address=address,
        management_gateway=gateway,
        management_vrf=in_vrf,
        ntp=tuple(ntp),
        syslog=tuple(syslog),
        tacacs=_tacacs(db, in_vrf),
        snmp_users=_snmp(db, address),
        gnmi_port=_gnmi(db),
    )


def _in_table(db: Database, rows: dict[str, DatabaseRow], in_vrf: bool) -> None:
    for row in rows.values():
        if (row.text("vrf") == "mgmt") != in_vrf:
            db.hazard(f"{row.table} {row.key} is not asked in the management table")


def _management(db: Database) -> tuple[str | None, str | None]:
    ports = db.rows("MGMT_PORT")
    for port in ports.values():
        if port.text("admin_status") != "up":
            db.hazard(f"management port {port.key} is not up")
        if port.text("alias") not in (None, port.key):
            db.hazard(f"management port {port.key} has another name in LLDP", "name-in-lldp")
        # Its MTU is nothing of the fabric's: no data port, no IP of RoCE.
        if port.number("mtu") not in (None, 1500):
            db.hazard(f"management port {port.key} has an MTU of its own")
    found: tuple[str | None, str | None] = (None, None)
    for key, row in db.rows("MGMT_INTERFACE").items():
        port_name, _, address = key.partition("|")
        if port_name not in ports:
            db.hazard(f"{port_name} has a management address and is no management port")
        if found[0] is None:
            found = (db.address(row, address), row.text("gwaddr"))
        else:
            db.stray(row)
    return found


def _tacacs(db: Database, in_vrf: bool) -> tuple[str, ...]:
    servers = db.rows("TACPLUS_SERVER")
    _in_table(db, servers, in_vrf)
    login = db.rows("AAA").get("authentication")
    words = login.text("login") if login else None
    if words not in (None, "tacacs+,local"):
        db.hazard(f"logins are asked of {words}")
    shared = db.rows("TACPLUS").get("global")
    if servers and words is None:
        db.hazard("TACACS+ servers are there and nobody asks them")
    if servers and (shared is None or not shared.text("passkey")):
        db.hazard("no key for TACACS+ servers")
    order = {key: row.number("priority") or 1 for key, row in servers.items()}
    if len(set(order.values())) != len(order):
        db.hazard("TACACS+ servers of one priority have no order")
    return tuple(sorted(order, key=lambda one: -order[one]))


def _snmp(db: Database, address: str | None) -> tuple[str, ...]:
    users = db.rows("SNMP_USER")
    wanted = {
        "SNMP_USER_AUTH_TYPE": "SHA",
        "SNMP_USER_ENCRYPTION_TYPE": "AES",
        "SNMP_USER_PERMISSION": "RO",
        "SNMP_USER_TYPE": "Priv",
    }
    for user in users.values():
        if any(user.text(name) != value for name, value in wanted.items()):
            db.hazard(f"SNMP user {user.key} may more than read, or in clear")
        for name in ("SNMP_USER_AUTH_PASSWORD", "SNMP_USER_ENCRYPTION_PASSWORD"):
            if not user.text(name):
                db.hazard(f"SNMP user {user.key} has no {name}")
    agents = db.rows("SNMP_AGENT_ADDRESS_CONFIG")
    here = f"{(address or '').partition('/')[0]}|161|mgmt"
    if users and set(agents) != {here}:
        db.hazard("SNMP is not answered at the management address alone")
    return tuple(sorted(users))


def _gnmi(db: Database) -> int | None:
    rows = db.rows("GNMI")
    said, certificates = rows.get("gnmi"), rows.get("certs")
    if said is None:
        return None
    if said.text("client_auth") != "true":
        db.hazard("gNMI is answered to everybody: client_auth is not true")
    said.number("log_level")
    paths = (
        [certificates.text(one) for one in ("server_crt", "server_key", "ca_crt")]
        if (certificates)
        else []
    )
    if not paths or not all(path and path.endswith((".cer", ".key")) for path in paths):
        db.hazard("gNMI has no certificates: SONiC would answer without TLS")
    return said.number("port")


def valid_servers(db: Database, said: ServiceFacts) -> None:
    """Servers that are no addresses were not read rightly; those of time may have names."""
    for one in (*said.ntp, *said.syslog, *said.tacacs):
        if one in said.ntp and _HOST.fullmatch(one):
            continue
        try:
            ip_address(one)
        except ValueError:
            db.hazard(f"server '{one}' is no address")
