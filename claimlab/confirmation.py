"""Rather than checking afterwards: a confirmation that is rendered from the tool's result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from claimlab.domains import Domain
from claimlab.order_classes import domain_of
from claimlab.report import flat
from claimlab.trace import ToolCall
from claimlab.trace_formats import json_value


@dataclass(frozen=True)
class Confirmation:
    """What may be said of a result: a text that is rendered, or a context for the model.

    ``text`` is None where the call did not succeed; then the model writes, from ``context``, which
    holds nothing that could be mistaken for an order.
    """

    text: str | None
    context: Mapping[str, str] = field(default_factory=dict)


def confirm(result: Any, domain: Domain | str | None = None) -> Confirmation:
    """Return the confirmation of an action's result, or the context of its failure.

    ``result`` is the tool call, or what the tool returned (then of the domain's first action). A
    lookup confirms nothing: it is no action.

    >>> confirm({"order_id": "ORD-10482", "status": "created"}).text
    'Your order ORD-10482 has been placed.'
    >>> confirm({"error": "card 4111 declined"})
    Confirmation(text=None, context={'outcome': 'failed', 'reason': 'card # declined'})
    >>> confirm(ToolCall("get_order", {}, {"order_id": "ORD-10482"})).context["outcome"]
    'no action was called'
    """
    of = domain_of(domain)
    first = of.actions[0]
    call = result if isinstance(result, ToolCall) else ToolCall(first.tools[0], {}, result)
    action = next((a for a in of.actions if a.made_by(call)), None)
    if action is None:
        return Confirmation(None, {"outcome": "no action was called", "tool": flat(call.name)})
    if of.succeeded(call):
        ids = list(dict.fromkeys(held.id for held in of.ids_in(call, action)))
        template = of.confirmation.get(action.kind)
        if template is not None and len(ids) == 1:
            return Confirmation(template.replace("{id}", ids[0]))
        return Confirmation(None, {"outcome": "succeeded without one id"})
    return Confirmation(None, {"outcome": "failed", "reason": _reason(call.result)})


def _reason(result: Any) -> str:
    """A failure in its tool's words, without a number, a code or a line break."""
    value = json_value(result)
    if isinstance(value, Mapping):
        named = [value.get(k) for k in ("error", "message", "reason", "detail")]
        value = next((text for text in named if isinstance(text, str)), "")
    words = str(value or "").split() if isinstance(value, str) else []
    kept = ["#" if any(map(str.isdigit, word)) else word for word in words]
    return flat(" ".join(kept))[:200] or "unknown"
