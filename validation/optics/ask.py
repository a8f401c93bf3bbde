"""The lines that tell of a port's module and link, and the reader of each answer."""

from __future__ import annotations

import shlex
from functools import lru_cache

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from switch_configs.shown.said import why
from validation.host_state.wanted import roce_nics
from validation.parse.nic import ethtool_module, mlxlink
from validation.parse.nic.module_form import Link, Module
from validation.parse.switch import eos_modules, nvue_phy, sonic_modules

from ..parse.fields import Unreadable

NOT_FOUND = 127  # POSIX sh: there is no such command
SONIC_MODULES = "sonic-db-dump -n STATE_DB -k 'TRANSCEIVER_*' -y"
SONIC_RATES = "sonic-db-dump -n COUNTERS_DB -k 'RATES:*' -y"
SONIC_NAMES = "sonic-db-dump -n COUNTERS_DB -k COUNTERS_PORT_NAME_MAP -y"
EOS_MODULES = "FastCli -p 15 -c 'show interfaces transceiver dom thresholds | json'"
EOS_PHYS = "FastCli -p 15 -c 'show interfaces phy detail | json'"


def mlxlink_line(plan: Plan, here: PortRef) -> str:
    """What asks a NIC of its module and link at once; MFT's tool, else mstflint's."""
    nic = next(one for one in roce_nics(plan.node[here.device]) if one.port == here.port)
    name = shlex.quote(nic.pci or nic.rdma_device or "")
    return f"t=mlxlink; command -v $t >/dev/null || t=mstlink; $t -d {name} -m -c --json"


def nvue_line(port: str) -> str:
    """What asks Cumulus of a port's error ratios."""
    return f"nv show interface {shlex.quote(port)} link phy-detail --output json"


def module(host: Host, plan: Plan, here: PortRef) -> Module:
    """The module in a port. Raises MissingEvidence or Unreadable."""
    if here.device in plan.node:
        told = host.run(mlxlink_line(plan, here))
        if told.rc == NOT_FOUND:
            return ethtool_module.module(_answer(host, ethtool_module.line(here.port)))
        return mlxlink.module(_link_sections(told.rc, str(told.stdout or told.stderr)))
    dialect = plan.switch[here.device].dialect
    if dialect == "cumulus":
        return ethtool_module.module(_answer(host, ethtool_module.line(here.port)))
    if dialect == "sonic":
        return sonic_modules.module(_answer(host, SONIC_MODULES), here.port)
    if dialect == "eos":
        return eos_modules.module(_answer(host, EOS_MODULES), here.port)
    raise Unreadable(f"nothing here reads modules of dialect {dialect}")


def link(host: Host, plan: Plan, here: PortRef) -> Link:
    """How well the link of a port works. Raises MissingEvidence or Unreadable."""
    if here.device in plan.node:
        told = host.run(mlxlink_line(plan, here))
        if told.rc == NOT_FOUND:
            raise Unreadable("neither mlxlink (MFT) nor mstlink (mstflint) is there")
        return mlxlink.link(_link_sections(told.rc, str(told.stdout or told.stderr)))
    dialect = plan.switch[here.device].dialect
    if dialect == "cumulus":
        return nvue_phy.link(_answer(host, nvue_line(here.port)))
    if dialect == "sonic":
        return sonic_modules.link(_answer(host, SONIC_RATES), _answer(host, SONIC_NAMES), here.port)
    if dialect == "eos":
        return eos_modules.link(_answer(host, EOS_PHYS), here.port)
    raise Unreadable(f"nothing here reads error ratios of dialect {dialect}")


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
