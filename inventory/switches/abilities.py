"""What each switch system can do of what a site may ask, read from its `abilities.yml`.

A dialect that cannot is refused while the inventory is read, by the option that asks: a line
that is silently missing on one of a thousand switches is found by a lost training run. What is
said of a dialect must be what its package renders; a test holds both.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import yaml
from pydantic import Field, ValidationError

from inventory.own_yaml import own_yaml
from inventory.problems import InventoryError, Problem, shown
from inventory.schema.types import Closed

from .systems import ABILITIES, folders

Feature = Literal[
    "numbered links",
    "unnumbered links",
    "three tiers",
    "routing tables",
    "VLANs",
    "bonds over two leaves",
    "bonds on one leaf",
    "access lists",
    "OOB switches",
    "NTP",
    "syslog",
    "TACACS+",
    "SNMPv3",
    "gNMI",
    "IPv6 servers",
    "local accounts",
    "copper autonegotiation",
]
FEATURES: tuple[Feature, ...] = get_args(Feature)
Rule = Literal[
    "DSCP to class",
    "PFC priority",
    "cable length",
    "headroom",
    "buffer pools",
    "over-subscribed headroom",
    "alpha",
    "ECN thresholds",
    "watchdog detection",
    "watchdog restoration",
    "class weights",
    "CNP rate cap",
]
RULES: tuple[Rule, ...] = get_args(Rule)
_Span = tuple[int, int]


class No(Closed):
    """Why a system does not do it, with a source, and what to do instead."""

    why: str
    instead: str = "choose another dialect"


class AdaptiveRouting(Closed):
    """Where a system has adaptive routing that we could check: ASIC, port rates, releases."""

    asics: tuple[str, ...]
    rates_gbps: tuple[float, ...]
    releases: tuple[str, ...]
    source: str


class Most(Closed):
    """The largest value that a system takes."""

    value: int
    source: str


class Rates(Closed):
    """The rates that a system has words for, Gb/s."""

    rates_gbps: tuple[float, ...]
    source: str


class Negotiated(Closed):
    """The ports that a system has words for to negotiate: rate in Gb/s and lanes."""

    ports: frozenset[tuple[float, int]]
    source: str


class Taken(Closed):
    """PFC priorities that a system needs for itself: for what, by priority."""

    priorities: dict[int, str]
    source: str


class Uncompensated(Closed):
    """Releases that add nothing where few packets are small, as later ones do, with a source."""

    releases: tuple[str, ...]
    source: str


class Older(Closed):
    """Images that find less than later ones of their release, with a source: by release."""

    asics: tuple[str, ...]
    images: dict[str, str]
    uncompensated: Uncompensated


class Setting(Closed):
    """How a system treats a rule of the lossless class.

    `set` is in our configuration; `left to the system` it finds by itself, so no reading of a
    configuration can judge it: `shown_by` names the command that shows the running value, and
    where there is none only a measured incast can tell; `not possible` is neither. `older` are
    images that find less than later ones of the same release, and releases that do.
    """

    how: Literal["set", "left to the system", "not possible"]
    source: str
    shown_by: str = ""
    older: Older | None = None


class WatchdogRange(Closed):
    """What a system takes, in ms; `polls` is how detection hangs on the polling interval.

    "both whole" is where restoration too is a whole number of intervals.
    """

    detect_ms: _Span | None = None
    restore_ms: _Span | None = None
    poll_ms: _Span | None = None
    polls: Literal["at least one", "at least two", "whole", "both whole"]
    source: str


class Containerlab(Closed):
    """The kind of node that runs this system in containerlab, and what it calls our ports.

    `image` takes the value of an environment variable, so that it names no registry's tag.
    `ports` is "as named", "counted" (eth1 is the first cabled one), or a pattern whose group
    stands behind `eth`.
    """

    kind: str
    image: str
    ports: str


class Login(Closed):
    """The login that a system ships for people, who may do everything there."""

    user: str
    source: str


class Abilities(Closed):
    """All that is said of one system.

    `cannot` are features, each with the reason; what is not there, it can. `private_vlans`: it
    keeps isolated ports of the OOB plane apart by private VLANs (RFC 5517), whose isolated VLANs
    switches of other systems do not know. Without `adaptive_routing` nobody could check any.
    Without `login` it is reached as root.
    Without `most_ip_mtu_bytes` a port takes what the schema does, without `rates` any whole number
    of Mb/s; without `negotiated` any rate negotiates, and can be told not to. `one_rate_per_cage`
    says why all ports of a split cage run at one rate. `raw_sections` are those that raw lines may
    stand in, as the system prints them. `lossless` has an answer for each of RULES that somebody
    looked up. `pushed`: a run reads and changes it over SSH; others are rendered only. `tried`:
    where pushes were tried, in the lab (which runs the system itself) or on a model of its command
    line; `trials`: by release, where a trial on a real switch is on record. `programs`: which of
    its files programs of a plain Linux can judge. `not_in_secrets` are characters that its secrets
    may not have, beside what nobody takes.
    """

    cannot: dict[Feature, No] = Field(default_factory=dict)
    private_vlans: bool = False
    login: Login | None = None
    adaptive_routing: AdaptiveRouting | None = None
    most_ip_mtu_bytes: Most | None = None
    rates: Rates | None = None
    negotiated: Negotiated | None = None
    one_rate_per_cage: str = ""
    taken_priorities: Taken | None = None
    raw_sections: tuple[str, ...] = ()
    lossless: dict[Rule, Setting] = Field(default_factory=dict)
    watchdog: WatchdogRange | None = None
    containerlab: Containerlab | None = None
    pushed: bool = False
    tried: Literal["lab", "model"] | None = None
    trials: dict[str, str] = Field(default_factory=dict)
    programs: Literal["all", "some", "none"] = "none"
    not_in_secrets: str = ""


@cache
def abilities() -> dict[str, Abilities]:
    """By dialect, sorted. Raises InventoryError where a system's file cannot be used."""
    return {name: _read(folder / ABILITIES) for name, folder in folders().items()}


def of(dialect: str) -> Abilities:
    """Those of one dialect; of one that nobody knows, nothing is said."""
    return abilities().get(dialect) or Abilities()


def never_tried(dialect: str, release: str) -> bool:
    """Whether nobody has put it on record that a push to this system and release works."""
    said = of(dialect)
    return said.tried != "lab" and release not in said.trials


def cannot(feature: str, dialect: str) -> No | None:
    """Return why a dialect does not do one of FEATURES; None where it does."""
    return next((no for name, no in of(dialect).cannot.items() if name == feature), None)


def how(rule: str, dialect: str) -> Setting | None:
    """Return how a dialect treats one of RULES; None where nobody looked it up."""
    return next((said for name, said in of(dialect).lossless.items() if name == rule), None)


def uncompensated(dialect: str, release: str) -> str:
    """Where it stands that this release adds nothing to headroom for small packets; "" if it may.

    Of a release that nobody looked up the larger number is reckoned: room is missing at worst.
    """
    setting = how("headroom", dialect)
    said = setting.older.uncompensated if setting and setting.older else None
    return said.source if said and release in said.releases else ""


def _read(path: Path) -> Abilities:
    try:
        # As JSON, strictly: "true" is no true, and a list may be a tuple.
        return Abilities.model_validate_json(json.dumps(own_yaml(path)), strict=True)
    except ValidationError as error:
        problems = [
            Problem(
                str(path), 1, 1, ".".join(map(str, bad["loc"])), shown(bad["input"]), bad["msg"]
            )
            for bad in error.errors()
        ]
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        problems = [Problem(str(path), 1, 1, "", said, "what the system can do, as YAML")]
    raise InventoryError(problems)
