"""All nodes of running labs with their stand-in devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from deploy.context import Context
from deploy.lab.hardware import fitted
from deploy.lab.machines import machine

from . import packages
from .site import hardware


@contextmanager
def equipped(*labs: tuple[Context, str]) -> Iterator[None]:
    """The nodes of these labs have their stand-in devices."""
    with ExitStack() as stack:
        for context, name in labs:
            for node in context.plan.nodes:
                fitted.put_tools(name, node.name, hardware())
                fitted.put_up(name, node.name)
                stack.enter_context(fitted.answering(name, node.name))
        yield


def install_headers(name: str, node: str) -> None:
    """Headers of the kernel that runs, as an image of a GPU node has them."""
    get = ["apt-get", "-qq", "install", packages.headers().name]
    done = machine.inside(
        name, node, ["sh", "-c", f"apt-get -qq update; {' '.join(get)}"], timeout_s=120
    )
    if done.returncode != 0:
        raise RuntimeError(f"{node}: {done.stderr.decode(errors='replace')}")
