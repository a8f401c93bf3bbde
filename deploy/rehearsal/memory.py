"""The most memory that the machines of a lab take at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from deploy.lab.status import memory_bytes

_EACH_S = 15.0  # a look at 500 processes takes half a second


@contextmanager
def most_memory(lab: str) -> Iterator[Callable[[], int]]:
    """While inside, look now and then; what is called then says the most that was seen, bytes."""
    over, seen = Event(), [0]

    def watch() -> None:
        while not over.wait(_EACH_S):
            seen.append(max(seen.pop(), memory_bytes(lab)))

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: max(*seen, memory_bytes(lab))
    finally:
        over.set()
        thread.join()
