"""A tool over a search index returns hits with scores; weak hits are marked for the model.

Run it: `python examples/retrieval.py`. LangChain documents, LlamaIndex nodes and the answers of Chroma and
Elasticsearch work alike; here the scores are shared words, to need no library.
"""

from __future__ import annotations

from agent_tools import tool

NOTES = [
    "Refunds are paid within five working days.",
    "A refund needs the number of the order.",
    "The shop in Rome opens at nine.",
    "Orders above fifty euros ship for free.",
]


def words(text: str) -> set[str]:
    """Return the words of a text, their plurals cut."""
    return {word.strip(".,?").lower().removesuffix("s") for word in text.split()}


@tool(max_tokens=400)
def search_notes(query: str, k: int = 3) -> list[tuple[str, float]]:
    """Search the shop's notes.

    Args:
        query: What to look for.
        k: Most notes to return.
    """
    asked = words(query)
    scored = [(note, round(len(asked & words(note)) / len(asked), 2)) for note in NOTES]
    return sorted((hit for hit in scored if hit[1] > 0), key=lambda hit: -hit[1])[:k]


if __name__ == "__main__":
    print(search_notes("how are refunds of an order paid").to_prompt())
    print(search_notes("parking").to_prompt())
