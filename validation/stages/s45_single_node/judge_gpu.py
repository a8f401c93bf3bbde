"""GPUs of a node: NVLinks, a burn and the node's own all_reduce."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence.reading import answer
from validation.judging.limits import Limit
from validation.locating.view import View
from validation.parse.gpu import gpu_burn, nvlink
from validation.parse.gpu.gpu_burn import Burnt
from validation.parse.loads.collective_rows import WrongResult
from validation.stage import Faults

from . import gpus
from .all_reduce import bus_gbytes_per_s
from .expect import AllReduceExpected, BurnExpected, NvlinkExpected
from .gpus import Known, here, suspect
from .norm import Norm, Part, alike, fleet, hold
from .terms import GpuModel, terms
from .work import NVLINK

_HOT = (
    "see the fans and the airflow of its place, and `nvidia-smi -q -d PERFORMANCE` for throttling"
)
RMA = "run `dcgmi diag -r 4` on it alone, keep its log, and exchange the GPU where that fails, too"
_LOW = "see `nvidia-smi nvlink -e` and the fabric manager's log; DCGM's nvbandwidth tells pairs"
_NO_HEAT = "gpu_burn asks `nvidia-smi` for it: see whether that answers while the GPUs work"
_NO_LIMIT = (
    "write it to stages/s45_single_node/terms.yml: what `nvidia-smi "
    "--query-gpu=name,temperature.gpu,"
    "temperature.gpu.tlimit --format=csv` tells, the heat plus the margin that is left"
)
_OFF = (
    "see NvLinkDisable in /proc/driver/nvidia/params; in a virtual machine, whether its host gives "
    "it the NVSwitches or sets up their partition"
)
_LINK = "see `nvidia-smi nvlink -e` for errors and dmesg for Xid 74; reseat or exchange the GPU"


def model_of(told: Known) -> GpuModel | None:
    """What is published of a GPU's model, if anybody says."""
    return terms().gpu_models.get(told.name)


def _unmodelled(told: Known) -> Unreadable:
    return Unreadable(f"nobody says in stages/s45_single_node/terms.yml what {told.name!r} must do")


def links(host: Host, plan: Plan, expect: Sequence[NvlinkExpected], faults: Faults) -> None:
    """Each GPU's links: as many as its model has, each at its rate."""
    who, found = gpus.of_host(host), nvlink.status(answer(host, NVLINK))
    for expectation in expect:
        told = here(expectation.gpu, who)
        mine = next((each for each in found if each.uuid == told.uuid), None)
        model = model_of(told)
        if mine is None and found:
            raise Unreadable(f"nvidia-smi nvlink does not tell of GPU {told.uuid}")
        if model is None:
            raise _unmodelled(told)
        least = model.nvlink_gbytes_per_s * terms().nvlink.least
        rates = mine.gbytes_per_s if mine else ()
        slow = [f"link {at}: {rate:g} GB/s" for at, rate in enumerate(rates) if rate < least]
        missing = model.nvlinks - len(rates)
        faults.figure(expectation, sum(rates), "GB/s")
        if slow or missing > 0:
            bad = ", ".join(slow) or f"{missing} of {model.nvlinks} links are not told"
            wanted = f"{model.nvlinks} links of {model.nvlink_gbytes_per_s:g} GB/s"
            faults.add(
                expectation,
                suspect(plan.node[expectation.device], expectation.gpu, who),
                bad,
                wanted,
                _LINK if found else _OFF,
            )


def burn(
    host: Host, plan: Plan, expect: Sequence[BurnExpected], faults: Faults, view: View
) -> None:
    """Each GPU of a burn: no error, not too hot, as fast as those of its model."""
    who, found = gpus.of_host(host), _burnt(host, expect[0].command)
    every = alike(view, BurnExpected, _any, expect[0])
    for expectation in expect:
        told = here(expectation.gpu, who)
        mine = next((each for each in found if each.uuid == told.uuid), None)
        if mine is None:
            raise Unreadable(f"gpu_burn did not run on GPU {told.uuid}")
        model, part = model_of(told), suspect(plan.node[expectation.device], expectation.gpu, who)
        if mine.faulty:
            faults.add(expectation, part, "it computed wrong values", hint=RMA)
            continue
        if _too_hot(expectation, mine, model, part, faults):
            continue
        others = fleet(view, ("burn", told.name), every, partial(_rates, told.name))
        asked = terms().burn
        bound = Limit(asked.source, gap=asked.gap, trend=asked.trend)
        norm = Norm(bound, "Gflop/s", None, others, f"{expectation.command} on {told.name}")
        hold(view, faults, expectation, mine.gflops, norm, Part(part, _HOT))


def _too_hot(
    one: BurnExpected, mine: Burnt, model: GpuModel | None, part: str, faults: Faults
) -> bool:
    """Whether it was; where nobody can say, the burn cannot pass, but may still fail."""
    heat, most = mine.hottest_c, model.hottest_c if model else None
    if heat is None:
        faults.unknown(one, part, "gpu_burn told no heat of it", _NO_HEAT)
    elif most is None:
        faults.unknown(one, part, f"nobody says how hot a {mine.name!r} may be", _NO_LIMIT)
    elif heat >= most:
        faults.add(one, part, f"{heat} C, below {most} is asked", hint=_HOT)
        return True
    return False


def _burnt(host: Host, command: str) -> tuple[gpu_burn.Burnt, ...]:
    return gpu_burn.burnt(answer(host, command))


def _rates(model: str, some: Sequence[BurnExpected], host: Host) -> list[float]:
    return [burnt.gflops for burnt in _burnt(host, some[0].command) if burnt.name == model]


def _any(_: object) -> object:
    return None


def _gpus(one: AllReduceExpected) -> int:
    return one.gpus


def reduce(host: Host, one: AllReduceExpected, faults: Faults, view: View) -> None:
    """The node's own all_reduce, at one size."""
    told = gpus.of_host(host)
    if len({each.name for each in told}) != 1:
        raise Unreadable(f"{one.device} has GPUs of several models")
    model, asked = model_of(told[0]), terms().all_reduce
    every = alike(view, AllReduceExpected, _gpus, one)
    norm = Norm(
        Limit(asked.source, least=asked.least, gap=asked.gap, trend=asked.trend),
        "GB/s",
        model.all_reduce_gbytes_per_s if model and one.gpus == asked.gpus else None,
        fleet(view, ("all_reduce", told[0].name, one.gpus), every, partial(_bus, told[0].name)),
        f"{one.command} on {told[0].name}",
    )
    part = Part(f"NVLinks of {one.device}", _LOW)
    try:
        value = _busbw(host, one)
    except WrongResult as wrong:
        faults.add(one, f"GPUs of {one.device}", str(wrong), hint=RMA)
        return
    hold(view, faults, one, value, norm, part)


def _bus(model: str, some: Sequence[AllReduceExpected], host: Host) -> list[float]:
    alike_here = {one.name for one in gpus.of_host(host)} == {model}
    return [_busbw(host, some[0])] if alike_here else []


def _busbw(host: Host, one: AllReduceExpected) -> float:
    text = answer(host, one.command)
    return bus_gbytes_per_s(text, terms().all_reduce.bytes, one.gpus)
