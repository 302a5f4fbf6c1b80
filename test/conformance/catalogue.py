# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md, and what plugins said: a row is a code and a pattern, in which <...> is anything."""
import os
import re

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/errors.md")
ROW = re.compile(r"^\| ([0-9]+) \| `(.*?)` \| (.+) \|$", re.M)


def rows():
    """(code, message, its pattern) of each."""
    with open(FILE, encoding="utf-8") as file:
        for code, message, _ in ROW.findall(file.read()):
            parts = (re.escape(part) for part in re.split(r"<[^>]*>", message))
            # Before it may stand what was being done, behind it the details.
            yield int(code), message, re.compile(r"(?:.*: )?" + ".*?".join(parts) + r"(?:; .*)?", re.S)


def says(row, code, text):
    return row[0] == code and row[2].fullmatch(text)


def unsaid(messages):
    """The rows that are none of these (code, text)."""
    return [f"{row[0]} {row[1]}" for row in rows() if not any(says(row, *message) for message in messages)]


def unlisted(messages):
    """Those of them that are in no row. (A code without any is an IPAM plugin's.)"""
    known = list(rows())
    codes = {row[0] for row in known}
    return [f"{code} {text}" for code, text in sorted(messages)
            if code in codes and not any(says(row, code, text) for row in known)]
