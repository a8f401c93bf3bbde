"""Work: commands that measure a device, as data. `deploy/loads/work_run.py` runs them."""

from __future__ import annotations

from dataclasses import dataclass

from validation.evidence.lookup import PROBE


@dataclass(frozen=True, slots=True, order=True)
class Job:
    """One POSIX sh text on one device; what it prints is evidence there, under `command`.

    `command` begins with `probe ` and changes with everything that is asked, so that evidence of
    another question is never read as an answer to this one. `limit_s` ends it. `shell` may keep
    files in $RAILBED_TMP, which is gone afterwards; where a switch has none, it is lines to type.
    """

    device: str
    command: str
    shell: str
    limit_s: float

    def __post_init__(self) -> None:
        if not self.command.startswith(PROBE):
            raise ValueError(f"{self.command!r} does not begin with {PROBE!r}")


# Jobs of a step run at once, those of one device one after the other; steps run in order.
Step = tuple[Job, ...]
