"""Stand-in kernel modules: a file that modinfo(8) and depmod(8) read, and no kernel loads.

SOURCE of the form: System V ABI, "Object Files" (ELF64), and Linux Documentation/kbuild/modules
with include/linux/moduleparam.h: section .modinfo holds NUL-ended `key=value`.
"""

from __future__ import annotations

import struct

_HEADER_BYTES = 64
_SECTION_BYTES = 64
_RELOCATABLE, _X86_64 = 1, 62
_PROGBITS, _SYMTAB, _STRTAB = 1, 2, 3
_NAMES = b"\0.modinfo\0.symtab\0.strtab\0.shstrtab\0"


def module(name: str, version: str, **more: str) -> bytes:
    """An ELF64 object whose .modinfo says name, version and what else is given."""
    facts = {"name": name, "version": version, "license": "Dual MIT/GPL", **more}
    info = b"".join(f"{key}={value}\0".encode() for key, value in facts.items())
    # A symbol table with the one empty symbol that the ABI wants, and its strings.
    parts = [b"", info, b"\0" * 24, b"\0", _NAMES]
    kinds = [0, _PROGBITS, _SYMTAB, _STRTAB, _STRTAB]
    offset, body, sections = _HEADER_BYTES, b"", b""
    for number, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
        at = _NAMES.index((b"", b".modinfo", b".symtab", b".strtab", b".shstrtab")[number])
        link, local, entry = (3, 1, 24) if kind == _SYMTAB else (0, 0, 0)
        start = offset + len(body) if kind else 0
        sections += struct.pack(
            "<IIQQQQIIQQ", at, kind, 0, 0, start, len(part), link, local, 1, entry
        )
        body += part + b"\0" * (-len(part) % 8)
    header = struct.pack(
        "<4sBBBBB7xHHIQQQIHHHHHH",
        *(b"\x7fELF", 2, 1, 1, 0, 0, _RELOCATABLE, _X86_64, 1, 0, 0),
        *(_HEADER_BYTES + len(body), 0, _HEADER_BYTES, 0, 0, _SECTION_BYTES, len(parts), 4),
    )
    return header + body + sections
