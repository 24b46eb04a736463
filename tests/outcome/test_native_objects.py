"""Frames, arrays, records, responses and hostile objects: decided without truth value, nothing consumed."""

from __future__ import annotations

import io
import unittest.mock
from dataclasses import dataclass

import pytest

FRAMES = {
    "pandas": ("DataFrame({'a': []})", "Series([], dtype=float)", "Index([])"),
    "polars": ("DataFrame({'a': []})", "Series('a', [])"),
    "pyarrow": ("table({'a': []})", "array([])"),
    "numpy": ("array([])", "zeros((3, 0))", "ma.array([])"),
}
FULL_FRAMES = {
    "pandas": ("DataFrame({'a': [0]})", "Series([False])", "NaT", "NA", "Timestamp(0)"),
    "polars": ("DataFrame({'a': [0]})", "Series('a', [False])"),
    "pyarrow": ("table({'a': [0]})", "scalar(0)"),
    "numpy": ("array([0])", "array([0, 0])", "array(0)", "int64(0)", "bool_(False)", "float64('nan')"),
}


def _each(table):
    return [(library, maker) for library, makers in table.items() for maker in makers]


@pytest.mark.parametrize(("library", "maker"), _each(FRAMES))
def test_a_frame_without_rows_is_empty(query, library, maker):
    """`.empty`, a shape with a zero or a size of zero, never the truth value."""
    value = eval(f"library.{maker}", {"library": pytest.importorskip(library)})

    assert query(value).status == "empty"


@pytest.mark.parametrize(("library", "maker"), _each(FULL_FRAMES))
def test_a_frame_with_rows_is_a_success(query, library, maker):
    """Zeros and False in a frame are values; so are NA and NaT, whose truth value raises."""
    value = eval(f"library.{maker}", {"library": pytest.importorskip(library)})

    outcome = query(value)

    assert outcome.status == "success"
    assert outcome.value is value


def test_a_frame_in_a_reply_is_its_collection(query):
    """A frame under a known key is judged as a frame."""
    pandas = pytest.importorskip("pandas")

    assert query({"rows": pandas.DataFrame({"a": []})}).status == "empty"
    assert query({"rows": pandas.DataFrame({"a": [0]})}).status == "success"


def test_a_predicate_may_return_numpys_bool():
    """`empty=` may compare frames and arrays."""
    numpy = pytest.importorskip("numpy")
    from agent_tools.stages.outcome import make_outcome

    judge = make_outcome(kind="query", empty=lambda value: (value == 0).all(), error_as_data="detect")

    assert judge(numpy.array([0, 0])).status == "empty"
    assert judge(numpy.array([0, 1])).status == "success"


# --- records


def _pydantic_models():
    pydantic = pytest.importorskip("pydantic")

    class Page(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        items: list[int] = pydantic.Field(default_factory=list)
        total: int = 0

    class Names(pydantic.RootModel[list[str]]):
        pass

    return Page, Names


def test_a_pydantic_model_is_read_as_its_fields(query):
    """An empty list field, a page past the end, an extra cursor and a root are seen; the model is kept."""
    page, names = _pydantic_models()

    statuses = [
        query(value).status for value in (page(), page(items=[1]), page(total=57), names([]), names(["a"]))
    ]

    assert statuses == ["empty", "success", "partial", "empty", "success"]
    assert query(page(items=[1], next_cursor="x")).meta["next"] == {"next_cursor": "x"}
    assert query(model := page(items=[1])).value is model


def test_an_attrs_class_is_read_as_its_fields(query):
    """Slotted attrs classes have no __dict__ and are read all the same."""
    attrs = pytest.importorskip("attrs")
    page = attrs.make_class("Page", ["items", "total"], slots=True)

    assert query(page([], 0)).status == "empty"
    assert query(page([1], 1)).meta == {"total": 1}


@dataclass
class Reply:
    """A result object with a flag."""

    ok: bool
    error: str | None = None
    rows: tuple = ()


def test_a_record_with_a_failure_is_an_error(query):
    """A dataclass says ok=False like a dict does."""
    outcome = query(Reply(ok=False, error="sold out"))

    assert outcome.status == "error"
    assert outcome.error.message == "sold out"
    assert query(Reply(ok=True, rows=(1,))).status == "success"


@pytest.mark.parametrize(("is_error", "status"), [(True, "error"), (False, "success")])
def test_an_mcp_result_goes_by_its_flag(query, is_error, status):
    """The model class of the MCP SDK, not only its JSON."""
    types = pytest.importorskip("mcp.types")
    text = types.TextContent(type="text", text="rate of errors: 3")

    assert query(types.CallToolResult(content=[text], isError=is_error)).status == status


# --- HTTP responses


def _response(library, status, body=b"", headers=None):
    module = pytest.importorskip(library)
    if library == "requests":
        response = module.Response()
        response.status_code, response._content = status, body
        response.headers.update(headers or {})
        return response
    return module.Response(status, content=body, headers=headers)


@pytest.mark.parametrize("library", ["requests", "httpx"])
@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [(204, b"", "empty"), (200, b"", "empty"), (200, b"[1]", "success"), (404, b"", "error")],
)
def test_a_response_goes_by_status_and_length(query, library, status, body, expected):
    """204 and a zero-length body are empty, a failing status is an error."""
    assert query(_response(library, status, body)).status == expected


@pytest.mark.parametrize("library", ["requests", "httpx"])
def test_a_failing_response_says_why(query, library):
    """The status gives the code, the body the text, Retry-After the wait."""
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'

    error = query(_response(library, 429, body, {"Retry-After": "7"})).error

    assert (error.code, error.sub_code, error.transient, error.retry_after_s) == (
        "RESOURCE_EXHAUSTED",
        "429",
        True,
        7,
    )
    assert error.message == "HTTP 429: slow down"


def test_a_stream_that_was_not_read_is_left_alone(query):
    """Reading the body here would consume what the tool's reader wants."""
    httpx = pytest.importorskip("httpx")
    response = httpx.Response(200, content=iter([b"a"]))

    assert query(response).status == "success"
    assert not response.is_stream_consumed


# --- files


@pytest.mark.parametrize(("offset", "status"), [(0, "success"), (3, "empty")])
def test_a_files_read_position_decides(query, tmp_path, offset, status):
    """What is left to read counts, in memory and on disk, and the position is not moved."""
    (tmp_path / "a.txt").write_bytes(b"abc")
    with open(tmp_path / "a.txt", "rb") as on_disk:
        for handle in (io.BytesIO(b"abc"), io.StringIO("abc"), on_disk):
            handle.seek(offset)

            assert query(handle).status == status
            assert handle.tell() == offset


def test_a_closed_file_is_no_empty_one(query):
    """Whether a closed file had content can't be known."""
    handle = io.BytesIO(b"")
    handle.close()

    assert query(handle).status == "success"


# --- hostile objects


class NoTruth:
    """Raises for everything that Python may ask."""

    def __bool__(self):
        raise ValueError("ambiguous")

    def __len__(self):
        raise TypeError("unsized")

    def __eq__(self, other):
        raise TypeError("not comparable")

    __hash__ = object.__hash__

    def __getattr__(self, name):
        raise RuntimeError(name)

    @property
    def __class__(self):
        raise RuntimeError("no class")

    @property
    def empty(self):
        raise RuntimeError("no")

    @property
    def size(self):
        raise RuntimeError("no")


class LazyList(list):
    """A list whose length is a query that fails."""

    def __len__(self):
        raise ConnectionError("gone")


class LoudText(str):
    """A text that raises when it is asked for itself."""

    __slots__ = ()

    def __str__(self):
        raise RuntimeError("no")

    def strip(self, *args):
        raise RuntimeError("no")


class LazyQuery:
    """Counts how often it is asked for rows."""

    asked = 0

    def __len__(self):
        self.asked += 1
        return 0

    def __iter__(self):
        self.asked += 1
        return iter(())


class Quiet(dict):
    """A dict whose truth value raises."""

    def __bool__(self):
        raise ValueError("ambiguous")


# makers, because pytest itself asks a parameter for its class
HOSTILE = {
    "alone": NoTruth,
    "in a list": lambda: [NoTruth()],
    "as rows": lambda: {"items": NoTruth()},
    "as error": lambda: {"error": NoTruth(), "code": NoTruth()},
    "as flags": lambda: {"success": NoTruth(), "total": NoTruth(), "next": NoTruth()},
    "as key": lambda: {NoTruth(): 1, "x": None},
    "as cursor": lambda: {"items": [NoTruth()], "next_cursor": NoTruth()},
    "list without length": lambda: LazyList([1]),
    "text without text": lambda: LoudText("hello"),
    "blank text as error": lambda: {"error": LoudText(""), "x": 1},
    "dict without truth": lambda: Quiet({"a": 1}),
    "mock": unittest.mock.MagicMock,
    "class that raises": lambda: type("Meta", (type,), {"__getattr__": lambda cls, name: 1 / 0})(
        "Odd", (), {}
    )(),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_an_object_that_raises_is_a_value(query, case):
    """Nothing is asked that may raise, and what raises is taken as no sign of emptiness or failure."""
    value = HOSTILE[case]()

    outcome = query(value)

    assert outcome.status == "success"
    assert outcome.value is value


def test_a_lazy_query_is_not_run(query):
    """An object of unknown kind is not asked for its length."""
    lazy = LazyQuery()

    assert query(lazy).status == "success"
    assert lazy.asked == 0


def test_an_iterator_is_not_consumed(query):
    """What the library did not drain before stays whole."""
    numbers = iter([1, 2, 3])

    assert query(numbers).status == "success"
    assert list(numbers) == [1, 2, 3]


@pytest.mark.parametrize("key", ["error", "errors", "data", "items", "details", "pagination", "message"])
def test_a_cycle_ends(query, key):
    """A reply that holds itself is judged and not followed for ever."""
    value = {"status": "error", "code": 500}
    value[key] = value

    assert query(value).status in ("error", "success")


def test_a_huge_map_is_data(query):
    """A map of a hundred thousand keys is not searched for markers."""
    prices = {f"S{n}": n for n in range(100_000)} | {"error": "boom"}

    assert query(prices).status == "success"
