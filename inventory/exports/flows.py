"""`flows.csv`: what the boundary lets pass, with the networks of both ends; the rest is denied."""

from __future__ import annotations

from ..plan import Plan
from .csv_text import quoted_csv, sentence
from .view import ExportError

COLUMNS = ("source", "target", "service", "protocol", "port", "from", "to", "why")


def flows_csv(plan: Plan) -> str:
    """One row a flow, in the order of its ends; ExportError where the site has no boundary.

    Networks are joined by a blank; empty where a word has none.
    """
    if plan.boundary is None:
        raise ExportError(f"{plan.site} has no boundary, so no firewall asks for its flows")
    networks = {
        place.word: " ".join(str(prefix) for prefix in place.prefixes)
        for place in plan.boundary.places
    }
    rows = [
        (
            *(flow.source, flow.target, flow.service, flow.protocol, str(flow.port)),
            *(networks.get(flow.source, ""), networks.get(flow.target, ""), sentence(flow.why)),
        )
        for flow in plan.boundary.flows
    ]
    return quoted_csv(COLUMNS, rows)
