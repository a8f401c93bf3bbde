"""The host state as a question: one line, one frame; the script is `on_node/host_state.sh`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from testinfra.host import Host

from inventory.nodes.kernel_arguments import arguments
from inventory.plan import Node, Plan
from inventory.reading.fields import Unreadable
from validation.evidence.gather import Ask, management_port
from validation.parse.host.host_state import HostState, host_state

from .facts import HostFacts
from .read import facts

HOST_STATE = "railbed-host-state"
SCRIPT = Path(__file__).parents[1] / "on_node" / "host_state.sh"
# Eight GPUs without persistence and twelve NICs asked for their firmware take most of a minute.
_LIMIT_S = 240.0


def ask(node: Node | None = None) -> Ask:
    """The question: the script, its scratch files in the trip's own folder.

    Of the kernel's arguments it tells the values that are planned for the node, and usual ones.
    """
    words = arguments(node.tuning) if node else ()
    names = " ".join(sorted({word.partition("=")[0] for word in words}))
    told = f"TMPDIR=$RAILBED_TMP RAILBED_ARGUMENTS='{names}'; export TMPDIR\n"
    return Ask(HOST_STATE, told + _script(), _LIMIT_S)


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


def read(host: Host, plan: Plan, device: str) -> HostFacts:
    """What a node's host state says. Unreadable where it is cut, altered or another machine's."""
    told = host.run(HOST_STATE)
    if told.rc != 0:
        said = " ".join(str(told.stderr).split())[:160] or "nothing"
        raise Unreadable(f"the host state ended with status {told.rc} and said: {said}")
    return _facts(
        bytes(told.stdout_bytes), plan.management_mac[device], management_port(plan, device)
    )


@cache
def _facts(data: bytes, mac: str | None, port: str) -> HostFacts:
    """Kept, because each check of a node reads the same bytes."""
    return facts(of_machine(host_state(data), mac, port))


def of_machine(state: HostState, mac: str | None, port: str) -> HostState:
    """The state itself, if it is of the machine whose management port has this MAC.

    Without a planned MAC nothing proves it: who believes such a state has to say so.
    """
    found = state.identity.macs.get(port, "unknown")
    if mac is not None and found != mac.lower():
        raise Unreadable(f"it is of a machine whose {port} has MAC {found}, not {mac}")
    return state
