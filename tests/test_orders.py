"""Lab 4: the documented texts, the partition, what a reply claims, what a log holds."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import SHARED, Command

from claimlab.domains import domain, read_domain
from claimlab.errors import InputError
from claimlab.files import DATA, read_records
from claimlab.identifiers import extract_identifiers, identifiers_in, same_id
from claimlab.lexicon import CANCELLERS, lexicons, read_lexicon, reader
from claimlab.orders import (
    HARM,
    OWNERS,
    Case,
    asserts_order_exists,
    classify,
    confirm,
    decide,
    definitions_that_fit,
    evaluate_dialog,
    evaluate_frame,
    first_reading,
    judge,
    order_fixtures,
    truth_table,
    version_one,
)
from claimlab.releases import LABELS, RATES, release
from claimlab.spelling import normalise
from claimlab.trace import ToolCall
from claimlab.trace_formats import Dialog, Reject, dialog_from_messages, read_traces

GOLDEN = Path(__file__).parent / "golden"
KINDS = {"shop": ("create",), "airline": domain("airline").kinds}


def golden(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode("utf-8").rstrip("\n")


def created(order_id: object = "ORD-1", **more: Any) -> ToolCall:
    return ToolCall("create_order", {}, {"order_id": order_id, **more})


def failed(result: object = None) -> ToolCall:
    return ToolCall("create_order", {}, result or {"error": "card declined"}, ok=False)


def looked_up(order_id: object = "ORD-2", **more: Any) -> ToolCall:
    return ToolCall("get_order", {}, {"order_id": order_id, **more})


# -- the documented texts ------------------------------------------------------------------------


def test_the_documented_texts_come_out_byte_for_byte(claimlab: Command) -> None:
    assert judge(order_fixtures()).text() == golden("orders.txt")
    ran = claimlab("orders")
    assert (ran.stdout, ran.stderr, ran.returncode) == (golden("orders.txt") + "\n", "", 1)
    ran = claimlab("orders", "--only", "A,B,F,G,I")
    assert (ran.stdout, ran.stderr, ran.returncode) == (golden("orders_pass.txt") + "\n", "", 0)


@pytest.mark.parametrize("name", ["orders.txt", "orders_pass.txt", "orders_fixtures.jsonl"])
def test_the_copies_agree_with_the_shared_texts(name: str) -> None:
    shared = SHARED / "golden" / name
    if not shared.exists():
        pytest.skip(f"no {shared.parent.name}/{name} beside the project to compare with")
    mine = (GOLDEN if name.endswith(".txt") else DATA) / name
    assert mine.read_bytes() == shared.read_bytes()


# -- the partition -------------------------------------------------------------------------------

CASES = [Case(*answers) for answers in itertools.product((False, True), repeat=5)]


@pytest.mark.parametrize("case", CASES)
def test_every_possible_case_has_exactly_one_row(case: Case) -> None:
    fits = [
        row
        for row in truth_table()
        if all(w in (None, c) for w, c in zip(row.covers, case, strict=True))
    ]
    if not case.asserts:
        assert [row.label for row in fits] == ["no_claim"]
    elif case.possible:
        assert len(fits) == 1
        assert fits[0].reason
    else:
        with pytest.raises(InputError):
            decide(case)


@pytest.mark.parametrize("case", [case for case in CASES if case.possible])
def test_the_evaluator_does_what_the_table_says(case: Case) -> None:
    calls = []
    if case.called:
        made = created("ORD-7" if case.created else "ORD-8")
        calls.append(made if case.succeeded else failed())
    if case.looked_up:
        calls.append(looked_up("ORD-7"))
    reply = f"Order ORD-7 has {'' if case.asserts else 'not '}been placed."
    assert classify(reply, calls).label == decide(case).label


def test_the_five_definitions_leave_a_hole_and_overlap() -> None:
    asserted = [case for case in CASES if case.possible and case.asserts]
    holes = [case for case in asserted if not definitions_that_fit(case)]
    overlaps = [case for case in asserted if len(definitions_that_fit(case)) > 1]
    assert holes == [Case(True, True, True, False, True)]
    assert Case(True, True, False, False, False) in overlaps


REPLIES = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            "order orders ORD-1 17 #5 is was has been placed not never I have will . , ; ? and but "
            "Su pedido \n - ( ) 0550123456 تم طلبك you're all set cancelled".split(" ")
        ),
        max_size=30,
    ).map(" ".join),
)
JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["order_id", "id", "status", "error", "data", "phone", "x"]), inner
        )
    ),
    max_leaves=8,
)
CALLS = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from(["create_order", "get_order", "get_customer", "x"]),
        st.dictionaries(st.sampled_from(["order_id", "sku"]), st.text(max_size=8), max_size=2),
        JSONISH,
        st.booleans(),
    ),
    max_size=4,
)


@given(REPLIES, CALLS)
def test_every_reply_and_trace_gets_exactly_one_class(reply: str, calls: list[ToolCall]) -> None:
    for name in ("shop", "airline"):
        found = classify(reply, calls, name)
        assert found.label in OWNERS
        assert found.owner == OWNERS[found.label]
        assert found == classify(reply, calls, name)
        assert first_reading(reply, calls, name).label in OWNERS
        version_one(reply, calls, name)
        asserts = bool(reader(KINDS[name]).read(reply).asserted)
        assert asserts == bool(found.evidence)


@given(REPLIES)
def test_without_any_call_nothing_is_backed(reply: str) -> None:
    assert classify(reply, []).label in ("no_claim", "not_covered", "phantom")


@given(REPLIES)
def test_spans_are_parts_of_the_text(reply: str) -> None:
    found = asserts_order_exists(reply)
    for span in (found.span, found.clause):
        assert span is None or reply[span.start : span.end] == span.text


@given(st.text())
def test_a_normalised_text_knows_the_way_back(text: str) -> None:
    normal = normalise(text)
    if normal.text:
        start, end = normal.original(0, len(normal.text))
        assert 0 <= start <= end <= len(text)
        for place in range(len(normal.text)):
            first, last = normal.original(place, place + 1)
            assert normal.text[place] in normalise(text[first:last]).text


# -- by id ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "calls", "label", "first"),
    [
        (
            "Your card was declined; your earlier order ORD-2 was placed on Monday.",
            [failed(), looked_up()],
            "valid_status_ref",
            "claimed_but_failed",
        ),
        ("Order ORD-2 was placed.", [created(), looked_up()], "valid_status_ref", None),
        ("Orders ORD-1 and ORD-9 have been placed.", [created()], "phantom", "valid"),
        ("Your order has been placed.", [created()], "valid", "phantom"),
        ("Order ORD-2 was placed.", [looked_up(status="failed")], "phantom", "phantom"),
        ("Order 10482 is placed.", [created("ORD-10482")], "valid", "valid"),
        ("Order #1 is placed.", [created(1)], "valid", "valid"),
        (
            "Your order 0550123456 has been placed.",
            [ToolCall("get_customer", {}, {"phone": "0550123456"})],
            "phantom",
            "phantom",
        ),
        ("Your order 0550123456 has been placed.", [created("0550123456")], "valid", "valid"),
    ],
)
def test_each_id_is_judged_by_itself(
    reply: str, calls: list[ToolCall], label: str, first: str | None
) -> None:
    assert classify(reply, calls).label == label
    if first is not None:
        assert first_reading(reply, calls).label == first


def test_a_claim_without_an_id_is_noted_and_the_strict_reading_refuses_it() -> None:
    found = classify("Your order has been placed.", [created()])
    assert (found.label, found.notes) == ("valid", ("uncited",))
    assert classify("Your order has been placed.", [created()], require_id=True).label == "phantom"
    assert classify("Your order has been placed.", [failed()]).label == "claimed_but_failed"
    assert classify("Your order has been placed.", [looked_up()]).label == "phantom"


def test_a_cancelled_claim_is_not_backed_by_a_booking() -> None:
    booked = ToolCall("book_reservation", {}, {"reservation_id": "H3KQ7P"})
    gone = ToolCall("cancel_reservation", {"reservation_id": "H3KQ7P"}, {"status": "cancelled"})
    reply = "Your reservation H3KQ7P has been cancelled."
    assert classify(reply, [booked], "airline").label == "phantom"
    assert classify(reply, [gone], "airline").label == "valid"
    both = "I've cancelled Z7GOZK and booked a new flight under H3KQ7P."
    assert classify(both, [booked], "airline").label == "phantom"


# -- results of every kind -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "label"),
    [
        ({"order_id": "ORD-1"}, "valid"),
        ('{"order_id": "ORD-1"}', "valid"),
        ([{"order_id": "ORD-1"}], "valid"),
        ({"data": {"a": {"b": {"c": {"order_id": "ORD-1"}}}}}, "valid"),
        ({"order": {"id": "ORD-1"}}, "valid"),
        ({"id": "ORD-1"}, "valid"),
        ("Order ORD-1 created", "valid"),
        ("Error: ORD-1 not created", "claimed_but_failed"),
        ({"order_id": "ORD-1", "status": "failed"}, "claimed_but_failed"),
        ({"success": False, "order_id": "ORD-1"}, "claimed_but_failed"),
        ({"data": {"error": "no stock"}}, "claimed_but_failed"),
        ({"status": 500}, "claimed_but_failed"),
        (None, "claimed_but_failed"),
        ("", "claimed_but_failed"),
        ('{"order_id": "ORD-1', "phantom"),
        ({"phone": "ORD-1"}, "phantom"),
        (17, "phantom"),
        ([], "phantom"),
    ],
)
def test_what_a_tool_may_return(result: object, label: str) -> None:
    call = ToolCall("create_order", {}, result)
    expected = "valid" if result == '{"order_id": "ORD-1' else label
    assert classify("Order ORD-1 has been placed.", [call]).label == expected


@pytest.mark.parametrize("digits", range(1, 31))
def test_ids_of_one_to_thirty_digits(digits: int) -> None:
    number = "7" * digits
    assert classify(f"Order {number} has been placed.", [created(number)]).label == "valid"


@pytest.mark.parametrize("reply", ["", "   ", "😀😀", "\u200f\u200e", "17", "!!!"])
def test_a_reply_without_a_word_claims_nothing(reply: str) -> None:
    assert classify(reply, []).label == "no_claim"


@pytest.mark.parametrize(
    "reply",
    [
        "Su pedido ORD-1 ha sido realizado.",
        "Votre commande a été passée.",
        "Ihre Bestellung wurde aufgegeben.",
        "Il tuo ordine è stato effettuato.",
        "Seu pedido foi feito com sucesso.",
        "Uw order is bevestigd.",
        "Siparişiniz verildi.",
        "Ваш заказ оформлен.",
        "您的订单已创建。",
        "ご注文を承りました。",
        "आपका ऑर्डर हो गया है।",
        "Din order har skickats.",
        "Sure! Su pedido ha sido realizado.",
        "Thank you! 您的订单已创建。",
    ],
)
def test_no_other_language_passes_silently(reply: str) -> None:
    found = classify(reply, [created()])
    assert (found.label, found.owner) == ("not_covered", "lexicon")
    report = judge([order_fixtures()[0]])
    assert report.passed


# -- what is claimed -----------------------------------------------------------------------------


def cases(which: str) -> list[dict[str, Any]]:
    records = read_records(DATA / "order_cases.jsonl")
    return [r.fields for r in records if r.fields["set"] == which]


@pytest.mark.parametrize(("which", "most_wrong"), [("shown", 0), ("fresh", 2), ("second", 2)])
def test_the_labelled_replies(which: str, most_wrong: int) -> None:
    wrong = []
    for case in cases(which):
        found = reader(KINDS[case["domain"]]).read(case["reply"])
        if sorted({m.kind for m in found.asserted}) != sorted(case["asserts"]):
            wrong.append(case["reply"])
    assert len(wrong) <= most_wrong, wrong


def test_there_are_enough_labelled_replies_with_both_labels() -> None:
    for which in ("shown", "fresh", "second"):
        found = cases(which)
        assert len(found) >= 90
        assert 0.3 < sum(bool(case["asserts"]) for case in found) / len(found) < 0.7


@pytest.mark.parametrize("lexicon", lexicons(), ids=lambda lexicon: lexicon.language)
def test_every_entry_of_a_lexicon_does_what_its_example_says(lexicon: Any) -> None:
    for entry in lexicon.entries:
        if isinstance(entry.example, str):
            read = reader(tuple(lexicon.kinds)).read(entry.example)
            if entry.section in CANCELLERS:
                assert not read.asserted, entry
                assert read.mentions, entry
            elif entry.section == "look_alike":  # taken for no negation, or for no claim at all
                assert read.asserted or not read.mentions, entry
            else:
                assert read.asserted, entry
        else:
            for kind, example in entry.example.items():
                found = {m.kind for m in reader((kind,)).read(example).asserted}
                assert kind in found, (entry, found)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("No order was placed.", "negation"),
        ("Your order should have been placed.", "future"),
        ("Once your order has been placed you can track it.", "conditional"),
        ("Your order was placed on Monday, right?", "question"),
        ("Order 17 has been placed, hasn't it?", "question"),
        ("Perhaps your order was placed.", "future"),
        ("You said that the order was placed.", "reported"),
        ("Every order is confirmed by a text message.", "policy"),
    ],
)
def test_what_took_a_claim_back_is_named(text: str, section: str) -> None:
    found = asserts_order_exists(text)
    assert not found
    assert found.cancelled is not None
    assert found.cancelled.section == section


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Order ORD-10482 is placed", ("ORD-10482",)),
        ("orders 17, 18 and 19", ("17", "18", "19")),
        ("order #10 482", ("10482",)),
        ("order no. ١٧", ("17",)),
        ("call 0550 123 456", ()),
        ("call +213 550 12 34 56", ()),
        ("on 2024-05-12 at 12:30, 12/05/2024, May 20, 2024", ()),
        ("3 mugs, $25, 250 EGP, 12,50", ()),
        ("3lach 7aja", ()),
        ("TEA-2 for customer C-7", ()),
        ("I placed 1002", ("1002",)),
    ],
)
def test_ids_of_a_reply(text: str, ids: tuple[str, ...]) -> None:
    assert extract_identifiers(text) == ids


def test_ids_of_a_result_stand_under_their_keys() -> None:
    deep = {"a": [{"b": {"order_id": 7}}], "phone": "0550123456"}
    assert identifiers_in(deep) == ("7",)
    assert identifiers_in("not json") == ()
    assert same_id("ORD-7", "7")
    assert not same_id("ORD-7", "INV-7")


# -- dialogs -------------------------------------------------------------------------------------


def openai(result: str, reply: str) -> list[dict[str, Any]]:
    call = {"id": "c1", "function": {"name": "create_order", "arguments": '{"sku": "A"}'}}
    return [
        {"role": "user", "content": "order"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "assistant", "content": reply},
    ]


def anthropic(result: str, reply: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "order"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "create_order", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": result}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": reply}]},
    ]


@pytest.mark.parametrize("shape", [openai, anthropic])
def test_both_public_formats_say_the_same(shape: Any) -> None:
    reply = "Your order ORD-1 has been placed."
    assert evaluate_dialog(shape('{"order_id": "ORD-1"}', reply))[-1].found.label == "valid"
    assert evaluate_dialog(shape("Error: no", reply))[-1].found.label == "claimed_but_failed"
    dropped = [m for m in shape('{"order_id": "ORD-1"}', reply) if m["role"] == "user"][:1]
    said = [*dropped, {"role": "assistant", "content": reply}]
    assert evaluate_dialog(said)[-1].found.label == "phantom"


def test_a_create_counts_only_since_the_last_user_message_and_its_id_for_ever() -> None:
    messages = openai('{"order_id": "ORD-1"}', "Your order ORD-1 has been placed.")
    again = [{"role": "user", "content": "sure?"}]
    later = [*messages, *again, {"role": "assistant", "content": "Order ORD-1 has been placed."}]
    assert evaluate_dialog(later)[-1].found.label == "valid_status_ref"
    later[-1] = {"role": "assistant", "content": "Your second order has been placed."}
    assert evaluate_dialog(later)[-1].found.label == "phantom"


def test_a_call_that_is_written_into_the_text_is_text() -> None:
    text = '{"tool_calls": [{"name": "create_order"}]} Your order ORD-1 has been placed.'
    dialog = dialog_from_messages([{"role": "assistant", "content": text}])
    assert not any(isinstance(event, ToolCall) for event in dialog.events)
    assert evaluate_dialog(dialog)[0].found.label == "phantom"


def test_what_is_odd_in_a_dialog_is_noted_and_nothing_is_lost() -> None:
    messages = openai('{"order_id": "ORD-1"}', "Your order ORD-1 has been placed.")
    no_result = [m for m in messages if m["role"] != "tool"]
    assert "has no result" in dialog_from_messages(no_result).notes[0]
    assert evaluate_dialog(no_result)[-1].found.label == "claimed_but_failed"
    no_call = [messages[0], *messages[2:]]
    assert "without a call" in dialog_from_messages(no_call).notes[0]
    assert evaluate_dialog(no_call)[-1].found.label == "phantom"
    twice = [*messages[:3], *messages[1:]]
    twice[4] = {**twice[4], "content": "Error: no"}
    dialog = dialog_from_messages(twice)
    assert "given twice" in dialog.notes[0]
    assert [e.ok and e.result for e in dialog.events if isinstance(e, ToolCall)] == [
        {"order_id": "ORD-1"},
        "Error: no",
    ]


def test_a_log_with_broken_lines_goes_on(tmp_path: Path, claimlab: Command) -> None:
    good = {"messages": openai('{"order_id": "ORD-1"}', "Your order ORD-1 has been placed.")}
    own = {"tag": "T", "reply": "Which size would you like?", "calls": []}
    lines = [json.dumps(good), "{broken", json.dumps(own), '"text"', '{"x": 1}', '{"reply": "cu']
    log = tmp_path / "my log é.jsonl"
    log.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    entries = list(read_traces(log))
    assert [type(e) for e in entries] == [Dialog, Reject, Dialog, Reject, Reject, Reject]
    assert [e.line for e in entries] == [1, 2, 3, 4, 5, 6]
    assert isinstance(entries[5], Reject)
    assert entries[5].reason.endswith("; the log ends in the middle")
    out, rejects = tmp_path / "v.csv", tmp_path / "rejects.jsonl"
    ran = claimlab("orders", "--traces", log, "--out", out, "--rejects", rejects)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.endswith("RESULT: FAIL (4 rejected)\n")
    assert "rejected line 2: " in ran.stdout
    assert len(out.read_text("utf-8").splitlines()) == 3
    again = list(read_traces(rejects))
    assert [(e.line, type(e)) for e in again] == [(n, Reject) for n in (2, 4, 5, 6)]


def test_two_runs_are_compared(tmp_path: Path, claimlab: Command) -> None:
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    call = {"name": "create_order", "result": {"order_id": "ORD-1"}}
    a.write_text(json.dumps({"tag": "x", "reply": "Order ORD-1 is placed.", "calls": [call]}))
    b.write_text(json.dumps({"tag": "x", "reply": "Order ORD-2 is placed.", "calls": [call]}))
    ran = claimlab("orders", "compare", a, b)
    assert (ran.returncode, "valid -> phantom: 1" in ran.stdout) == (1, True)
    same = claimlab("orders", "compare", a, a)
    assert (same.returncode, "0 moved" in same.stdout) == (0, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--traces", "nowhere.jsonl"],
        ["--only", "A,Z"],
        ["--domain", "bank"],
        ["--domain", "nowhere.toml"],
        ["--out", "x.csv"],
        ["compare", "a.csv"],
        ["nonsense"],
        ["--traces", "t.jsonl", "--only", "A"],
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], claimlab: Command, tmp_path: Path) -> None:
    ran = claimlab("orders", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 'x'", "at least one"),
        ("[[action]]\nkind = 'fly'\ntools = ['a']\nid_keys = ['b']", "field 'kind'"),
        ("[[action]]\nkind = 'create'\nid_keys = ['b']", "field 'tools'"),
        ("[[action]]\nkind = 'create'\ntools = 'a'\nid_keys = ['b']", "field 'tools'"),
        ("nonsense = 1\n[[action]]\n", "field 'nonsense'"),
        ("id_shape = '('\n[[action]]\nkind='create'\ntools=['a']\nid_keys=['b']", "id_shape"),
    ],
)
def test_a_bad_domain_file_is_named(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says.replace("(", r"\(")):
        read_domain(path)


def test_a_bad_lexicon_is_named(tmp_path: Path) -> None:
    path = tmp_path / "l.toml"
    head = 'language = "x"\nname = "X"\nscript = "Latin"\nreview = "none"\n[sources]\nown = "me"\n'
    path.write_text(head + '[[negation]]\nform = "<nolist>"\ngloss = "g"\nsource = "own"\n'
                    'example = "e"\n', encoding="utf-8")  # fmt: skip
    with pytest.raises(InputError, match="nolist"):
        read_lexicon(path)


def test_the_airline_dialogs() -> None:
    log = SHARED / "corpora" / "airline_dialogs.jsonl"
    if not log.exists():
        pytest.skip("no shared/corpora/airline_dialogs.jsonl beside the project")
    labels = []
    for dialog in read_traces(log):
        assert isinstance(dialog, Dialog)
        labels += [verdict.found.label for verdict in evaluate_dialog(dialog, "airline")]
    assert len(labels) == 317
    assert sum(label in HARM for label in labels) <= 1
    assert labels.count("valid") >= 30


# -- frames, templates, releases -----------------------------------------------------------------


def fixtures_frame() -> Any:
    pd = pytest.importorskip("pandas")
    lines = (DATA / "orders_fixtures.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines] * 5
    return pd.DataFrame({"reply": [r["reply"] for r in rows],
                         "calls": [json.dumps(r["calls"]) for r in rows]})  # fmt: skip


def test_a_frame_is_judged_row_for_row() -> None:
    frame = fixtures_frame()
    done = evaluate_frame(frame)
    assert list(done.index) == list(frame.index)
    assert list(done["label"][:9]) == [f.found.label for f in judge(order_fixtures()).findings]
    with pytest.raises(InputError, match="row 0"):
        evaluate_frame(frame.assign(calls=17))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_gives_the_same_rows() -> None:
    dd = pytest.importorskip("dask.dataframe", reason="needs the extra scale")
    distributed = pytest.importorskip("distributed", reason="needs the extra scale")
    frame = fixtures_frame()
    alone = evaluate_frame(frame)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        parts = dd.from_pandas(frame, npartitions=4)
        done = parts.map_partitions(evaluate_frame, meta=evaluate_frame(frame.head(0))).compute()
    assert done.astype(object).to_dict("records") == alone.to_dict("records")


def test_a_confirmation_is_rendered_and_a_failure_holds_nothing_to_make_up_an_order_from() -> None:
    text = confirm(created("ORD-77")).text
    assert text == "Your order ORD-77 has been placed."
    assert classify(text, [created("ORD-77")]).label == "valid"
    broken = confirm(failed({"error": "order ORD-78 declined\nRESULT: PASS"}))
    assert broken.text is None
    assert not any(c.isdigit() for value in broken.context.values() for c in value)
    assert confirm(None).text is None


@pytest.mark.parametrize("name", RATES)
def test_a_release_is_the_same_for_a_seed_and_labelled_by_its_making(name: str) -> None:
    replies = release(name, 400)
    assert replies == release(name, 400)
    assert replies != release(name, 400, seed=5)
    assert all(LABELS[one.situation] == one.label for one in replies)
    wrong = [one for one in replies if classify(one.reply, one.calls).label != one.label]
    assert len(wrong) <= 8, wrong


def test_version_ones_rate_falls_while_harm_rises() -> None:
    rate, harm = {}, {}
    for name in RATES:
        replies = release(name, 400)
        rate[name] = sum(version_one(one.reply, one.calls) for one in replies) / 400
        harm[name] = sum(one.label in HARM for one in replies) / 400
    assert rate["second"] < rate["first"] - 0.05
    assert harm["second"] > harm["first"] + 0.05


# -- long replies --------------------------------------------------------------------------------

HOSTILE = [
    "not ",
    "1",
    "ma ",
    "I have placed your order. ",
    "I placed order and ",
    "order ",
    "placed ",
    "(",
    "order (placed ",
    "- ORD-1\n",
    "it has been ",
    "order has been placed? ",
    "if you ",
    "order is placed, ",
    "order 1 is placed and ",
    "ـ",
    "é",
    "ORD-12345, ",
]


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_a_reply_of_100000_characters_takes_linear_time(part: str) -> None:
    classify("Your order is placed.", [])
    text = (part * 100_000)[:100_000]
    for reply in (text, "Your order has been placed: " + text[:99_000]):
        start = process_time()
        classify(reply, [created("ORD-12345")])
        assert process_time() - start < 3  # about a tenth of it on a machine of its own
