"""What every store does alike."""

import hashlib
import io
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tools.errors import ErrorCode, ToolError
from agent_tools.stores.base import new_result_id

ROWS = [{"i": i, "city": "Rome" if i % 2 else "Osló", "pad": "x" * (i % 300)} for i in range(3000)]
TEXT = "".join(f"line {i} {'ü' * (i % 90)}\n" for i in range(4000)) + "the end"

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5)
)
per_value = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def kept(store, body, scope="", **header):
    result_id = new_result_id()
    store.put(result_id, scope, header, body)
    return result_id


def pages(read, size):
    got, page = [], True
    while page:
        page = read(len(got), size)
        got += page
    return got


@pytest.mark.parametrize(
    "body",
    [
        ROWS,
        TEXT,
        {"orders": ROWS, "total": 3000},
        [],
        "",
        "\n",
        {},
        None,
        0,
        2**70,
        [2**70, 1],
        ["\ud800"],
        "\ud800",
    ],
    ids=lambda body: repr(body)[:20],
)
def test_whole_value_comes_back(store, body):
    """What was put is read back, of any shape."""
    result_id = kept(store, body)

    assert store.value(result_id, "") == body


@per_value
@given(body=st.lists(values, max_size=40), size=st.integers(1, 12), repeat=st.integers(1, 60))
def test_pages_of_rows_make_up_the_list(store, body, size, repeat):
    """Pages of any size, joined, are the list, and each read of a page begins where it was told."""
    body = body * repeat
    result_id = kept(store, body)

    assert pages(lambda offset, limit: store.rows(result_id, "", offset, limit), size * repeat) == body
    assert [row for part in store.iter_rows(result_id, "", size) for row in part] == body[size:]


@per_value
@given(
    body=st.text(st.characters(exclude_categories=()) | st.just("\n"), max_size=300),
    size=st.integers(1, 12),
    repeat=st.sampled_from([1, 7, 900]),
)
def test_pages_of_text_make_up_the_text(store, body, size, repeat):
    """Pages of lines and pages of characters, joined, are the text."""
    body = body * repeat
    lines = io.StringIO(body, newline="\n").readlines()
    result_id = kept(store, body)

    assert pages(lambda offset, limit: store.lines(result_id, "", offset, limit), size * repeat) == lines
    assert pages(lambda offset, limit: list(store.text(result_id, "", offset, limit)), size * repeat) == list(
        body
    )
    assert [line for part in store.iter_lines(result_id, "", size) for line in part] == lines[size:]


def test_one_long_line_is_paged_by_characters(store):
    """A needle at the end of a line of 400 kB is reached without the rest."""
    result_id = kept(store, "z" * 400_000 + "NEEDLE")

    assert store.text(result_id, "", 399_998, 100) == "zzNEEDLE"
    assert store.header(result_id, "")["lines"] == 1


def test_lines_around_a_long_line_are_found(store):
    """Lines are counted right across chunks that hold no line end at all."""
    body = "first\n" + "z" * 300_000 + "\nthird\nfourth"
    result_id = kept(store, body)

    assert store.lines(result_id, "", 2, 1) == ["third\n"]
    assert len(store.lines(result_id, "", 1, 1)[0]) == 300_001


@pytest.mark.parametrize("offset", [3000, 10**12])
def test_page_past_the_end_is_empty(store, offset):
    """An offset past the end gives no rows, not an error."""
    result_id = kept(store, ROWS)

    assert store.rows(result_id, "", offset, 10) == []


def test_header_tells_what_the_store_added(store):
    """Shape, counts and the digest of the canonical bytes stand beside what the caller gave."""
    result_id = kept(store, ROWS, tool="find_orders", meta={"warnings": ["slow"], "n": 2**65})
    canonical = json.dumps(ROWS, ensure_ascii=False, separators=(",", ":")).encode()

    header = store.header(result_id, "")

    assert header["meta"] == {"warnings": ["slow"], "n": 2**65}
    assert (header["shape"], header["rows"], header["total"], header["complete"]) == (
        "rows",
        3000,
        3000,
        True,
    )
    assert header["sha256"] == hashlib.sha256(canonical).hexdigest()


def test_total_of_the_caller_stays(store):
    """A page of an upstream total keeps that total."""
    result_id = kept(store, [1, 2], total=276)

    assert store.header(result_id, "")["total"] == 276
    assert store.header(result_id, "")["rows"] == 2


def test_wrong_scope_looks_like_an_unknown_id(store):
    """Another tenant learns nothing, not even that the id exists."""
    result_id, unknown = kept(store, ROWS, scope="alice"), new_result_id()

    messages = []
    for one in (result_id, unknown):
        assert store.header(one, "bob") is None
        with pytest.raises(ToolError) as failure:
            store.rows(one, "bob")
        messages.append((failure.value.code, failure.value.message.replace(one, "ID")))
    assert messages[0] == messages[1]
    assert messages[0][0] == ErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    "bad",
    ["../../etc/passwd", "", ".", "x" * 5000, "r_" + "a" * 15 + "\n",
     "r_" + "a" * 17, "r_aaaaaaaaaaaaaa\x00a",
     "id'; DROP TABLE results;--", "r_" + "é" * 16, None, 7],
    ids=lambda bad: repr(bad)[:20],
)  # fmt: skip
def test_ids_of_another_form_are_refused(store, bad):
    """What is no id is not found by readers and refused by writers."""
    assert store.header(bad, "") is None
    with pytest.raises(ToolError, match="no stored result") as missing:
        store.value(bad, "")
    with pytest.raises(ToolError, match="bad result id") as refused:
        store.put(bad, "", {}, [])
    assert (missing.value.code, refused.value.code) == (ErrorCode.NOT_FOUND, ErrorCode.INVALID_ARGUMENT)


def test_expired_result_is_unknown(make_store, kind):
    """After its time a result is not found, and the message says to call the tool again."""
    store = make_store(kind, ttl_s=0.001)
    result_id = kept(store, ROWS)

    while store.header(result_id, "") is not None:
        pass
    with pytest.raises(ToolError, match=r"may have expired\. Call the tool again"):
        store.rows(result_id, "")


def test_oldest_go_first_above_the_quota(make_store, kind):
    """The newest results stay, the others make room, and the whole stays near the quota."""
    store = make_store(kind, quota_bytes=1_000_000)
    ids = [kept(store, f"{i:04d}" * 25_000) for i in range(40)]
    store.sweep()

    alive = [store.header(one, "") is not None for one in ids]
    assert alive == sorted(alive)
    assert 1 <= sum(alive) <= 10
    assert store.text(ids[-1], "") == "0039" * 25_000


def test_quota_holds_without_a_call_to_sweep(make_store, kind):
    """Writing cleans up by itself."""
    store = make_store(kind, quota_bytes=1_000_000)

    ids = [kept(store, "x" * 100_000) for _ in range(40)]

    assert sum(store.header(one, "") is not None for one in ids) <= 12


def test_result_larger_than_the_quota_is_refused(make_store, kind):
    """Nothing of it is kept, and the results of before stay."""
    store = make_store(kind, quota_bytes=100_000)
    before, large = kept(store, [1]), new_result_id()

    with pytest.raises(ToolError) as failure:
        store.put(large, "", {}, ["x" * 1000] * 10_000)

    assert failure.value.code == ErrorCode.RESOURCE_EXHAUSTED
    assert store.header(large, "") is None
    assert store.value(before, "") == [1]


def test_rows_come_little_by_little(store):
    """A writer takes rows in any portions; what it holds is readable when it is finished, not before."""
    result_id = new_result_id()
    with store.open_writer(result_id, "s", {"tool": "stream", "status": "success"}) as writer:
        for at in range(0, 3000, 7):
            writer.add(ROWS[at : at + 7])
        before = store.header(result_id, "s")
        writer.finish(status="partial", total=None, complete=False, error={"code": "TIMEOUT"})

    header = store.header(result_id, "s")
    assert before is None
    assert (header["status"], header["total"], header["complete"]) == ("partial", None, False)
    assert (header["rows"], header["error"]) == (3000, {"code": "TIMEOUT"})
    assert store.value(result_id, "s") == ROWS


def test_rows_keep_the_state_they_were_added_in(store):
    """A generator may yield one dict again and again."""
    result_id, row = new_result_id(), {}
    with store.open_writer(result_id, "", {}) as writer:
        for row["i"] in range(5):
            writer.add([row])
        writer.finish()

    assert store.rows(result_id, "") == [{"i": i} for i in range(5)]


@pytest.mark.parametrize("end", ["abort", "leave", "raise"])
def test_unfinished_rows_leave_nothing(store, end):
    """Aborted, forgotten or broken by an exception: the id stays unknown, and more can't be added."""
    result_id = new_result_id()
    try:
        with store.open_writer(result_id, "", {}) as writer:
            writer.add(["x" * 100_000] * 60)
            if end == "raise":
                raise KeyError
            if end == "abort":
                writer.abort()
    except KeyError:
        assert end == "raise"

    assert store.header(result_id, "") is None
    with pytest.raises(ToolError, match="finished or dropped"):
        writer.add([1])


def test_unserializable_rows_drop_the_result(store):
    """A row that is no JSON is refused with a code, and nothing half written stays."""
    result_id = new_result_id()
    writer = store.open_writer(result_id, "", {})
    writer.add(["x" * 100_000] * 60)

    with pytest.raises(ToolError) as failure:
        writer.add([{"x": object()}])

    assert failure.value.code == ErrorCode.UNSERIALIZABLE_RESULT
    assert store.header(result_id, "") is None


@pytest.mark.parametrize("second", [ROWS[:5], "text", {"a": 1}], ids=["rows", "text", "value"])
def test_second_put_replaces_the_first(store, second):
    """Nothing of what stood under the id is left."""
    result_id = kept(store, ROWS)

    store.put(result_id, "", {}, second)

    assert store.value(result_id, "") == second


def test_uneven_rows_come_back(store):
    """Rows of a few bytes beside rows of half a megabyte do not mix up the places."""
    rows = [{"i": i, "x": "y" * (500_000 if i in (700, 701, 1500) else 1)} for i in range(2000)]
    result_id = kept(store, rows)

    assert store.rows(result_id, "", 699, 4) == rows[699:703]
    assert store.value(result_id, "") == rows


@pytest.mark.parametrize(
    "misuse",
    [
        lambda store, one: store.lines(one, ""),
        lambda store, one: store.text(one, ""),
        lambda store, one: store.rows(one, "", -1),
        lambda store, one: store.rows(one, "", 0, -1),
    ],
    ids=["lines of rows", "text of rows", "negative offset", "negative limit"],
)
def test_misuse_is_an_invalid_argument(store, misuse):
    """Reading rows as text or before the beginning says what is wrong."""
    result_id = kept(store, ROWS)

    with pytest.raises(ToolError) as failure:
        misuse(store, result_id)

    assert failure.value.code == ErrorCode.INVALID_ARGUMENT


def test_threads_share_a_store(store):
    """Sixteen threads write and read at once, each finds its own."""

    def work(worker):
        body = [{"worker": worker, "i": i, "pad": "x" * 200} for i in range(300)]
        result_id = kept(store, body)
        return store.rows(result_id, "", 150, 5) == body[150:155] and store.value(result_id, "") == body

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(64)))


def test_ids_are_random_and_short():
    """Ids cannot be guessed from one another."""
    ids = {new_result_id() for _ in range(1000)}

    assert len(ids) == 1000
    assert {len(one) for one in ids} == {18}
