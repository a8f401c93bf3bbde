"""The lab's model of NX-OS's command line behind real SSH on loopback, without what is under it.

The model (`deploy/lab/models/nxos`) is a stand-in itself: it imports nothing of ours, and says
where what it says comes from. Here it forwards nothing, and goes wrong as it is told. There is a
terminal, and SCP where the model serves it.
"""

from __future__ import annotations

import re

import paramiko

from deploy.lab.models.nxos import terminal as models
from deploy.lab.models.nxos.box import NxosBox, stored
from tests.deploy.fake_eos import OverSsh, Served

__all__ = ["FakeNxos", "stored"]


class NxosTerminal(OverSsh, models.NxosTerminal):
    """One terminal of one login."""


class FakeNxos(Served, NxosBox):
    """A listening switch; `with FakeNxos(...) as switch: switch.port`."""

    @property
    def reachable(self) -> bool:
        port = re.search(r"(?ms)^interface mgmt0$(.*?)^\S", self.store.running + "\n!")
        return bool(port and "  ip address " in port[1])

    def terminal(self, channel: paramiko.Channel) -> NxosTerminal:
        return NxosTerminal(self, channel)
