"""The most memory that the machines of a lab take at once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from deploy.lab.status import memory_bytes

LOG = logging.getLogger(__name__)
_EACH_S = 15.0  # a look at 500 processes takes half a second


@contextmanager
def most_memory(lab: str) -> Iterator[Callable[[], int]]:
    """While inside, look every 15 s; what is called then looks once more and says the most, bytes.

    What is taken between two looks is not seen. 0 where no look could be taken.
    """
    over, most = Event(), 0

    def watch() -> None:
        nonlocal most
        while not over.wait(_EACH_S):
            most = max(_taken(lab), most)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: max(_taken(lab), most)
    finally:
        over.set()
        thread.join()


def _taken(lab: str) -> int:
    """0 where that cannot be read: what is rehearsed meanwhile is worth more than this figure."""
    try:
        return memory_bytes(lab)
    except (OSError, ValueError, IndexError) as error:
        LOG.warning("the memory of lab %s is not known (%s)", lab, error)
        return 0
