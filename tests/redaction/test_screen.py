"""The quick screen lets nothing pass that the rules would hide."""

import re

import pytest

from agent_tools.redaction import Rule
from agent_tools.stages import redaction_vocabulary as vocabulary
from agent_tools.stages.redaction import is_harmless_text, make_redactor
from agent_tools.stages.redaction_keys import ALIASES, HAN_HEADS, HEADS, classify
from agent_tools.stages.redaction_rules import NUMBERS, TOKENS
from agent_tools.stages.redaction_screen import Screen
from agent_tools.stages.redaction_spans import ODD

FORMS = (
    "{k}: {v}", "{k}={v}", "{k} is {v}", "{k} {v}", '"{k}": "{v}"', "--{k} {v}", "{k} for ann: {v}",
    "{k}\n{v}", "{k}:\n  {v}", "{k}:\n- {v}", "{k}: |\n  {v}", "{k} -> {v}", "{k}（{v}）", "{k}は{v}",
    "{k}是{v}", "{k}：{v}", "{k} ({v})", "{k}号码{v}", "{k} no. {v}", "{k} #{v}", "{k}%3D{v}",
    "**{k}:** {v}", "my {k} was {v}.", "{k}_value: {v}", "{k}s: {v}", "set{k}('{v}')",
    "{k},other\n{v},x", "people\nid\t{k}\n1\t{v}\n", "| a | {k} |\n|---|---|\n| 1 | {v} |",
    "insert into t (a, {k}) values (1, '{v}')", "copy t (a, {k}) from stdin;\n1\t{v}\n",
    "name: {k}\nvalue: {v}", "<{k}>{v}</{k}>", '<x {k}="{v}">', '<x name="{k}" value="{v}"/>',
    "<td>{k}</td><td>{v}</td>", 'form-data; name="{k}"\r\n\r\n{v}', 'variable "{k}" {{ default = "{v}" }}',
)  # fmt: skip
"""How a text may announce a value."""
SECRETS = ("hunter2!x", "A1b2C3d4E5f6G7h8", "382927")
# none of them is found by its look alone
VALUES = {
    "phone": ("0301234567",), "contact": ("(555)0123456",), "id": ("C-123.456.78", "123456789"),
    "plate": ("AB 12345",), "card": ("123456789",), "email": ("ann@example.org",), "ip": ("10.1.2.3",),
    "birth": ("1990-02-03",), "name": ("Ann Lee",), "address": ("Rosa Weg 7",),
}  # fmt: skip
WORDS = sorted(
    {
        *HEADS, *HAN_HEADS, *ALIASES, *vocabulary.OTHER_SCRIPTS, *vocabulary.STEMS, *vocabulary.HAN_STEMS,
        *(name for names in ALIASES.values() for name in names),
        *(stem for stems in vocabulary.OPTIONAL_STEMS.values() for stem in stems),
    }
)  # fmt: skip
EXAMPLES = [n.example for n in NUMBERS] + ["".join(t.example) for t in TOKENS]


def passed(rules, texts):
    """Return the texts in which the rules alone find more than behind the screen."""
    redactor = make_redactor(rules)
    finders = redactor.text_rules(redactor.kind_of)
    noticed = dict(Screen(finders).candidates(texts))
    return [
        text
        for text in texts
        if not noticed.get(text, 0) & ODD
        and (all_spans := finders.spans(text))
        and all_spans != finders.spans(text, noticed.get(text, 0))
    ]


@pytest.mark.parametrize("form", FORMS)
def test_no_word_of_the_vocabulary_is_behind_the_rules(form):
    """Each word that a key may end in, in each way to announce a value."""
    keys = [spelled for word in WORDS for spelled in (word, word.title().replace(" ", "_"))]

    texts = [form.format(k=key, v=value) for key in keys for value in VALUES.get(classify(key), SECRETS)]

    assert passed("all", texts) == []


@pytest.mark.parametrize(
    "rules", ["-secret", ["-phone", "-card"], ["-secret", "-phone", "-national_id"]], ids=str
)
def test_no_word_is_behind_the_rules_when_some_are_off(rules):
    """What a rule needs to be noticed does not hang on another rule."""
    texts = [f.format(k=w, v=VALUES.get(classify(w), SECRETS)[0]) for f in FORMS for w in WORDS[::5]]

    assert passed(rules, texts) == []


@pytest.mark.parametrize(
    "frame", ["{}", "x {} y", "a={}", "「{}」", "调用{}失败", "a\n{}\nb", "({})", "%20{}"]
)
def test_no_example_of_a_rule_is_behind_the_rules(frame):
    """Each row of the tables, wherever its value stands."""
    assert passed("all", [frame.format(example) for example in EXAMPLES]) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("Rufnummer 030 1234567", "030 1234567"), ("phone,city\n0301234567,Bonn", "0301234567"),
     ("codice fiscale: AB1234567", "AB1234567"), ("<td>Kreditkarte</td><td>123456789</td>", "123456789"),
     ("userDriverLicense: B1234567", "B1234567")],
)  # fmt: skip
def test_a_number_that_only_its_word_tells_is_hidden(text, number, redact):
    """It stands alone in the text, so nothing else draws the rules to it."""
    assert number not in redact(text)
    assert re.search(r"\*{4}", redact(text))


def test_what_is_spared_the_screen_is_hidden_by_no_rule():
    """Words, short codes and dates are hidden for their key or not at all."""
    prefixes = {match[0] for token in TOKENS for match in re.finditer(r"^[A-Za-z]+", "".join(token.example))}
    letters = [prefix + "QZJXKVWYBFGHPMQZ" for prefix in prefixes]
    words = [*WORDS, *(word.title() for word in WORDS), *letters, *(word.lower() for word in letters)]
    times = ("", " 04:30", "T04:30:00", "T23:59:59.123456Z", " 00:00:00-05:00")
    dates = [f"{day}{time}" for day in ("1999-12-31", "2031-03-04", "1014-19-39") for time in times]
    codes = [f"{head}{sign}{n}" for head in ("", "A", "ab", "PIN", "CVV") for sign in ("", "-", "_", "#")
             for n in (0, 12, 123, 4711, 9999)]  # fmt: skip
    texts = [text for text in (*(word[:15] for word in words), *dates, *codes) if is_harmless_text(text)]
    redact = make_redactor(["all"])

    assert len(texts) > 600
    assert all(map(is_harmless_text, dates + codes))
    assert [text for text in texts if redact.text(text) != text] == []


@pytest.mark.parametrize(
    ("rules", "options"),
    [(True, {"secrets": ("Rumpel",)}), ([Rule("names", "[A-Z]umpel", "Rumpel")], {})],
)
def test_a_word_that_the_project_itself_hides_is_looked_at(rules, options):
    redact = make_redactor(rules, **options)
    redact({"name": "Ann"})

    assert not redact.is_harmless({"name": "Rumpel"})
    assert not redact.passes({"name": "Rumpel"}, ["Rumpel"])
    assert redact.passes({"name": "Ann"}, ["Ann"])


def test_harmless_are_flat_objects_of_exactly_plain_values():
    redact = make_redactor()
    redact({"state": "open"})

    class Text(str):
        pass

    values = ["open", 7, 2.5, None, True, "2031-03-04"]
    assert all(redact.is_harmless({"state": value}) for value in values)
    odd = [
        "opened by ann",
        Text("open"),
        2**64,
        float("nan"),
        float("inf"),
        ["open"],
        {"a": 1},
        b"open",
        "öffnen",
    ]
    assert not any(redact.is_harmless({"state": value}) for value in odd)
    assert not redact.is_harmless({Text("state"): "open"})
    assert not redact.is_harmless({"password": "open"})
