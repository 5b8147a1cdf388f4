"""Lab 4, the order evaluator: a claim that something was done, against the trace of tool calls.

The replies are parted by who has to mend them. ``phantom`` is the model's, ``claimed_but_failed``
belongs to the path that hands a failed result to the reply, ``not_covered`` to whoever keeps the
lexicons; the others are nobody's.

One idea a file: the classes and their table in ``order_partition``, what the tools did in
``order_world``, which ids a claim cites in ``citing``, the class of a reply in ``order_classes``,
dialogs and frames in ``order_dialogs``, the fixtures' report in ``order_report``, and what makes
checking afterwards needless in ``confirmation``. The lesson's names are all here.
"""

from claimlab.confirmation import Confirmation, confirm
from claimlab.identifiers import extract_identifiers, identifiers_in
from claimlab.order_classes import (
    Assertion,
    Classification,
    Evidence,
    asserts_order_exists,
    classify,
    first_reading,
    version_one,
)
from claimlab.order_dialogs import FRAME_COLUMNS, Verdict, evaluate_dialog, evaluate_frame
from claimlab.order_partition import (
    FAILING,
    HARM,
    OWNERS,
    Case,
    Label,
    Row,
    decide,
    definitions_that_fit,
    truth_table,
)
from claimlab.order_report import (
    FIXTURES,
    Finding,
    Fixture,
    OrdersReport,
    judge,
    order_fixtures,
    result_line,
    version_one_line,
)

__all__ = [
    "FAILING",
    "FIXTURES",
    "FRAME_COLUMNS",
    "HARM",
    "OWNERS",
    "Assertion",
    "Case",
    "Classification",
    "Confirmation",
    "Evidence",
    "Finding",
    "Fixture",
    "Label",
    "OrdersReport",
    "Row",
    "Verdict",
    "asserts_order_exists",
    "classify",
    "confirm",
    "decide",
    "definitions_that_fit",
    "evaluate_dialog",
    "evaluate_frame",
    "extract_identifiers",
    "first_reading",
    "identifiers_in",
    "judge",
    "order_fixtures",
    "result_line",
    "truth_table",
    "version_one",
    "version_one_line",
]
