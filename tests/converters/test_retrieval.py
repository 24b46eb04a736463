"""Hits with scores as retrievers and vector stores return them."""

from __future__ import annotations

import pytest

from agent_tools import tool


def _search(value):
    @tool(store=False)
    def search_notes(query: str, k: int = 4):
        """Search the notes."""
        return value

    return search_notes("rain in Rome", 4)


def test_langchain_documents_with_scores_are_sorted(call):
    """Pairs of a Document and its score; what is far below the best is marked."""
    documents = pytest.importorskip("langchain_core.documents")
    pairs = [
        (documents.Document(page_content="sun", metadata={"page": 2}), 0.2),
        (documents.Document(page_content="rain", id="d1"), 0.9),
    ]

    result = _search(pairs)

    assert result.data == [
        {"score": 0.9, "id": "d1", "text": "rain"},
        {"score": 0.2, "text": "sun", "metadata": {"page": 2}},
    ]
    meta = {name: result.meta[name] for name in ("query", "top_k", "total_hits", "low_scores")}
    assert meta == {"query": "rain in Rome", "top_k": 4, "total_hits": 2, "low_scores": [1]}


def test_langchain_documents_keep_their_order():
    """A retriever returns them without scores."""
    documents = pytest.importorskip("langchain_core.documents")

    result = _search([documents.Document(page_content=text) for text in ("b", "a")])

    assert result.data == [{"text": "b"}, {"text": "a"}]


def test_llama_index_nodes_are_hits():
    """NodeWithScore around a TextNode."""
    schema = pytest.importorskip("llama_index.core.schema")
    nodes = [
        schema.NodeWithScore(node=schema.TextNode(text=text, id_=text), score=score)
        for text, score in (("sun", 0.1), ("rain", 0.8))
    ]

    assert [(hit["text"], hit["score"]) for hit in _search(nodes).data] == [("rain", 0.8), ("sun", 0.1)]


def test_a_retriever_of_llama_index_is_read():
    """A real index; the nodes of a query engine's answer are as short as those of its retriever."""
    core = pytest.importorskip("llama_index.core")
    nodes = [core.schema.TextNode(text=text, id_=text, metadata={"page": 1}) for text in ("rain", "sun")]
    model = core.MockEmbedding(embed_dim=4)
    retriever = core.VectorStoreIndex(nodes, embed_model=model).as_retriever(similarity_top_k=2)

    result = _search(retriever.retrieve("rain"))
    answer = _search(core.Response("Rain.", source_nodes=retriever.retrieve("rain"))).data

    assert sorted(hit["text"] for hit in result.data) == ["rain", "sun"]
    assert all(hit.keys() == {"score", "id", "text", "metadata"} for hit in result.data)
    assert (answer["response"], answer["source_nodes"]) == ("Rain.", result.data)


def test_a_picture_without_text_tells_its_place():
    """A node of a multi-modal index."""
    schema = pytest.importorskip("llama_index.core.schema")
    node = schema.ImageNode(image_url="http://shop/rain.png", id_="n1")

    assert _search(node).data == {"id": "n1", "text": "", "image_url": "http://shop/rain.png"}


def test_documents_inside_an_answer_are_hits():
    """A chain returns its sources beside its text."""
    documents = pytest.importorskip("langchain_core.documents")
    source = documents.Document(page_content="rain", metadata={"page": 2})

    answer = _search({"result": "Rain.", "source_documents": [source]}).data

    assert answer == {"result": "Rain.", "source_documents": [{"text": "rain", "metadata": {"page": 2}}]}


def test_an_answer_of_chroma_is_sorted_by_distance():
    """Columns of lists, one per query; the nearest first."""
    answer = {
        "ids": [["a", "b"]],
        "distances": [[0.9, 0.3]],
        "documents": [["sun", "rain"]],
        "metadatas": [[{"page": 1}, None]],
        "embeddings": None,
        "uris": None,
    }

    result = _search(answer)

    assert result.data == [
        {"distance": 0.3, "id": "b", "text": "rain", "metadata": None},
        {"distance": 0.9, "id": "a", "text": "sun", "metadata": {"page": 1}},
    ]
    assert result.meta["low_scores"] == [1]


ELASTIC = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 1, "failed": 0},
    "hits": {
        "total": {"value": 57, "relation": "eq"},
        "max_score": 4.2,
        "hits": [{"_id": "d1", "_score": 4.2, "_source": {"title": "Rain"}}],
    },
}


def test_an_answer_of_elasticsearch_tells_the_total():
    """The source of each hit with its id and score; 57 hits in all."""
    result = _search(ELASTIC)

    assert result.data == [{"score": 4.2, "id": "d1", "title": "Rain"}]
    assert result.meta["total_hits"] == 57


def test_a_document_keeps_fields_that_are_called_as_those_of_the_hit():
    """Its own score and id stand beside those of the search."""
    hit = {"_id": "d1", "_score": 4.2, "_source": {"id": 7, "score": 5, "title": "Rain"}}

    result = _search(ELASTIC | {"hits": {"total": 1, "hits": [hit]}})

    assert result.data == [{"score": 4.2, "id": "d1", "id#2": 7, "score#2": 5, "title": "Rain"}]


def test_counts_without_hits_are_no_empty_result():
    """With size=0 the aggregations are the answer."""
    groups = {"cities": {"buckets": [{"key": "Rome", "doc_count": 3}]}}

    result = _search({"hits": {"total": {"value": 3}, "hits": []}, "aggregations": groups})

    assert result.status == "success"
    assert result.data["aggregations"] == groups
    assert result.data["hits"]["total"] == {"value": 3}


def test_the_clients_response_object_is_the_same():
    """ObjectApiResponse of the client."""
    transport = pytest.importorskip("elastic_transport")
    meta = transport.ApiResponseMeta(
        200, "1.1", transport.HttpHeaders(), 0.1, transport.NodeConfig("http", "a", 1)
    )

    result = _search(transport.ObjectApiResponse(ELASTIC, meta))

    assert result.data == [{"score": 4.2, "id": "d1", "title": "Rain"}]
    assert result.meta["http_status"] == 200


def test_shards_that_did_not_answer_make_it_partial():
    """Hits may be missing, and the result says so."""
    result = _search(ELASTIC | {"_shards": {"total": 2, "failed": 1}})

    assert result.status == "partial"
    assert "did not answer" in result.meta["warnings"][-1]


def test_no_hits_are_empty():
    """The call worked and nothing matched."""
    assert _search(ELASTIC | {"hits": {"total": {"value": 0}, "hits": []}}).status == "empty"
    assert _search({"ids": [[]], "distances": [[]], "documents": [[]]}).status == "empty"


def test_pairs_of_text_and_score_are_hits_of_a_query():
    """Only where the call has a query: a price list is no search."""
    pairs = [("sun", 0.2), ("rain", 0.9)]

    assert _search(pairs).data == [{"score": 0.9, "text": "rain"}, {"score": 0.2, "text": "sun"}]
    assert tool(lambda city: pairs, name="find_prices", store=False)("Rome").data == [
        ["sun", 0.2],
        ["rain", 0.9],
    ]


@pytest.mark.parametrize(
    "pairs",
    [[("a", 0.1), ("b", 0.4), ("c", 2.0)], [("a", 2.0), ("b", 0.4), ("c", 0.1)]],
    ids=["distances", "scores"],
)
def test_hits_that_came_sorted_stay_so(pairs):
    """Whether a bare number is a distance, only its source knows."""
    assert [hit["text"] for hit in _search(pairs).data] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "value",
    [[("a", 1)], [("a", 1.0, 2)], [(1, 2)], {"hits": 3}, {"distances": [1.5]}, {"hits": [{"id": 1}]}],
    ids=repr,
)
def test_other_data_is_left_alone(value):
    """Tuples, counters and columns that are no hits."""
    shown = [list(item) for item in value] if isinstance(value, list) else value

    assert _search(value).data == shown
