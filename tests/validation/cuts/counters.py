"""Counters of hosts and switch ports: lists that have no end of their own, inside sections."""

from __future__ import annotations

from functools import partial

from inventory.reading.sections import sections
from switch_configs.answers.linux import link_counters
from validation.counters import host, read
from validation.parse.nic import rdma_counters

from .. import roce_site, typed_counters_says
from . import Case

_NODE = roce_site.plan().node["node-p1-1"]
_PORTS = roce_site.names(["Ethernet0", "Ethernet8"])
_TYPED = roce_site.names(["Ethernet1/1", "Ethernet1/2"])
_LEAF = roce_site.names(["swp1", "swp5"])
_IP = '[{"ifname":"rail0","stats64":{"rx":{"bytes":9,"dropped":0},"tx":{"bytes":8,"dropped":1}}}]\n'
_TC = '[{"kind":"ets","dev":"swp1","root":true,"drops":3},{"kind":"red","dev":"swp1","marked":7}]\n'
CASES = (
    Case("host-counters", partial(host.read, _NODE), roce_site.Nic().text()),
    Case("cumulus-counters", partial(read.ports, "cumulus"), roce_site.cumulus(_LEAF)),
    Case("sonic-counters", partial(read.ports, "sonic"), roce_site.sonic(_PORTS)),
    Case("eos-counters", partial(read.ports, "eos"), typed_counters_says.eos(_TYPED)),
    Case("nxos-counters", partial(read.ports, "nxos"), typed_counters_says.nxos(_TYPED)),
    Case("sections", sections, roce_site.sectioned({"a": "one\ntwo\n", "b": "three\n"})),
    Case("ip-link-counters", link_counters.links, _IP),
    Case("tc-counters", link_counters.queues, _TC),
    Case(
        "sysfs-counters",
        lambda text: rdma_counters.counters(sections(text)["rdma"].text),
        roce_site.sectioned({"rdma": "counters/port_rcv_data 12\nhw_counters/np_cnp_sent 4\n"}),
    ),
)
