"""A drill by a push on a switch of a lab, over its own sshd."""

from __future__ import annotations

from collections.abc import Callable

from deploy.context import no_journal
from deploy.loads.guarded_drill import over_ssh, pull
from deploy.session import Selection, open_context
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.streams import Crossing

from .chain import silent


def pulled(selection: Selection, device: str, port: str, look: Callable[[], None]) -> str:
    """Pull a port, look while it is off; "" or why it was not pulled, or is not back."""
    drill = Drill(
        f"off:{device}:{port}", "off", device, port, "", "", Crossing(), 0.0, 0.0, "", guarded=True
    )
    return pull(open_context(selection, silent, no_journal), drill, look, over_ssh)
