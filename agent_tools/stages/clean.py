"""Make a tool's value safe to show, to log and to store: plain JSON data, redacted.

In:   any value that a tool returned.
Out:  `Cleaned`: plain, redacted data, and the paths of what was lost, cut, hidden or marked.
Raises: ToolError: UNSERIALIZABLE_RESULT (a part has no form in JSON), REDACTION_FAILED (without any content).
Cost: clean data is not copied: a look at every value, then the redactor's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from agent_tools.columns import forget_tables
from agent_tools.errors import ErrorCode, ToolError
from agent_tools.result import Json
from agent_tools.secret_marks import Places, hide_places
from agent_tools.stages.plain_data import Refused, plain_data
from agent_tools.stages.plain_look import texts_of_record
from agent_tools.stages.plain_notes import MarksByPath, Notes, path_text
from agent_tools.stages.plain_values import SECRET_TEXT

In = TypeVar("In")
Out = TypeVar("Out")

NO_PLACES: Places = frozenset()

# A path may hold a key of any length; what is shown of it is enough to find the place.
MAX_PATH_LENGTH = 200
# the longest text in an object that is called small, in characters
SHORT = 500


class Redacts(Protocol):
    """What `clean` needs of a redactor; `redaction.make_redactor` makes one."""

    def report(self, value: Json) -> tuple[Json, list[str]]:
        """Return the redacted value and the paths that were hidden."""
        ...

    def is_harmless(self, record: dict[str, Json]) -> bool:
        """Say quickly whether a flat object surely has nothing to hide; False means nothing."""
        ...

    def passes(self, record: dict[str, Json], texts: list[str]) -> bool:
        """Say whether a flat object surely has nothing to hide."""
        ...

    def text(self, text: str) -> str:
        """Return a redacted text."""
        ...


@dataclass(slots=True)
class Cleaned:
    """A value that may be shown.

    Attributes:
        data: Plain JSON data, redacted.
        lossy: Paths of values that JSON cannot hold as they were, at most 20.
        cut: `{path, shown, total, why}` of parts that were left out, at most 20; `why` is `cycle`, `depth`,
            `repeated`, `max_rows` or `bytes`.
        redacted: Paths of what was hidden.
        marks: Fields with a `visible_to` mark by path pattern: `("orders", "*")` -> `{"id": ["plan"]}`.
        is_small: It is known to be a flat object of a few short values, as most results are.
    """

    data: Json
    lossy: list[str]
    cut: list[dict[str, object]]
    redacted: list[str]
    marks: MarksByPath
    is_small: bool = field(default=False, repr=False, compare=False)


def make_clean(
    redactor: Redacts, *, max_rows: int = 100_000, secrets: Places = NO_PLACES
) -> Callable[[object], Cleaned]:
    """Make the stage that turns a tool's value into plain, redacted data.

    Args:
        redactor: Hides secrets; it sees plain data only.
        max_rows: Most rows drawn from an iterator inside the value.
        secrets: Where the tool's return annotation says that something secret stands.

    Example:
        >>> class Nothing:
        ...     def report(self, value): return value, []
        ...     def is_harmless(self, record): return False
        ...     def passes(self, record, texts): return True
        ...     def text(self, text): return text
        >>> clean = make_clean(Nothing())
        >>> clean({"at": (1, 2), "rate": float("inf")})
        Cleaned(data={'at': [1, 2], 'rate': None}, lossy=['$.rate'], cut=[], redacted=[], marks={})
    """

    def clean(value: object) -> Cleaned:
        if type(value) is dict and not secrets:
            if redactor.is_harmless(value):
                return Cleaned(value, [], [], [], {}, is_small=True)
            texts = texts_of_record(value)
            if texts is not None and redactor.passes(value, texts):
                return Cleaned(value, [], [], [], {}, not texts or max(map(len, texts)) <= SHORT)
        try:
            data, notes = plain_data(value, max_rows=max_rows)
        except Refused as exc:
            # the path may hold a key that is a secret
            raise Refused(_safely(redactor.text, str(exc))) from exc
        marked: list[tuple[str | int, ...]] = []
        data = hide_places(data, secrets, SECRET_TEXT, marked) if secrets else data
        shown, hidden = _safely(redactor.report, data)
        if marked:
            hidden = [*(_safely(redactor.text, path_text(path)) for path in marked), *hidden]
        if shown is not data:
            shown = _safely(_plain_again, shown)
        if notes is None:
            return Cleaned(shown, [], [], hidden, {})
        return _with_notes(shown, hidden, notes, redactor)

    return clean


def _with_notes(data: Json, hidden: list[str], notes: Notes, redactor: Redacts) -> Cleaned:
    def path(text: str) -> str:
        return _safely(redactor.text, text)[:MAX_PATH_LENGTH]

    return Cleaned(
        data,
        [path(text) for text in notes.lossy.texts()],
        [entry | {"path": path(str(entry["path"]))} for entry in notes.cut_entries()],
        list(dict.fromkeys([*hidden, *(path(text) for text in notes.hidden.texts())])),
        _follow_keys(notes.marks, redactor) if hidden else notes.marks,
    )


def _follow_keys(marks: MarksByPath, redactor: Redacts) -> MarksByPath:
    """Add the marks under the names that keys have after redaction."""
    renamed = {tuple(_safely(redactor.text, part) for part in path): fields for path, fields in marks.items()}
    return marks | renamed


def _plain_again(data: Json) -> Json:
    # a rule of the user's own may return anything, also the lists that it was given with other rows in them
    forget_tables()
    return plain_data(data)[0]


def _safely(step: Callable[[In], Out], value: In) -> Out:
    try:
        return step(value)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a rule of the user's own may raise anything
        failed = ToolError(
            "The result could not be redacted, so it is not shown. Report this to the tool's author.",
            code=ErrorCode.REDACTION_FAILED,
        )
    # outside of the handler: the cause would carry the content into a traceback
    raise failed
