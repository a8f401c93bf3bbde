"""All nodes of running labs with their stand-in devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from deploy.context import Context

from . import sysfs
from .site import hardware


@contextmanager
def equipped(*labs: tuple[Context, str]) -> Iterator[None]:
    """The nodes of these labs have their stand-in devices."""
    with ExitStack() as stack:
        for context, name in labs:
            for node in context.plan.nodes:
                sysfs.put_tools(name, node.name, hardware())
                sysfs.put_up(name, node.name)
                stack.enter_context(sysfs.answering(name, node.name))
        yield
