"""The bundled ranks: one xz file an encoding, a third of the size of the gzipped original.

Layout of the unpacked bytes: the number of tokens (4 bytes, little-endian), the length of each token
(1 byte each, in the order of their ranks), then the tokens themselves. Ranks are 0..n-1 without gaps,
so they need no room.

Cost: about 200 ms for o200k_base, half of it for the check.
"""

from __future__ import annotations

import hashlib
import lzma
from binascii import b2a_base64
from itertools import accumulate, pairwise

from agent_tools.errors import ErrorCode, ToolError

# SHA-256 of tiktoken's own `.tiktoken` text, as `tiktoken_ext.openai_public` expects it
BUNDLED = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
# bytes of the longest token in both, 128 blanks: what bounds a count from below without loading either
LONGEST = 128

_COUNT_BYTES = 4


def read_ranks(name: str) -> dict[bytes, int]:
    """Unpack the ranks of a bundled encoding and prove that they are tiktoken's.

    Raises:
        ToolError: With code DATA_LOSS when the file is damaged.

    Example:
        >>> read_ranks("cl100k_base")[b" the"]
        279
    """
    from importlib import resources  # 5 ms, so not with the package

    try:
        tokens = unpack(resources.files("agent_tools.encodings").joinpath(f"{name}.xz").read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise _damaged(name) from error
    if hashlib.sha256(original_text(tokens)).hexdigest() != BUNDLED[name]:
        raise _damaged(name)
    return dict(zip(tokens, range(len(tokens)), strict=True))


def pack(tokens: list[bytes]) -> bytes:
    """Pack tokens in the order of their ranks.

    Example:
        >>> unpack(pack([b"a", b"the"]))
        [b'a', b'the']
    """
    count = len(tokens).to_bytes(_COUNT_BYTES, "little")
    data = count + bytes(map(len, tokens)) + b"".join(tokens)
    # lc=4, pb=0: tokens are text without alignment, worth 0.2 %
    best = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}
    return lzma.compress(data, filters=[best])


def unpack(packed: bytes) -> list[bytes]:
    """Give the tokens of a packed file in the order of their ranks."""
    data = lzma.decompress(packed)
    start = _COUNT_BYTES + int.from_bytes(data[:_COUNT_BYTES], "little")
    ends = accumulate(data[_COUNT_BYTES:start], initial=start)
    return [data[begin:end] for begin, end in pairwise(ends)]


def original_text(tokens: list[bytes]) -> bytes:
    """Write tokens as tiktoken's file has them: base64, a blank, the rank, a newline."""
    return b"".join([b"%b %d\n" % (b2a_base64(token, newline=False), i) for i, token in enumerate(tokens)])


def _damaged(name: str) -> ToolError:
    return ToolError(
        f"The bundled token table {name!r} is damaged; reinstall agent-tools.", code=ErrorCode.DATA_LOSS
    )
