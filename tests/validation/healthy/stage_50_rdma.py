"""Stage 50: one pair recorded from real ib_write_bw and ib_write_lat over soft-RoCE."""

from __future__ import annotations

from tests.vm.two_plan import CONFIGURED

from ..recorded_rdma import rdma_run, two
from . import Healthy


def healthy() -> Healthy:
    """Two flows at their rate, and messages in time."""
    return Healthy(50, two(), CONFIGURED, rdma_run("healthy"))
