"""A secret that is split over the pieces of a stream, or over lines, is hidden as a whole."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tools import read_result, tool
from agent_tools.stages.redaction import make_redactor

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
KEY = "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *["MIIB" * 16] * 3, "-----END " + "PRIVATE KEY-----"])


def has_piece(text: str, secret: str = SECRET, size: int = 8) -> bool:
    """Say whether a piece of the secret stands in a text."""
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def everything(result: Any, home: Path) -> str:
    files = [path.read_bytes().decode("utf-8", "replace") for path in home.rglob("*") if path.is_file()]
    return "".join([result.to_prompt().replace('","', ""), *(text.replace('","', "") for text in files)])


def pieces_of(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("padding", [0, 3_000, 40_000])
def test_a_token_in_a_streamed_text(size: int, padding: int, home: Path, read_log: Any) -> None:
    """Wherever it is split, held or spilled to the store, and the rest of the text stays."""
    text = "so it is " * (padding // 9) + f"the key is {SECRET}, and so on. " + "so it is " * (padding // 9)

    def stream_text() -> Any:
        yield from pieces_of(text, size)

    result = tool(stream_text, max_tokens=300)()
    shown = "".join(result.data)

    assert not has_piece(everything(result, home))
    assert result.meta["redactions"] == 1
    if not padding:
        assert shown == "the key is [REDACTED], and so on. "
    elif "result_id" in result.meta:
        assert result.meta["total"] == len(pieces_of(text, size))


def test_async_streams_and_rows_with_pieces(home: Path) -> None:
    """The chunks of a model's answer: dicts with the text somewhere in them."""
    rows = [
        {"n": n, "choices": [{"delta": {"content": piece}}]} for n, piece in enumerate(pieces_of(SECRET, 5))
    ]

    async def stream_answer() -> Any:
        for row in rows:
            yield row

    result = asyncio.run(tool(stream_answer)())
    shown = "".join(row["choices"][0]["delta"]["content"] for row in result.data)

    assert shown == "[REDACTED]"
    assert rows[0]["choices"][0]["delta"]["content"] == SECRET[:5]


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(8, 60))
def test_blocks_hide_what_the_whole_hides(seed: int, size: int, block: int) -> None:
    """In whatever blocks the pieces come, what comes out is the same text, with nothing of the secrets."""
    rng = random.Random(seed)
    words = ["and then", "password=hunter2x9", "13800138000", SECRET, "密码：aB3dE6gH", KEY, "ok", "a, b"]
    text = " ".join(rng.choices(words, k=12))
    pieces = pieces_of(text, size)
    stream = make_redactor().stream()

    out = [
        piece
        for at in range(0, len(pieces), block)
        for piece in stream.take(pieces[at : at + block], is_last=at + block >= len(pieces))
    ]
    shown = make_redactor().text("".join(out))

    assert len(out) == len(pieces)
    assert not any(has_piece(shown, secret) for secret in (SECRET, "hunter2x9", "aB3dE6gH", "MIIB" * 4))
    assert "13800138000" not in shown


def test_numbers_in_rows_do_not_become_one_number() -> None:
    """Ids that come row by row are no phone and no card."""
    rows = ["4111", "1111", "1111", "1111"]

    assert tool(lambda: iter(rows), name="list_ids")().data == rows


def test_a_private_key_in_lines() -> None:
    """A file that was read with splitlines(): the body goes, the other lines stay."""
    lines = ["before", *KEY.splitlines(), "after"]

    shown = make_redactor()({"lines": lines})["lines"]

    assert shown == ["before", "[REDACTED]", "", "", "", "", "after"]
    assert lines[2].startswith("MIIB")


def test_the_whole_can_be_read_back_without_it(home: Path) -> None:
    """A page that begins in the middle of the secret shows nothing of it."""

    def stream_text() -> Any:
        yield from pieces_of("x " * 6_000 + SECRET + " y" * 6_000, 3)

    result = tool(stream_text, max_tokens=200)()
    at = 12_000 // 3
    page = read_result(result.meta["result_id"], offset=at - 2, limit=20)

    assert not has_piece("".join(page.data))
    assert "[REDACTED]" in "".join(page.data)
