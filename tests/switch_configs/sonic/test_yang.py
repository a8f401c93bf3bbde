"""SONiC's own YANG models judge our renders, where they are given.

RAILBED_SONIC_YANG names a folder of models: those of src/sonic-yang-models/yang-models in
sonic-buildimage, and those that are rendered from its yang-templates.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from switch_configs import intent
from tests.switch_configs.intents import roles
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, broadcom, made

FOLDER = os.environ.get("RAILBED_SONIC_YANG", "")


@pytest.fixture(scope="module")
def models() -> tuple[Any, Any, Any]:
    if not FOLDER:
        pytest.skip("RAILBED_SONIC_YANG names no folder of SONiC's YANG models")
    pytest.importorskip("libyang", reason="libyang has no Python binding here")
    # Only here, because it imports libyang.
    from tests.switch_configs.sonic import yang_tree

    return yang_tree, *yang_tree.context(Path(FOLDER))


def texts() -> dict[str, str]:
    """Every role of the small site, and a leaf on Broadcom; secrets as somebody may choose."""
    plan = small("sonic")
    found = {name: SONIC.render(intent(plan, name)).files[0].text for name in roles("sonic")}
    found["broadcom"] = SONIC.render(made(broadcom(), "leaf-p1-r0")).files[0].text
    return {name: re.sub(r"<<secret:\w+>>", "Sixteen-letters", one) for name, one in found.items()}


def test_our_renders_are_valid(models):
    tree, context, tables = models
    for name, text in texts().items():
        assert tree.unknown(text, tables) == [], name
        tree.validate(context, tables, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"pool": "ingress_lossless_pool"', '"pool": "no_such_pool"'),
        ('"mtu": "9216"', '"mtu": "9217"'),
        ('"detection_time": "200"', '"detection_time": "50"'),
        ('"26": "3"', '"64": "3"'),
    ],
)
def test_the_models_do_judge(models, old, new):
    tree, context, tables = models
    text = texts()["leaf-p1-r0"]
    assert old in text
    with pytest.raises(Exception, match=r"."):  # libyang's own error, whatever its class
        tree.validate(context, tables, text.replace(old, new))
