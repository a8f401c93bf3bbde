"""Counters of hosts and switch ports: lists that have no end of their own, inside sections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from inventory.reading.sections import sections
from switch_configs.answers import answers
from switch_configs.answers.linux import ethtool_stats, link_counters
from validation.counters import host, read
from validation.parse.nic import rdma_counters

from .. import frames_says, roce_site, typed_counters_says
from . import Case

_NODE = roce_site.plan().node["node-p1-1"]
_PORTS = roce_site.names(["Ethernet0", "Ethernet8"])
_TYPED = roce_site.names(["Ethernet1/1", "Ethernet1/2"])
_LEAF = roce_site.names(["swp1", "swp5"])
_IP = '[{"ifname":"rail0","stats64":{"rx":{"bytes":9,"dropped":0},"tx":{"bytes":8,"dropped":1}}}]\n'
_TC = '[{"kind":"ets","dev":"swp1","root":true,"drops":3},{"kind":"red","dev":"swp1","marked":7}]\n'


def _frames(dialect: str) -> Callable[[str], object]:
    known = answers(dialect).frames
    assert known is not None
    reader = known.read
    return lambda text: reader(sections(text))


CASES = (
    Case("host-counters", partial(host.read, _NODE), roce_site.Nic().text()),
    Case("cumulus-counters", partial(read.ports, "cumulus"), roce_site.cumulus(_LEAF)),
    Case("sonic-counters", partial(read.ports, "sonic"), roce_site.sonic(_PORTS)),
    Case("eos-counters", partial(read.ports, "eos"), typed_counters_says.eos(_TYPED)),
    Case("nxos-counters", partial(read.ports, "nxos"), typed_counters_says.nxos(_TYPED)),
    Case("cumulus-frames", _frames("cumulus"), frames_says.cumulus(["swp1"], 9000, {})),
    Case("sonic-frames", _frames("sonic"), frames_says.sonic(["Ethernet0"], 9000, {})),
    Case("eos-frames", _frames("eos"), frames_says.eos(["Ethernet1/1"], 9000, {})),
    Case("nxos-frames", _frames("nxos"), frames_says.nxos(["Ethernet1/1"], 9000, {})),
    Case(
        "nic-frames",
        lambda text: ethtool_stats.frames(ethtool_stats.stats(sections(text)["nic:a"].text)),
        frames_says.mlx5(["a"], 9000, {}),
    ),
    Case("sections", sections, roce_site.sectioned({"a": "one\ntwo\n", "b": "three\n"})),
    Case("ip-link-counters", link_counters.links, _IP),
    Case("tc-counters", link_counters.queues, _TC),
    Case(
        "sysfs-counters",
        lambda text: rdma_counters.counters(sections(text)["rdma"].text),
        roce_site.sectioned({"rdma": "counters/port_rcv_data 12\nhw_counters/np_cnp_sent 4\n"}),
    ),
)
