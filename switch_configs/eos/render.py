"""SwitchIntent -> the running configuration, by the templates in `templates/`."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, Rendered, SwitchIntent

from . import files
from .kinds import Kind
from .running import as_shown
from .view import view

# In the order of `show running-config`, as Arista's AVD project keeps it
# (eos_cli_config_gen, eos-intended-config.j2).
SECTIONS = (
    "system",
    "logging",
    "link_tracking",
    "hostname",
    "qos_profiles",
    "snmp",
    "spanning_tree",
    "vlans",
    "vrfs",
    "gnmi",
    "tacacs",
    "port_channels",
    "ethernet",
    "loopback",
    "management",
    "vlan_interfaces",
    "access_lists",
    "routing",
    "community_lists",
    "prefix_lists",
    "ipv6_routing",
    "mlag",
    "static_routes",
    "ntp",
    "qos",
    "pfc",
    "route_maps",
    "bgp",
    "ssh",
)


@cache
def environment() -> Environment:
    """The templates of this dialect: strict, and they print what they are given."""
    # The output is configuration text, so nothing is escaped; names.py refuses odd characters.
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )
    made.filters["port_text"] = port_text
    return made


# Only a site's own VLANs and bonds make kinds beyond a few.
@lru_cache(maxsize=1 << 12)
def port_text(kind: Kind) -> str:
    """The block of a kind of port; `%(name)s` and the like are still to be filled in."""
    return environment().get_template("port.j2").render(port=kind)


@cache
def whole() -> Template:
    """All sections as one template: an include for each would cost more than what it prints."""
    folder = Path(__file__).parent / "templates"
    first, raw = ((folder / f"{name}.j2").read_text() for name in ("first", "raw"))
    parts = [
        f'{(folder / f"{name}.j2").read_text()}{{% if "{name}" in v.raw %}}\n'
        f'{{% set section = "{name}" %}}\n{raw}{{% endif %}}\n'
        for name in SECTIONS
    ]
    return environment().from_string("".join([first, *parts, "end\n"]))


def render(intent: SwitchIntent | OobIntent, dialect: str, releases: tuple[str, ...]) -> Rendered:
    """The one file of a switch; `DialectError` for what cannot be printed."""
    switch = intent.switch
    if switch.release not in releases:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(releases)}",
        )
    shown = view(intent, SECTIONS)
    text = whole().render(v=shown)
    # The templates set `!` as EOS does; only between lines of a site's own nobody has set it.
    shown_text = as_shown(text) if shown.raw else text
    return Rendered(switch.name, dialect, (files.config_file(shown_text),))
