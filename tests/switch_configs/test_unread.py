"""What is kept of lines that nobody reads: what they are about, nothing that could be a secret."""

from __future__ import annotations

import pytest

from switch_configs import dialect, dialects, render
from switch_configs.shown.unread import unread
from tests.switch_configs.sites import small
from tests.switch_configs.test_own import CANARY, LEAF, with_more

# A secret where no list of words expects it, as a line of each system.
SECRETS = {
    "cumulus": f"    oddity: {{word: {CANARY}, {CANARY}: {{}}}}\n",
    "sonic": f'"ODDITY": {{"{CANARY}": {{"word": "{CANARY}"}}}},\n',
    "eos": f"oddity {CANARY}\nrouter oddity {CANARY}\n   interface {CANARY}\n",
    "nxos": f"oddity {CANARY}\nrouter oddity {CANARY}\n  interface {CANARY}\n",
    "linux_frr": f"oddity {CANARY}\nhostname ",
}


@pytest.mark.parametrize("name", dialects())
def test_no_value_of_an_unread_line_is_in_the_facts(name):
    rendered = with_more(render(small(name), LEAF), SECRETS[name])
    found = dialect(name).readback(rendered)
    assert found.unread
    assert CANARY not in repr(found.unread)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("evpn multihoming segment 1", "EVPN: evpn *"),
        ("mlag mac-address x", "MLAG: mlag *"),
        ("interface swp1 acl OWN outbound", "access lists: interface * acl * outbound"),
        ("snmp-server community public ro", "SNMP: snmp-server"),
        ("username eve secret sha512 x", "users: username *"),
        ("system qos pfc x", "QoS: system qos pfc *"),
        ("x", "other: *"),
    ],
)
def test_it_is_said_by_topic(line, shown):
    assert str(unread(line)) == shown
    assert unread(line) == unread(line) != unread(f"{line} more")
