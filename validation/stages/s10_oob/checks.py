"""Stage 10: every device answers over the OOB plane, as itself, at its planned address.

What answers is known by the MAC of its management port and by its name, both read in the
same trip as every other answer; another device's answers are never believed.
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.plan import Plan
from validation.evidence import ask
from validation.routing.systems import dialect_of
from validation.stage import Check, Faults
from validation.stages.s10_oob.expect import AnswersExpected


class VerifyDevicesAnswerAtTheirPlannedAddress(Check):
    """Each device has its planned management address, and only answers as itself.

    Success: name and management MAC are the plan's, and its port has the planned address.
    Failure: the port has another address: a stale lease, or a static one.
    """

    expects = AnswersExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[AnswersExpected, ...], faults: Faults
    ) -> None:
        # What is typed as `vlan10` is called `Vlan10` by EOS and NX-OS.
        said = ask.ipv4(host, dialect_of(plan, expect[0].device))
        held = {port.lower(): addresses for port, addresses in said.items()}
        for expectation in expect:
            for port, address in expectation.addresses:
                if address not in (mine := held.get(port.lower(), ())):
                    has = ", ".join(mine) or "no address"
                    found = f"{expectation.device}:{port} has {has}"
                    hint = "renew its lease; look at the DHCP reservation and at asbuilt.csv"
                    faults.add(
                        expectation, f"port {expectation.device}:{port}", found, address, hint
                    )
