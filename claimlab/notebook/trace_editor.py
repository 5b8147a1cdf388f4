"""The trace editor of lesson 4. What it shows is a pure function: ``claimlab.trace_editor``."""

from __future__ import annotations

import html
from contextlib import suppress
from typing import Any

import ipywidgets as widgets

from claimlab.errors import InputError
from claimlab.notebook.widgets import SIGN, button
from claimlab.orders import order_fixtures
from claimlab.trace import ToolCall
from claimlab.trace_editor import (
    TraceReading,
    calls_from_text,
    calls_text,
    read_trace,
    trace_line,
)

_ADDED = {
    "+ created": ToolCall("create_order", {"sku": "TEA-2"}, {"order_id": "ORD-10482"}),
    "+ failed": ToolCall("create_order", {"sku": "TEA-2"}, {"error": "card declined"}, ok=False),
    "+ looked up": ToolCall(
        "get_order", {"order_id": "ORD-10377"}, {"order_id": "ORD-10377", "status": "shipped"}
    ),
}


class TraceEditor:
    """A reply, the calls of its turn, and the class, owner and evidence while you type.

    Each editor has its own state: two on a page, or a cell that runs again, do no harm.
    ``report()`` gives what it shows to the next cell.
    """

    def __init__(self, tag: str) -> None:
        """Build the editor; it begins with a fixture."""
        self._fixtures = {fixture.tag: fixture for fixture in order_fixtures()}
        wide = widgets.Layout(width="98%")
        # Buttons: in a list, the letters and arrows that choose are JupyterLab's shortcuts as well.
        self.fixture = widgets.ToggleButtons(
            options=list(self._fixtures),
            value=tag,
            description="Fixture",
            tooltips=[f"Fixture {fixture.tag}" for fixture in self._fixtures.values()],
            style={"button_width": "2.6em"},
        )
        self.reply = widgets.Textarea(
            description="Reply", rows=2, continuous_update=True, layout=wide
        )
        self.calls = widgets.Textarea(
            description="Calls", rows=4, continuous_update=True, layout=wide
        )
        self.strict = widgets.Checkbox(description="A claim must cite an id", indent=False)
        self.line = widgets.Text(description="Line", layout=widgets.Layout(width="98%"))
        self.shown = widgets.HTML()
        added = [
            button(name, f"Add to the calls: {call.name}", self._adder(call))
            for name, call in _ADDED.items()
        ]
        self.none = button("No calls", "Remove every call", lambda _button: self._set_calls(()))
        self.reset = button("Reset", "Back to the fixture", lambda _button: self._load())
        self.copy = button("Copy as line", "Show it as a line of a log", self._copy)
        row = widgets.Layout(flex_flow="row wrap")
        self.box = widgets.VBox(
            [
                self.fixture,
                self.reply,
                self.calls,
                widgets.HBox([*added, self.none, self.strict], layout=row),
                self.shown,
                widgets.HBox([self.reset, self.copy], layout=row),
                self.line,
            ],
            layout=widgets.Layout(
                border="1px solid var(--jp-border-color2, #bbb)", padding="0.6em 0.8em"
            ),
        )
        self.fixture.observe(lambda _change: self._load(), names="value")
        for part in (self.reply, self.calls, self.strict):
            part.observe(lambda _change: self._show(), names="value")
        self._load()

    def report(self) -> TraceReading:
        """Return what the editor shows, as a report for the next cell."""
        return read_trace(str(self.reply.value), str(self.calls.value), bool(self.strict.value))

    def _load(self) -> None:
        fixture = self._fixtures[self.fixture.value]
        self.reply.value = fixture.reply
        self._set_calls(fixture.calls)
        self.strict.value = False
        self.line.layout.display = "none"
        self._show()

    def _set_calls(self, calls: tuple[ToolCall, ...]) -> None:
        self.calls.value = calls_text(calls)

    def _adder(self, call: ToolCall) -> Any:
        def add(_button: Any) -> None:
            # What cannot be read stays as it is, and the verdict says why.
            with suppress(InputError):
                self._set_calls((*calls_from_text(str(self.calls.value)), call))

        return add

    def _copy(self, _button: Any) -> None:
        reading = self.report()
        if reading.found is not None:
            self.line.value = trace_line(reading)
            self.line.layout.display = ""

    def _show(self) -> None:
        self.shown.value = _html(self.report())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = "Trace editor: a live notebook shows it here."
        return bundle


def _html(reading: TraceReading) -> str:
    details = "".join(f'<li dir="auto">{html.escape(line)}</li>' for line in reading.details())
    return (
        f'<div aria-live="polite" class="claimlab-class" '
        f'data-about="{html.escape(reading.reply, quote=True)}" '
        'style="line-height: 1.5; margin: 0.3em 0">'
        f"<strong>{SIGN[reading.passed]} {html.escape(reading.headline())}</strong>"
        f'<ul style="margin: 0.2em 0 0 1.2em; padding: 0">{details}</ul></div>'
    )


def trace_editor(tag: str = "E") -> TraceEditor:
    """Return a trace editor that begins with a fixture, to end a cell with."""
    return TraceEditor(tag)
