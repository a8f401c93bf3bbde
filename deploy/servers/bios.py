"""`bios`: what a site wants of its nodes' BIOS, what waits for their next start, what runs.

Reads only. A file of evidence for each node holds what its BMC said of the wanted attributes
and nothing else, so that it can be judged later, and elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from deploy.errors import RailbedError
from deploy.session import Selection, open_plan
from deploy.transport import credentials
from inventory.nodes.hostvars import groups
from inventory.plan import Node, Plan
from inventory.problems import close_to
from inventory.reading.fields import Unreadable
from validation.host_state.bios import SUFFIX, BiosRow, judge, of_another, wanted_of
from validation.parse.host.redfish_bios import FORMAT, FoundBios, found_bios
from validation.verdict import Verdict

from .redfish_run import Auth, BmcAccess, BmcUnread, read_bios

USER, PASSWORD = "bmc_user", "bmc_password"
# Connections at once: BMCs are slow, and one controller asks hundreds.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class BiosOptions:
    """How BMCs are asked. `at` is another address by node: of a tunnel, or of a test."""

    auth: Auth = "session"
    trust: str | bool = True
    timeout_s: float = 30.0
    save: Path | None = None
    evidence: Path | None = None
    at: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class NodeBios:
    """One node; `unread` says why nothing is known of it."""

    node: str
    rows: tuple[BiosRow, ...]
    unread: str = ""

    @property
    def verdict(self) -> Verdict:
        """The worst of its rows; inconclusive where it was not read."""
        if any(row.verdict is Verdict.FAIL for row in self.rows):
            return Verdict.FAIL
        whole = not self.unread and all(row.verdict is Verdict.PASS for row in self.rows)
        return Verdict.PASS if whole else Verdict.INCONCLUSIVE


@dataclass(frozen=True, slots=True)
class BiosReport:
    """Every node of which something is wanted, sorted by name."""

    plan_digest: str
    nodes: tuple[NodeBios, ...]

    @property
    def exit_code(self) -> int:
        """0 all as wanted, 1 something is not, 3 a reboot is due or not all is known."""
        verdicts = {bios.verdict for bios in self.nodes}
        if Verdict.FAIL in verdicts:
            return 1
        return 0 if verdicts == {Verdict.PASS} else 3


def bios_of_site(selection: Selection, names: Sequence[str], options: BiosOptions) -> BiosReport:
    """Compare the BIOS of nodes with what the site wants; all nodes where none is named."""
    plan = open_plan(selection)
    nodes = nodes_of(plan, names)
    for name in options.at or {}:
        if name not in plan.node:
            hint = close_to(name, plan.node) or "`railbed plan` names them"
            raise RailbedError(f"--at {name}: no node of {plan.site}", hint=hint)
    if options.evidence is not None:
        folder = options.evidence
        return BiosReport(plan.digest, tuple(_from_file(plan, node, folder) for node in nodes))
    user = credentials.read(plan, selection.state_dir, USER)
    password = credentials.read(plan, selection.state_dir, PASSWORD)

    def ask(node: Node) -> NodeBios:
        return _asked(plan, node, _access(node, user, password, options), options.save)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return BiosReport(plan.digest, tuple(pool.map(ask, nodes)))


def nodes_of(plan: Plan, names: Sequence[str]) -> tuple[Node, ...]:
    """The nodes of these names and groups of which BIOS settings are wanted, sorted.

    Raises RailbedError for a name that is neither, and where nothing is wanted of any of them.
    """
    members, meant = groups(plan), set[str]()
    for name in names:
        found = {name} if name in plan.node else set(members.get(name, ())) & set(plan.node)
        if not found:
            hint = close_to(name, {*plan.node, *members}) or "`railbed plan` names them"
            raise RailbedError(f"{name}: no node of {plan.site} is meant", hint=hint)
        meant |= found
    asked = [
        node for node in plan.nodes if (not names or node.name in meant) and wanted_of(plan, node)
    ]
    if not asked:
        raise RailbedError(
            "no BIOS settings are wanted of these nodes",
            hint="write them under versions.bios.PROFILE in fabric.yml",
        )
    return tuple(asked)


def _access(node: Node, user: str, password: str, options: BiosOptions) -> BmcAccess:
    planned = str(node.bmc.address.ip) if node.bmc else ""
    address = (options.at or {}).get(node.name, planned)
    return BmcAccess(address, user, password, options.auth, options.trust, options.timeout_s)


def _asked(plan: Plan, node: Node, access: BmcAccess, save: Path | None) -> NodeBios:
    if not access.address:
        return NodeBios(node.name, (), "its profile has no BMC")
    wanted = wanted_of(plan, node)
    try:
        reply = read_bios(access, wanted)
    except BmcUnread as error:
        return NodeBios(node.name, (), error.message)
    said = {
        "tool": "redfish-bios",
        "format": FORMAT,
        "node": node.name,
        "plan_digest": plan.digest,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "address": access.address,
        **asdict(reply),
    }
    text = json.dumps(said, indent=1, sort_keys=True) + "\n"
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        (save / f"{node.name}{SUFFIX}").write_text(text, encoding="utf-8")
    return _judged(plan, node, lambda: found_bios(text))


def _from_file(plan: Plan, node: Node, folder: Path) -> NodeBios:
    path = folder / f"{node.name}{SUFFIX}"
    if not path.is_file():
        return NodeBios(node.name, (), f"there is no evidence of it: {path.name}")
    return _judged(plan, node, lambda: found_bios(path.read_text(encoding="utf-8")))


def _judged(plan: Plan, node: Node, read: Callable[[], FoundBios]) -> NodeBios:
    try:
        found = read()
    except (Unreadable, UnicodeDecodeError) as error:
        return NodeBios(node.name, (), str(error))
    if why := of_another(node, found):
        return NodeBios(node.name, (), why)
    return NodeBios(node.name, judge(wanted_of(plan, node), found))
