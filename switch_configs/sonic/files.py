"""The files that this dialect owns on a switch, whole."""

from __future__ import annotations

from switch_configs.intent import Bundle, ConfigFile, Impact

CONFIG_DB = "/etc/sonic/config_db.json"
FRR = "/etc/sonic/frr/frr.conf"

# `show techsupport` copies etc/ without its secrets, and prints what FRR runs into dump/
# (sonic-utilities, scripts/generate_dump); others save it under FRR's own path.
BUNDLE = Bundle(
    "sonic_dump_",
    (CONFIG_DB, FRR),
    ((FRR, ("/dump/frr.running_config", "/dump/frr.running_config.gz", "/etc/frr/frr.conf")),),
)

PENDING = "/host/railbed/pending"
"""Is there while a change is not confirmed; never rendered, so it always shows as a difference.
/host is the disk that all images of a switch share, and that a restart keeps."""

NAMED = "/host/railbed/named.json"
"""What the last plan that was confirmed says of tables that the system fills (`kept.named`)."""

NAMED_SOON = f"/host/railbed/candidate{NAMED}"
"""The same of the plan whose push is not confirmed: what runs is its."""

# Stands for a config_db.json that says otherwise than what runs: a restart would bring that.
UNSAVED = f"{CONFIG_DB} (not as it runs)"

# 300 is the number of user and group frr in docker-fpm-frr, which the host does not name
# (sonic-buildimage, rules/config: FRR_USER_UID, FRR_USER_GID).
_OWNED: dict[str, tuple[tuple[str, str, str], Impact]] = {
    CONFIG_DB: (("root", "root", "0644"), "reload"),
    FRR: (("300", "300", "0640"), "daemon restart"),
}

OWNED = tuple(sorted(_OWNED))


def impact_of(path: str) -> Impact:
    """The worst that changing this file does; "none" for a path that is not ours."""
    return _OWNED[path][1] if path in _OWNED else "none"


def owned_file(path: str, text: str) -> ConfigFile:
    """The file as it must lie on the device."""
    (owner, group, mode), impact = _OWNED[path]
    return ConfigFile(path, text, owner, group, mode, impact)
