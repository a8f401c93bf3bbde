"""Root folders of the machines: one base, thin layers over it, cached by their recipe.

`recipe/base` is a whole minimal system, `recipe/<layer>` what that sort of machine adds.
Nothing half-built can be taken for an image: it is built aside and renamed at the end.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.lab.command import run_jailed
from deploy.lab.locks import held
from deploy.lab.modelled import LAYER as MODEL
from deploy.lab.paths import IMAGES

from .sources import Sources, host_sources

RECIPE = Path(__file__).parents[1] / "recipe"
LAYERS = (MODEL, "node", "oob", "switch")
_BUILD_LIMIT_S = 900.0


@dataclass(frozen=True, slots=True)
class Images:
    """A finished set of root folders; `key` is the digest of all that went into it."""

    key: str

    @property
    def folder(self) -> Path:
        """Where the set lies; never written to again."""
        return IMAGES / self.key

    def lower(self, layer: str) -> str:
        """The read-only folders of a machine, topmost first, as overlayfs wants them."""
        return f"{self.folder / layer}:{self.folder / 'base'}"


def ensure_images(say: Callable[[str], None]) -> Images:
    """The images of this recipe and these sources, built now if they are not there."""
    sources = host_sources()
    images = Images(_digest(sources))
    with held(IMAGES.parent / "images.lock", lambda: say("waiting: the images are being built")):
        _remove_half_built()
        if not images.folder.is_dir():
            _build(images, sources, say)
    return images


def image_key() -> str:
    """The key of the images of this recipe and these sources, built or not."""
    return _digest(host_sources())


def _build(images: Images, sources: Sources, say: Callable[[str], None]) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix="half-", dir=IMAGES))
    half.chmod(0o755)
    try:
        say(f"building the base image from {sources.suite} (half a minute, once)")
        _build_base(half, sources)
        say(f"adding the layers: {', '.join(LAYERS)}")
        _build_layers(half)
        _strip(half)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise
    half.replace(images.folder)


def _build_base(half: Path, sources: Sources) -> None:
    (half / "sources").write_text("\n".join(sources.lines) + "\n")
    (half / "apt.conf").write_text(sources.apt_options)
    packages = [*_packages("base"), *_certificates(sources)]
    base = half / "base"
    inputs = [str(half / "sources"), str(half / "apt.conf"), ",".join(packages)]
    build = ["/bin/sh", str(RECIPE / "build-base.sh"), str(base), sources.suite, *inputs]
    run_jailed([build], _BUILD_LIMIT_S)
    for keyring in sources.keyrings:
        if not (base / keyring.relative_to("/")).exists():
            shutil.copy(keyring, base / keyring.relative_to("/"))
    run_jailed([_layer_command(half, "base", "none", base)], _BUILD_LIMIT_S)


def _build_layers(half: Path) -> None:
    for layer in LAYERS:
        for part in (layer, f"work-{layer}", f"root-{layer}"):
            (half / part).mkdir()
    commands = [
        _layer_command(half, layer, str(half / "base"), half / f"root-{layer}") for layer in LAYERS
    ]
    run_jailed(commands, _BUILD_LIMIT_S)


def _layer_command(half: Path, layer: str, base: str, root: Path) -> list[str]:
    places = [base, str(half / layer), str(half / f"work-{layer}"), str(root)]
    recipe = [str(RECIPE / layer / "root"), str(RECIPE / layer / "setup.sh")]
    script = ["/bin/sh", str(RECIPE / "build-layer.sh")]
    packages = [] if base == "none" else _packages(layer)
    return [*script, *places, *recipe, *packages]


def _strip(half: Path) -> None:
    """Leave out what only the build needed; machines of a lab have no way to a mirror."""
    for name in ("sources", "apt.conf", "base/etc/apt/sources.list"):
        (half / name).unlink(missing_ok=True)
    (half / "base/etc/apt/apt.conf.d/99mmdebstrap").unlink(missing_ok=True)
    for folder in (*half.glob("work-*"), *half.glob("root-*"), half / "base/var/lib/apt/lists"):
        shutil.rmtree(folder)
    (half / "base/var/lib/apt/lists").mkdir()


def _packages(layer: str) -> list[str]:
    return (RECIPE / layer / "packages").read_text().split()


def _certificates(sources: Sources) -> list[str]:
    return ["ca-certificates"] if any(" https:" in line for line in sources.lines) else []


def _digest(sources: Sources) -> str:
    parts = [sources.suite, os.uname().machine, *sources.lines]
    for path in sorted(one for one in RECIPE.rglob("*") if one.is_file()):
        parts += [str(path.relative_to(RECIPE)), path.read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _remove_half_built() -> None:
    for path in IMAGES.glob("half-*"):
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise RailbedError(f"cannot remove the half-built image {path}: {error}") from None
