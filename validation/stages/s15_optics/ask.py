"""The lines that tell of a port's module and link, and the reader of each answer."""

from __future__ import annotations

import shlex
from functools import lru_cache

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers import answers
from switch_configs.answers.contract import Modules
from switch_configs.answers.linux import ethtool_module
from switch_configs.answers.module_form import Link, Module
from switch_configs.shown.said import why
from validation.host_state.wanted import roce_nics
from validation.parse.nic import mlxlink

NOT_FOUND = 127  # POSIX sh: there is no such command


def mlxlink_line(plan: Plan, here: PortRef) -> str:
    """What asks a NIC of its module and link at once; MFT's tool, else mstflint's."""
    nic = next(one for one in roce_nics(plan.node[here.device]) if one.port == here.port)
    name = shlex.quote(nic.pci or nic.rdma_device or "")
    return f"t=mlxlink; command -v $t >/dev/null || t=mstlink; $t -d {name} -m -c --json"


def module(host: Host, plan: Plan, here: PortRef) -> Module:
    """The module in a port. Raises MissingEvidence or Unreadable."""
    if here.device in plan.node:
        told = host.run(mlxlink_line(plan, here))
        if told.rc == NOT_FOUND:
            return ethtool_module.module(_answer(host, ethtool_module.line(here.port)))
        return mlxlink.module(_link_sections(told.rc, str(told.stdout or told.stderr)))
    known = _known(plan, here, "modules")
    return known.module(_answer(host, known.line(here.port)), here.port)


def link(host: Host, plan: Plan, here: PortRef) -> Link:
    """How well the link of a port works. Raises MissingEvidence or Unreadable."""
    if here.device in plan.node:
        told = host.run(mlxlink_line(plan, here))
        if told.rc == NOT_FOUND:
            raise Unreadable("neither mlxlink (MFT) nor mstlink (mstflint) is there")
        return mlxlink.link(_link_sections(told.rc, str(told.stdout or told.stderr)))
    known = _known(plan, here, "error ratios").ratios
    if known is None:
        raise Unreadable(f"{here.device} tells no error ratios that are read here")
    return known.link([_answer(host, line) for line in known.lines(here.port)], here.port)


def _known(plan: Plan, here: PortRef, what: str) -> Modules:
    dialect = plan.switch[here.device].dialect
    known = answers(dialect).modules
    if known is None:
        raise Unreadable(f"nothing here reads {what} of dialect {dialect}")
    return known


def _answer(host: Host, line: str) -> str:
    told = host.run(line)
    if told.rc != 0:
        said = why(str(told.stderr), str(told.stdout), line)
        raise Unreadable(f"`{line}` ended with status {told.rc} and said: {said}")
    return str(told.stdout)


def _link_sections(status: int, text: str) -> dict[str, dict[str, str]]:
    if status:
        raise Unreadable(f"mlxlink ended with status {status}: {' '.join(text.split())[:120]}")
    return _sections(text)


@lru_cache(maxsize=4096)
def _sections(text: str) -> dict[str, dict[str, str]]:
    """Kept: three checks read the same answer."""
    return mlxlink.sections(text)
