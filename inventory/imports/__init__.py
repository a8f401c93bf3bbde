"""What others know of a site, read and compared with the plan. Pure: text in, values out."""

from __future__ import annotations
