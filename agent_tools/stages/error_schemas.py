"""Say what does not fit a schema: the field and the rule, never the value. A part of `error_messages`.

In:   an exception of pydantic or jsonschema.
Out:  a line per field, None where the exception does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from agent_tools.foreign import peek
from agent_tools.stages.error_texts import Redact, join_lines, part_of

_PYDANTIC_SAYS = {
    "missing": "field required",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "extra_forbidden": "is not a known field",
}  # fmt: skip


def _path_text(parts: Iterable[object], redact: Redact) -> str:
    text = "$"
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not any(mark in str(part) for mark in "[(<"):  # pydantic's own words for unions and validators
            text += f".{part_of(part, redact, 60)}"
    return text


def tell_pydantic(exc: BaseException, redact: Redact) -> str | None:
    """Return a line for each field that pydantic rejected."""
    read = peek(exc, "errors")
    if not callable(read):
        return None
    errors: Any = read(include_url=False, include_context=False, include_input=False)
    lines = (f"{_path_text(error['loc'], redact)}: {_rule_text(error, redact)}" for error in errors)
    return join_lines(lines, len(errors))


def _rule_text(error: Mapping[str, object], redact: Redact) -> str:
    said = _PYDANTIC_SAYS.get(str(error["type"]))
    text = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return said or part_of(re.sub(r"^[A-Z]\w+ should ", "must ", text), redact, 120)


def tell_jsonschema(exc: BaseException, redact: Redact) -> str | None:
    """Return the place that does not fit a JSON Schema, and the rule."""
    rule, path = peek(exc, "validator"), peek(exc, "absolute_path")
    if rule is None:
        return None
    return f"{_path_text(path or (), redact)}: {_schema_text(exc, str(rule), redact)}"


_JSON_SAYS = {
    "type": "must be of type {}",
    "enum": "must be one of {}",
    "const": "must be {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} fields",
    "maxProperties": "must have at most {} fields",
    "pattern": "must match {}",
    "format": "must be a valid {}",
}


def _schema_text(exc: BaseException, rule: str, redact: Redact) -> str:
    wanted, instance = peek(exc, "validator_value"), peek(exc, "instance")
    if rule == "required" and isinstance(wanted, list) and isinstance(instance, Mapping):
        missing = [str(name) for name in wanted if name not in instance]
        return "field required: " + part_of(", ".join(missing[:8]), redact, 120)
    if rule == "additionalProperties":
        return "has a field that is not known"
    shown = ", ".join(repr(item) for item in wanted[:8]) if isinstance(wanted, list) else wanted
    says = _JSON_SAYS.get(rule)
    return (
        says.format(part_of(shown, redact, 120))
        if says
        else f"does not fit the rule {part_of(rule, redact, 40)!r}"
    )
