"""Search hits with scores, in the shapes that retrievers and vector stores return.

In:   LangChain documents and (document, score) pairs, LlamaIndex nodes, answers of Chroma and Elasticsearch,
      plain (text, score) pairs; the arguments of the call.
Out:  hits as records `{score, id, text, metadata ...}`, the best first; `query`, `top_k`, `total_hits` and
      `low_scores` (numbers of hits far below the best) in meta. None for what is no list of hits.

Order: by score, the larger the better; by distance, the smaller the better. Hits that came sorted stay as
they came: whether a bare number is a score or a distance, only their source knows. Pairs of a text and a
number are hits only where the call has a query in its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from agent_tools.converters import Converted, names_of

QUERIES = ("query", "q", "question", "search", "search_query", "query_text", "query_texts", "text", "prompt")
LIMITS = ("top_k", "k", "n_results", "limit", "size", "n", "similarity_top_k", "num_results", "max_results")
# where LlamaIndex keeps the place of a node's picture
PICTURES = ("image_url", "image_path")
# a hit with less than this part of the best score says little; of distances, with more than its inverse
LOW = 0.5
MAX_LOW = 50

Hit = dict[str, Any]


def read_elastic(response: Any) -> Converted:
    """Return the body of a response of an Elasticsearch or OpenSearch client."""
    body = response.body
    return Converted(body, {"http_status": response.meta.status})


def read_hit(item: Any) -> Converted:
    """Return one hit as a record: what a class of a library holds for itself is left out."""
    return Converted(_of_object(item))


def read_hits(value: Any, arguments: Mapping[str, Any]) -> Converted | None:
    """Return hits as records, None for a value that is no list of hits.

    Args:
        value: A list or dict that a tool returned.
        arguments: Of the call: its query and how many hits were asked for.

    Example:
        >>> read_hits([("a", 0.2), ("b", 0.9)], {"query": "x", "k": 2}).value
        [{'score': 0.9, 'text': 'b'}, {'score': 0.2, 'text': 'a'}]
        >>> read_hits([("Rome", 2.5), ("Oslo", 1.5)], {}) is None
        True
    """
    query = next((arguments[name] for name in QUERIES if isinstance(arguments.get(name), str)), None)
    if isinstance(value, dict):
        found = _of_elastic(value) if "hits" in value else _of_chroma(value)
    else:
        found = _of_list(value, has_query=query is not None)
    if found is None:
        return None
    hits, meta = found
    hits = _sorted(hits)
    low = _low(hits)
    asked = next((arguments[name] for name in LIMITS if type(arguments.get(name)) is int), None)
    meta = {"query": query, "top_k": asked, "total_hits": len(hits), **meta, "low_scores": low or None}
    return Converted(hits, {name: known for name, known in meta.items() if known is not None})


# --- the shapes


def _of_list(items: Sequence[Any], *, has_query: bool) -> tuple[list[Hit], dict[str, Any]] | None:
    hits = []
    for item in items:
        hit = _of_pair(item, has_query=has_query) if type(item) is tuple else _of_object(item)
        if hit is None:
            return None
        hits.append(hit)
    return hits, {}


def _of_pair(pair: tuple[Any, ...], *, has_query: bool) -> Hit | None:
    if len(pair) != 2:
        return None
    score, holder = (pair[1], pair[0]) if _is_score(pair[1]) else (pair[0], pair[1])
    if not _is_score(score):
        return None
    document = _document(holder)
    if document is not None:
        return {"score": score, **document}
    if not has_query:
        return None
    if isinstance(holder, str):
        return {"score": score, "text": holder}
    return {"score": score, **holder} if isinstance(holder, dict) else None


def _is_score(value: Any) -> bool:
    # numpy's float32 is what most indexes return
    return isinstance(value, float) or type(value).__name__ in ("float32", "float16", "float64")


def _of_object(item: Any) -> Hit | None:
    if _is_a(item, "NodeWithScore"):
        node = item.node
        return {"score": item.score, **(_document(node) or {"text": _text_of(node)})}
    if _is_a(item, "ScoredPoint"):
        return {"score": item.score, "id": item.id, "metadata": item.payload}
    return _document(item)


def _document(item: Any) -> Hit | None:
    """Return a document of LangChain, LlamaIndex or Haystack as a record."""
    if not (_is_a(item, "Document") or _is_a(item, "BaseNode") or _is_a(item, "TextNode")):
        return None
    hit: Hit = {}
    identity = getattr(item, "id", None) or getattr(item, "node_id", None) or getattr(item, "id_", None)
    if identity is not None:
        hit["id"] = str(identity)
    hit["text"] = _text_of(item)
    hit |= {name: place for name in PICTURES if (place := getattr(item, name, None))}
    metadata = getattr(item, "metadata", None) or getattr(item, "meta", None)
    if metadata:
        hit["metadata"] = metadata
    return hit


def _is_a(item: Any, name: str) -> bool:
    roots = ("langchain_core", "llama_index", "haystack", "qdrant_client")
    return any(full.partition(".")[0] in roots and full.endswith(f".{name}")
               for base in type(item).__mro__ for full in names_of(base)[1:])  # fmt: skip


def _text_of(item: Any) -> Any:
    for name in ("page_content", "text", "content"):
        text = getattr(item, name, None)
        if isinstance(text, str):
            return text
    return item.get_content() if hasattr(item, "get_content") else None


def _of_chroma(answer: dict[str, Any]) -> tuple[list[Hit], dict[str, Any]] | None:
    ids: Any = answer.get("ids")
    distances: Any = answer.get("distances")
    if not _is_table(ids) or not _is_table(distances) or len(ids) != len(distances):
        return None
    named = {"text": "documents", "metadata": "metadatas", "uri": "uris"}
    hits = []
    for number, (row_ids, row_distances) in enumerate(zip(ids, distances, strict=True)):
        columns = {name: answer[key][number] for name, key in named.items() if _is_table(answer.get(key))}
        for place, (identity, distance) in enumerate(zip(row_ids, row_distances, strict=True)):
            hit: Hit = {"distance": distance, "id": identity}
            if len(ids) > 1:
                hit["query_number"] = number
            hits.append(hit | {name: cells[place] for name, cells in columns.items() if cells})
    return hits, {}


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _of_elastic(answer: dict[str, Any]) -> tuple[list[Hit], dict[str, Any]] | None:
    listed = answer["hits"]
    if not isinstance(listed, dict) or not isinstance(listed.get("hits"), list) or answer.get("error"):
        return None
    total = listed.get("total")
    known = total.get("value") if isinstance(total, dict) else total
    if not listed["hits"] and (known or answer.get("aggregations")):
        return None  # counts were asked for (size=0): an empty list of hits would say that nothing matched
    meta: dict[str, Any] = {"total_hits": known if type(known) is int else len(listed["hits"])}
    if isinstance(total, dict) and total.get("relation") == "gte":
        meta["warnings"] = [f"There are at least {known} hits; they were not all counted."]
    failed = answer.get("_shards", {}).get("failed") if isinstance(answer.get("_shards"), dict) else 0
    if failed or answer.get("timed_out") is True:
        meta["truncated"] = True
        meta["warnings"] = [
            *meta.get("warnings", []),
            "Parts of the index did not answer; hits may be missing.",
        ]
    if isinstance(answer.get("aggregations"), dict):
        meta["aggregations"] = answer["aggregations"]
    return [_elastic_hit(hit) for hit in listed["hits"] if isinstance(hit, dict)], meta


def _elastic_hit(hit: dict[str, Any]) -> Hit:
    source = hit.get("_source") or hit.get("fields") or {}
    record: Hit = {"score": hit.get("_score"), "id": hit.get("_id")}
    # a field of the document may be called as what is known of the hit
    record |= {f"{name}#2" if name in record else name: value for name, value in source.items()}
    return record | ({"highlight": hit["highlight"]} if "highlight" in hit else {})


# --- scores


def _scores(hits: list[Hit]) -> list[float] | None:
    name = "distance" if hits and "distance" in hits[0] else "score"
    scores = [hit.get(name) for hit in hits]
    return None if any(score is None for score in scores) else scores  # type: ignore[return-value]  # just checked


def _sorted(hits: list[Hit]) -> list[Hit]:
    scores = _scores(hits)
    if not scores or "query_number" in hits[0]:
        return hits
    steps = list(pairwise(scores))
    is_distance = "distance" in hits[0]
    falls, rises = all(a >= b for a, b in steps), all(a <= b for a, b in steps)
    # of three and more that came smallest first, a bare number is a distance
    if (rises and (is_distance or len(scores) > 2)) or (falls and not is_distance):
        return hits
    return sorted(hits, key=lambda hit: hit["distance" if is_distance else "score"], reverse=not is_distance)


def _low(hits: list[Hit]) -> list[int]:
    """Return the numbers, from 0, of the hits that are far below the best."""
    scores = _scores(hits)
    if not scores or len(scores) < 2 or min(scores) < 0 or scores[0] <= 0 or "query_number" in hits[0]:
        return []
    best = scores[0]
    if best >= scores[-1]:
        return [n for n, score in enumerate(scores) if score < LOW * best][:MAX_LOW]
    return [n for n, score in enumerate(scores) if score > best / LOW][:MAX_LOW]
