"""The tree that dnf on nodes reads: packages, lists by createrepo_c(8), signed by the site's key.

dnf believes the lists for their signature, `repomd.xml.asc`, and each package for the SHA-256
that they name (dnf.conf(5), repo_gpgcheck). Lists of rpm carry no date on which they end, so theirs
is their revision, an arbitrary word to dnf: roles look at it before they install.
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from deploy.files import write_atomically
from inventory.plan import Plan

from .fetch import cached
from .gpg_run import detach
from .index_run import printed
from .pool import file_name

# Whatever the release here takes by itself, dnf of RHEL 8 and 9 reads gz and SHA-256.
_FORM = ("--checksum=sha256", "--general-compress-type=gz", "--no-database")


def make_rpm_tree(plan: Plan, state_dir: Path, tree: Path, valid_until: datetime) -> None:
    """Write the packages of a plan's lock, which are in the cache, and signed lists into `tree`.

    The lists' revision is the second at which they end.
    """
    # As roles/os_base/templates/railbed.repo.j2 has it.
    where = tree / "rpm" / plan.repo.suite
    packages = where / "packages"
    packages.mkdir(parents=True)
    for one in plan.packages.packages:
        shutil.copyfile(cached(one), packages / file_name(one))
    ends = f"--revision={int(valid_until.timestamp())}"
    printed("createrepo-c", where, "createrepo_c", "--quiet", ends, *_FORM, ".")
    lists = where / "repodata/repomd.xml"
    signature = detach(state_dir, lists.read_text(encoding="utf-8"))
    write_atomically(lists.with_name("repomd.xml.asc"), signature)
