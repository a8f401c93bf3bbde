"""Stage 15: modules and links by serial number: light, heat, error ratios, flaps, both ends.

Reads only. Asked of NICs with RDMA and of the ports that their data passes; a plan without such
NICs has nothing here. Figures are of a module: one that takes its place has no part in them.
"""

from __future__ import annotations

from functools import partial

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.module_form import Module
from validation.evidence.backend import host as evidence_host
from validation.evidence.trust import MissingEvidence
from validation.locating.batches import listed
from validation.locating.view import View
from validation.stage import Check, Faults

from . import ask
from .batch import NAMED, batch_of, batches
from .expect import BerExpected, EndsExpected, FlapsExpected, OpticExpected
from .judge import called, ends_fault, flap_fault, link_faults, module_faults, whole_for
from .terms import limits


class VerifyModulesAreWithinTheirLimits(Check):
    """Light by lane, temperature and bias are what the module itself calls normal.

    Success: all are; copper has no light, and is not asked for it.
    Failure: one is not: named by serial number, or by its lot where half of the lot is bad.
    """

    expects = OpticExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[OpticExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            module = ask.module(host, plan, expectation.here)
            whole_for(module, expectation.cable.rate_gbps)
            if module.rx_dbm:
                faults.figure(expectation, min(module.rx_dbm), "dBm", called(module))
            if wrong := list(module_faults(module, limits())):
                more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
                said = f"{called(module)}: {wrong[0]}{more}"
                suspect, found, hint = _suspect(expectation.here, module, plan, view)
                faults.add(expectation, suspect, f"{said}; {found}" if found else said, hint=hint)


def _suspect(here: PortRef, module: Module, plan: Plan, view: View) -> tuple[str, str, str]:
    """The batch, where so much of it is bad, with what speaks for it; else the module."""
    known = view.once("batches", lambda: batches(plan, view.modules))
    bad = view.once("bad", lambda: [at for at, one in view.modules.items() if _is_bad(one)])
    found = batch_of(here, known, view.modules, bad, limits())
    if found is None:
        return f"optic {called(module)} in {here}", "", "clean and reseat it, then exchange it"
    batch, serials, size = found
    said = f"{len(serials)} of {size} of its batch are bad: {listed(serials)}"
    return f"{NAMED} {batch}", said, "ask its maker before exchanging pieces one by one"


def _is_bad(module: Module) -> bool:
    try:
        return bool(list(module_faults(module, limits())))
    except Unreadable:
        return False


class VerifyLinksLoseNoBits(Check):
    """Hardly a bit is wrong before correction, and none after.

    Success: both ratios are below their limits.
    Failure: one is above: the module, fibre or port of either end is dirty or failing.
    """

    expects = BerExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[BerExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            link = ask.link(host, plan, expectation.here)
            if link.pre_fec_ber is not None:
                module = view.look(expectation.device, partial(_module, plan, expectation.here))
                faults.figure(
                    expectation, link.pre_fec_ber, "BER", called(module) if module else ""
                )
            if wrong := list(link_faults(link, limits())):
                hint = (
                    "clean both ends; the light of the lanes (`optic:`) tells which end sends badly"
                )
                faults.add(
                    expectation,
                    f"cable {expectation.cable}",
                    f"{expectation.here}: {wrong[0]}",
                    hint=hint,
                )


def _module(plan: Plan, here: PortRef, host: Host) -> Module:
    return ask.module(host, plan, here)


class VerifyLinksStayUp(Check):
    """A link does not go down time and again.

    Success: fewer times a day than the limit, over the time that the NIC counted.
    Failure: more often: reseat or exchange cable and modules.
    """

    expects = FlapsExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[FlapsExpected, ...], faults: Faults
    ) -> None:
        for expectation in expect:
            if said := flap_fault(ask.link(host, plan, expectation.here), limits()):
                faults.add(expectation, f"cable {expectation.cable}", f"{expectation.here}: {said}")


class VerifyBothEndsBelongTogether(Check):
    """Both ends of a cable are of one kind, and of one cable where it is in one piece.

    Success: kinds agree, and serial numbers where they must.
    Failure: they do not: two cables are exchanged, or one end is another kind of module.
    """

    expects = EndsExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[EndsExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            there = (
                expectation.cable.b
                if expectation.here == expectation.cable.a
                else expectation.cable.a
            )
            mine = ask.module(host, plan, expectation.here)
            try:
                theirs = ask.module(evidence_host(there.device, view.book), plan, there)
            except (MissingEvidence, Unreadable) as why:
                faults.unknown(expectation, f"device {there.device}", str(why))
                continue
            if said := ends_fault(expectation.here, mine, there, theirs):
                faults.add(
                    expectation,
                    f"cable {expectation.cable}",
                    said,
                    hint="see what LLDP says of both ports",
                )
