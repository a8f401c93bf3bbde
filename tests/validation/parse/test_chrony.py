"""What chronyc prints of the clock and of its sources: by hand, in the form of chronyc(1)."""

from __future__ import annotations

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers.linux.chrony import sources, tracking
from switch_configs.answers.timekeeping import TimeSource

# chronyc(1), "tracking" with -c: without, and with, a source.
NO_SOURCE = (
    "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,"
    "1.000000000,1.000000000,0.0,Not synchronised\n"
)
SYNCHRONISED = (
    "0A580101,10.88.1.1,11,1700000000.123456789,-0.000012345,0.000001000,0.000020000,"
    "1.500,0.001,0.020,0.000100000,0.000200000,64.2,Normal\n"
)
# The same with two servers, of which one does not answer.
ASKED = (
    "^,*,10.88.1.1,11,6,377,23,-0.000012345,-0.000012345,0.000200000\n"
    "^,?,192.0.2.9,0,6,0,4294967295,0.000000000,0.000000000,0.000000000\n"
)


def test_tracking_tells_source_and_offset():
    clock = tracking(SYNCHRONISED)
    assert (clock.source, clock.stratum, clock.leap) == ("10.88.1.1", 11, "Normal")
    assert clock.ahead_s == pytest.approx(12.345e-6)
    assert tracking(NO_SOURCE).leap == "Not synchronised"


@pytest.mark.parametrize(
    "text", ["", "506 Cannot talk to daemon\n", SYNCHRONISED.replace("11,", "x,"), "1,2,3\n"]
)
def test_a_daemon_that_does_not_talk_is_unreadable(text):
    with pytest.raises(Unreadable):
        tracking(text)


@pytest.mark.parametrize("said", ["nan", "-nan", "1e309", "", "1,5", "-", "64.", "0x1", "9" * 41])
@pytest.mark.parametrize("at", range(2, 13))
def test_each_field_of_tracking_is_a_number(at, said):
    fields = SYNCHRONISED.strip().split(",")
    fields[at] = said
    with pytest.raises(Unreadable):
        tracking(",".join(fields))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",11,", ",0,"),  # no source, and yet it keeps time
        (",11,", ",16,"),
        (",11,", ",-1,"),
        ("Normal", "Norm"),
        ("Normal", "Not synch"),
        ("0A580101,", ""),
        (",64.2,", ","),
        (",0.000020000,", ",-0.000020000,"),  # a root of squares
        (",Normal", ""),
        ("Normal", "Normal,Normal"),
    ],
)
def test_tracking_that_is_not_whole_says_nothing(old, new):
    assert old in SYNCHRONISED
    with pytest.raises(Unreadable):
        tracking(SYNCHRONISED.replace(old, new))


def test_tracking_is_cut_nowhere():
    """The last word tells whether the clock is right: a part of it tells nothing."""
    for text in (SYNCHRONISED.strip(), NO_SOURCE.strip()):
        for end in range(len(text)):
            with pytest.raises(Unreadable):
                tracking(text[:end])


def test_sources_tell_who_answers_and_who_is_followed():
    clock = tracking(SYNCHRONISED)
    assert sources(ASKED, clock) == (
        TimeSource("10.88.1.1", is_followed=True, answers=True, ahead_s=clock.ahead_s),
        TimeSource("192.0.2.9", is_followed=False, answers=False, ahead_s=None),
    )
    assert sources("", clock) == ()
    assert not any(one.is_followed for one in sources(ASKED, tracking(NO_SOURCE)))


@pytest.mark.parametrize("text", ["506 Cannot talk to daemon\n", "\n", ASKED.replace(",*,", ",!,")])
def test_what_are_no_sources_is_unreadable(text):
    with pytest.raises(Unreadable):
        sources(text, tracking(SYNCHRONISED))
