"""`railbed import netbox`: what a NetBox owns, into the files that `inventory` reads.

The token is a reference like every credential: `env:NAME` or `file:PATH`, read at the last
moment, in no plan, log, record or message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from deploy.errors import RailbedError
from deploy.session import Selection
from deploy.transport import credentials
from inventory.imports.compare import compare_cables, compare_devices
from inventory.imports.netbox_records import Inventory, compare_addresses, inventory_of
from inventory.imports.site import BMC, MANAGEMENT, DevicePorts
from inventory.plan import Plan
from inventory.problems import close_to

from .lists import ListImport, Options, settle
from .netbox_run import NetboxAccess, read_netbox
from .site import must_hold, open_site

TOKEN = "netbox_token"


@dataclass(frozen=True, slots=True)
class NetboxSource:
    """A NetBox as named on the command line; `token` is a reference, "" for fabric.yml's."""

    url: str
    token: str = ""
    site: str = ""
    timeout_s: float = 30.0
    renamed: Mapping[str, str] = field(default_factory=dict)


def import_netbox(selection: Selection, source: NetboxSource, options: Options) -> ListImport:
    """Read a NetBox, compare it with the plan, and where asked write the site's files."""
    site = open_site(selection.site, selection.state_dir)
    _must_be_ours(source.renamed, site.ports.values())
    token = _token(site.plan, selection, source.token)
    records = read_netbox(NetboxAccess(source.url, token, source.site, source.timeout_s))
    found = inventory_of(records, site.ports, source.renamed)
    must_hold(found.problems)
    # Without racks in the plan, its own counts are no names that a NetBox could have.
    compared = ("role", "rack", "position") if site.plan.racks else ("role",)
    differences = (
        *compare_devices(site.plan, found.devices, compared),
        *compare_addresses(site.plan, found),
        *compare_cables(site.plan, found.wires),
        *found.differences,
    )
    notes = tuple(_notes(records.version, found))
    return settle(site, found.claims, found.wires, differences, options, notes)


def _must_be_ours(renamed: Mapping[str, str], devices: Iterable[DevicePorts]) -> None:
    """RailbedError for a port that no device of the site has: no MAC would ever reach it."""
    known = {MANAGEMENT, BMC}.union(*(ports.all for ports in devices))
    for theirs, ours in renamed.items():
        if ours not in known:
            found = f"--port {theirs}={ours}: no device of the site has a port `{ours}`"
            raise RailbedError(found, hint=close_to(ours, known) or "`railbed plan --device NAME`")


def _token(plan: Plan, selection: Selection, reference: str) -> str:
    if reference:
        if not reference.startswith(("env:", "file:")):
            # What stands there may be the token itself, so it is not repeated.
            raise RailbedError(
                "--token is no reference", hint="`env:NAME` or `file:PATH`, never the token itself"
            )
        plan = replace(plan, credentials=((TOKEN, reference),))
    return credentials.read(plan, selection.state_dir, TOKEN)


def _notes(version: str, found: Inventory) -> list[str]:
    notes = [f"NetBox {version}: {len(found.devices)} devices, {len(found.wires)} cables"]
    if found.unread:
        notes.append(f"{found.unread} cables do not join two interfaces, and were not compared")
    if found.portless:
        notes.append(
            f"{found.portless} MAC addresses are on interfaces that the plan does not have"
            " (--port THEIRS=OURS renames one)"
        )
    return notes
