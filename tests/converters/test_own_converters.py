"""Converters of one's own, by decorator and by entry point, and what every converter may do."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from agent_tools import ToolError
from agent_tools.converters import (
    CONVERTERS,
    FAILURES,
    Converted,
    converter,
    find_converter,
    find_failure_reader,
)
from agent_tools.errors import InvalidSetting


class Reading:
    """A native result of some library."""

    def __init__(self, rows=(), fails=False):
        self.rows = rows
        self.fails = fails


class Special(Reading):
    """A subclass of it."""


@converter(f"{__name__}.Reading")
def read_reading(reading):
    """Turn a reading into its rows, one at a time."""
    if reading.fails:
        raise ToolError("no sensor", code="SENSOR_LOST", data={"last": 1}, meta={"station": "a"})
    return Converted(iter(reading.rows), {"station": "a"})


def test_a_converter_turns_a_result_into_data(call):
    """For the class and its subclasses; an iterator in it is drained."""
    for made in (Reading([1, 2]), Special([1, 2])):
        result = call(lambda m=made: m)

        assert (result.data, result.meta["station"], result.value) == ([1, 2], "a", made)


@dataclass
class Parcel:
    """A record of some library, with more in it than a reader needs."""

    number: int
    raw: str = "..."


@converter(f"{__name__}.Parcel")
def read_parcel(parcel):
    """Show the number only."""
    return Converted({"number": parcel.number})


def test_a_converter_holds_for_records_inside_data(call):
    """Alone, in a list and deeper: the class's own converter, not its fields."""
    result = call(lambda: [Parcel(1), {"last": Parcel(2)}])

    assert call(lambda: Parcel(1)).data == {"number": 1}
    assert result.data == [{"number": 1}, {"last": {"number": 2}}]


def test_a_converter_reports_a_failure(call):
    """Code, data and meta of the error are kept."""
    result = call(lambda: Reading(fails=True))

    assert (result.error.code, result.data, result.meta["station"]) == ("SENSOR_LOST", {"last": 1}, "a")


def test_an_action_whose_result_cannot_be_read_has_still_worked(call):
    """Its effect has happened; what it returned can't be shown."""

    def rows():
        raise OSError("gone")
        yield

    result = call(lambda: Reading(rows()), kind="action")

    assert (result.status, result.data) == ("success", None)
    assert "was carried out" in result.meta["warnings"][0]


def test_an_async_converter_is_awaited(call):
    """It returns an awaitable; sync code is told how to call such a tool."""

    class Later:
        """A result that has to be awaited."""

    @converter(f"{Later.__module__}.{Later.__qualname__}")
    async def read_later(later):
        return Converted({"came": True})

    assert "ainvoke" in call(lambda: Later()).error.message


async def test_an_async_converter_is_awaited_by_ainvoke(acall):
    """In async code the data is there."""

    class Soon:
        """A result that has to be awaited."""

    @converter(f"{Soon.__module__}.{Soon.__qualname__}")
    async def read_soon(soon):
        return Converted({"came": True})

    assert (await acall(lambda: Soon())).data == {"came": True}


@pytest.mark.parametrize("name", ["Reading", "", 3])
def test_a_name_without_a_package_is_refused(name):
    """A mistake at import time, not a converter that is never found."""
    with pytest.raises(InvalidSetting, match=r"package\.Class"):
        converter(name)


def test_a_package_registers_converters_by_entry_point(tmp_path):
    """Installed beside the library, nothing is called to join."""
    (tmp_path / "thermo.py").write_text(
        "from agent_tools.converters import Converted\n"
        "class Probe: pass\n"
        "def read_probe(probe): return Converted({'degrees': 21})\n"
    )
    info = tmp_path / "thermo-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thermo\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[agent_tools.converters]\nthermo.Probe = thermo:read_probe\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport thermo\nfrom agent_tools import tool\n"
        "print(tool(lambda: thermo.Probe(), name='probe', store=False, log=False)().data)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout.strip() == "{'degrees': 21}", done.stderr


@pytest.mark.parametrize("target", sorted({*CONVERTERS.values(), *FAILURES.values()}))
def test_every_row_of_the_tables_leads_to_a_function(target):
    """A misspelt row would only fail when such a value is met."""
    import importlib

    module, _, name = target.partition(":")

    assert callable(getattr(importlib.import_module(module), name))


def test_what_is_no_native_result_has_no_converter():
    """Plain data, models and most exceptions."""
    assert [find_converter(kind) for kind in (dict, list, str, int, object)] == [None] * 5
    assert find_failure_reader(ValueError) is None
