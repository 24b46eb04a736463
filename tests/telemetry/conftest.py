"""Parts shared by the tests of spans: a real SDK that keeps what it exports in memory."""

from __future__ import annotations

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

# a process has one provider of each kind, for good
_exporter = InMemorySpanExporter()
_reader = InMemoryMetricReader()


@pytest.fixture(scope="session")
def _providers():
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(_exporter))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider(metric_readers=[_reader]))


@pytest.fixture
def tracer(_providers):
    """The application's own tracer."""
    return trace.get_tracer("application")


@pytest.fixture
def finished(_providers):
    """Return the spans that ended in this test."""
    _exporter.clear()
    yield _exporter.get_finished_spans
    _exporter.clear()


@pytest.fixture
def spans(finished):
    """Return the spans that ended in this test, by name."""
    return lambda: {span.name: span for span in finished()}


@pytest.fixture
def durations(_providers):
    """Return the points of the duration metric of one tool."""

    def read(tool):
        _reader.collect()
        data = _reader.get_metrics_data()
        points = [
            point
            for resource in (data.resource_metrics if data else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == "gen_ai.execute_tool.duration" and metric.unit == "s"
            for point in metric.data.data_points
        ]
        return [point for point in points if point.attributes["gen_ai.tool.name"] == tool]

    return read
