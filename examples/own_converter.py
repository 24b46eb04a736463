"""A converter of one's own: what a tool may return is extended by the name of a class.

Run it: `python examples/own_converter.py`. The class is named as text, so a library is not imported to
register a converter for it. A package registers its own by an entry point instead:

    [project.entry-points."agent_tools.converters"]
    "thermo.Reading" = "thermo.tools:read_reading"
"""

from __future__ import annotations

from agent_tools import ToolError, tool
from agent_tools.converters import Converted, converter


class Reading:
    """What a thermometer's driver returns: no data that a model could read."""

    def __init__(self, station: str, tenths: int, is_valid: bool) -> None:
        self.station = station
        self.tenths = tenths
        self.is_valid = is_valid


@converter(f"{Reading.__module__}.Reading")
def read_reading(reading: Reading) -> Converted:
    """Turn a reading into degrees.

    Raises:
        ToolError: the sensor reported that it failed.
    """
    if not reading.is_valid:
        raise ToolError("the sensor is broken", code="SENSOR_BROKEN", meta={"station": reading.station})
    return Converted({"degrees": reading.tenths / 10}, {"station": reading.station})


@tool
def get_temperature(city: str) -> Reading:
    """Get the temperature of a city."""
    return Reading(f"station {city}", 215, is_valid=city != "Oslo")


if __name__ == "__main__":
    print(get_temperature("Rome").to_prompt())
    print(get_temperature("Oslo").to_prompt())
