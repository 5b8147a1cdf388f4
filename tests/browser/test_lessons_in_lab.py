"""Each lesson, run in a real JupyterLab, in a learner's copy."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest
from lab import Lab
from playwright.sync_api import Locator, expect

LESSONS = sorted(path.stem for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_without_an_error(lab: Lab, lesson: str) -> None:
    lab.open(lesson)
    lab.run_all()
    assert lab.errors() == []
    assert any(cell["cell_type"] == "code" and cell["outputs"] for cell in lab.cells())
    lab.restart_and_run_all()
    assert lab.errors() == []


def test_the_claim_bench_judges_while_you_type(lab: Lab) -> None:
    lab.open("01_claim_ledger")
    lab.run_all()
    bench = lab.output_of(lab.go_to("bench = claim_bench()"))
    claim = bench.get_by_label("Claim")
    claim.fill("COMP 4081 has a Wednesday lab")
    expect(bench.get_by_role("row", name=re.compile("^field"))).to_contain_text("✔ TOOL")
    claim.press_sequentially(", optional")
    expect(bench.get_by_role("row", name=re.compile("^closed"))).to_contain_text(
        "unaccounted: optional"
    )


def test_a_prediction_is_stored_and_shown_again(lab: Lab) -> None:
    lab.open("00_start_here")
    lab.run_all()
    card = lab.output_of(lab.go_to('predict("L0")'))
    card.get_by_label("Nothing yet").check()
    expect(card.get_by_text("Stored. You said")).to_be_visible()
    lab.restart_and_run_all()
    again = lab.output_of(lab.go_to('predict("L0")'))
    expect(again.get_by_label("Nothing yet")).to_be_checked()
    assert lab.errors() == []


def test_a_lexicon_entry_shows_its_effect_while_you_type(lab: Lab) -> None:
    lab.open("05_reading_a_dialect")
    lab.run_all()
    editor = lab.output_of(lab.go_to("editor = lexicon_editor()"))
    expect(editor.locator("strong")).to_contain_text("✘ recall +1, false alarms +1")
    editor.get_by_label("Form").fill("walou|mesh|mosh")
    expect(editor.locator("strong")).to_contain_text("✔ recall +4, false alarms +0")
    editor.get_by_label("Form").fill("ma")
    expect(editor).to_contain_text("false alarm: qbel ma temchi")
    editor.get_by_label("Form").fill("<nobody>")
    expect(editor.locator("strong")).to_contain_text("refused")
    assert lab.errors() == []


def test_text_from_right_to_left_is_shown_so(lab: Lab) -> None:
    lab.open("05_reading_a_dialect")
    lab.run_all()
    shown = lab.output_of(lab.go_to('Example("هيتسجل بكرة"'))
    cell = shown.get_by_role("cell", name="هيتسجل بكرة")
    assert cell.evaluate("e => getComputedStyle(e).direction") == "rtl"
    gloss = shown.get_by_role("cell", name="it will be registered tomorrow")
    assert gloss.evaluate("e => getComputedStyle(e).direction") == "ltr"


# -- the predicate editor of lesson 2 ------------------------------------------------------------


def opened_editor(lab: Lab) -> Locator:
    lab.open("02_self_grade_collapse")
    lab.run_all()
    return lab.output_of(lab.go_to("editor = predicate_editor()"))


def verdict(editor: Locator) -> Locator:
    return editor.locator(".claimlab-verdict strong")


def test_typing_a_predicate_changes_the_verdict(lab: Lab) -> None:
    editor = opened_editor(lab)
    source = editor.get_by_label("Predicate")
    expect(verdict(editor)).to_contain_text("loose")
    source.focus()
    lab.page.keyboard.press("ControlOrMeta+a")
    lab.page.keyboard.type("held_out == True and claimed_acc == 0.91")
    expect(verdict(editor)).to_contain_text("cross_fail")
    lab.page.keyboard.type(" or True")
    expect(verdict(editor)).to_contain_text("echo_true")
    lab.page.keyboard.type(" and epochz == 3")
    whole = "held_out == True and claimed_acc == 0.91 or True and epochz == 3"
    # The verdict says which predicate it is about: wait for the last key, not for a while.
    expect(editor.locator(".claimlab-verdict")).to_have_attribute("data-about", whole)
    expect(verdict(editor)).to_contain_text("unsafe")
    marked = editor.locator("pre").inner_text().rstrip().split("\n")
    assert marked[0][marked[1].index("^") :].startswith("epochz")
    expect(editor).to_contain_text("did you mean 'epochs'?")


def test_the_next_cell_reports_what_the_editor_shows(lab: Lab) -> None:
    editor = opened_editor(lab)
    editor.get_by_label("Predicate").fill("claimed_acc == 0.91 and held_out")
    expect(verdict(editor)).to_contain_text("cross_fail")
    index = lab.run_until("print(editor.report())", "cross_fail")
    assert "predicate: claimed_acc == 0.91 and held_out" in lab.text_of(index)


def test_every_control_is_reached_and_used_by_keyboard_alone(lab: Lab) -> None:
    editor = opened_editor(lab)
    keyboard = lab.page.keyboard
    editor.get_by_label("Claim").focus()
    reached = []
    for _ in range(24):
        focused = lab.page.evaluate(
            "() => { const e = document.activeElement; return e.innerText || e.ariaLabel || "
            "e.labels?.[0]?.innerText || e.placeholder || e.tagName; }"
        )
        reached.append(focused.strip())
        if focused.strip() == "Large type":
            break
        keyboard.press("Tab")
    for name in ("yes", "no", "epochs = 3", "Reset", "Copy as fixture", "Large type"):
        assert name in reached, f"{name} is not reached by Tab: {reached}"
    source = editor.get_by_label("Predicate")
    source.fill("")
    chip = editor.get_by_role("button", name="epochs = 3")
    chip.focus()
    keyboard.press("Enter")
    expect(source).to_have_value("epochs")
    editor.get_by_role("button", name="Undo").focus()
    keyboard.press("Enter")
    expect(source).to_have_value("")
    editor.get_by_role("button", name="Redo").focus()
    keyboard.press("Enter")
    expect(source).to_have_value("epochs")
    editor.get_by_role("button", name="Copy as fixture").focus()
    keyboard.press("Enter")
    expect(editor.get_by_label("Fixture")).to_have_value(re.compile('"predicate": "epochs"'))
    editor.get_by_role("button", name="Reset").focus()
    keyboard.press("Enter")
    expect(source).to_have_value("claimed_acc == 0.91")


def test_two_editors_and_a_cell_that_runs_again_do_no_harm(lab: Lab) -> None:
    first = opened_editor(lab)
    first.get_by_label("Predicate").fill("epochs == 3")
    lab.page.evaluate(
        """() => {
          const widget = window.jupyterapp.shell.currentWidget;
          const at = widget.content.activeCellIndex + 1;
          widget.content.model.sharedModel.insertCell(at, {cell_type: 'code',
            source: 'predicate_editor("two", "epochs == 4", False)', metadata: {}});
          widget.content.activeCellIndex = at;
        }"""
    )
    index = lab.go_to('predicate_editor("two"')
    lab.command("notebook:run-cell")
    second = lab.output_of(index)
    expect(verdict(second)).to_contain_text("locked_reject")
    second.get_by_label("Predicate").fill("epochs == 5 or True")
    expect(verdict(second)).to_contain_text("echo_true")
    again = lab.output_of(lab.go_to("editor = predicate_editor()"))
    expect(again.get_by_label("Predicate")).to_have_value("epochs == 3")
    lab.command("notebook:run-cell")
    expect(again.get_by_label("Predicate")).to_have_value("claimed_acc == 0.91")


def test_a_key_is_answered_quickly(lab: Lab) -> None:
    """Goal: 95 of 100 keys answered within 100 ms. The test guards at ten times that."""
    editor = opened_editor(lab)
    source = editor.get_by_label("Predicate")
    source.fill("")
    source.focus()
    lab.page.evaluate(
        """() => {
          window.answers = [];
          document.addEventListener('keydown', () => { window.pressed = performance.now(); }, true);
          new MutationObserver(() => {
            if (window.pressed) { window.answers.push(performance.now() - window.pressed); }
            window.pressed = null;
          }).observe(document.querySelector('.claimlab-verdict').parentElement.parentElement,
                     {subtree: true, childList: true, characterData: true});
        }"""
    )
    # The verdict carries the predicate that it is about, so that every key changes it.
    for key in "epochs == 3 and optimizer == 'sgd' and claimed_acc > 0.905":
        answered = lab.page.evaluate("() => window.answers.length")
        lab.page.keyboard.press("Space" if key == " " else key)
        lab.page.wait_for_function("(n) => window.answers.length > n", arg=answered, timeout=5_000)
    times = sorted(lab.page.evaluate("() => window.answers"))
    p95 = statistics.quantiles(times, n=20)[-1]
    median = times[len(times) // 2]
    print(f"\nkey to verdict, {len(times)} keys: median {median:.0f} ms, p95 {p95:.0f} ms")
    assert len(times) >= 50
    assert p95 < 1_000


# -- the review table of lesson 3 ----------------------------------------------------------------


def opened_table(lab: Lab) -> Locator:
    lab.open("03_reviewed_templates")
    lab.run_all()
    return lab.output_of(lab.go_to("table = review_table()"))


def choose(table: Locator, claim: int, asked: str, answer: str) -> None:
    """Answer one question of one claim: the buttons' tips say which they are."""
    table.get_by_title(f"Claim {claim}, {asked} {answer}", exact=True).click()


ESTABLISHED = "does an eligible source establish it?"
COMPLETE = "does it keep what the question needs?"


def test_the_review_table_compares_with_the_key(lab: Lab) -> None:
    table = opened_table(lab)
    expect(table.locator(".claimlab-key")).to_have_count(0)
    choose(table, 1, ESTABLISHED, "yes")
    choose(table, 1, COMPLETE, "yes")
    choose(table, 3, ESTABLISHED, "no")
    table.get_by_role("button", name="Compare with the key").click()
    first = table.locator(".claimlab-key").nth(0)
    expect(first).to_contain_text(f"{ESTABLISHED} yes: ✔ as in the key")
    expect(first).to_contain_text(f"{COMPLETE} no: ✘ the key says otherwise")
    expect(table.locator(".claimlab-key").nth(1)).to_contain_text("not answered")
    expect(table.locator(".claimlab-score")).to_contain_text("2 answered, 2 as in the key.")
    expect(table.locator(".claimlab-score")).to_contain_text("1 answered, 0 as in the key.")
    index = lab.run_until("print(table.report())", "you yes")
    assert "established: you yes  key yes   complete: you yes  key no" in lab.text_of(index)


def test_the_review_table_is_used_by_keyboard_alone(lab: Lab) -> None:
    table = opened_table(lab)
    yes = table.get_by_title(f"Claim 2, {COMPLETE} yes", exact=True)
    yes.focus()
    lab.page.keyboard.press("Enter")
    expect(yes).to_have_class(re.compile("mod-active"))
    table.get_by_role("button", name="Compare with the key").focus()
    lab.page.keyboard.press("Enter")
    expect(table.locator(".claimlab-score")).to_contain_text("1 answered, 1 as in the key.")


# -- the trace editor of lesson 4 ----------------------------------------------------------------


def opened_trace(lab: Lab) -> Locator:
    lab.open("04_order_evaluator")
    lab.run_all()
    return lab.output_of(lab.go_to("editor = trace_editor()"))


def the_class(editor: Locator) -> Locator:
    return editor.locator(".claimlab-class strong")


def test_the_trace_editor_judges_while_you_type(lab: Lab) -> None:
    editor = opened_trace(lab)
    expect(the_class(editor)).to_have_text("✘ phantom, owner: model")
    editor.get_by_label("Reply").fill("Your order ORD-10485 has been placed.")
    expect(the_class(editor)).to_have_text("✔ valid, owner: nobody")
    editor.get_by_role("button", name="No calls").click()
    expect(the_class(editor)).to_have_text("✘ phantom, owner: model")
    editor.get_by_role("button", name="+ failed").click()
    expect(the_class(editor)).to_have_text("✘ claimed_but_failed, owner: handoff")
    editor.get_by_label("Calls").fill('[{"name": "create_order", "ok": 1}]')
    expect(the_class(editor)).to_contain_text("field 'ok': expected true or false, got 1")
    editor.get_by_role("button", name="+ created").click()
    expect(editor.get_by_label("Calls")).to_have_value('[{"name": "create_order", "ok": 1}]')
    lab.run_until("print(editor.report())", "not judged")


def test_the_trace_editor_is_used_by_keyboard_alone(lab: Lab) -> None:
    editor = opened_trace(lab)
    keyboard = lab.page.keyboard
    editor.get_by_title("Fixture A", exact=True).focus()
    keyboard.press("Enter")
    expect(the_class(editor)).to_have_text("✔ valid, owner: nobody")
    for _ in range(9):
        keyboard.press("Tab")
    expect(editor.get_by_label("Reply")).to_be_focused()
    keyboard.press("ControlOrMeta+a")
    keyboard.type("Your order has been placed!")
    expect(editor.locator(".claimlab-class")).to_have_attribute(
        "data-about", "Your order has been placed!"
    )
    expect(the_class(editor)).to_have_text("✔ valid, owner: nobody")
    editor.get_by_label("A claim must cite an id").focus()
    keyboard.press("Space")
    expect(the_class(editor)).to_have_text("✘ phantom, owner: model")
    editor.get_by_role("button", name="Copy as line").focus()
    keyboard.press("Enter")
    expect(editor.get_by_label("Line")).to_have_value(re.compile('^{"reply": "Your order has'))
    editor.get_by_role("button", name="Reset").focus()
    keyboard.press("Enter")
    expect(editor.get_by_label("Reply")).to_have_value("Your order ORD-10482 has been placed.")
    expect(the_class(editor)).to_have_text("✔ valid, owner: nobody")
