"""Bytes of files and responses as text, in whatever encoding they are.

In:   bytes, and the encoding that their source names, if any.
Out:  text, and a warning where the encoding had to be guessed.
Cost: one decoding; two for bytes that are not UTF-8.
"""

from __future__ import annotations

import codecs

# the longer marks first: the one of UTF-32 begins with that of UTF-16
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARKS = tuple(mark for mark, _ in MARKS)
# but for what stands in text: tab, newline, form feed, carriage return, backspace, escape
CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\b\x1b"))
MAX_CONTROLS = 0.02


def decode(content: bytes, named: str | None = None) -> tuple[str, str | None]:
    """Return the text of bytes, and a warning where the encoding was guessed.

    Args:
        content: The bytes.
        named: The encoding that their source names; UTF-8 is tried first where it is none.

    Example:
        >>> decode("\ufeffRoma".encode("utf-8")), decode("Roma".encode("utf-16"))
        (('Roma', None), ('Roma', None))
        >>> decode("café".encode("latin-1"))
        ('café', 'The text is not UTF-8; it was read as latin-1.')
    """
    encoding, warning = find_encoding(content, named, is_whole=True)
    return content.decode(encoding, "replace").removeprefix("\ufeff"), warning


def find_encoding(
    content: bytes, named: str | None = None, *, is_whole: bool = False
) -> tuple[str, str | None]:
    """Return the encoding of bytes, and a warning where it was guessed; the start of a text may do."""
    if content.startswith(_MARKS):
        return next(encoding for mark, encoding in MARKS if content.startswith(mark)), None
    if named and _decodes(content, named, is_whole):
        return named, None
    # before UTF-8, which may hold zero bytes, too
    if (wide := _wide(content)) is not None:
        return wide, f"The text has no mark of its encoding; it was read as {wide}."
    if _decodes(content, "utf-8", is_whole):
        return "utf-8", f"The text is not {named}; it was read as UTF-8." if named else None
    # latin-1 has control characters where Windows has quotes and the euro
    is_windows = any(0x80 <= byte <= 0x9F for byte in content) and _decodes(content, "cp1252", True)
    guess = "cp1252" if is_windows else "latin-1"
    return guess, f"The text is not {named or 'UTF-8'}; it was read as {guess}."


def is_binary(head: bytes) -> bool:
    r"""Say whether bytes are no text, by the first some thousand of them.

    Example:
        >>> is_binary(b"PK\x03\x04\x00\x00"), is_binary("Roma".encode("utf-16-le")), is_binary(b"")
        (True, False, False)
    """
    if head.startswith(_MARKS) or _wide(head) is not None:
        return False
    if b"\x00" in head:
        return True
    controls = len(head) - len(head.translate(None, delete=CONTROLS))
    return controls > MAX_CONTROLS * len(head)


def _decodes(content: bytes, encoding: str, is_whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(content, is_whole)
    except (LookupError, UnicodeError):
        return False
    return True


def _wide(content: bytes) -> str | None:
    """Recognise UTF-16 without a mark: in text of the Latin alphabet every other byte is zero."""
    pairs = len(content) // 2
    if not pairs or b"\x00" not in content:
        return None
    even, odd = content[0::2].count(0), content[1::2].count(0)
    if odd > 0.6 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * pairs and odd < 0.05 * pairs else None
