"""Of lines that nobody planned only what the plan itself says is shown, and what they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, dialects, render
from switch_configs.changes import changes
from switch_configs.diff import diff
from switch_configs.intent import Rendered
from switch_configs.shown.foreign import Planned, Showing, below
from tests.secrets import LINES, PLANTED, planted
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"
PLAN = """
interface Ethernet1/1
   mtu 9214
   description to node-p1-1:rail0
   pfc mode on
   no shutdown
   address 10.0.0.1/31
# a comment of 2 words
router bgp 65000
   neighbor 10.0.0.2 remote-as 65001
   neighbor up password <<secret:bgp>>
"""


def shown(*chain: str, **options) -> str:
    """A line in its place, as it is shown beside that plan, with its digest cut off."""
    said = Planned(below(PLAN), Showing(key=b"k", **options)).line(chain)
    return said.rpartition(" #")[0] or said


PORT, BGP = "interface Ethernet1/1", "router bgp 65000"


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        # A planned line, and another number, address, negation or closed word in its place.
        ((PORT, "   mtu 9214"), "   mtu 9214"),
        ((PORT, "   mtu 1500"), "   mtu 1500"),
        (("interface Ethernet7/1", "   mtu 1500"), "   mtu 1500"),
        ((PORT, "   address 2001:db8::1/64"), "   address 2001:db8::1/64"),
        ((PORT, "   shutdown"), "   shutdown"),
        ((PORT, "   pfc mode off"), "   pfc mode off"),
        ((BGP, "   neighbor 10.9.9.9 remote-as 7"), "   neighbor 10.9.9.9 remote-as 7"),
        # What the plan does not have there is hidden from its first word on.
        ((PORT, "   description hunter 2"), "   description *"),
        ((PORT, "   mtu hunter"), "   mtu *"),
        ((PORT, "   mtu 1500 4711"), "   mtu 1500 *"),
        ((BGP, "   neighbor 10.0.0.2 password 471142"), "   neighbor 10.0.0.2 *"),
        ((BGP, "   neighbor up password 471142"), "   neighbor up password *"),
        # A number is nobody's where the plan has none, and neither is a planned word elsewhere.
        ((PORT, "   pin 471142"), "   interfaces: *"),
        (("471142",), "other: *"),
        (("user x", "   mtu 471142"), "   users: mtu *"),
        (("mtu 471142",), "other: mtu *"),
        (("router ospf 1", "   area 471142"), "   routing: *"),
    ],
)  # fmt: skip
def test_a_line_is_shown_as_far_as_the_plan_has_it(chain, said):
    assert shown(*chain) == said
    assert shown(*chain, whole=True) == chain[-1]


def test_a_digest_is_the_same_for_the_same_line_and_key_alone():
    def digest(line: str, key: bytes = b"k") -> str:
        return Planned((), Showing(key)).line((line,)).rpartition(" #")[2]

    assert digest("pin 1") == digest("pin 1") != digest("pin 2")
    assert digest("pin 1") != digest("pin 1", b"another")
    assert len(digest("pin 1")) == len(digest("pin 1" * 99))


@pytest.mark.parametrize("name", dialects())
def test_what_is_planted_in_foreign_lines_is_not_in_a_diff(name):
    """Both forms of it tell of every file in which something was planted."""
    planned = render(small(name), LEAF)
    held = planted(planned)
    told = changes(held, planned, dialect(name))
    diffs = diff(held, planned)
    said = repr((told, diffs))
    assert [kind for kind, secret in PLANTED.items() if secret in said] == []
    assert [one.path for one in diffs] == sorted(one.path for one in planned.files)
    assert len(LINES) >= 25
    assert "#" in said


@pytest.mark.parametrize("name", dialects())
def test_between_two_foreign_configurations_only_the_plan_s_words_are_shown(name):
    planned = render(small(name), LEAF)
    nothing = Rendered(LEAF, name, ())
    held = planted(planned)
    for plan in (planned, nothing):
        for old, new in ((held, planned), (planned, held)):
            said = repr(changes(old, new, dialect(name), plan))
            assert [kind for kind, secret in PLANTED.items() if secret in said] == []
    files = tuple(replace(one, text=one.text + "x\n") for one in planned.files)
    assert changes(replace(planned, files=files), planned, dialect(name), nothing)
