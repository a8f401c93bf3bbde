"""The commands of soak and drills, as data: frames' names and POSIX sh texts. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable

from inventory.plan import Plan
from inventory.reading.sections import shell
from switch_configs import is_typed
from switch_configs.answers import answers
from switch_configs.answers.typed import in_parts
from validation.counters import frames
from validation.parse.host.kernel_log import MOST, WORDS
from validation.probes.planned import FIRST_SOURCE_PORT, Probe, probes
from validation.probes.work import Job, Step
from validation.stages.s25_switch_state.ask import files_of, frr_line

from .drills import Drill
from .terms import Length, drilling, guard, soak

ECHO_PORT = 47920
STREAM = "stream.py"
_RUN = f'python3 "$RAILBED_TMP/{STREAM}"'
_SPARE_S = 20
INTERVAL_S = 5  # of the streams across a drill
# Twice before a port is pulled by a push, and twice while it is off.
CROSSINGS = ("before 1", "before 2", "pulled 1", "pulled 2")
FRAMES = {when: f"probe frames {when}" for when in ("before", "after")}
STEADY = {when: f"probe steady {when}" for when in ("before", "after")}
# Who cannot ask systemd or the journal says nothing, which is not the same as nothing to say.
# journalctl ends with 0 where it may not show the kernel's lines, or finds no journal, and tells it
# beside its answer (journalctl(1), --quiet); so whatever it tells there ends it all.
_STEADY = (
    'echo "== carrier"; for p in /sys/class/net/*; do [ -e "$p/carrier_changes" ] && '
    'echo "${p##*/} $(cat "$p/carrier_changes")"; done; '
    "f=$(systemctl list-units --failed --plain --no-legend --no-pager) || exit 3; "
    "echo '== failed'; printf %s \"$f\" | cut -d' ' -f1; "
    'cd "$RAILBED_TMP" && TZ=UTC journalctl -k --no-pager -o short-iso >kernel 2>aside && '
    "[ ! -s aside ] || { cat aside >&2; exit 3; }; "
    f"k=$(grep -E {shlex.quote(WORDS)} kernel); [ $? -le 1 ] || exit 3; "
    f'k=$(printf "%s\\n" "$k" | tail -n {MOST}); '
    'echo "== kernel"; [ -z "$k" ] || printf "%s\\n" "$k"; '
    'echo "end of log, $(printf %s "$k" | grep -c "") lines"; '
)
_SESSIONS = "echo '== sessions'; vtysh -c 'show bgp vrf all neighbors json'; "
# Everything that was pulled is put back by a timer on the device, whoever goes away meanwhile.
_DRILL = """\
export TZ=UTC
unit={unit}
restore={restore}
count() {{ sum=0; for n in $(cat {counters}); do sum=$((sum + n)); done; echo "$sum"; }}
{anew}
systemd-run -q --on-active={timer_s} --timer-property=AccuracySec=1s --unit="$unit" \
sh -c "$restore" || exit 3
trap 'sh -c "$restore" >/dev/null 2>&1; systemctl stop "$unit.timer"; exit 4' HUP INT TERM
ip -4 -ts monitor route >"$RAILBED_TMP/routes" 2>&1 &
monitor=$!
sleep 0.5
one=$(count); sleep {lead_s}; two=$(count)
echo "pulled $(date +%Y-%m-%dT%H:%M:%S.%6N)"
{pull} >/dev/null || {{ sh -c "$restore"; exit 5; }}
sleep {hold_s}
three=$(count); sleep 1; four=$(count)
sh -c "$restore" >/dev/null
echo "restored $(date +%Y-%m-%dT%H:%M:%S.%6N)"
systemctl stop "$unit.timer"
kill "$monitor"
echo "crossing $(((two - one) / {lead_s})) $((four - three))"
cat "$RAILBED_TMP/routes"
echo end
"""
# What the same drill left when it was cut off: its timer, which would end this one, or its failure.
ANEW = (
    "systemctl stop {unit}.timer 2>/dev/null; systemctl reset-failed {unit}.service 2>/dev/null; :"
)
_BACK = """\
for n in $(seq {limit_s}); do
  vtysh -c 'show bgp summary json' >"$RAILBED_TMP/bgp"
  [ "$(grep -c '"state":"Established"' "$RAILBED_TMP/bgp")" -ge {sessions} ] && break
  sleep 1
done
cat "$RAILBED_TMP/bgp"
"""


def soaked(plan: Plan, configured: frozenset[str]) -> tuple[Probe, ...]:
    """The streams of the soak: those of stage 40, on every rail, in and between leaves."""
    return probes(plan, configured)


def soak_command(one: Probe, length: Length, number: int) -> str:
    """The name of the frame of one slice of a soak stream, from 1."""
    asked = soak()
    pace = f"seconds={length.seconds} every={length.interval_s} gap_ms={asked.gap_ms}"
    ports = f"ports={FIRST_SOURCE_PORT}+{asked.source_ports}"
    slice_ = f"{length.name} {number}/{length.slices}"
    return f"probe soak {slice_} {one.id} {one.source}>{one.target} {pace} {ports}"


def drill_stream_command(drill: Drill, one: Probe) -> str:
    """The name of the frame of a stream across a drill."""
    asked = drilling()
    hold_s = drill.held_s
    pace = f"hold_s={hold_s} gap_ms={asked.gap_ms} ports={drill.crossing.source_ports}"
    return f"probe drill {drill.id} stream {one.id} {one.source}>{one.target} {pace}"


def drill_command(drill: Drill) -> str:
    """The name of the frame of what was pulled."""
    asked = drilling()
    return f"probe drill {drill.id} pulled lead_s={asked.lead_s} hold_s={asked.hold_s}"


def back_command(drill: Drill, device: str) -> str:
    """The name of the frame that shows a device's sessions after a drill."""
    return f"probe drill {drill.id} back {device}"


def crossing_command(drill: Drill, when: str) -> str:
    """The name of the frame of what ports of the device counted, at one of `CROSSINGS`."""
    return f"probe drill {drill.id} crossing {when}"


def crossing_step(plan: Plan, drill: Drill, when: str) -> Step:
    """What all ports of a device counted of frames until now."""
    dialect = plan.switch[drill.device].dialect
    known, says = answers(dialect).frames, in_parts if is_typed(dialect) else shell
    ports = tuple(sorted(port.name for port in plan.switch[drill.device].ports))
    text = says(known.ask(ports)) if known else ""
    return (Job(drill.device, crossing_command(drill, when), text, 60),) if text else ()


def file_command(drill: Drill) -> str:
    """The name of the frame that shows that FRR runs its file again."""
    return f"probe drill {drill.id} file"


def streamed_s(drill: Drill | None = None) -> int:
    """How long streams run across a drill: begun before it, ended after it."""
    asked = drilling()
    if drill is not None and drill.guarded:
        return guard().streams_s
    return asked.lead_s + asked.hold_s + 4


def soak_step(
    plan: Plan, configured: frozenset[str], token: str, length: Length, number: int
) -> Step:
    """All streams at once, for one slice."""
    asked = soak()
    return tuple(
        _stream(
            one, soak_command(one, length, number), token,
            (length.seconds, length.interval_s), (asked.gap_ms, asked.source_ports), n,
        )
        for n, one in enumerate(soaked(plan, configured))
    )  # fmt: skip


def streams_step(drill: Drill, token: str) -> Step:
    """The streams across a drill."""
    asked, seconds = drilling(), streamed_s(drill)
    return tuple(
        _stream(
            one,
            drill_stream_command(drill, one),
            token,
            (seconds, INTERVAL_S),
            (asked.gap_ms, drill.crossing.source_ports),
            n,
        )
        for n, one in enumerate(drill.streams)
    )


def drill_step(drill: Drill, token: str, ports: Iterable[str]) -> Step:
    """The streams, and what is pulled under them. `ports` are those whose packets are counted."""
    if drill.guarded:
        raise ValueError(f"{drill.id} is a push, and nothing that a shell runs")
    asked = drilling()
    counters = " ".join(
        f"/sys/class/net/{port}/statistics/{way}_packets" for port in ports for way in ("rx", "tx")
    )
    text = _DRILL.format(
        unit=drill.unit,
        anew=ANEW.format(unit=drill.unit),
        restore=shlex.quote(drill.restore),
        pull=drill.pull,
        counters=counters,
        timer_s=asked.lead_s + asked.hold_s + _SPARE_S,
        lead_s=asked.lead_s,
        hold_s=asked.hold_s,
    )
    pulled = Job(drill.device, drill_command(drill), text, streamed_s() + _SPARE_S)
    return (*streams_step(drill, token), pulled)


def _stream(
    one: Probe, command: str, token: str, times_s: tuple[int, int], pace: tuple[int, int], n: int
) -> Job:
    """`times_s` are all of it and an interval, `pace` a port's gap (ms) and the source ports."""
    (seconds, interval_s), (gap_ms, ports) = times_s, pace
    ask = {
        "id": one.id,
        "token": token,
        "source": str(one.source),
        "target": str(one.target),
        "port": ECHO_PORT,
        # Streams of one node at the same time have source ports of their own.
        "first_port": FIRST_SOURCE_PORT + 64 * n,
        "ports": ports,
        "gap_ms": gap_ms,
        "seconds": seconds,
        "interval_s": interval_s,
        "tos": one.tos,
    }
    shell = f"{_RUN} send {shlex.quote(json.dumps(ask))}"
    return Job(one.sender, command, shell, seconds + _SPARE_S)


def back_step(plan: Plan, drill: Drill) -> Step:
    """The sessions of the device and of its neighbours, once they are back."""
    limit = drilling().restore_s
    jobs = [
        Job(device, back_command(drill, device), back_text(plan, device), 2 * limit)
        for device in back_devices(plan, drill)
    ]
    if drill.guarded or not runs_file(plan, drill):
        return tuple(jobs)
    shell = frr_line(files_of(plan, drill.device))
    return (*jobs, Job(drill.device, file_command(drill), shell, limit))


def back_text(plan: Plan, device: str) -> str:
    """What shows the sessions of a device, once they are back or it is too late for that."""
    known = answers(plan.switch[device].dialect).steady
    if known:
        return in_parts(known.ask)
    sessions = len(plan.switch[device].sessions)
    return _BACK.format(limit_s=drilling().restore_s, sessions=sessions)


def runs_file(plan: Plan, drill: Drill) -> bool:
    """Whether FRR of the device runs a file as it lies, which tells of what a drill left behind."""
    return answers(plan.switch[drill.device].dialect).files is not None


def back_devices(plan: Plan, drill: Drill) -> tuple[str, ...]:
    """The device that was pulled at, and the switches at the other ends."""
    near = {session.peer.device for session in plan.switch[drill.device].sessions}
    return tuple(sorted({drill.device, *near}))


def steady_step(plan: Plan, configured: frozenset[str], when: str) -> Step:
    """What must not change meanwhile: link flaps, sessions, failed units, kernel's complaints."""
    return tuple(
        Job(name, STEADY[when], _steady_text(plan, name), 30)
        for name in steady_devices(plan, configured)
    )


def _steady_text(plan: Plan, name: str) -> str:
    """What a shell runs, or what is typed on a switch that has none."""
    if name not in plan.switch:
        return f"{_STEADY}echo end"
    known = answers(plan.switch[name].dialect).steady
    return in_parts(known.ask) if known else f"{_STEADY}{_SESSIONS}echo end"


def frames_step(plan: Plan, configured: frozenset[str], when: str) -> Step:
    """What ports counted of frames so far."""
    texts = {name: frames.ask(plan, name) for name in counted_devices(plan, configured)}
    return tuple(Job(name, FRAMES[when], text, 60) for name, text in texts.items() if text)


def counted_devices(plan: Plan, configured: frozenset[str]) -> tuple[str, ...]:
    """Those with ports that must lose no frame."""
    every = steady_devices(plan, configured)
    return tuple(name for name in every if frames.ports(plan, name))


def steady_devices(plan: Plan, configured: frozenset[str]) -> tuple[str, ...]:
    """Switches and nodes."""
    return tuple(sorted(configured & {*plan.switch, *plan.node}))


def serve_shell(token: str, life_s: int, addresses: Iterable[str]) -> str:
    """Starts a node's echo; prints its pid."""
    return f"{_RUN} serve {token} {life_s} {ECHO_PORT} {' '.join(sorted(addresses))}"
