"""ECN thresholds, and the point at which a port asks its peer to pause.

ECN must act before PFC does (DCQCN, SIGCOMM 2015, section 4), so a queue's Kmin lies below the
XOFF point that holds when a stated number of ports are congested at the same time.
"""

from __future__ import annotations

from ..plan import EcnMarking
from ..schema import AsicProfile

# HPCC, SIGCOMM 2019, 5.1: thresholds for DCQCN, in proportion to the rate.
_KMIN_BYTES_AT_25G = 100_000
_KMAX_BYTES_AT_25G = 400_000
_RULE_GBPS = 25
_RULE = "HPCC, SIGCOMM 2019, 5.1: in proportion to the rate"
# SONiC, sonic-buildimage files/build_templates/qos_config.j2, WRED_PROFILE.
_PROBABILITY_PERCENT = 5
_KIB = 1024


def xoff_point_bytes(shared_bytes: int, alpha: float, congested_ports: int) -> int:
    """Return what one of `congested_ports` congested ports may hold before it asks for a pause.

    A dynamic threshold is alpha times the free pool; with N ports at it, the free pool is what
    they leave: T = alpha (B - N T), so T = alpha B / (1 + alpha N).
    """
    return int(alpha * shared_bytes / (1 + alpha * congested_ports))


def most_congested_ports(shared_bytes: int, alpha: float, queue_bytes: int) -> int:
    """Return how many ports may be congested before XOFF falls to `queue_bytes`; 0 if none."""
    ports = int(max(0.0, shared_bytes / (queue_bytes + 1) - 1 / alpha))
    # The quotient above is rounded: the last port may be one too many.
    return ports - (xoff_point_bytes(shared_bytes, alpha, ports) <= queue_bytes) if ports else 0


def ecn_marking(
    asic: AsicProfile, rate_gbps: float, xoff_bytes: int | None, asked: EcnMarking | None
) -> EcnMarking | None:
    """Return the thresholds of a queue of this rate.

    What the site asks for comes first, then what is published for an ASIC whose buffer nobody
    knows, then the rule by rate: 100 and 400 KB for each 25 Gb/s, cut so that Kmax is at most
    the XOFF point and Kmin a quarter of that. None where there is nothing to go by.
    """
    if asked is not None:
        return asked
    if asic.ecn is not None:
        said = asic.ecn
        return EcnMarking(said.kmin_bytes, said.kmax_bytes, said.probability_percent, asic.source)
    if xoff_bytes is None:
        return None
    by_rate = _kmax_by_rate(rate_gbps)
    if by_rate <= xoff_bytes:
        return rule_by_rate(rate_gbps)
    return _marking(xoff_bytes, f"{_RULE}, cut at the XOFF point")


def rule_by_rate(rate_gbps: float) -> EcnMarking:
    """Return 100 and 400 KB for each 25 Gb/s, where no buffer sets a limit."""
    return _marking(_kmax_by_rate(rate_gbps), _RULE)


def _kmax_by_rate(rate_gbps: float) -> float:
    return _KMAX_BYTES_AT_25G * rate_gbps / _RULE_GBPS


def _marking(most_bytes: float, source: str) -> EcnMarking:
    kmax = _down(most_bytes)
    kmin = _down(kmax * _KMIN_BYTES_AT_25G / _KMAX_BYTES_AT_25G)
    return EcnMarking(kmin, kmax, _PROBABILITY_PERCENT, source)


def _down(value: float) -> int:
    """Whole KiB, as configurations write them, and at least one."""
    return max(1, int(value // _KIB)) * _KIB
