"""A site's own servers beside its own switches: seconds of a processor, and findings, of which 0.

Reads the texts that our roles write on every node of superpod-10k, joins each NIC with its switch
port and judges both. Leaves out what switches cost (`tests.bench.audit_speed`): the rules on them
are not asked here.

Run as `python -m tests.bench.audit_hosts [SITE]`.
"""

from __future__ import annotations

import sys
from time import process_time

from inventory import open_site
from switch_configs import render
from validation.audit.box import Box, box
from validation.audit.hosts.planned import planned_hosts
from validation.audit.known import SERVERS, known
from validation.audit.network import network
from validation.audit.rules import rules

from .results import result


def main(site: str = "superpod-10k") -> None:
    """Print three RESULT lines."""
    plan = open_site(site)
    begin = process_time()
    hosts = tuple(planned_hosts(plan))
    read_s = process_time() - begin
    made = (
        box(name, {one.path: one.text for one in render(plan, name).files}) for name in plan.switch
    )
    boxes = [one for one in made if isinstance(one, Box)]
    begin = process_time()
    seen = network(boxes, hosts)
    found = 0
    for rule in (one for one in rules() if known(one, SERVERS).how != "-"):
        found += sum(1 for host in seen.hosts for _ in rule.of_host(host))
        found += sum(1 for link in seen.nic_links for _ in rule.of_nic(link))
        found += sum(1 for _ in rule.of_network(seen))
    judged_s = process_time() - begin
    print(f"{len(hosts)} servers, {len(seen.nic_links)} NICs with a switch port of {len(boxes)}")
    print(result("audit_hosts_read", read_s, "s", 8))
    print(result("audit_hosts_judged", judged_s, "s", 8))
    print(result("audit_hosts_findings", found, "findings", 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
