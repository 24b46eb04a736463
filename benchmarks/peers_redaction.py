"""Recall, precision and speed of redactors on labelled records, beside other libraries, in one run.

    python benchmarks/peers_redaction.py DATA.jsonl.gz [--every N]

The records' `score.py` is loaded from the folder of DATA. A library that takes text gets each string of a
record; agent_tools and logfire take whole records, detect-secrets each string behind its key. Presidio runs
its pattern recognizers, without a language model. `--every 4` scores each fourth record: Presidio and
detect-secrets are slow.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from redaction_eval import load_score, read_rows

from agent_tools.stages.redaction import make_redactor

MASK = "[hidden]"
Redact = Callable[[Any], Any]
Spans = list[tuple[int, int]]


def in_strings(redact: Callable[[str], str]) -> Redact:
    """Apply a text redactor to each string of a record."""

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return [walk(item) for item in value] if isinstance(value, list) else value

    return walk


def hide(text: str, spans: Spans) -> str:
    """Replace spans, the last first."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + MASK + text[end:]
    return text


def make_logfire() -> Redact:
    """The scrubber of spans, with its default patterns."""
    from logfire._internal.scrubbing import Scrubber

    scrubber = Scrubber([])
    return lambda record: scrubber.scrub_value((), record)[0]


def make_detect_secrets() -> Redact:
    """Every plugin with its default settings, on lines `key: "text"` as it finds them in files."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    def redact(text: str, key: str) -> str:
        lines = text.splitlines()
        found = {s.secret_value for line in lines for s in scan_line(f'{key}: "{line}"')}
        for secret in sorted((s for s in found if s), key=len, reverse=True):
            text = text.replace(secret, MASK)
        return text

    def walk(value: Any, key: str) -> Any:
        if isinstance(value, str):
            return redact(value, key)
        if isinstance(value, dict):
            return {name: walk(item, name) for name, item in value.items()}
        return [walk(item, key) for item in value] if isinstance(value, list) else value

    def scan(record: Any) -> Any:
        with default_settings():
            return walk(record, "text")

    return scan


def make_langchain() -> Redact:
    """The built-in detectors of PIIMiddleware, in a chain."""
    from langchain.agents.middleware import PIIMiddleware

    kinds = ("email", "credit_card", "ip", "mac_address", "url")
    chain = [PIIMiddleware(kind, strategy="redact", apply_to_tool_results=True) for kind in kinds]

    def redact(text: str) -> str:
        for middleware in chain:
            text, _ = middleware._process_content(text)
        return text

    return in_strings(redact)


def make_presidio() -> Redact:
    """The English pattern recognizers on a blank pipeline: no model, so no names and places."""
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    # the list of domains that ships with it, not one from the network
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())
    blank = spacy.blank("en")

    class Blank(NlpEngine):
        """A tokenizer only."""

        def load(self) -> None: ...
        def is_loaded(self) -> bool:
            return True

        def process_text(self, text: str, language: str) -> NlpArtifacts:
            tokens = blank(text)
            return NlpArtifacts([], tokens, [t.idx for t in tokens], [t.text for t in tokens], self, language)

        def process_batch(self, texts: Any, language: str, **_: Any) -> Any:
            return ((text, self.process_text(text, language)) for text in texts)

        def is_stopword(self, word: str, language: str) -> bool:
            return False

        def is_punct(self, word: str, language: str) -> bool:
            return False

        def get_supported_entities(self) -> list[str]:
            return []

        def get_supported_languages(self) -> list[str]:
            return ["en"]

    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"])
    engine = AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=["en"])

    def redact(text: str) -> str:
        ends, kept = 0, []
        for found in sorted(engine.analyze(text, language="en"), key=lambda r: (r.start, -r.end)):
            if found.start >= ends:
                kept.append((found.start, found.end))
                ends = found.end
        return hide(text, kept)

    return in_strings(redact)


LIBRARIES: dict[str, tuple[str, Callable[[], Redact]]] = {
    "agent_tools, every rule": ("agent_tools", lambda: make_redactor("all")),
    "agent_tools, default rules": ("agent_tools", make_redactor),
    "logfire scrubber": ("logfire", make_logfire),
    "detect-secrets": ("detect-secrets", make_detect_secrets),
    "LangChain PIIMiddleware": ("langchain", make_langchain),
    "Presidio, patterns": ("presidio-analyzer", make_presidio),
}


def speed_mb_s(redact: Redact, records: list[Any]) -> float:
    """Return the megabytes of JSON that are redacted in a second of CPU time."""
    size = sum(len(json.dumps(record, ensure_ascii=False).encode()) for record in records)
    begun = time.process_time()
    for record in records:
        redact(record)
    return size / 1e6 / (time.process_time() - begun)


def main() -> None:
    """Score each library and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=1, help="score each n-th record only; default: all")
    options = parser.parse_args()
    rows = read_rows(options.data)[:: options.every]
    score = load_score(options.data).score
    print(f"{len(rows)} records")
    print("| library | version | core recall | strict | precision | FP rate | MB per CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name, (package, make) in LIBRARIES.items():
        try:
            redact = make()
        except ImportError:
            print(f"| {name} | not installed | | | | | |")
            continue
        # the scorer's own pass warms up what is made at first use, and is timed on the clock
        result = score(rows, redact)
        mb_s = speed_mb_s(redact, [row["record"] for row in rows])
        keys = ("core_recall", "strict_recall", "precision", "fp_rate")
        figures = " | ".join(f"{result[key]:.3f}" for key in keys)
        print(f"| {name} | {version(package)} | {figures} | {mb_s:.2f} |", flush=True)


if __name__ == "__main__":
    main()
