"""Odd values in every dialect: a correct configuration, or a refusal that names the value."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface

import pytest

from inventory.plan import Lossless, RawStanza, TrafficClass
from inventory.schema import SwitchProfile
from switch_configs import dialect, dialects
from switch_configs.intent import SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base, rendered_or_refused
from tests.switch_configs.sites import DATA, profiles

LEAF = "leaf-p1-r0"
WORDS = {
    "double quotes": 'the "old" rack',
    "single quotes": "node's port",
    "unicode": "Zürich → 東京",
    "dollar and braces": "${HOME} {{x}} {% y %}",
    "backslash": "a\\b\\n",
    "comment": "a ! b # c ; d",
    "pipe": "up | include x",
    "255 characters": "d" * 255,
    "question mark": "why?",
    "leading digit": "1st",
    "percent": "100 %s %d",
}
INJECTIONS = ("x\nno router bgp 1", "x\r\nshutdown", "x\x00y", "x\x1b[2Jy", "x\u2028y", "x\ty")


def described(name: str, words: str) -> SwitchIntent:
    made = base(name, LEAF)
    ports = tuple(replace(one, description=words) for one in made.switch.ports)
    return replace(made, switch=replace(made.switch, ports=ports))


def holds(name: str, made: SwitchIntent) -> bool:
    """Whether it was rendered, and then reads back; False where it was refused by name."""
    rendered, _refused = rendered_or_refused(name, made)
    if rendered is None:
        return False
    tongue = dialect(name)
    assert tongue.readback(rendered) == wanted(made, tongue.unsaid)
    return True


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize("what", WORDS)
def test_any_words_of_people_read_back_or_are_refused(name, what):
    holds(name, described(name, WORDS[what]))


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize("words", INJECTIONS)
def test_no_description_becomes_a_line(name, words):
    """Control characters are refused by every dialect: on a switch they could end a line."""
    assert not holds(name, described(name, words))


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize("asn", [4_200_000_000, 4_294_967_294, 65_536, 64_512])
def test_as_numbers_of_four_bytes(name, asn):
    made = base(name, LEAF)
    sessions = tuple(replace(one, peer_asn=asn) for one in made.switch.sessions)
    assert holds(name, replace(made, switch=replace(made.switch, asn=asn, sessions=sessions)))


@pytest.mark.parametrize("name", dialects())
def test_servers_by_ipv6(name):
    made = base(name, LEAF)
    servers = ("2001:db8::1", "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe", "192.0.2.1")
    services = replace(made.services, ntp=servers, syslog=servers)
    holds(name, replace(made, services=services))


def with_dscps(said: Lossless, dscp: int, cnp: int) -> Lossless:
    moved = {"roce": dscp, "cnp": cnp}
    classes = tuple(
        replace(one, dscps=(moved[one.name],)) if one.name in moved else one for one in said.classes
    )
    return replace(said, dscp=dscp, cnp_dscp=cnp, classes=classes)


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize(("dscp", "cnp"), [(0, 63), (63, 0), (26, 0), (1, 2)])
def test_the_first_and_the_last_dscp(name, dscp, cnp):
    made = base(name, LEAF)
    assert holds(name, replace(made, lossless=with_dscps(made.lossless, dscp, cnp)))


@pytest.mark.parametrize("name", dialects())
def test_two_lossless_priorities(name):
    """As Microsoft's networks have (SONiC's own default: 3 and 4)."""
    made = base(name, LEAF)
    if not any(one.lossless for one in made.lossless.classes):
        pytest.skip("Linux has no lossless class: the inventory refuses it by the mode")
    roce = next(one for one in made.lossless.classes if one.lossless)
    rest = next(one for one in made.lossless.classes if not one.dscps)
    second: TrafficClass = replace(
        roce, name="storage", dscps=(24,), priority=4, queue=4, priority_group=4, weight_percent=20
    )
    others = (one for one in made.lossless.classes if one not in (roce, rest))
    less = replace(rest, weight_percent=(rest.weight_percent or 0) - 20)
    classes = tuple(sorted((roce, second, less, *others), key=lambda one: one.priority))
    holds(name, replace(made, lossless=replace(made.lossless, classes=classes)))


@pytest.mark.parametrize("name", dialects())
def test_256_ports(name):
    """All cages of a 64-cage switch split, each port with a /31 of its own."""
    made = base(name, LEAF)
    like = next(one for one in made.switch.ports if one.direction == "down")
    up = [one for one in made.switch.ports if one.direction != "down"]
    kind = SwitchProfile.model_validate(profiles()[DATA[name]]).ports
    ways = min(one for one in kind.ways() if one * kind.count >= 256)
    places = [(cage, part) for cage in range(1, 65) for part in range(1, ways + 1)]
    taken = {one.cage for one in up}
    first = IPv4Address("10.30.0.0")
    down = tuple(
        replace(
            like,
            name=kind.port_name(cage, ways, part),
            cage=cage,
            ways=ways,
            part=part,
            rate_gbps=kind.rate_of(ways),
            address=IPv4Interface((first + 2 * at, 31)),
            description=f"to node-{at}:rail0",
        )
        for at, (cage, part) in enumerate(places[:256])
    )
    assert len({one.name for one in down}) == 256
    ports = (*(one for one in down if one.cage not in taken), *up)
    assert holds(name, replace(made, switch=replace(made.switch, ports=ports)))


@pytest.mark.parametrize("name", dialects())
def test_a_raw_line_is_read_back_like_any_other(name):
    """A raw line that nobody knows is told as unread; it never vanishes."""
    tongue = dialect(name)
    made = base(name, LEAF)
    shown = []
    for section in tongue.sections:
        line = '{"RAILBED_TEST": {"x": {"y": "z"}}}' if name == "sonic" else "railbed-test x"
        raw = RawStanza(section, (line,), "a test")
        other = replace(made, switch=replace(made.switch, raw=(raw,)))
        rendered, _refused = rendered_or_refused(name, other)
        if rendered is None:
            # A tree takes no line that is none of its own.
            continue
        texts = "".join(one.text for one in rendered.files)
        assert "railbed-test" in texts or "RAILBED_TEST" in texts, section
        assert tongue.readback(rendered).unread, section
        shown.append(section)
    assert shown or name == "cumulus"
