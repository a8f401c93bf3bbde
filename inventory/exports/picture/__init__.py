"""The topology of a plane as an SVG picture: small sites whole, large ones folded."""

from __future__ import annotations

from ...plan import Plan, Plane
from . import folded, one_by_one
from .scene import scene_of


def topology_svg(plan: Plan, plane: Plane | None = None) -> str:
    """The picture of a plane, by default of `compute`."""
    scene = scene_of(plan, plane or "compute")
    return one_by_one.draw(scene) if one_by_one.fits(scene) else folded.draw(scene)
