"""Search for texts that stall the redactor: every rule's pieces, repeated and combined, at 10 and 20 kB.

    python benchmarks/redaction_hostile.py [--seconds 60] [--seed 1]

Prints the slowest texts and those whose time more than doubles with their length; exits with 1 when a text of
20 kB takes longer than 60 ms of processor time, or when both doublings, from 10 and from 20 kB, take 2.6
times as long.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from agent_tools.stages.redaction import Redactor, make_redactor
from agent_tools.stages.redaction_rules import NUMBERS, TOKENS, URL_SECRETS
from agent_tools.stages.redaction_vocabulary import HAN_STEMS, OPTIONAL_STEMS, PREPOSITIONS, STEMS, VERBS

WORST_MS, WORST_RATIO = 60.0, 2.6
# below this a ratio is noise
LEAST_MS = 8.0
SIGNS = (
    "=", ": ", ":", " ", "\n", "\n  ", "\n- ", "\t", ",", ";", "|", "'", '"', '\\"', "\\\\", "(", ")",
    "[", "]", "{", "}", "<", ">", "</", "/>", "&", "?", "%3D", "%22", "%E5%AF%86", "\\u5bc6", "@", "://",
    ".", "-", "_", "+", "*", "**", "&quot;", "=>", "->", "（", "」", "，", "：", "$", "#", "\r\n", "\x1b[",
    "\u200b", "１", "é",
)  # fmt: skip
PIECES = (
    "INSERT INTO t (a,password) VALUES (", "('a','b'),", "COPY t (a,token) FROM stdin;\n", "<password>",
    '<a password="', "<key>token</key>", "<td>Password</td><td>", "name: token\nvalue: ",
    "password: |\n  a\n", "- name: x", "curl -u a:b ", "mysql -pabc ", "docker login -p x ",
    "identified by 'x' ", "login a password b ", 'form-data; name="password"\r\n\r\n',
    "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----", "MIIB",
    "Authorization: Digest ", 'response="', "Cookie: a=b; ", "tokens=['a', 'b', ", "postgres://u:p@h/",
    "Private-Lines: 1\n", "WIFI:S:a;P:b;", "code=abcdefghij1", "id,password\n", "| password |\n",
    "1234 is your code ", "a@b.c ", "a [at] b ", "10.0.0.1 ", "2001:db8::1 ", "13800138000", "4111 ",
    "AB12 ", "+1 ", "aB3", "密码是", "身份证",
)  # fmt: skip


def fragments() -> list[str]:
    """Return the pieces of all rules."""
    found = [*STEMS, *HAN_STEMS, *VERBS, *PREPOSITIONS, *SIGNS, *PIECES]
    found += [stem for stems in OPTIONAL_STEMS.values() for stem in stems]
    found += ["".join(token.example)[: 4 + n % 20] for n, token in enumerate(TOKENS)]
    found += [number.example for number in NUMBERS] + [number.example[:-1] for number in NUMBERS]
    return found + [literal for literal, _ in URL_SECRETS]


def text_of(unit: str, size: int) -> str:
    """Repeat a unit to a size in bytes."""
    text = unit * (size // len(unit.encode("utf-8", "replace")) + 1)
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def cpu_ms(redact: Redactor, text: str) -> float:
    """Return the best processor time of three looks."""
    times = []
    for _ in range(3):
        start = time.process_time()
        redact.text(text)
        times.append(time.process_time() - start)
    return min(times) * 1e3


def main() -> None:
    """Search until the time is up, then print what was slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, redact, parts = random.Random(options.seed), make_redactor("all"), fragments()
    redact.text("warm")
    units = list(dict.fromkeys(parts))
    end, looked = time.monotonic() + options.seconds, 0
    found: list[tuple[float, float, str]] = []
    while time.monotonic() < end:
        unit = units[looked] if looked < len(units) else "".join(rng.choices(parts, k=rng.randint(2, 6)))
        looked += 1
        half, whole = (cpu_ms(redact, text_of(unit, size)) for size in (10_000, 20_000))
        ratio = whole / half if whole > LEAST_MS else 0.0
        if whole > WORST_MS or ratio > WORST_RATIO:  # once more: the machine may have been busy
            sizes = (10_000, 20_000, 40_000)
            half, whole, twice = (min(cpu_ms(redact, text_of(unit, n)) for _ in range(4)) for n in sizes)
            # what grows faster than its text does so again; where a unit is cut off makes a difference once
            ratio = min(whole / half, twice / whole)
        found.append((whole, ratio, unit))
    print(f"{looked} texts")
    for title, key in (("slowest", 0), ("steepest", 1)):
        print(f"\n{title}:")
        for row in sorted(found, key=lambda row: row[key], reverse=True)[:10]:
            print(f"{row[0]:8.2f} ms  doubling {row[1]:4.2f}x  {row[2]!r}")
    bad = [row for row in found if row[0] > WORST_MS or row[1] > WORST_RATIO]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
