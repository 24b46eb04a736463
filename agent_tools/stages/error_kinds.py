"""What is known of an exception's class, by its names along the MRO, told once and kept.

In:   a class.
Out:  its row in `error_table`, the row of the built-in class below it, and what its name tells.
Cost: one look-up in a cache for a class seen before.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import NamedTuple

from agent_tools.stages.error_numbers import QUOTA_CLASSES
from agent_tools.stages.error_rows import Row
from agent_tools.stages.error_table import COMMON_ENDS, COMMON_NAMES, GENERIC_WRAPPERS, SQL_NAMES, TYPES


class Kind(NamedTuple):
    """What is known of a class.

    Attributes:
        library: The most specific row of a library.
        builtin: The row of the built-in class below it.
        is_generic: Nothing more specific than Exception or RuntimeError is known.
        is_value_error: The built-in class is ValueError.
        is_spent: Its name says that a quota is used up, which waiting does not cure.
        is_process: It is the failure of a process and may hold what that wrote.
    """

    library: Row | None
    builtin: Row
    is_generic: bool
    is_value_error: bool
    is_spent: bool
    is_process: bool


# weak, so that classes made at run time can go; values hold no class
_KINDS: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()


def names_of(cls: type) -> Iterator[str]:
    """Yield `root.ClassName` along the MRO.

    Example:
        >>> list(names_of(FileNotFoundError))[:2]
        ['builtins.FileNotFoundError', 'builtins.OSError']
    """
    for base in cls.__mro__:
        root = str(getattr(base, "__module__", "")).partition(".")[0]
        yield f"{root}.{base.__name__}"


def kind_of(cls: type) -> Kind:
    """Return what is known of a class, from a cache after the first time."""
    try:
        return _KINDS[cls]
    except KeyError:
        kind = _KINDS[cls] = _look_up(cls)
        return kind


def _look_up(cls: type) -> Kind:
    known = [name for name in names_of(cls) if name in TYPES]
    library = next((TYPES[name] for name in known if not name.startswith("builtins.")), None)
    builtin = next((name for name in known if name.startswith("builtins.")), "builtins.BaseException")
    if library is None:
        library = sql_row(cls) or _common_row(cls)
    return Kind(
        library,
        TYPES[builtin],
        library is None and builtin in GENERIC_WRAPPERS,
        library is None and builtin == "builtins.ValueError",
        any(word in base.__name__ for base in cls.__mro__ for word in QUOTA_CLASSES),
        "subprocess.SubprocessError" in known,
    )


def sql_row(cls: type) -> Row | None:
    """Return the row of a database driver that has none of its own.

    Such a class has a name of PEP 249, and the common base of those in the same package.
    """
    names = list(names_of(cls))
    for name in names:
        root, _, own = name.partition(".")
        if own in SQL_NAMES and own != "Error" and f"{root}.Error" in names and root != "builtins":
            return SQL_NAMES[own]
    return None


def _common_row(cls: type) -> Row | None:
    # by what such classes are called everywhere, the most specific first
    for name in names_of(cls):
        root, _, own = name.partition(".")
        if root == "builtins":
            continue
        bare, library = own.removesuffix("Error").removesuffix("Exception"), root.replace("_", "").lower()
        if len(bare) > len(library) and bare.lower().startswith(library):
            bare = bare[len(library) :]
        ends = (row for end, row in COMMON_ENDS if bare.endswith(end))
        if (row := COMMON_NAMES.get(bare) or next(ends, None)) is not None:
            return row
    return None
