"""The modules that one frame of evidence tells of, by port, whoever asked for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from validation.parse.nic import ethtool_module, mlxlink
from validation.parse.nic.module_form import Module
from validation.parse.switch import eos_modules, sonic_modules

from ..parse.fields import Unreadable
from . import ask

_ETHTOOL = re.compile(rf"ethtool -m (\S+) && echo {ethtool_module.END}")
_MLXLINK = re.compile(r"t=mlxlink; .* \$t -d (\S+) -m -c --json")


def modules_seen(command: str, text: str) -> Iterator[tuple[str, Module]]:
    """Each port with its module; of mlxlink, which names no port, the NIC's own name.

    What cannot be read is left out.
    """
    for port, read in _readers(command, text):
        try:
            yield port, read()
        except Unreadable:
            continue


def _readers(command: str, text: str) -> Iterator[tuple[str, Callable[[], Module]]]:
    if match := _ETHTOOL.fullmatch(command):
        yield match[1], partial(ethtool_module.module, text)
    elif match := _MLXLINK.fullmatch(command):
        yield match[1].strip("'"), lambda: mlxlink.module(mlxlink.sections(text))
    elif command == ask.SONIC_MODULES:
        for port in sonic_modules.ports(text):
            yield port, partial(sonic_modules.module, text, port)
    elif command == ask.EOS_MODULES:
        for port in eos_modules.ports(text):
            yield port, partial(eos_modules.module, text, port)
