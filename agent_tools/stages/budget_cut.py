"""Shrink a result that is over its budget: a table first, then summary and sample.

A part of `budget`.

The whole of the data is read at most once, for its statistics; what is encoded is only what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from agent_tools.formats.compact_json import render as render_json
from agent_tools.formats.table import are_alike, are_similar, as_table, tabulate
from agent_tools.result import Json
from agent_tools.stages.budget import MAX_TOKEN_BYTES, Draft, Fitted, Plan, are_segments, as_list, count_shown
from agent_tools.stages.budget_fields import Report, fair_shares
from agent_tools.stages.budget_meta import COMFORT, NEED, SHORTER_SUMMARY, TIGHT, Frame, for_prompt, ordered
from agent_tools.stages.budget_search import GOOD, largest
from agent_tools.stages.budget_size import measure
from agent_tools.stages.budget_sources import FEW_ROWS, Sample, Sources
from agent_tools.stages.budget_values import Cutter
from agent_tools.stages.summaries import count_of
from agent_tools.stores.pages import unit_of

READ_TOOL = "read_result"
RETURNED_LINES = "returned_lines"  # of a file: like `returned`, told to code and not to the model
SHARE_OF_FRAME = 0.55  # of the budget, so that the data has the rest
SHARE_OF_STATISTICS = 0.7  # characters of statistics per token of the budget, before the rows are chosen
CHARS_PER_TOKEN = 3
MAX_CLAUSES = 60
# an entry of `kept` has 12 tokens, one of `cut` 20 and more: few of them in a small text
TOKENS_PER_KEPT = 60
TOKENS_PER_CUT = 150
_INDEX = re.compile(r"\[\d+\]")
_ROW = re.compile(r"\$[^\[]*\[[\d*]+\]")
_PART_OF_ROW = re.compile(r"\$\[\d+\]")


@dataclass(slots=True)
class Tried:
    """One text and what it cost."""

    envelope: dict[str, Any]
    text: str
    tokens: int
    whole: bool
    format: str
    sample: Sample


def shrink(
    plan: Plan, draft: Draft, data: Json, envelope: dict[str, Any], prompt: dict[str, Any], within: bool
) -> Fitted:
    """Return the draft within its budget.

    Args:
        plan: The tool's settings.
        draft: What was to be said.
        data: Its data, trimmed.
        envelope: The whole envelope.
        prompt: What of it the model would see.
        within: Whether its data alone may fit.
    """
    assert plan.max_tokens is not None
    cutter = Cutter(draft.asked, plan.important, plan.kind == "action")
    fitted = _whole(plan, envelope, prompt, data) if within else None
    if fitted is None:
        fitted = _without_blobs(plan, draft, data, envelope, cutter)
    return fitted if fitted is not None else Shrinker(plan, draft, data, envelope, cutter).run()


def _without_blobs(
    plan: Plan, draft: Draft, data: Json, envelope: dict[str, Any], cutter: Cutter
) -> Fitted | None:
    """Try what shows all that can be read: of binary content nothing can."""
    report = Report()
    described = cutter.described(data, MAX_TOKEN_BYTES * (plan.max_tokens or 0), report)
    if not report.cut:
        return None
    meta = {**envelope["meta"], "cut": [*as_list(draft.meta.get("cut")), *grouped(report.cut)]}
    said = [str(meta.get("summary", "The call worked.")), "Binary content is described, not shown."]
    if draft.result_id is not None:
        meta["result_id"] = draft.result_id
        said.append(f"{READ_TOOL} gives it.")
    meta["summary"] = " ".join(said)
    meta = ordered(meta)
    whole = {**envelope, "meta": meta, "data": described}
    prompt = {"status": whole["status"], "meta": for_prompt(meta), "error": whole["error"], "data": described}
    fitted = _whole(plan, whole, prompt, described)
    # the whole has to be kept, though nothing of what is shown was cut
    return fitted._replace(cut=True) if fitted is not None else None


def _whole(plan: Plan, envelope: dict[str, Any], prompt: dict[str, Any], data: Json) -> Fitted | None:
    """Try what shows all of the data: a table, a shorter meta."""
    budget = plan.max_tokens or 0
    is_auto = plan.format == "auto" and isinstance(data, dict | list)
    shown = tabulate(data, alike=are_alike) if is_auto else data
    frame = Frame(dict(prompt["meta"]), prompt["error"])
    for step in (None, *COMFORT, *(SHORTER_SUMMARY if prompt["status"] == "success" else ())):
        if step is not None:
            step(frame)
        if measure(frame.meta, 40 * budget) > 40 * budget:
            continue
        parts = {"status": prompt["status"], "meta": frame.meta, "error": frame.error, "data": shown}
        tried = plan.render(parts)
        if plan.counter.fits(tried, budget):
            return Fitted(envelope, tried, False, None, "table" if shown is not data else plan.format)
        if len(tried) > 8 * budget and measure(frame.meta, budget) < budget:
            break
    return None


class Shrinker:
    """Searches for the largest sample of one draft."""

    def __init__(
        self, plan: Plan, draft: Draft, data: Json, envelope: dict[str, Any], cutter: Cutter
    ) -> None:
        self.plan, self.draft, self.data, self.envelope = plan, draft, data, envelope
        self.budget = plan.max_tokens or 0
        self.cutter = cutter
        self.source = Sources(plan, self.cutter).of(data)
        self._unit: str | None = None
        self.own = self._own_line()
        self.frame = self._frame()

    def run(self) -> Fitted:
        """Return the best text within the budget."""
        clauses = self._first_clauses()
        self._shed(COMFORT, SHARE_OF_FRAME, clauses)
        self._shed(NEED, 0.9, clauses if self.frame.brevity < 2 else 0)
        if self.frame.brevity >= 2:
            clauses = 0
        best = self._largest(clauses)
        if best is None or self._is_scant(best):
            best, clauses = self._sacrifice(best, clauses)
        if best is None:
            return self._last_resort()
        if clauses > 1 and len(best.sample.report.kept) < self.source.needed:
            # a row that is odd beyond doubt is worth more than statistics of all columns
            tried = self._largest(1)
            if tried is not None and len(tried.sample.report.kept) > len(best.sample.report.kept):
                best, clauses = tried, 1
        best = self._fill(best, clauses)
        return Fitted(best.envelope, best.text, True, best.tokens, best.format)

    def _is_scant(self, tried: Tried) -> bool:
        """Tell whether not one row is shown with all of its fields, though there are many."""
        sample = tried.sample
        if self.plan.kind == "summary" or (self.source.total or 0) <= FEW_ROWS or sample.shown > 1:
            return False
        return sample.data in ([], {}) or any(_ROW.fullmatch(item["path"]) for item in sample.report.cut)

    def _sacrifice(self, best: Tried | None, clauses: int) -> tuple[Tried | None, int]:
        """Give up statistics, then where the rest is, then advice, for a row that a reader needs."""
        frame = self.frame
        for step in TIGHT:
            self.frame = self.frame.copy()
            step(self.frame)
            tried = self._largest(0)
            if tried is not None:
                best, clauses, frame = tried, 0, self.frame
                if not self._is_scant(tried):
                    break
        self.frame = frame
        return best, clauses

    def _largest(self, clauses: int) -> Tried | None:
        floor = self._bare(clauses).tokens
        start = max(8, (self.budget - floor) * CHARS_PER_TOKEN)
        return largest(lambda room: self._build(room, clauses), self.budget, start, floor)

    # --- what is said

    def _own_line(self) -> str | None:
        """Return the tool's own words; what was built around them is built again for what is shown."""
        if self.plan.summary is None and "summary" not in self.draft.meta:
            return None
        said = str(self.envelope["meta"].get("summary", ""))
        return (said.partition(". ")[2] if self.draft.status == "partial" else said) or None

    def _frame(self) -> Frame:
        meta = {name: value for name, value in self.envelope["meta"].items() if name != "summary"}
        if self.source.warnings:
            meta["warnings"] = [*as_list(meta.get("warnings")), *self.source.warnings]
        if self.draft.status != "error":
            meta["total"] = self._total()
        meta = for_prompt(ordered(meta))
        for name in ("format_version", RETURNED_LINES):
            meta.pop(name, None)
        room = 2 * self.budget
        if measure(meta, room) > room:
            meta = self._bounded(meta, room)
        return Frame(
            meta,
            self._bounded_error(),
            most_kept=max(2, self.budget // TOKENS_PER_KEPT),
            most_cut=max(1, self.budget // TOKENS_PER_CUT),
        )

    def _bounded(self, meta: dict[str, Any], room: int) -> dict[str, Any]:
        """Cut what is huge, so that no later step has to render it."""
        # part of a cursor asks for another page or for none
        names = [name for name in list(meta)[:200] if name != "next" or measure(meta[name], room) < room // 4]
        shares = fair_shares({name: measure(meta[name], room) for name in names}, room)
        return {name: Cutter({}).show(meta[name], name, max(shares[name], 20), Report()) for name in names}

    def _bounded_error(self) -> dict[str, Any] | None:
        error = self.draft.error
        if error is None or measure(error, 4 * self.budget) <= 4 * self.budget:
            return error
        return {
            k: v[: self.budget] if isinstance(v, str) else v
            for k, v in error.items()
            if measure(v, 9**9) < 9**8
        }

    def _first_clauses(self) -> int:
        if (self.source.total or 0) <= FEW_ROWS:
            self.source.clauses = []  # the rows say it themselves
        room = SHARE_OF_STATISTICS * self.budget
        number = 0
        for clause in self.source.clauses[:MAX_CLAUSES]:
            room -= len(clause) + 2
            if room < 0:
                break
            number += 1
        return number

    def _shed(self, steps: tuple[Callable[[Frame], None], ...], share: float, clauses: int) -> None:
        for step in steps:
            if self._bare(clauses if self.frame.brevity < 2 else 0).tokens <= share * self.budget:
                return
            step(self.frame)

    def _bare(self, clauses: int) -> Tried:
        return self._compose(Sample(self.source.bare, 0), clauses)

    def _build(self, room: int, clauses: int) -> Tried:
        return self._compose(self.source.show(room), clauses)

    def _compose(self, sample: Sample, clauses: int) -> Tried:
        frame, draft = self.frame, self.draft
        summary = self._summary(sample, clauses)
        found = self._found(sample)
        status = "partial" if draft.status == "success" else draft.status
        shown = {**frame.meta, **self._shown(found)}
        if summary:
            shown["summary"] = summary
        shown = ordered(shown)
        if not frame.details:
            del shown["format_version"]
        parts = {"status": status, "meta": shown, "error": frame.error, "data": sample.data}
        # in a table null would stand for the fields of a row that are left out
        has_parts = any(_PART_OF_ROW.fullmatch(item["path"]) for item in sample.report.cut)
        format_name, text = self._render(parts, are_alike if has_parts else are_similar)
        whole = self.source.total is not None and sample.shown >= self.source.total and not sample.report.cut
        meta = {**self.envelope["meta"], **found, "summary": summary}
        envelope = {"status": status, "meta": ordered(meta), "error": draft.error, "data": sample.data}
        return Tried(envelope, text, self._tokens(text), whole, format_name, sample)

    def _render(self, parts: dict[str, Any], alike: Callable[[list[Any]], bool]) -> tuple[str, str]:
        data = parts["data"]
        if self.plan.format == "auto" and isinstance(data, dict | list):
            if isinstance(data, list) and alike(data):
                return "table", render_json({**parts, "data": as_table(data)})
            return "auto", render_json({**parts, "data": tabulate(data, alike=are_alike)})
        return self.plan.format, self.plan.render(parts)

    def _tokens(self, text: str) -> int:
        return self.plan.counter.capped(text, 2 * self.budget)

    def _found(self, sample: Sample) -> dict[str, Any]:
        """Return what meta says about the cut."""
        draft, source = self.draft, self.source
        found: dict[str, Any] = {
            "total": self._total(),
            "returned": self._returned(sample),
            "truncated": True,
            "cut": [*as_list(draft.meta.get("cut")), *grouped(sample.report.cut)],
        }
        if source.warnings:
            found["warnings"] = [*as_list(draft.meta.get("warnings")), *source.warnings]
        if sample.report.kept:
            found["kept"] = sample.report.kept
        if RETURNED_LINES in draft.meta:
            found[RETURNED_LINES] = count_shown(sample.data) if are_segments(sample.data) else None
        if draft.result_id is not None:
            found["result_id"] = draft.result_id
            arguments: dict[str, Json] = {"result_id": draft.result_id, "offset": self._offset(sample.head)}
            if source.path:
                arguments["path"] = source.path
            found["next"] = {"tool": READ_TOOL, "arguments": arguments}
            if draft.meta.get("next"):
                # two ways on: the rest of what was fetched, and the next page of what there is
                found["next"]["at_source"] = draft.meta["next"]
        return found

    def _offset(self, head: int) -> int:
        """Return where to read on, in the unit by which a reader pages through a text."""
        sample = self.source.text
        if not head or sample is None:
            return head
        if self._unit is None:
            counter = self.plan.counter
            most = counter.surely_fits(self.budget)  # 0 for a counter that has no encoding
            self._unit = unit_of(sample.text, most or self.budget, counter.name if most else None)
        return sample.line_at(head) if self._unit == "line" else sample.character_at(head)

    def _returned(self, sample: Sample) -> int:
        """Return how many are shown; of the keys of an object a stage before counts another thing."""
        given = self.draft.meta.get("returned")
        return given if isinstance(given, int) and isinstance(self.data, dict) else sample.shown

    def _total(self) -> int | None:
        """Return how many there are; a stage before that does not know it, says so with null."""
        meta = self.draft.meta
        if "total" not in meta or self.draft.status == "success":
            return meta["total"] if isinstance(meta.get("total"), int) else self.source.total
        if meta["total"] is None and meta.get("failed"):
            # errors beside the data broke nothing off: what came can be counted
            return self.source.total
        return meta["total"] if isinstance(meta["total"], int) else None

    def _shown(self, found: dict[str, Any]) -> dict[str, Any]:
        frame = self.frame
        # what is said of the list itself stands in the summary, as total and shown number
        cut = [item for item in found["cut"] if not _is_root(item)][: frame.most_cut]
        shown = {"cut": cut, "kept": found.get("kept", [])[: frame.most_kept]}
        shown = {name: value for name, value in shown.items() if value}
        if frame.details:
            shown["truncated"] = True
        for name in ("total", "result_id"):
            if name in found and (name in frame.meta or name == "result_id"):
                shown[name] = found[name]
        if frame.next and "next" in found:
            shown["next"] = found["next"]
        return shown

    def _summary(self, sample: Sample, clauses: int) -> str:
        brevity = self.frame.brevity
        if brevity >= 4:
            return ""
        state = self._state(sample)
        if brevity >= 2:
            count = state.partition(";")[0].rstrip(".") + "."
            given = self.draft.meta.get("summary")
            if brevity == 3:
                return count
            # where the rest of a part is, is worth more than what part it is
            if isinstance(given, str) and self.draft.status == "partial" and len(given) < len(state):
                return f"{count} {given}"
        sentences = [state]
        if brevity <= 1:
            sentences += self._advice(brevity)
        if self.own and brevity <= 1:
            sentences.append(self.own)
        elif clauses and brevity <= 1:
            sentences.append("; ".join(self.source.clauses[:clauses]) + ".")
        return " ".join(sentences)

    def _state(self, sample: Sample) -> str:
        draft, source = self.draft, self.source
        if draft.status in ("error", "empty"):
            return str(self.envelope["meta"].get("summary", ""))
        total, here = draft.meta.get("total"), source.total
        if draft.status == "partial":
            before = str(self.envelope["meta"].get("summary", "")).partition(". ")[0].rstrip(".")
            fetched = f"Of the {here} {source.noun} here" if here != 1 else "Of what is here"
            return f"{before}. {fetched} {_shown_words(sample, here)}."
        if isinstance(total, int) and total != here:
            return f"{count_of(total, source.noun)}; of the {here} fetched {_shown_words(sample, here)}."
        read = f" (the text is {source.form})" if source.form else ""
        return f"{count_of(here or 0, source.noun)}{read}; {_shown_words(sample, here)}."

    def _advice(self, brevity: int) -> list[str]:
        if self.draft.status in ("error", "empty"):
            return []
        advice = ["Conclude no count and no absence from these; the same call gives the same cut."]
        if brevity:
            advice = ["Conclude no count from these."]
        if self.draft.result_id is not None:
            # of what was partial before it is not all that can be read
            rest = "the rest of what is here" if self.draft.status == "partial" else "the rest"
            advice.append(f"{READ_TOOL} gives {rest}.")
        return advice

    # --- filling

    def _fill(self, best: Tried, clauses: int) -> Tried:
        """Use what is left for words: rows come in steps, words do not."""
        while self.frame.brevity and self.frame.brevity <= 2:
            best, taken = self._try(best, replace(self.frame, brevity=self.frame.brevity - 1), clauses)
            if not taken:
                break
        if not self.frame.next and self.frame.brevity <= 1:
            best, _ = self._try(best, replace(self.frame, next=True), clauses)
        if self.frame.brevity > 1 or self.own:
            return best
        left = self.source.clauses[clauses:]
        self.source.clauses = self.source.clauses[:clauses]
        for clause in left:
            if best.tokens >= GOOD * self.budget:
                break
            # about a token for each three characters; where one is too long, a shorter one may fit
            if len(clause) > 4 * (self.budget - best.tokens):
                continue
            self.source.clauses.append(clause)
            tried = self._compose(best.sample, len(self.source.clauses))
            if tried.tokens <= self.budget:
                best = tried
            else:
                self.source.clauses.pop()
        return best

    def _try(self, best: Tried, frame: Frame, clauses: int) -> tuple[Tried, bool]:
        """Say it with another frame; keep that when it fits."""
        before, self.frame = self.frame, frame
        tried = self._compose(best.sample, clauses)
        if tried.tokens <= self.budget:
            return tried, True
        self.frame = before
        return best, False

    # --- falling back

    def _last_resort(self) -> Fitted:
        """Show no data at all: statistics where they fit, else ever less."""
        if self.frame.brevity < 2:
            best = self._fill(self._bare(0), 0)
            if best.tokens <= self.budget:
                return Fitted(best.envelope, best.text, True, best.tokens, best.format)
        for step in NEED:
            tried = self._bare(0)
            if tried.tokens <= self.budget:
                return Fitted(tried.envelope, tried.text, True, tried.tokens, tried.format)
            step(self.frame)
        tried = self._bare(0)
        for text in (tried.text, _short(tried.envelope["status"]), "{}"):
            if self.plan.counter.fits(text, self.budget):
                break
        return Fitted(tried.envelope, text, True, None, "json")


def _is_root(item: Any) -> bool:
    return isinstance(item, dict) and item.get("path") == "$"


def _short(status: str) -> str:
    return render_json({"status": status, "meta": {}, "error": None, "data": None})


def _shown_words(sample: Sample, total: int | None) -> str:
    if not sample.shown:
        return "none is shown"
    fields = next(
        (f", with {c['shown']} of {c['total']} fields" for c in sample.report.cut if c["path"] == "$[*]"), ""
    )
    if sample.shown == total:
        return f"{'it is' if total == 1 else 'all are'} shown in part{fields}"
    if sample.shown == 1:
        return f"one is shown{fields}"
    return f"the {sample.shown} shown are {sample.kinds or 'a part'}{fields}"


def grouped(cut: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add up the cuts of the same place in several rows.

    Example:
        >>> grouped([{"path": f"$[{i}].note", "shown": 5, "total": 9 - i} for i in (0, 1)])
        [{'path': '$[*].note', 'shown': 10, 'total': 17}]
    """
    places: dict[str, list[dict[str, Any]]] = {}
    for item in cut:
        places.setdefault(_INDEX.sub("[*]", str(item["path"])), []).append(item)
    made = []
    for path, items in places.items():
        if len(items) == 1:
            made.append(items[0])
        else:
            shown, total = sum(item["shown"] for item in items), sum(item["total"] for item in items)
            made.append({"path": path, "shown": shown, "total": total})
    return made
