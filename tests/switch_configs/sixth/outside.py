"""Run with the sixth system on its path: what railbed makes of a site of such switches, as JSON.

The evidence is the lab's recorded run, each switch's answers said again in the example's words.
`outside.py SITE FOLDER` leaves the healthy evidence in FOLDER, for `validate --from-evidence`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, grammar, intent, render
from switch_configs.answers.linux.routing import LINUX
from switch_configs.answers.said import Said
from switch_configs.changes import changes
from switch_configs.readback.wanted import wanted
from tests.validation.healthy.stage_10 import _port
from tests.validation.healthy.stage_30 import node_says
from tests.validation.planned import says
from tests.validation.recorded import RUNS
from tests.validation.stock.servers import time
from validation.evidence import ask
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.manifest import ask_node
from validation.manifest.device import manifests
from validation.proof.configuration import differences
from validation.run import validate
from validation.verdict import Verdict

LEAF = "leaf-p1-r0"
Says = dict[tuple[str, str], str]
# Of one answer each: what it says, and what it says wrongly.
WRONG: Mapping[str, tuple[str, str, str, str]] = {
    "address": (LEAF, "vy show addresses", "eth0 10.88.0.11/24", "eth0 10.88.0.99/24"),
    "port": (LEAF, "vy show ports", "swp5 9216 up up", "swp5 9216 down down"),
    "session": (LEAF, "vy show bgp", "swp5 Established", "swp5 Idle"),
    "hardware": (LEAF, "vy show hardware", "10.16.32.0/19 bgp swp5 swp6", "10.16.32.0/19 bgp swp5"),
    "configuration": (LEAF, "", "neighbor swp5 keepalive '3'", "neighbor swp5 keepalive '30'"),
    "mtu": (LEAF, "vy show ports", "swp5 9216 up up", "swp5 1500 up up"),
    "cut": (LEAF, "vy show lldp", "\nend\n", "\n"),
}


def configurations(plan: Plan) -> dict[str, object]:
    """The proof of text: what the grammar, the readback and the running state say of one leaf."""
    made, words = render(plan, LEAF), dialect("vyos_like")
    (file,) = made.files
    asked = wanted(intent(plan, LEAF), words.unsaid)
    changed = replace(made, files=(replace(file, text=file.text.replace("'9216'", "'1500'", 1)),))
    foreign = replace(made, files=(replace(file, text=f"{file.text}set service tftp on\n"),))
    end = words.fetch_command().rpartition("echo ")[2]
    spoilt = file.text.replace("mtu '9216'", "mtv '9216'", 1).replace("'up-out'", "'gone'", 1)
    return {
        "languages": "vyos_like" in grammar.languages(),
        "refused": [f"{one.text}: {one.why}" for one in grammar.problems("vyos_like", spoilt)],
        "taken": not grammar.problems("vyos_like", file.text),
        "equal": words.readback(made) == asked,
        "changed": list(differences(words.readback(changed), asked)),
        "unread": list(map(str, words.readback(foreign).unread)),
        "running": words.running(LEAF, f"{file.text}set system banner 'hi'\n{end}\n") == made,
        "nothing to push": words.push_steps(made, made, 60) == (),
        "drained": [
            f"{one.section} | {one.impact} | {' | '.join(one.lines)}"
            for one in changes(made, words.render(intent(plan, LEAF, drained=True)), words)
        ],
        "back": [line for one in changes(changed, made, words) for line in one.lines],
    }


def said(plan: Plan) -> Says:
    """What every device answers where all is well."""
    told = {(one.device, one.command): one for one in EvidenceStore.load(RUNS / "healthy")}
    nodes = {key: one.payload.decode() for key, one in told.items() if key[0] in plan.node}
    made: Says = {**nodes}
    for name in plan.switch:
        made |= {(name, line): text for line, text in _switch(plan, name, told).items()}
    for node in plan.nodes:
        made |= {(node.name, line): text for line, text in node_says(plan, node).items()}
        made[node.name, ask.ADDRESSES] = _held((node.management.port, node.management.address))
    zones = ((f"br-{one.name}", one.server_address) for one in plan.oob.zones)
    made[plan.oob.name, ask.ADDRESSES] = _held(*zones)
    own = {
        **says(manifests(plan).of(plan.oob.name)),
        ask_node.FAILED: "",
        **time(plan)[plan.oob.name],
    }
    return made | {(plan.oob.name, line): text for line, text in own.items()}


def _held(*ports: tuple[str, object]) -> str:
    return json.dumps([_port((port, str(address))) for port, address in ports])


def _switch(plan: Plan, name: str, told: Mapping[tuple[str, str], Frame]) -> dict[str, str]:
    def read(line: str) -> Said:
        one = told[name, line]
        return Said(line, one.exit_status, one.payload.decode(), one.errors)

    bgp, management = LINUX.bgp(read), plan.switch[name].management
    tables: dict[str, list[str]] = {
        "addresses": [f"{management.port} {management.address}"],
        "bgp": [f"own {bgp.asn}"]
        + [f"{one.key} {one.state} {one.remote_asn}" for one in bgp.peers.values()],
        "hardware": [
            " ".join((str(net), one.protocol, *one.ports)) for net, one in LINUX.fib(read).items()
        ],
        "lldp": [
            f"{port} {one.system} {one.port}"
            for port, heard in LINUX.lldp(read).items()
            for one in heard
        ],
        "ports": [
            f"{one.name} {one.mtu_bytes} {'up' if one.admin_up else 'down'}"
            f" {'up' if one.up else 'down'}"
            for one in LINUX.ports(read).values()
        ],
        "routes": [
            " ".join((str(net), one.protocol, *one.ports)) for net, one in LINUX.rib(read).items()
        ],
    }
    line = dialect("vyos_like").state_command()
    state = f"{render(plan, name).files[0].text}{line.rpartition('echo ')[2]}\n"
    return {f"vy show {what}": _table(rows) for what, rows in tables.items()} | {line: state}


def _table(rows: list[str]) -> str:
    return "".join(f"{one}\n" for one in (*rows, "end"))


def store(plan: Plan, told: Says, folder: Path | None = None) -> EvidenceStore:
    """These answers as evidence of now."""
    made = EvidenceStore(folder) if folder else EvidenceStore()
    now = datetime.now(UTC)
    for (device, line), text in sorted(told.items()):
        data, mac = text.encode(), plan.management_mac[device] or ""
        who = Identity(device, mac, f"boot-of-{device}")
        sha256 = hashlib.sha256(data).hexdigest()
        made.add([Frame(device, line, plan.digest, now, who, 0, len(data), sha256, data)])
    return made


def judged(plan: Plan, told: Says) -> list[tuple[str, ...]]:
    """What does not pass of the stages 10 to 40: verdict, check, suspect, and what was found."""
    found = validate(plan, 40, store(plan, told), None, frozenset(plan.devices))
    bad = [one for one in found.findings if one.verdict is not Verdict.PASS]
    return [(one.verdict.name, one.check, one.suspect, one.found) for one in bad]


def wronged(told: Says, device: str, line: str, old: str, new: str) -> Says:
    """The same with one answer wrong."""
    key = (device, line or dialect("vyos_like").state_command())
    assert told[key].count(old) == 1, told[key]
    return {**told, key: told[key].replace(old, new)}


def main(site: str, folder: str) -> None:
    """Prints what was found."""
    plan = open_site(site)
    told = said(plan)
    store(plan, told, Path(folder)).save()
    cases = {"healthy": told} | {name: wronged(told, *one) for name, one in WRONG.items()}
    verdicts = {name: judged(plan, one) for name, one in cases.items()}
    json.dump({"texts": configurations(plan), "verdicts": verdicts}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
