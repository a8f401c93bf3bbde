"""What stages 25 and 42 ask of a switch: the lines, and the readers of their answers."""

from __future__ import annotations

from collections.abc import Iterable

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs import dialect
from switch_configs.answers import answers
from switch_configs.answers.contract import Files
from switch_configs.answers.linux.state import (
    BfdPeer,
    Counted,
    FileSeen,
    bfd_peers,
    files,
    settings,
    to_do,
    wires,
)
from switch_configs.diff import masked
from switch_configs.frr.answers import daemon_down
from switch_configs.readback.facts import SwitchFacts
from switch_configs.shown.said import why
from validation.locating.view import View
from validation.parse.host.node_tools import failed_units
from validation.stages.s42_loss.wire import Wire, command

from . import running

FILTERS = "nft -s list ruleset"
BFD = "vtysh -c 'show bfd peers json'"
FAILED = "systemctl list-units --failed --plain --no-legend --no-pager; echo end"


def files_line(known: Files) -> str:
    """The command line that tells of every owned file, by two programs for all."""
    return (
        f"set --; for f in {' '.join(known.owned)}; do "
        'if [ -e "$f" ]; then set -- "$@" "$f"; else echo "$f -"; fi; done; '
        '[ $# -eq 0 ] || { sha256sum "$@"; stat -c "%n %a %U:%G" "$@"; } | '
        "awk 'NF == 2 { sum[$2] = $1; next } { print $0, sum[$1] }'; echo end"
    )


def frr_line(known: Files) -> str:
    """What FRR would change; its log goes to standard error, standard output has nothing else."""
    return f"/usr/lib/frr/frr-reload.py --test --stdout {known.frr} && echo end"


def filters_line(known: Files) -> str:
    """The rules that the file makes in an empty network namespace."""
    return f"unshare -n sh -c 'nft -f {known.filters} && nft -s list ruleset'"


def files_of(plan: Plan, device: str) -> Files:
    """The files that a switch runs as they lie. Raises Unreadable where its system has none."""
    dialect_name = plan.any_switch[device].dialect
    known = answers(dialect_name).files
    if known is None:
        raise Unreadable(f"dialect {dialect_name} has no files that run as they lie")
    return known


def settings_line(keys: Iterable[str]) -> str:
    """The command line for these settings."""
    return f"sysctl {' '.join(keys)}; echo end"


def _answer(host: Host, line: str) -> str:
    told = host.run(line)
    if told.rc != 0 and not daemon_down(told.stdout + told.stderr):
        said = why(told.stderr, told.stdout, line)
        raise Unreadable(f"`{line[:60]}` ended with status {told.rc} and said: {said}")
    return str(told.stdout)


def held(host: Host, known: Files) -> dict[str, FileSeen | None]:
    """The owned files."""
    return files(_answer(host, files_line(known)))


def frr_to_do(host: Host, known: Files) -> tuple[str, ...]:
    """What would have to change for FRR to run its file; secrets masked."""
    return tuple(masked(line) for line in to_do(_answer(host, frr_line(known))))


def kernel_settings(host: Host, keys: Iterable[str]) -> dict[str, str]:
    """The kernel's values of these settings."""
    return settings(_answer(host, settings_line(keys)))


def filters(host: Host, known: Files) -> tuple[str, str]:
    """The rules that run, and those of the file. Raises Unreadable where the file makes none."""
    run, wanted = _answer(host, FILTERS), _answer(host, filters_line(known))
    if not wanted.strip():
        raise Unreadable(f"{known.filters} makes no rule")
    return run, wanted


def bfd(host: Host) -> dict[str, BfdPeer]:
    """The BFD sessions."""
    text = _answer(host, BFD)
    return {} if daemon_down(text) else bfd_peers(text)


def failed(host: Host) -> tuple[str, ...]:
    """The units that have failed."""
    lines = _answer(host, FAILED).splitlines()
    if not lines or lines[-1] != "end":
        raise Unreadable("the list of failed units was cut off")
    return failed_units("\n".join(lines[:-1]))


def pings(host: Host, some: tuple[Wire, ...]) -> dict[str, Counted]:
    """What came of the pings that a device sent over its cables."""
    return wires(_answer(host, command(some)))


def says(host: Host, view: View, device: str) -> SwitchFacts:
    """What a switch's running configuration says, in neutral words."""
    text, waits = _state(host, view.plan, device), device in view.unconfirmed
    return running.facts(view.plan, device, text, unconfirmed=waits)


def own(host: Host, plan: Plan, device: str) -> tuple[str, ...]:
    """What a switch keeps as its own, beside what the plan and its maker name."""
    return running.own_otherwise(plan, device, _state(host, plan, device))


def _state(host: Host, plan: Plan, device: str) -> str:
    name = plan.any_switch[device].dialect
    line = dialect(name).state_command()
    if not line:
        raise Unreadable(f"nothing here reads what dialect {name} runs")
    return _answer(host, line)
