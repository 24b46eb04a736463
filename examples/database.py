"""A tool over a database returns its cursor; the rows are read before the connection closes.

Run it: `python examples/database.py`. Needs nothing but sqlite3; psycopg and SQLAlchemy work alike.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from agent_tools import tool

DATABASE = Path(tempfile.mkdtemp()) / "shop.db"


def fill() -> None:
    """Make a shop with a thousand orders."""
    with sqlite3.connect(DATABASE) as db:
        db.execute("create table orders (id integer primary key, city text, amount real)")
        cities = ("Rome", "Oslo", "Bonn")
        rows = [(n, cities[n % 3], 20.0 + n % 50) for n in range(1, 1001)]
        db.executemany("insert into orders values (?, ?, ?)", [*rows, (1001, "Rome", 99_000.0)])


@tool(max_tokens=500)
def find_orders(city: str) -> sqlite3.Cursor:
    """Find the orders of a city.

    Args:
        city: Name of the city.
    """
    db = sqlite3.connect(DATABASE)
    return db.execute("select * from orders where city = ? order by id", (city,))


@tool(kind="action")
def cancel_order(order_id: int) -> sqlite3.Cursor:
    """Cancel an order.

    Args:
        order_id: Number of the order.
    """
    with sqlite3.connect(DATABASE) as db:
        return db.execute("delete from orders where id = ?", (order_id,))


if __name__ == "__main__":
    fill()
    print(find_orders("Rome").to_prompt())
    print(find_orders("Atlantis").to_prompt())
    print(cancel_order(7).to_prompt())
