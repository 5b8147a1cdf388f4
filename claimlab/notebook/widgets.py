"""The editors of lessons 2 and 5; what they show are pure functions of ``editor``, ``dialect``."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets

from claimlab.dialect import Effect, entry_effect
from claimlab.editor import Reading, fixture_line, read_fixture
from claimlab.jury import World, training_run

SIGN = {True: "✔", False: "✘"}
_MOST_STEPS = 500


class PredicateEditor:
    """A predicate, the facts as buttons, and the jury's verdict in words while you type.

    Each editor has its own state: two on a page, or a cell that runs again, do no harm.
    ``report()`` gives the verdict to the next cell.
    """

    def __init__(
        self,
        claim: str,
        predicate: str = "",
        nl_says: bool = True,
        world: World | None = None,
    ) -> None:
        """Build the editor over facts; without a world, those of the course's training run."""
        self._world = world or training_run()
        self._start = (predicate, nl_says)
        self._past: list[str] = [predicate]
        self._at = 0
        self._build(claim, predicate, nl_says)
        self._show()

    # what stands in it

    @property
    def predicate(self) -> str:
        """The predicate as it stands."""
        return str(self.source.value)

    def report(self) -> Reading:
        """Return what the editor shows, as a report for the next cell."""
        return read_fixture(
            self.predicate, str(self.claim.value), bool(self.says.value), self._world
        )

    # the parts

    def _build(self, claim: str, predicate: str, nl_says: bool) -> None:
        wide = widgets.Layout(width="min(46em, 98%)")
        self.claim = widgets.Text(value=claim, description="Claim", layout=wide)
        self.says = widgets.ToggleButtons(
            options=[("yes", True), ("no", False)],
            value=nl_says,
            tooltips=["The author says yes", "The author says no"],
            style={"button_width": "4em"},
        )
        self.source = widgets.Text(
            value=predicate,
            description="Predicate",
            placeholder="epochs == 3",
            continuous_update=True,
            layout=wide,
        )
        self.chips = [self._chip(name) for name in self._world.facts]
        self.undo = button("Undo", "Take back the last change", self._undo)
        self.redo = button("Redo", "Bring back what was undone", self._redo)
        self.reset = button("Reset", "Back to where the editor began", self._reset)
        self.copy = button("Copy as fixture", "Show the line for a fixtures file", self._copy)
        self.large = widgets.ToggleButton(
            value=False, description="Large type", tooltip="For a room"
        )
        self.line = widgets.Text(description="Fixture", layout=widgets.Layout(width="98%"))
        self.line.layout.display = "none"
        self.shown = widgets.HTML()
        self.box = widgets.VBox(
            [
                self.claim,
                widgets.HBox([_label("It says"), self.says]),
                self.source,
                widgets.HBox(self.chips, layout=widgets.Layout(flex_flow="row wrap")),
                self.shown,
                widgets.HBox(
                    [self.undo, self.redo, self.reset, self.copy, self.large],
                    layout=widgets.Layout(flex_flow="row wrap"),
                ),
                self.line,
            ],
            layout=widgets.Layout(
                border="1px solid var(--jp-border-color2, #bbb)", padding="0.6em 0.8em"
            ),
        )
        self.source.observe(self._typed, names="value")
        for part in (self.claim, self.says, self.large):
            part.observe(lambda _change: self._show(), names="value")

    def _chip(self, name: str) -> widgets.Button:
        value = self._world.facts[name]
        shown = "null" if value is None else repr(value)
        return button(f"{name} = {shown}", f"Add {name} to the predicate", self._adder(name))

    def _adder(self, name: str) -> Any:
        def add(_button: Any) -> None:
            before = self.predicate
            self.source.value = (
                f"{before}{'' if not before or before.endswith((' ', '(')) else ' '}{name}"
            )

        return add

    # what happens

    def _typed(self, _change: Any) -> None:
        if self.predicate != self._past[self._at]:
            self._past = [*self._past[: self._at + 1], self.predicate][-_MOST_STEPS:]
            self._at = len(self._past) - 1
        self._show()

    def _undo(self, _button: Any) -> None:
        self._go(self._at - 1)

    def _redo(self, _button: Any) -> None:
        self._go(self._at + 1)

    def _go(self, at: int) -> None:
        if 0 <= at < len(self._past):
            self._at = at
            self.source.value = self._past[at]

    def _reset(self, _button: Any) -> None:
        predicate, self.says.value = self._start
        self.source.value = predicate
        self.line.layout.display = "none"

    def _copy(self, _button: Any) -> None:
        self.line.value = fixture_line(self.report().finding.fixture)
        self.line.layout.display = ""

    def _show(self) -> None:
        reading = self.report()
        self.undo.disabled = self._at == 0
        self.redo.disabled = self._at == len(self._past) - 1
        self.shown.value = _html(reading, 150 if self.large.value else 100)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = "Predicate editor: a live notebook shows it here."
        return bundle


def button(text: str, tip: str, act: Any) -> widgets.Button:
    """Return a button as wide as its text, with a tip, that does something."""
    made = widgets.Button(description=text, tooltip=tip, layout=widgets.Layout(width="auto"))
    made.on_click(act)
    return made


def _label(text: str) -> widgets.Label:
    """A label as wide as those of the text boxes, which the buttons would put on a line above."""
    return widgets.Label(
        text,
        layout=widgets.Layout(width="80px", margin="2px 8px 2px 2px", justify_content="flex-end"),
    )


def _html(reading: Reading, size: int) -> str:
    mark = reading.marked()
    about = html.escape(reading.finding.fixture.predicate, quote=True)
    marked = (
        f'<pre dir="ltr" style="margin: 0.2em 0; font-size: 100%">{html.escape(mark)}</pre>'
        if mark
        else ""
    )
    details = "".join(f"<li>{html.escape(line)}</li>" for line in reading.details())
    return (
        f'<div aria-live="polite" class="claimlab-verdict" data-about="{about}" '
        f'style="font-size: {size}%; '
        'line-height: 1.5; margin: 0.3em 0">'
        f"{marked}<strong>{SIGN[reading.passed]} {html.escape(reading.headline())}</strong>"
        f'<ul style="margin: 0.2em 0 0 1.2em; padding: 0">{details}</ul></div>'
    )


def predicate_editor(
    claim: str = "held-out accuracy was 0.91",
    predicate: str = "claimed_acc == 0.91",
    nl_says: bool = True,
    world: World | None = None,
) -> PredicateEditor:
    """Return a predicate editor, to end a cell with."""
    return PredicateEditor(claim, predicate, nl_says, world)


class LexiconEditor:
    """A negation entry, and its measured effect in words while you type."""

    def __init__(self, form: str = "") -> None:
        """Build the editor with an entry's form in it."""
        self.source = widgets.Text(
            value=form,
            description="Form",
            placeholder="machi|mechi",
            continuous_update=True,
            layout=widgets.Layout(width="min(46em, 98%)"),
        )
        self.shown = widgets.HTML()
        self.box = widgets.VBox(
            [self.source, self.shown],
            layout=widgets.Layout(
                border="1px solid var(--jp-border-color2, #bbb)", padding="0.6em 0.8em"
            ),
        )
        self.source.observe(lambda _change: self._show(), names="value")
        self._show()

    def report(self) -> Effect:
        """Return what the editor shows, as a report for the next cell."""
        return entry_effect(str(self.source.value))

    def _show(self) -> None:
        effect = self.report()
        details = "".join(f'<li dir="auto">{html.escape(line)}</li>' for line in effect.details())
        about = html.escape(effect.form, quote=True)
        self.shown.value = (
            f'<div aria-live="polite" class="claimlab-verdict" data-about="{about}" '
            f'style="line-height: 1.5; margin: 0.3em 0"><strong>{SIGN[effect.passed]} '
            f"{html.escape(effect.headline())}</strong>"
            f'<ul style="margin: 0.2em 0 0 1.2em; padding: 0">{details}</ul></div>'
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = "Lexicon editor: a live notebook shows it here."
        return bundle


def lexicon_editor(form: str = "machi|mechi") -> LexiconEditor:
    """Return a lexicon editor, to end a cell with."""
    return LexiconEditor(form)
