"""The modules that one frame of evidence tells of, by port, whoever asked for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from inventory.reading.fields import Unreadable
from inventory.switches.systems import folders
from switch_configs.answers import answers
from switch_configs.answers.linux import ethtool_module
from switch_configs.answers.module_form import Module
from validation.parse.nic import mlxlink

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
    else:
        for known in filter(None, (answers(name).modules for name in folders())):
            if known.told and command == known.line(""):
                for port in known.told(text):
                    yield port, partial(known.module, text, port)
