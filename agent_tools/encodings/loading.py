"""From a name to an encoding, once per process, without the network and without touching the disk.

tiktoken's own constructor functions are run with their loader replaced, so its patterns and its
expected SHA-256 hold. A bundled encoding comes from the package; another one from the folder
where tiktoken keeps its downloads, read here because tiktoken would delete a damaged file and download it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from agent_tools.encodings.packed import BUNDLED, LONGEST, read_ranks
from agent_tools.errors import InvalidSetting

if TYPE_CHECKING:
    from tiktoken import Encoding

# the same ranks and pattern under another name: only special tokens differ, and those are never counted
SAME_AS = {"o200k_harmony": "o200k_base"}

# tiktoken's patterns, for a tiktoken whose module is laid out in another way; a test compares them
PATTERNS = {
    "o200k_base": "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}

_LAYOUT_CHANGED = (ImportError, AttributeError, KeyError, NameError, TypeError)


@dataclass(frozen=True, slots=True)
class Loaded:
    """An encoding with its pattern and the bytes of its longest token."""

    encoding: Encoding
    pattern: str
    longest: int


_loaded: dict[str, Loaded] = {}
_lock = threading.Lock()


def find_encoding(name: str) -> Loaded:
    """Give the encoding of a name, loaded at the first call.

    Cost: 0.1 us; the first call for o200k_base about 0.35 s.

    Raises:
        InvalidSetting: When it is unknown or its file is not on this machine.
    """
    found = _loaded.get(name)
    return found if found is not None else _load_once(SAME_AS.get(name, name), name)


def is_loaded(name: str) -> bool:
    """Say whether an encoding is loaded already."""
    return name in _loaded


def check_name(name: str) -> None:
    """Make sure that an encoding will load; a bundled one is not loaded for that.

    Raises:
        InvalidSetting: When it is unknown or its file is not on this machine.
    """
    if SAME_AS.get(name, name) not in BUNDLED:
        find_encoding(name)


def longest_token(name: str) -> int:
    """Give the bytes of the longest token, without loading a bundled encoding."""
    return LONGEST if SAME_AS.get(name, name) in BUNDLED else find_encoding(name).longest


def _load_once(name: str, asked: str) -> Loaded:
    with _lock:
        found = _loaded.get(name)
        if found is None:
            found = _loaded[name] = _load(name)
        _loaded[asked] = found
        return found


def _renew_lock() -> None:
    # a thread that was loading does not exist in a forked child, and its lock would never open
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _load(name: str) -> Loaded:
    import tiktoken

    parts = _bundled_parts(name) if name in BUNDLED else _other_parts(name)
    longest = max(map(len, parts["mergeable_ranks"]))
    return Loaded(tiktoken.Encoding(**parts), parts["pat_str"], longest)


def _bundled_parts(name: str) -> Mapping[str, Any]:
    try:
        from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # a namespace without types

        return _offline(openai_public.ENCODING_CONSTRUCTORS[name])()
    except _LAYOUT_CHANGED:
        pattern, ranks = PATTERNS[name], read_ranks(name)
        return {"name": name, "pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": {}}


def _other_parts(name: str) -> Mapping[str, Any]:
    constructors = _known_constructors()
    if name not in constructors:
        raise InvalidSetting(_unknown(name, sorted(constructors)))
    try:
        return _offline(constructors[name])()
    except (OSError, ValueError, *_LAYOUT_CHANGED) as error:
        raise InvalidSetting(
            f"encoding {name!r} is not bundled and can't be loaded without the network: {error}. "
            f"Use 'o200k_base' or 'cl100k_base', or set TIKTOKEN_CACHE_DIR to a folder that has the file: "
            f"run tiktoken.get_encoding({name!r}) once on a machine with a network and that variable set, "
            f"then copy the folder."
        ) from error


def _known_constructors() -> Mapping[str, Callable[[], dict[str, Any]]]:
    import tiktoken.registry
    from tiktoken_ext import openai_public

    try:
        tiktoken.list_encoding_names()  # fills the registry with those of plugins
    except (ValueError, ImportError) as error:  # two plugins of one name, or one that is broken
        raise InvalidSetting(f"tiktoken can't list its encodings: {error}") from error
    return {**openai_public.ENCODING_CONSTRUCTORS, **(tiktoken.registry.ENCODING_CONSTRUCTORS or {})}


def _unknown(name: str, known: list[str]) -> str:
    import difflib

    import tiktoken.model

    try:
        return f"{name!r} is a model; its encoding is {tiktoken.model.encoding_name_for_model(name)!r}"
    except KeyError:
        near = difflib.get_close_matches(name, known, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        return f"unknown encoding {name!r}; known: {', '.join(known)}{guess}"


def _offline(constructor: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Rebuild a constructor, and the functions beside it that it calls, over a loader that stays offline.

    A plugin that is no plain function, or loads in a way of its own, is run as it is.
    """
    import tiktoken.load

    if not isinstance(constructor, FunctionType):
        return constructor
    loader: dict[str, Any] = {**vars(tiktoken.load), "read_file_cached": _read_kept}
    gym = FunctionType(
        tiktoken.load.data_gym_to_mergeable_bpe_ranks.__code__, loader, argdefs=(None, None, False)
    )
    space: dict[str, Any] = dict(constructor.__globals__)
    for name, value in constructor.__globals__.items():
        if isinstance(value, FunctionType) and value.__globals__ is constructor.__globals__:
            space[name] = _over(value, space)
    space.update(load_tiktoken_bpe=_read_bpe, data_gym_to_mergeable_bpe_ranks=gym)
    return _over(constructor, space)


def _over(function: FunctionType, space: dict[str, Any]) -> FunctionType:
    return FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )


def _read_bpe(source: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Stand in for `tiktoken.load.load_tiktoken_bpe`."""
    name = source.rsplit("/", 1)[-1].removesuffix(".tiktoken")
    if expected_hash is not None and BUNDLED.get(name) == expected_hash:
        return read_ranks(name)
    fields = _read_kept(source, expected_hash).split()
    return dict(zip(map(b64decode, fields[0::2]), map(int, fields[1::2]), strict=True))


def _read_kept(source: str, expected_hash: str | None = None) -> bytes:
    """Stand in for `tiktoken.load.read_file_cached`: the kept file or an error, never a download."""
    path = Path(source) if "://" not in source else _kept_folder() / _kept_name(source)
    data = path.read_bytes()
    if expected_hash is not None and hashlib.sha256(data).hexdigest() != expected_hash:
        raise ValueError(f"{str(path)!r} is damaged, its SHA-256 is not the one that tiktoken expects")
    return data


def _kept_name(source: str) -> str:
    return hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


def _kept_folder() -> Path:
    """Say where tiktoken keeps its downloads, by its own rules.

    Raises:
        FileNotFoundError: When the variable is set and blank, which turns keeping off.
    """
    import tempfile

    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        folder = os.environ.get(variable)
        if folder == "":
            raise FileNotFoundError(f"{variable} is blank")
        if folder is not None:
            return Path(folder)
    return Path(tempfile.gettempdir(), "data-gym-cache")
