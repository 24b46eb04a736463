"""What the tests of this folder share: made-up secrets, numbers with right check digits, carriers."""

from __future__ import annotations

import json
import random
import re
import string
import urllib.parse
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.stages.redaction import Redactor, make_redactor
from agent_tools.stages.redaction_rules import TOKENS

_LUHN = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


class Maker:
    """Makes sensitive values from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def _pick(self, letters: str, size: int) -> str:
        return "".join(self.random.choices(letters, k=size))

    def password(self) -> str:
        return self._pick(string.ascii_letters, 7) + self._pick(string.digits, 3) + self.random.choice("!#%*")

    def secret(self) -> str:
        kind = self.random.choice((string.hexdigits[:16], string.ascii_letters + string.digits))
        return "a1" + self._pick(kind, self.random.randint(24, 48)) + "9Z"

    def token(self) -> str:
        return "".join(self.random.choice(TOKENS).example)

    def mobile(self) -> str:
        return "1" + self._pick("3456789", 1) + self._pick(string.digits, 9)

    def phone(self) -> str:
        area, exchange = self._pick("23456789", 1) + "05", self._pick("23456789", 3)
        line = self._pick(string.digits, 4)
        return self.random.choice(
            (
                self.mobile(),
                f"+1 {area} {exchange} {line}",
                f"({area}) {exchange}-{line}",
                f"{area}-{exchange}-{line}",
            )
        )

    def card(self) -> str:
        body = self.random.choice(("4", "51", "6222", "35")) + self._pick(string.digits, 20)
        body = body[:15]
        total = sum(_LUHN[int(d)] if i % 2 == 0 else int(d) for i, d in enumerate(reversed(body)))
        digits = body + str(-total % 10)
        return self.random.choice((digits, " ".join(digits[i : i + 4] for i in range(0, 16, 4))))

    def resident_id(self) -> str:
        body = self.random.choice(("110105", "440103", "310115"))
        body += f"19{self.random.randint(50, 99)}0{self.random.randint(1, 9)}1"
        body += self._pick(string.digits, 17 - len(body))
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        return body + "10X98765432"[sum(w * int(d) for w, d in zip(weights, body, strict=True)) % 11]

    def iban(self) -> str:
        bban = self._pick(string.digits, 18)
        return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


CARRIERS: dict[str, Callable[[str, str], Any]] = {
    "dict": lambda key, value: {"user": "ann", key: value},
    "nested": lambda key, value: {"a": [{"b": {key: value, "n": 1}}]},
    "pair": lambda key, value: {"params": [{"name": "region", "value": "eu"}, {"name": key, "value": value}]},
    "header pair": lambda key, value: {"headers": [["Accept", "*/*"], [key, value]]},
    "table": lambda key, value: {"columns": ["id", key], "rows": [[1, value], [2, value]]},
    "rows with a head": lambda key, value: [["id", key, "n"], [1, value, 2]],
    "json text": lambda key, value: {"body": json.dumps({"id": 7, key: value}, ensure_ascii=False)},
    "json in json": lambda key, value: {"body": json.dumps(json.dumps({key: value}, ensure_ascii=False))},
    "json in prose": lambda key, value: (
        f"sent {json.dumps({key: value, 'n': 1}, ensure_ascii=False)} to the queue"
    ),
    "python repr": lambda key, value: f"kwargs={ {key: value, 'n': 1}!r}",
    "log line": lambda key, value: f'2026-01-02 10:00:00 INFO svc - request {key}="{value}" status=200',
    "equals": lambda key, value: f"{key}={value}",
    "yaml line": lambda key, value: f"region: eu\n{key}: {value}\nport: 80\n",
    "form": lambda key, value: f"a=1&{key}={urllib.parse.quote(value)}&b=2",
    "csv": lambda key, value: f"id,{key},n\n1,{value},2\n3,{value},4\n",
    "markdown": lambda key, value: f"| id | {key} |\n|---|---|\n| 1 | {value} |\n",
    "xml": lambda key, value: f"<row><id>1</id><{key}>{value}</{key}></row>",
}
"""Ways in which a key and its value reach a tool's result."""


def _read(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"\\+u([0-9a-f]{4})", lambda hit: chr(int(hit[1], 16)), text)
    return urllib.parse.unquote(text.replace("\\", ""))


@pytest.fixture
def redact() -> Redactor:
    """The default rules."""
    return make_redactor()


@pytest.fixture
def redact_all() -> Redactor:
    """Every rule."""
    return make_redactor("all")


@pytest.fixture
def maker() -> Callable[[int], Maker]:
    """A maker of sensitive values for a seed."""
    return Maker


@pytest.fixture
def carriers() -> dict[str, Callable[[str, str], Any]]:
    """Name -> function that puts a key and a value into a result."""
    return CARRIERS


@pytest.fixture
def shown() -> Callable[[Any], str]:
    """Everything a reader could see of a value, escapes undone."""
    return _read


@pytest.fixture(scope="session")
def maker_cls() -> type[Maker]:
    """The same for tests that draw many seeds."""
    return Maker
