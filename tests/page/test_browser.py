"""The pages in a real browser: what they show, their keys, and that no text of a log ever runs."""

from __future__ import annotations

import json
import threading

import pytest

from agent_tools.calllog.page.index_data import make_index_payload
from agent_tools.calllog.page.server import LogServer

ATTACKS = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<svg/onload=alert(1)>",
    "<!--<script>alert(1)",
    "javascript:alert(1)",
    "\x1b]8;;http://example.invalid\x07link\x1b]8;;\x07\x1b[31mred",
    "\u202etxt.exe\u2066\u200b\u2028\x00\x85",
    "{{data}}${alert(1)}`'\"&lt;b&gt;",
]


def _status_rows(make_row):
    return [
        make_row(1),
        make_row(2, status="empty", tool="get_order", prompt='{"status":"empty","data":[]}'),
        make_row(3, status="error", error_code="NOT_FOUND", error_message="no order 7", recovery="ask_user"),
        make_row(4, status="partial", truncated=True, tokens=40, tokens_full=4000, max_tokens=64),
        make_row(5, repeat_n=2, input_hash="aa" * 8, redacted=["$.api_key"]),
    ]


def test_a_trace_is_shown_call_by_call(show, make_row):
    """Each call has its row, and what is odd about it is flagged in words."""
    with show(_status_rows(make_row)) as page:
        rows = page.locator(".call")
        flags = page.locator(".flag").all_inner_texts()

        assert rows.count() == 5
        assert flags == ["nothing found", "NOT_FOUND", "cut to 1.0 %", "repeat no. 2", "1 hidden"]
        assert page.title() == "trace abababab"


def test_a_call_shows_what_the_model_saw(show, make_row):
    """The text is there to the letter; JSON and a table are other ways to look at it."""
    prompt = '{"status":"success","meta":{},"error":null,"data":{"columns":["id"],"rows":[[1],[2]]}}'
    with show([make_row(prompt=prompt)]) as page:
        page.locator(".call").click()
        panel = page.get_by_role("complementary")

        assert panel.get_by_label("What the model saw").inner_text() == prompt
        panel.get_by_role("button", name="JSON").click()
        assert json.loads(panel.get_by_label("What the model saw").inner_text()) == json.loads(prompt)
        panel.get_by_role("button", name="Table").click()
        assert panel.locator("td").all_inner_texts() == ["1", "2"]


def test_a_failed_call_says_what_to_do(show, make_row):
    """Code, message and recovery stand at the top of the call."""
    with show(_status_rows(make_row)) as page:
        page.locator(".call").nth(2).click()

        said = page.locator(".said").inner_text()
        assert "NOT_FOUND" in said
        assert "no order 7" in said
        assert "next: ask_user" in said


def test_numbers_that_stand_in_no_prompt_are_marked(show, make_row):
    """Only the whole number is marked, wherever it stands."""
    answer = make_row(
        9,
        event="answer",
        answer="12 of 1,234 cost 12.5, order12 and 112 not, 12.",
        numbers_unsupported=["12", "12.5"],
    )
    with show([make_row(), answer]) as page:
        assert page.locator("mark").all_inner_texts() == ["12", "12.5", "12"]
        assert "2 numbers stand in no prompt" in page.locator(".verdict").inner_text()


def test_the_latest_answers_stand_open_and_earlier_ones_are_folded(show, make_row):
    """A process that answers all day keeps its calls in sight."""
    answers = [make_row(n, event="answer", answer=f"answer no. {n}") for n in range(10, 20)]
    with show([make_row(), *answers]) as page:
        shown = page.locator(".answer-text:visible").all_inner_texts()
        page.get_by_text("7 earlier answers").click()

        assert shown == ["answer no. 17", "answer no. 18", "answer no. 19"]
        assert page.locator(".answer-text:visible").count() == 10


def test_an_answer_leads_to_the_results_it_rests_on(show, make_row):
    """Used results are links to their calls."""
    answer = make_row(9, event="answer", answer="fine", used_result_ids=["r_1"], numbers_unsupported=[])
    with show([make_row(1), make_row(2, result_id="r_1"), answer]) as page:
        page.get_by_role("button", name="find_orders no. 2").click()

        assert page.locator(".call[aria-expanded=true] .seq").inner_text() == "2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("is:error", [3]),
        ("status:empty", [2]),
        ("tool:get", [2]),
        ("code:not_found", [3]),
        ("city 4", [4]),
        ('"city 4"', [4]),
        ("-is:error -is:empty", [1, 4, 5]),
        ("is:redacted is:repeat", [5]),
        ("ms>100", []),
        ("ms<101 is:cut", [4]),
        ("", [1, 2, 3, 4, 5]),
        (".*(", []),
    ],
)
def test_the_filter_leaves_what_matches(show, make_row, text, shown):
    """Words, columns and kinds narrow the list; all of them must hold."""
    with show(_status_rows(make_row)) as page:
        page.keyboard.press("/")
        page.keyboard.type(text)
        page.keyboard.press("Enter")

        visible = [int(seq.inner_text()) for seq in page.locator(".call:visible .seq").all()]
        assert visible == (shown if text != "city 4" else [4])


def test_what_stands_out_is_said_in_sentences(show, make_row):
    """The three questions about a wrong answer are answered above the calls, with what shows it."""
    answer = make_row(9, event="answer", answer="It costs 77.", numbers_unsupported=["77"])
    with show([*_status_rows(make_row), answer]) as page:
        found = page.get_by_role("region", name="What stands out")

        assert found.get_by_role("heading", level=3).count() == 3
        assert "1 call of 5 failed" in found.inner_text()
        found.locator("summary").first.click()
        assert found.locator(".evidence li:visible").count() >= 1


def test_a_tile_filters_and_a_second_press_undoes_it(show, make_row):
    """The counts at the top are the shortest way to what went wrong."""
    with show(_status_rows(make_row)) as page:
        tile = page.get_by_role("button", name="1 failed")
        tile.click()
        assert page.locator(".call:visible").count() == 1
        assert tile.get_attribute("aria-pressed") == "true"
        tile.click()
        assert page.locator(".call:visible").count() == 5


def test_the_keyboard_is_enough(show, make_row):
    """j and k move, Enter opens, Esc closes and then clears the filter, 2 shows the statistics."""
    with show(_status_rows(make_row)) as page:
        for key in ("j", "j", "j", "k", "Enter"):
            page.keyboard.press(key)
        assert page.locator(".call[aria-expanded=true] .seq").inner_text() == "2"
        page.keyboard.press("j")
        assert page.locator("#detail-title").inner_text() == "find_orders"
        page.keyboard.press("Escape")
        assert page.locator("#detail").is_hidden()
        assert page.evaluate("document.activeElement.querySelector('.seq').textContent") == "3"
        page.keyboard.press("2")
        assert page.get_by_role("heading", name="Statistics").is_visible()
        page.keyboard.press("?")
        assert page.get_by_role("dialog").is_visible()


def test_the_filter_is_cleared_with_escape(show, make_row):
    """A slash in the filter is a slash."""
    with show(_status_rows(make_row)) as page:
        page.keyboard.press("/")
        page.keyboard.type("a/b")
        assert page.locator("#filter").input_value() == "a/b"
        page.keyboard.press("Escape")
        assert page.locator("#filter").input_value() == ""
        assert page.locator(".call:visible").count() == 5


def test_the_page_follows_the_system_into_the_dark(show, make_row):
    """Dark where the system is dark, with text that stands out in both."""
    shades = {}
    for dark in (False, True):
        with show([make_row()], dark=dark) as page:
            read = "body => [getComputedStyle(body).backgroundColor, getComputedStyle(body).color]"
            style = page.locator("body").evaluate(read)
            shades[dark] = [sum(map(int, colour[4:-1].split(","))) / 3 for colour in style]
    assert shades[False][0] > 200 > 60 > shades[False][1]
    assert shades[True][0] < 60 < 200 < shades[True][1]


@pytest.mark.parametrize("tab", ["1", "2"])
@pytest.mark.parametrize("width", [375, 800, 1400])
def test_no_width_needs_sideways_scrolling(show, make_row, width, tab):
    """Long names, long words and wide tables stay inside the window."""
    long = "a_very_long_name_without_any_break_" * 8
    wide = json.dumps({"data": [{f"column {n}": "x" * 200 for n in range(30)}], "status": "success"})
    rows = [
        make_row(
            1, tool=long, prompt=wide, trace_name=long, error_code=long, error_message=long, call_id=long
        ),
        make_row(2, event="answer", answer=long, numbers_unsupported=["7" * 300], used_result_ids=[long] * 9),
    ]
    with show(rows, width=width) as page:
        if tab == "1":
            for key in ("j", "Enter", "v", "v"):
                page.keyboard.press(key)
        page.keyboard.press(tab)
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("tab", ["1", "2"])
@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_text_of_a_log_runs(show, make_row, attack, tab):
    """Whatever a tool, a model or an error says is text: no script, no element, no request."""
    columns = (
        "tool trace_name error_code error_message call_id model agent prompt traceback error_class result_id"
    )
    hostile = dict.fromkeys([*columns.split(), "conversation_id", "recovery", "format", "app"], attack)
    rows = [
        make_row(1, **hostile | {"arguments": {attack: attack}, "redacted": [attack], "status": "error"}),
        make_row(1, event="tool_view", prompt_view=attack, prompt=attack),
        make_row(
            2,
            prompt=json.dumps({"meta": {"cut": [{"path": attack}]}, "data": [{attack: attack}]}),
            truncated=True,
        ),
        make_row(
            3, event="answer", answer=attack, numbers_unsupported=[attack], used_result_ids=[attack, "c_2"]
        ),
    ]
    with show(rows) as page:
        for key in ("j", "Enter", "v", "j", "v", "v", tab):
            page.keyboard.press(key)
        page.wait_for_timeout(50)
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, iframe, svg, object, embed, base, form:not([method=dialog])").count() == 0
        assert page.locator("script").count() == 2


def test_markup_that_slipped_in_would_not_run(show, make_row):
    """The policy stands behind the code: text can't be turned into markup at all."""
    with show([make_row()], excused="This document requires 'TrustedHTML'") as page:
        for sink in ("document.body.innerHTML = '<b>x</b>'", "document.write('x')"):
            raised = page.evaluate(f"() => {{ try {{ {sink}; return ''; }} catch (e) {{ return e.name; }} }}")
            assert raised == "TypeError", sink


def test_hidden_characters_are_shown(show, make_row):
    """What would reorder or hide text is spelt out where it stands."""
    with show([make_row(prompt="a\u202eb\x1b[31mc\u200bd")]) as page:
        page.locator(".call").click()

        assert page.get_by_label("What the model saw").inner_text() == "a\\u{202e}b\\x1b[31mc\\u{200b}d"


def test_one_call_and_two_thousand_make_a_page(show, make_row):
    """A long trace opens, filters and moves; prompts of 16 kB are shown whole."""
    prompt = "line of text\n" * 1250
    rows = [make_row(n, prompt=prompt, tool=f"tool_{n % 7}") for n in range(1, 2001)]
    with show(rows[:1]) as page:
        assert page.locator(".call").count() == 1
    with show(rows) as page:
        assert page.locator(".call").count() == 2000
        page.keyboard.press("/")
        page.keyboard.type('"city 1999"')
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert page.locator(".call:visible").count() == 1
        assert page.get_by_label("What the model saw").inner_text().count("line of text") == 1250


def test_the_statistics_are_charts_and_tables(show, make_row):
    """Four charts are drawn, each with its figures in a table for those who can't see them."""
    with show(_status_rows(make_row)) as page:
        page.keyboard.press("2")

        assert page.locator("figure canvas").count() == 4
        assert page.get_by_role("img").count() == 4
        row = page.get_by_role("region", name="Tools").get_by_role("row").nth(1).inner_text().split()
        assert row[:3] == ["find_orders", "4", "1"]
        blank = "c => !c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(Boolean)"
        assert [page.locator("figure canvas").nth(n).evaluate(blank) for n in range(4)] == [False] * 4


def test_the_page_has_its_landmarks_and_names(show, make_row):
    """A screen reader finds its way: banner, navigation, main part, the call, and a name for each button."""
    with show(_status_rows(make_row)) as page:
        page.locator(".call").first.click()

        for role in ("banner", "navigation", "main", "complementary"):
            assert page.get_by_role(role).count() == 1, role
        assert page.get_by_role("heading", level=1).count() == 1
        nameless = "all => all.filter(b => !(b.getAttribute('aria-label') || b.textContent).trim()).length"
        assert page.locator("button").evaluate_all(nameless) == 0
        assert page.locator(".call[tabindex='0']").count() == 1


def test_on_a_phone_a_call_covers_the_list_and_gives_it_back(show, make_row):
    """The call takes the whole window; closing it leads back to its row."""
    with show(_status_rows(make_row), width=375, height=700) as page:
        page.locator(".call").nth(1).click()
        box = page.locator("#detail").bounding_box()
        assert (box["x"], box["y"], box["width"]) == (0, 0, 375)
        page.get_by_role("button", name="close").click()
        assert page.evaluate("document.activeElement.querySelector('.seq').textContent") == "2"


def test_a_served_log_is_walked_from_the_list_to_a_call(visit, write_log, make_row):
    """The list leads to a trace, the trace to the statistics of all days, and back."""
    home = write_log(*_status_rows(make_row), make_row(7, trace_id="javascript:alert(1)", trace_name="odd"))
    with LogServer(home) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with visit(server.url) as page:
            assert page.locator("tbody a").count() == 1
            page.keyboard.press("j")
            page.keyboard.press("Enter")
            page.locator(".call").first.wait_for()
            page.get_by_role("link", name="All statistics").click()
            page.get_by_role("link", name="all days").click()
            assert "6" in page.locator(".tile").first.inner_text()
            page.get_by_role("link", name="Traces").click()
            assert page.get_by_role("heading", name="Latest traces").is_visible()
        server.shutdown()


@pytest.mark.parametrize("path", ["", f"trace/{'ab' * 16}", "stats"])
def test_a_served_page_fits_a_phone(visit, write_log, make_row, path):
    """It has more links than a page that was written for itself."""
    home = write_log(*_status_rows(make_row))
    with LogServer(home) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with visit(server.url + path, width=375) as page:
            page.locator("h1").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") == 375
        server.shutdown()


def test_the_list_of_traces_is_filtered(show, make_row):
    """By name, id or conversation."""
    rows = [make_row(n, trace_id=f"{n:032x}", trace_name=f"task {n}") for n in (1, 2)]
    with show(make_index_payload(reversed(rows), "Latest traces")) as page:
        page.keyboard.press("/")
        page.keyboard.type("TASK 2")

        assert page.locator("tbody tr:visible").count() == 1
