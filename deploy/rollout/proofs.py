"""The offline proofs of a rollout's switches: all asked at once, ahead of their waves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from deploy.switches.syntax_run import check_all, check_syntax
from inventory.switches.abilities import of
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered


class Proofs:
    """What the programs say of each switch, for `Push.prove`.

    `render` says each one's configuration, as the push will. The programs start once for all,
    while servers are being changed. What is no pass is asked
    again, alone: of many, one that a program cannot bear would speak against all.
    """

    def __init__(self, render: Callable[[str], Rendered], switches: Iterable[str]) -> None:
        self._rendered: dict[str, Rendered] = {}
        for name in switches:
            try:
                one = render(name)
            except DialectError:
                continue  # its push says so
            if of(one.dialect).programs == "all":
                self._rendered[name] = one
        pool = ThreadPoolExecutor(1)
        self._answers = pool.submit(check_all, list(self._rendered.values()))
        pool.shutdown(wait=False)

    def __call__(self, rendered: Rendered) -> tuple[str, ...]:
        """What is wrong with exactly this configuration; empty is a pass.

        What no programs of ours read whole was proved when it was rendered, and its switch judges
        it by programs of its own before it changes anything.
        """
        if of(rendered.dialect).programs != "all":
            return ()
        if self._rendered.get(rendered.device) == rendered and not self._answers.exception():
            answer = self._answers.result()[rendered.device]
            if not answer:
                return answer
        return check_syntax(rendered)
