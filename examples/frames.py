"""A tool over a data frame returns the frame; a model gets statistics, a sample and a way to the rest.

Run it: `python examples/frames.py`. Needs polars; pandas, pyarrow and numpy work alike.
"""

from __future__ import annotations

import polars as pl

from agent_tools import read_result, tool

TRIPS = pl.DataFrame(
    {
        "id": range(150_000),
        "city": ["Rome", "Oslo", "Bonn"] * 50_000,
        "fare": [5.0 + n % 40 for n in range(149_999)] + [9_999.0],
    }
)


@tool(max_tokens=600)
def load_trips(city: str | None = None) -> pl.DataFrame:
    """Load the trips of a city, or all.

    Args:
        city: Name of the city; all cities without one.
    """
    return TRIPS if city is None else TRIPS.filter(pl.col("city") == city)


@tool(kind="summary")
def compare_cities() -> pl.LazyFrame:
    """Compare the fares of the cities; a lazy frame is collected."""
    return TRIPS.lazy().group_by("city").agg(pl.col("fare").mean().round(2)).sort("city")


if __name__ == "__main__":
    trips = load_trips()
    print(trips.to_prompt())
    print(read_result(trips.meta["result_id"], where={"fare": [">", 100]}).to_prompt())
    print(compare_cities().to_prompt())
    print(load_trips("Atlantis").to_prompt())
