"""On the real lab: a change by hand is told, taken away by a run, brought back, and taken away."""

from __future__ import annotations

import re
from contextlib import closing

import pytest

from deploy.backups.rollback import Wish, rollback_site
from deploy.record.journal import Record
from switch_configs.linux_frr.files import LLDPD

from .chain import SELECTION, inside, mended, railbed, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="a change of a converged lab"),
]
LEAF = "leaf-p1-r0"
BY_HAND = "# by somebody"


def said(*arguments: str) -> tuple[int, str]:
    """Exit status and all that the command line says."""
    run = railbed(*arguments)
    out, err = run.communicate(timeout=300)
    return run.returncode, out + err


def is_there() -> bool:
    return BY_HAND in inside(LEAF, f"cat {LLDPD}")


def test_a_change_by_hand_is_told_taken_away_and_brought_back():
    status, text = said("backup")
    assert (status, " 0 silent" in text) == (0, True), text
    inside(LEAF, f"echo '{BY_HAND}' >>{LLDPD}")
    try:
        status, text = said("drift", "--limit", LEAF)
        assert (status, f"{LLDPD}\n" in text) == (1, True), text
        assert re.search(r"cause  changed on the device, since the\s+backup of 20", text), text
        mended("switches")
        assert not is_there()
        with closing(Record(SELECTION.state_dir / "record.sqlite")) as record:
            run = record.runs()[-1].id
        status, text = said("rollback", str(run))
        assert status == 0, text
        assert f"{LEAF} went back to what it ran before run {run}" in text
        assert is_there()
        again = rollback_site(SELECTION, Wish(run + 1), silent)
        assert (again.exit_code, is_there()) == (0, False), again.outcome
    finally:
        if is_there():
            mended("switches")
