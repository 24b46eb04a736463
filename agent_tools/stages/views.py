"""Project plain data, meta and error for one audience.

In:   plain JSON data, already redacted; the marks of its record types; the rules of `audience=`.
Out:  what the audience may see of it. The same object when it may see all.
Cost: nothing without marks and rules; else one walk over the data, copy on write.

A rule is a dotted path, `"customer.id"`; lists are transparent. It holds wherever the data has such a path,
at the top or deeper, so that a wrapper around the records uncovers nothing; a text that holds records (JSON,
CSV) and a table that names its columns once are no hiding places either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_tools.audiences import DEEPER, PLAN, Marks, as_audiences, is_visible
from agent_tools.errors import ErrorCode
from agent_tools.stages.views_texts import find_table, has_header, kept_columns, project_text, spellings

Path = tuple[str, ...]
Rule = tuple[Path, frozenset[str]]
# a rule of which so many steps are matched by the way from the top to here
Progress = tuple[Path, int, frozenset[str]]
TypeMarks = Mapping[Path, Mapping[str, Iterable[str]]]
Project = Callable[[Any, str, "TypeMarks"], Any]

LABEL_SUFFIX = "_label"

# What a reader other than the planner learns about the data besides the data itself. Everything else in
# meta (arguments, cursors, ids, warnings, a tool's own keys) may repeat a value that is for the planner.
META_FOR_ALL = ("total", "returned", "truncated", "succeeded", "format_version")

SENTENCES = {
    "INVALID_ARGUMENT": "The request could not be carried out as it was put.",
    "NOT_FOUND": "What was asked for was not found.",
    "ALREADY_EXISTS": "It exists already.",
    "PERMISSION_DENIED": "Access to this was refused.",
    "UNAUTHENTICATED": "A sign-in is needed for this.",
    "RESOURCE_EXHAUSTED": "A limit has been reached.",
    "DEADLINE_EXCEEDED": "It took too long and was given up.",
    "UNAVAILABLE": "The service behind this is not available at the moment.",
}
SENTENCE = "The call failed."
_STANDARD_CODES = frozenset(map(str, ErrorCode))


def make_rules(audience: Mapping[str, Any], labels: Iterable[str]) -> list[Rule]:
    """Read the settings `audience` and `labels`; a labelled code itself is for the planner."""
    given = [(tuple(path.split(".")), as_audiences(readers)) for path, readers in audience.items()]
    marked = {path for path, _ in given}
    codes = (tuple(path.split(".")) for path in labels)
    return given + [(path, frozenset({PLAN})) for path in codes if path not in marked]


def make_project(rules: list[Rule]) -> Project:
    """Make the projector of a tool: `(data, view, type marks) -> data`."""

    names = frozenset(steps[-1] for steps, _ in rules)
    forms = spellings(names)

    def project(data: Any, view: str, type_marks: TypeMarks) -> Any:
        if not rules and not type_marks:
            return data
        return _Walk(rules, names, forms, view).node(data, (_map_marks(type_marks),), ())

    return project


@dataclass(slots=True)
class _Place:
    """Where the type marks are: the marks of the records here, and the places below by step."""

    marks: dict[str, frozenset[str]] = field(default_factory=dict)
    below: dict[str, _Place] = field(default_factory=dict)


def _map_marks(type_marks: TypeMarks) -> _Place:
    top = _Place()
    for path, marks in type_marks.items():
        place = top
        is_deeper = path[:1] == (DEEPER,)
        for step in ("*",) * int(path[1]) if is_deeper else path:
            place = place.below.setdefault(step, _Place())
        if is_deeper:
            # from here on every place is this one
            place = place.below.setdefault("*", _Place())
            place.below["*"] = place
        place.marks |= {name: frozenset(readers) for name, readers in marks.items()}
    return top


Places = tuple[_Place, ...]


def _below(places: Places, step: str) -> Places:
    # "*" stands for any index of a list and for any key of a mapping
    return tuple(place.below[key] for place in places for key in {step, "*"} if key in place.below)


class _Walk:
    """One projection: the rules and for whom; the type marks go along as places."""

    __slots__ = ("forms", "names", "rules", "view")

    def __init__(self, rules: list[Rule], names: frozenset[str], forms: frozenset[str], view: str) -> None:
        self.rules = rules
        self.names = names  # of the fields that a rule is about
        self.forms = forms  # the same as they stand in a text
        self.view = view

    def node(self, value: Any, places: Places, progress: tuple[Progress, ...]) -> Any:
        if isinstance(value, dict):
            return self.record(value, places, progress, self.marks(places, progress, [value]))
        if isinstance(value, list):
            return self.records(value, _below(places, "*"), progress)
        if self.mentions(value):
            return project_text(value, self.names, lambda found: self.node(found, places, progress))
        return value

    def mentions(self, value: Any) -> bool:
        """Say whether a text has the name of a field in it that somebody may not see."""
        return isinstance(value, str) and any(form in value for form in self.forms)

    def table(self, value: dict[str, Any], places: Places, progress: tuple[Progress, ...]) -> dict[str, Any]:
        """Project a table that names its columns once."""
        found = find_table(value)
        if found is None:
            return value
        head, body, names = found
        kept = kept_columns(names, lambda record: self.node(record, places, progress))
        if len(kept) == len(names):
            return value
        rows = [[row[at] for at in kept] for row in value[body]]
        return value | {head: [value[head][at] for at in kept], body: rows}

    def records(self, rows: list[Any], places: Places, progress: tuple[Progress, ...]) -> list[Any]:
        if self.names and has_header(rows, self.names):
            kept = kept_columns(rows[0], lambda record: self.node(record, places, progress))
            rows = rows if len(kept) == len(rows[0]) else [[row[at] for at in kept] for row in rows]
        # the rows of a list are of one type: what one of them has marked holds for all
        marks = self.marks(places, progress, [row for row in rows if isinstance(row, dict)])
        seen = [
            self.record(row, places, progress, marks)
            if isinstance(row, dict)
            else self.node(row, places, progress)
            for row in rows
        ]
        return seen if any(new is not old for new, old in zip(seen, rows, strict=True)) else rows

    def marks(self, places: Places, progress: tuple[Progress, ...], rows: list[dict[str, Any]]) -> Marks:
        """Return the marks of the records at this place."""
        found: dict[str, frozenset[str]] = {}
        for place in places:
            for name, audiences in place.marks.items():
                # where two types may stand, only who may see both sees the field
                found[name] = found.get(name, audiences) & audiences
        for steps, audiences in self.rules:
            if len(steps) == 1 and any(steps[0] in row for row in rows):
                found[steps[0]] = audiences
        for steps, done, audiences in progress:
            if done == len(steps) - 1:
                found[steps[-1]] = audiences
        return found

    def record(
        self, value: dict[str, Any], places: Places, progress: tuple[Progress, ...], marks: Marks
    ) -> Any:
        seen = {}
        changed = False
        for name, child in value.items():
            if marks and not is_visible(name, marks, self.view):
                changed = True
                continue
            if isinstance(child, (dict, list)) or self.mentions(child):
                child_seen = self.node(child, _below(places, name), self.advance(name, progress))
                changed = changed or child_seen is not child
                seen[name] = child_seen
            else:
                seen[name] = child
        shown = seen if changed else value
        return self.table(shown, places, progress) if self.names else shown

    def advance(self, name: str, progress: tuple[Progress, ...]) -> tuple[Progress, ...]:
        """Return what is matched below the field `name`."""
        begun = [(steps, 1, readers) for steps, readers in self.rules if len(steps) > 1 and steps[0] == name]
        further = [
            (steps, n + 1, readers)
            for steps, n, readers in progress
            if n < len(steps) - 1 and steps[n] == name
        ]
        return (*begun, *further)


# --- labels


def make_label(labels: Mapping[str, Mapping[Any, str]]) -> Callable[[Any], Any]:
    """Make the step that adds `status_label` beside a bare code; an unknown code gets no label."""
    rules = [
        (
            tuple(path.split(".")),
            {_code(code): text for code, text in names.items()}
            # a code that came as text, `"1"` for 1
            | {str(code): text for code, text in names.items()},
        )
        for path, names in labels.items()
    ]

    def label(value: Any, above: Path = ()) -> Any:
        if isinstance(value, list):
            rows = [label(row, above) for row in value]
            return rows if any(new is not old for new, old in zip(rows, value, strict=True)) else value
        if not isinstance(value, dict):
            return value
        seen: dict[str, Any] = {}
        for name, child in value.items():
            here = (*above, name)
            seen[name] = label(child, here) if isinstance(child, (dict, list)) else child
            text = _label_of(child, here, rules)
            if text is not None and name + LABEL_SUFFIX not in value:
                seen[name + LABEL_SUFFIX] = text
        same = len(seen) == len(value) and all(seen[name] is value[name] for name in value)
        return value if same else seen

    return label if rules else lambda value: value


def _code(code: Any) -> Any:
    # True == 1 in Python; in data they are two things
    return ("bool", code) if isinstance(code, bool) else code


def _label_of(code: Any, here: Path, rules: list[tuple[Path, dict[Any, str]]]) -> str | None:
    if not isinstance(code, (str, int, float)):
        return None
    for steps, names in rules:
        if here[-len(steps) :] == steps:
            found = names.get(_code(code))
            # labels that were read from JSON have text for codes
            return names.get(str(code)) if found is None and not isinstance(code, bool) else found
    return None


# --- what stands around the data


def project_meta(meta: Mapping[str, Any], status: str) -> dict[str, Any]:
    """Return the meta that an audience other than `plan`, which sees all of it, may see."""
    seen = {key: meta[key] for key in META_FOR_ALL if key in meta}
    if status == "partial" and not seen.get("truncated"):
        # that something is missing is said in every view, what it is only to the planner
        seen["truncated"] = True
    return seen


def project_error(
    error: Mapping[str, Any] | None, view: str, *, is_raised: bool = True
) -> dict[str, Any] | None:
    """Return the error that an audience may see: for others than `plan` in the library's own words.

    Args:
        error: The error as the planner sees it.
        view: For whom.
        is_raised: An exception was raised: a code of its own is its author's word. One that came with the
            data may be the value of any field.
    """
    if error is None or view == PLAN:
        return None if error is None else dict(error)
    is_word = is_raised or error["code"] in _STANDARD_CODES
    return {
        "code": error["code"] if is_word else str(ErrorCode.TOOL_REPORTED_ERROR),
        "message": SENTENCES.get(error["code"], SENTENCE),
        "retryable": error["retryable"],
        "recovery": error["recovery"],
    }
