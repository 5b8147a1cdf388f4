"""The predicate language of lab 2: what may be asked of frozen facts, and nothing else.

A predicate is a Python expression made of names of facts, literals, comparisons, ``in`` a tuple of
literals, ``is None``, ``and`` / ``or`` / ``not``, and ``+ - * /`` on numbers. It is an allow-list
with a lexer and a parser of its own: the source never meets Python's parser, so no length, nesting
or spelling can reach it. ``docs/predicates.md`` has the grammar and an example of each refusal.

It is a teaching lock with a published list of attacks, not a sandbox for a public server.
"""

from __future__ import annotations

import difflib
import keyword
import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from claimlab.errors import ClaimlabError
from claimlab.late import late

if TYPE_CHECKING:
    from claimlab.vacuity import Vacuity

Scalar: TypeAlias = "str | int | float | bool | None"
Facts: TypeAlias = Mapping[str, Scalar]
Type = Literal["yes-no", "number", "text", "null"]

MAX_LENGTH: Final = 1_000
MAX_DEPTH: Final = 40
MAX_NODES: Final = 200
MAX_TUPLE: Final = 50
MAX_DIGITS: Final = 40
MAX_TEXT: Final = 200
MAX_NAMES: Final = 200


class UnsafePredicate(ClaimlabError):
    """A predicate that is refused: why, at which column (from 1), and what might help."""

    def __init__(self, reason: str, column: int | None = None, hint: str = "") -> None:
        self.reason, self.column, self.hint = reason, column, hint
        where = f" at column {column}" if column is not None else ""
        super().__init__(f"{reason}{where}" + (f"; {hint}" if hint else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.column, self.hint)


class PredicateSyntaxError(UnsafePredicate):
    """A text that is no expression at all."""


# -- facts ---------------------------------------------------------------------------------------


def type_of(value: object) -> Type | None:
    """Return the type of a fact's value; None for a value that cannot be a fact."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "yes-no"
    if isinstance(value, int):
        return "number" if abs(value) < 10**MAX_DIGITS else None
    if isinstance(value, float):
        return "number" if value - value == 0 else None  # neither infinite nor NaN
    return "text" if isinstance(value, str) else None


def wrong_fact(name: object, value: object) -> str:
    """Return what is wrong with a fact's name or value, '' when nothing is."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"fact {name!r:.60}: expected a name of ASCII letters, digits and _"
    if keyword.iskeyword(name):
        return f"fact {name!r}: is a word of the language"
    if type_of(value) is None:
        return (
            f"fact {name!r}: expected text, a finite number of at most {MAX_DIGITS} digits, "
            f"true, false or null, got {_shown(value)}"
        )
    return ""


def _shown(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "a whole number with more digits"
    return f"{value!r:.40}"


# -- the tree ------------------------------------------------------------------------------------


class Name(NamedTuple):
    """A fact."""

    id: str
    type: Type
    column: int


class Value(NamedTuple):
    """A value written in the source."""

    value: Any
    type: Type
    column: int


class Arithmetic(NamedTuple):
    """``left op right`` on numbers, op one of ``+ - * /``; ``-x`` is ``0 - x``."""

    op: str
    left: Any
    right: Any
    column: int
    type: Type = "number"


class Compare(NamedTuple):
    """One comparison, op one of ``== != < <= > >= is``; a chain is the ``and`` of its links."""

    op: str
    left: Any
    right: Any
    column: int
    type: Type = "yes-no"


class Member(NamedTuple):
    """``left in values``."""

    left: Any
    values: tuple[Scalar, ...]
    column: int
    type: Type = "yes-no"


class Logic(NamedTuple):
    """``and`` / ``or`` of several parts, ``not`` of one."""

    op: str
    parts: tuple[Any, ...]
    column: int
    type: Type = "yes-no"


Node: TypeAlias = "Name | Value | Arithmetic | Compare | Member | Logic"


# -- words ---------------------------------------------------------------------------------------

_NAME = late(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = late(
    r"""[ \t]*(?:
    (?P<text>(?:[rRuUbBfF]|[bBfF][rR]|[rR][bBfF])?(?:\'\'\'(?:[^\\]|\\.)*?\'\'\'|\"\"\"(?:[^\\]|\\.)*?\"\"\"
        |\'(?:[^\'\\\n]|\\.)*\'|\"(?:[^\"\\\n]|\\.)*\"))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+
        |(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?
        |[0-9](?:_?[0-9])*\.?(?:[eE][+-]?[0-9](?:_?[0-9])*)?)
    |(?P<wrong>===|<>|&&|\|\||=>|=<|!==)
    |(?P<op>==|!=|<=|>=|<<|>>|\*\*|//|:=|->|\.\.\.|[-+*/%@&|^~<>()\[\]{},.:=])
    |(?P<line>\n)
    |(?P<end>$)
    )""",
    re.X | re.A,
)
_AFTER_NUMBER = late(r"[A-Za-z0-9_.]")

_BANNED_OPERATOR: Final = {
    "**": "Pow",
    "//": "FloorDiv",
    "%": "Mod",
    "@": "MatMult",
    "&": "BitAnd",
    "|": "BitOr",
    "^": "BitXor",
    "<<": "LShift",
    ">>": "RShift",
    ":=": "NamedExpr",
}
_INSTEAD: Final = {
    "===": "write ==",
    "<>": "write !=",
    "&&": "write and",
    "||": "write or",
    "=>": "write >=",
    "=<": "write <=",
    "!==": "write !=",
}
_COMPARISONS: Final = frozenset(["==", "!=", "<", "<=", ">", ">="])


class _Word(NamedTuple):
    kind: str
    text: str
    column: int


def _check_text(source: str) -> None:
    """Refuse what no part of the language may contain, before anything else is read."""
    if len(source) > MAX_LENGTH:
        raise UnsafePredicate(f"too long: {len(source):,} characters, at most {MAX_LENGTH:,}")
    if source.isascii() and source.isprintable():
        return
    for column, char in enumerate(source, 1):
        category = unicodedata.category(char)
        if category in ("Cc", "Cs") and char not in "\n\t":
            raise PredicateSyntaxError(f"control character {char!r}", column)
        if category in ("Cf", "Zl", "Zp"):
            quoted = any(quote in source[: column - 1] for quote in "'\"#")
            refusal = UnsafePredicate if quoted else PredicateSyntaxError
            raise refusal(f"invisible character U+{ord(char):04X}", column)


def _words(source: str) -> list[_Word]:
    """Return the words of a source, the last of kind ``end``."""
    found: list[_Word] = []
    depth = position = 0
    while True:
        match = _TOKEN.match(source, position)
        if match is None:
            raise _no_word(source, position)
        kind = str(match.lastgroup)
        text = match.group(kind)
        column = match.start(kind) + 1
        position = match.end()
        if kind == "op":
            depth += (text in "([{") - (text in ")]}")
        elif kind == "wrong":
            raise PredicateSyntaxError(f"no operator: {text}", column, _INSTEAD[text])
        elif kind == "number" and _AFTER_NUMBER.match(source, position):
            if source[position] in "jJ":
                raise UnsafePredicate("banned: complex number", column)
            raise PredicateSyntaxError("a number runs into what follows", column)
        elif kind == "line":
            if depth <= 0:
                raise PredicateSyntaxError("a line break", column, "write it on one line")
            continue
        found.append(_Word(kind, text, column))
        if kind == "end":
            return found
        if len(found) > MAX_NODES * 3:
            raise UnsafePredicate(f"too many words, at most {MAX_NODES * 3}", column)


def _no_word(source: str, position: int) -> UnsafePredicate:
    while source[position : position + 1] in (" ", "\t"):
        position += 1
    char, column = source[position], position + 1
    goes_on = position > 0 and (source[position - 1].isalnum() or source[position - 1] == "_")
    if not char.isascii() and (char.isidentifier() or (goes_on and f"a{char}".isidentifier())):
        return UnsafePredicate(f"unknown name: letter {char!r} outside ASCII", column)
    if char in "\"'":
        return PredicateSyntaxError("a text that does not end", column)
    if char == "#":
        return UnsafePredicate("banned: comment", column)
    return PredicateSyntaxError(f"no part of the language: {char!r}", column)


# -- literals ------------------------------------------------------------------------------------

_ESCAPE = late(
    r"\\(?:(?P<hex>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|N\{(?P<name>[^}]{1,80})\}"
    r"|(?P<octal>[0-7]{1,3})|(?P<bad>[xuUN])|(?P<other>(?s:.)))"
)
_SIMPLE: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "\n": "",
}


def _text_of(word: _Word) -> str:
    """Return the text that a text literal says, by Python's rules and without its warnings."""
    prefix = word.text[: min(i for i in (word.text.find("'"), word.text.find('"')) if i >= 0)]
    kinds = prefix.lower()
    if "b" in kinds:
        raise UnsafePredicate("banned: bytes", word.column)
    if "f" in kinds:
        raise UnsafePredicate("banned: JoinedStr", word.column)
    body = word.text[len(prefix) :]
    quote = 3 if body[:3] in ("'''", '"""') else 1
    body = body[quote:-quote]
    if "r" in kinds or "\\" not in body:
        return body

    def said(match: re.Match[str]) -> str:
        if match["hex"]:
            code = int(match["hex"][1:], 16)
        elif match["octal"]:
            code = int(match["octal"], 8)
        elif match["name"]:
            try:
                named = unicodedata.lookup(match["name"])
            except KeyError:
                named = ""
            code = ord(named) if len(named) == 1 else -1  # some names stand for several characters
        elif match["bad"]:
            code = -1
        else:  # an escape that Python does not know stays as it is written
            return _SIMPLE.get(match["other"], match.group())
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise PredicateSyntaxError("an escape that stands for no character", word.column)
        return chr(code)

    return _ESCAPE.sub(said, body)


def _number_of(word: _Word) -> int | float:
    text = word.text.replace("_", "").lower()
    if text[:2] in ("0x", "0o", "0b"):
        value: int | float = int(text, 0) if len(text) <= 4 * MAX_DIGITS else 10**MAX_DIGITS
    elif text.isdigit():
        if text[0] == "0" and text.strip("0"):
            raise PredicateSyntaxError("a whole number with a leading 0", word.column)
        value = int(text) if len(text) <= MAX_DIGITS else 10**MAX_DIGITS
    else:
        value = float(text)
    if type_of(value) is None:
        raise UnsafePredicate("a number out of bounds", word.column)
    return value


# -- the parser ----------------------------------------------------------------------------------


class _Parser:
    """One method a rule of the grammar; every refusal names its reason and its column."""

    def __init__(self, source: str, facts: Facts) -> None:
        self.words = _words(source)
        self.at = 0
        self.facts = facts
        self.depth = self.nodes = 0
        self.names: dict[str, None] = {}

    def parse(self) -> Node:
        """Predicate := disjunction, and it must be a yes/no."""
        if self.words[0].kind == "end":
            raise PredicateSyntaxError("empty predicate", 1)
        node = self.disjunction()
        word = self.words[self.at]
        if word.kind != "end":
            raise self.unexpected(word)
        return self.yes_no(node, "the predicate")

    # rules

    def disjunction(self) -> Node:
        """Disjunction := conjunction ("or" conjunction)*."""
        return self.logic("or", self.conjunction)

    def conjunction(self) -> Node:
        """Conjunction := negation ("and" negation)*."""
        return self.logic("and", self.negation)

    def logic(self, op: str, part: Callable[[], Node]) -> Node:
        """Several parts joined by one word."""
        first = part()
        word = self.words[self.at]
        if word.text != op or word.kind != "name":
            return first
        parts = [self.yes_no(first, f"what stands before '{op}'")]
        while (word := self.words[self.at]).text == op and word.kind == "name":
            self.at += 1
            parts.append(self.yes_no(part(), f"what stands after '{op}'", op, parts))
        return self.made(Logic(op, tuple(parts), parts[0].column))

    def negation(self) -> Node:
        """Negation := "not" negation | comparison."""
        word = self.words[self.at]
        if word.text != "not" or word.kind != "name":
            return self.comparison()
        self.at += 1
        self.deeper(word)
        part = self.yes_no(self.negation(), "what stands after 'not'")
        self.depth -= 1
        return self.made(Logic("not", (part,), word.column))

    def comparison(self) -> Node:
        """Comparison := sum (operator sum)* | sum ["not"] "in" tuple | sum "is" ["not"] "None"."""
        left = self.sum()
        links: list[Node] = []
        while True:
            word = self.words[self.at]
            if word.text in _COMPARISONS and word.kind == "op":
                self.at += 1
                right = self.sum()
                links.append(self.compared(word, left, right))
                left = right
            elif word.kind == "name" and word.text in ("in", "is", "not"):
                if links:
                    raise UnsafePredicate(f"banned: chained {word.text}", word.column)
                return self.member(word, left) if word.text != "is" else self.identity(word, left)
            elif not links:
                return left
            else:
                break
        return (
            links[0] if len(links) == 1 else self.made(Logic("and", tuple(links), links[0].column))
        )

    def member(self, word: _Word, left: Node) -> Node:
        """["not"] "in" "(" literal ("," literal)* [","] ")"."""
        negated = word.text == "not"
        self.at += 1
        if negated:
            if self.words[self.at].text != "in":
                raise self.unexpected(self.words[self.at])
            self.at += 1
        values = self.tuple_of(left)
        node = self.made(Member(left, values, left.column))
        word = self.words[self.at]
        if word.text in (*_COMPARISONS, "in", "is"):
            raise UnsafePredicate("banned: chained in", word.column)
        if word.kind == "op" and (word.text in "+-*/([." or word.text in _BANNED_OPERATOR):
            raise UnsafePredicate("in: expected a tuple of literals", word.column)
        return self.made(Logic("not", (node,), left.column)) if negated else node

    def tuple_of(self, left: Node) -> tuple[Scalar, ...]:
        """A tuple of literals, all of one type with what stands before ``in``."""
        opened = self.words[self.at]
        if opened.text in ("[", "{"):
            raise UnsafePredicate(
                f"banned: {'List' if opened.text == '[' else 'Set'}",
                opened.column,
                "write a tuple: in (1, 2)",
            )
        if opened.text != "(":
            raise self.no_tuple(opened)
        self.at += 1
        values: list[Scalar] = []
        comma = False
        while self.words[self.at].text != ")" or self.words[self.at].kind != "op":
            item = self.sum()
            value = constant(item)
            if value is None and not (isinstance(item, Value) and item.type == "null"):
                raise UnsafePredicate(
                    "in: expected a tuple of literals", item.column, "write in (1, 2)"
                )
            same_type(left, item, "in", item.column)
            values.append(item.value if isinstance(item, Value) else value)
            if len(values) > MAX_TUPLE:
                raise UnsafePredicate(f"a tuple of more than {MAX_TUPLE} values", opened.column)
            word = self.words[self.at]
            if word.text == ",":
                comma = True
                self.at += 1
            elif word.text != ")":
                raise self.unexpected(word)
        self.at += 1
        if not comma:
            hint = "write a comma: (3,)" if values else ""
            raise UnsafePredicate("in: expected a tuple of literals", opened.column, hint)
        return tuple(values)

    def no_tuple(self, word: _Word) -> UnsafePredicate:
        if word.kind in ("text", "number", "name"):
            self.primary()
            return UnsafePredicate(
                "in: expected a tuple of literals", word.column, "write in ('a', 'b')"
            )
        return self.unexpected(word)

    def identity(self, word: _Word, left: Node) -> Node:
        """Sum "is" ["not"] "None"."""
        self.at += 1
        negated = self.words[self.at].text == "not" and self.words[self.at].kind == "name"
        self.at += negated
        right = self.sum()
        if not (isinstance(right, Value) and right.type == "null"):
            raise UnsafePredicate("banned: is, except before None", word.column, "write ==")
        if self.words[self.at].text in (*_COMPARISONS, "in", "is"):
            raise UnsafePredicate("banned: chained is", self.words[self.at].column)
        node = self.made(Compare("is", left, right, left.column))
        return self.made(Logic("not", (node,), left.column)) if negated else node

    def sum(self) -> Node:
        """Sum := product (("+" | "-") product)*."""
        left = self.product()
        while (word := self.words[self.at]).text in ("+", "-") and word.kind == "op":
            self.at += 1
            left = self.calculated(word, left, self.product())
        if word.kind == "op" and word.text in _BANNED_OPERATOR:
            raise UnsafePredicate(f"banned: {_BANNED_OPERATOR[word.text]}", word.column)
        return left

    def product(self) -> Node:
        """Product := unary (("*" | "/") unary)*."""
        left = self.unary()
        while (word := self.words[self.at]).text in ("*", "/") and word.kind == "op":
            self.at += 1
            left = self.calculated(word, left, self.unary())
        if word.kind == "op" and word.text in _BANNED_OPERATOR:
            raise UnsafePredicate(f"banned: {_BANNED_OPERATOR[word.text]}", word.column)
        return left

    def unary(self) -> Node:
        """Unary := ("+" | "-") unary | primary."""
        word = self.words[self.at]
        if word.kind == "op" and word.text in ("+", "-"):
            self.at += 1
            self.deeper(word)
            part = self.unary()
            self.depth -= 1
            if part.type != "number":
                raise mismatch(f"{word.text} {a_type(part)}", word.column)
            if isinstance(part, Value):
                return (
                    part._replace(value=-part.value, column=word.column)
                    if word.text == "-"
                    else part
                )
            zero = Value(0, "number", word.column)
            return part if word.text == "+" else self.made(Arithmetic("-", zero, part, word.column))
        if word.kind == "op" and word.text == "~":
            raise UnsafePredicate("banned: Invert", word.column)
        return self.primary()

    def primary(self) -> Node:
        """Primary := name | literal | "(" disjunction ")"."""
        word = self.words[self.at]
        self.at += 1
        node: Node
        if word.kind == "name":
            follows = self.words[self.at]
            if follows.kind == "op" and follows.text in ("(", "[", "."):
                raise self.banned_after(word.column)
            node = self.named(word)
        elif word.kind == "number":
            node = Value(_number_of(word), "number", word.column)
        elif word.kind == "text":
            said = _text_of(word)
            while self.words[self.at].kind == "text":
                said += _text_of(self.words[self.at])
                self.at += 1
            if len(said) > MAX_TEXT:
                raise UnsafePredicate(f"a text of more than {MAX_TEXT} characters", word.column)
            node = Value(said, "text", word.column)
        elif word.text == "(" and word.kind == "op":
            node = self.bracketed(word)
        else:
            self.at -= 1
            raise self.unexpected(word)
        follows = self.words[self.at]
        if follows.kind == "op" and follows.text in ("(", "[", "."):
            raise self.banned_after(word.column)
        return self.made(node)

    def bracketed(self, word: _Word) -> Node:
        self.deeper(word)
        if self.words[self.at].text == ")" and self.words[self.at].kind == "op":
            raise UnsafePredicate("banned: Tuple", word.column)
        node = self.disjunction()
        self.depth -= 1
        closing = self.words[self.at]
        if closing.text != ")" or closing.kind != "op":
            raise self.unexpected(closing, word)
        self.at += 1
        return node

    def named(self, word: _Word) -> Node:
        if word.text in ("True", "False"):
            return Value(word.text == "True", "yes-no", word.column)
        if word.text == "None":
            return Value(None, "null", word.column)
        if word.text in ("lambda", "yield", "await"):
            later = [w.text for w in self.words[self.at :]]
            if word.text == "lambda" and ":" not in later:
                raise PredicateSyntaxError("no expression: lambda", word.column)
            name = {"lambda": "Lambda", "yield": "Yield", "await": "Await"}[word.text]
            raise UnsafePredicate(f"banned: {name}", word.column)
        follows = self.words[self.at]
        if follows.text == "=" or keyword.iskeyword(word.text):
            wrong = follows if follows.text == "=" else word
            hint = "write ==" if follows.text == "=" else ""
            raise PredicateSyntaxError(f"not expected here: {wrong.text}", wrong.column, hint)
        if word.text not in self.facts:
            known = [name for name in self.facts if isinstance(name, str)][:MAX_NAMES]
            near = difflib.get_close_matches(word.text[:MAX_DIGITS], known, 1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise UnsafePredicate(f"unknown name: {word.text}", word.column, hint)
        kind = type_of(self.facts[word.text])
        if kind is None or wrong_fact(word.text, self.facts[word.text]):
            raise UnsafePredicate(wrong_fact(word.text, self.facts[word.text]), word.column)
        self.names[word.text] = None
        return Name(word.text, kind, word.column)

    # refusals

    def banned_after(self, column: int) -> UnsafePredicate:
        """A call, attribute or subscript: the last of a chain names it, as in Python's tree."""
        name = "Call"
        while (word := self.words[self.at]).kind == "op" and word.text in ("(", "[", "."):
            name = {"(": "Call", "[": "Subscript", ".": "Attribute"}[word.text]
            depth = 0
            while self.words[self.at].kind != "end":
                word = self.words[self.at]
                self.at += 1
                depth += (word.text in "([{") - (word.text in ")]}") if word.kind == "op" else 0
                if depth <= 0 and (word.text in ")]}" or word.kind == "name"):
                    break
        return UnsafePredicate(f"banned: {name}", column)

    def unexpected(self, word: _Word, opened: _Word | None = None) -> UnsafePredicate:
        """What does not fit the grammar: a construct with a name, or no expression at all."""
        text = word.text
        if word.kind == "end":
            missing = f"no ) for the ( at column {opened.column}" if opened else "ends too early"
            return PredicateSyntaxError(missing, word.column)
        if word.kind == "op":
            if text == "," and (opened or self.at):
                hint = "" if opened else "remove the comma"
                return UnsafePredicate("banned: Tuple", word.column, hint)
            if text == "=":
                return PredicateSyntaxError("not expected here: =", word.column, "write ==")
            if text in ("[", "{"):
                return UnsafePredicate(f"banned: {'List' if text == '[' else 'Set'}", word.column)
            if text == "*" and self.depth:
                return UnsafePredicate("banned: Starred", word.column)
            if text == "...":
                return UnsafePredicate("banned: Ellipsis", word.column)
        if word.kind == "name" and text == "if":
            later = [w.text for w in self.words[self.at :]]
            if "else" in later:
                return UnsafePredicate("banned: IfExp", word.column, "write and / or")
        if word.kind == "name" and text in ("for", "async") and opened:
            return UnsafePredicate("banned: GeneratorExp", word.column)
        return PredicateSyntaxError(f"not expected here: {text[:40]}", word.column)

    # checks

    def deeper(self, word: _Word) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnsafePredicate(f"nested more than {MAX_DEPTH} deep", word.column)

    def made(self, node: Node) -> Node:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise UnsafePredicate(f"more than {MAX_NODES} parts", node.column)
        return node

    def yes_no(self, node: Node, what: str, op: str = "", before: list[Node] | None = None) -> Node:
        if node.type == "yes-no":
            return node
        hint = ""
        if isinstance(node, Value) and node.type == "text":
            hint = "remove the quotes" if not op else "write the comparison out on both sides"
        elif isinstance(node, Value):
            hint = "write the comparison out on both sides" if op else ""
        elif isinstance(node, Name):
            hint = f"compare it: {node.id} == ..."
        raise UnsafePredicate(f"no yes/no: {what} is {a_type(node)}", node.column, hint)

    def compared(self, word: _Word, left: Node, right: Node) -> Node:
        same_type(left, right, word.text, word.column)
        if word.text not in ("==", "!=") and "null" in (left.type, right.type):
            raise mismatch(f"{a_type(left)} {word.text} {a_type(right)}", word.column)
        for side in (left, right):
            if isinstance(side, Value) and side.type == "null":
                raise UnsafePredicate("banned: == None", word.column, "write is None")
        return self.made(Compare(word.text, left, right, left.column))

    def calculated(self, word: _Word, left: Node, right: Node) -> Node:
        for side in (left, right):
            if side.type != "number":
                raise mismatch(f"{a_type(left)} {word.text} {a_type(right)}", word.column)
        if word.text == "*" and constant(left) is None and constant(right) is None:
            raise UnsafePredicate("banned: a product of two facts", word.column)
        if word.text == "/":
            divisor = constant(right)
            if divisor is None:
                raise UnsafePredicate("banned: division by a fact", word.column)
            if divisor == 0 or exact(right) == 0:
                raise UnsafePredicate("division by zero", word.column)
        node = self.made(Arithmetic(word.text, left, right, left.column))
        if constant(left) is not None and constant(right) is not None:
            value = constant(node)
            if type_of(value) is None:
                raise UnsafePredicate("a number out of bounds", left.column)
        return node


def constant(node: Node) -> int | float | str | bool | None:
    """Return the value of a node without facts; None where a fact decides."""
    if isinstance(node, Value):
        return node.value  # type: ignore[no-any-return]
    if not isinstance(node, Arithmetic):
        return None
    left, right = constant(node.left), constant(node.right)
    if left is None or right is None:
        return None
    value: int | float = _calculate(node.op, left, right)
    return value


def exact(node: Node) -> Fraction:
    """Return the value of a number without facts, exactly: 1e16 + 1 - 1e16 - 1 is 0."""
    if isinstance(node, Value):
        return Fraction(node.value)
    assert isinstance(node, Arithmetic)
    left, right = exact(node.left), exact(node.right)
    if node.op == "/":
        return left / right
    return left * right if node.op == "*" else left + right if node.op == "+" else left - right


def _calculate(op: str, left: Any, right: Any) -> Any:
    try:
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        return left / right
    except ZeroDivisionError:
        raise UnsafePredicate("division by zero") from None
    except OverflowError:
        raise UnsafePredicate("a number out of bounds") from None


def a_type(node: Node) -> str:
    """Return a node's type in words."""
    words = {"yes-no": "a yes/no", "number": "a number", "text": "text", "null": "null"}
    return words[node.type]


def mismatch(what: str, column: int) -> UnsafePredicate:
    """Return the refusal of an operation between values that do not go together."""
    return UnsafePredicate(f"types do not fit: {what}", column)


def same_type(left: Node, right: Node, op: str, column: int) -> None:
    """Refuse a comparison of two types. A fact that is null may be compared with anything."""
    if left.type != right.type:
        for side in (left, right):
            if side.type == "null" and (isinstance(side, Name) or op == "in"):
                return
        refusal = mismatch(f"{a_type(left)} {op} {a_type(right)}", column)
        if any(isinstance(side, Value) and side.type == "null" for side in (left, right)):
            refusal.hint = "write is None"
        raise refusal


# -- running -------------------------------------------------------------------------------------


def evaluate(node: Node, facts: Facts) -> Any:
    """Return the value of a checked tree over facts, by walking it."""
    if isinstance(node, Compare):
        left, right = evaluate(node.left, facts), evaluate(node.right, facts)
        return truth_of(node.op, left, right)
    if isinstance(node, Name):
        return facts[node.id]
    if isinstance(node, Value):
        return node.value
    if isinstance(node, Logic):
        if node.op == "and":
            return all(evaluate(part, facts) for part in node.parts)
        if node.op == "or":
            return any(evaluate(part, facts) for part in node.parts)
        return not evaluate(node.parts[0], facts)
    if isinstance(node, Member):
        return evaluate(node.left, facts) in node.values
    return _calculate(node.op, evaluate(node.left, facts), evaluate(node.right, facts))


def truth_of(op: str, left: Any, right: Any) -> bool:
    """Return what a comparison of two values comes to."""
    if op == "==":
        return bool(left == right)
    if op == "!=":
        return bool(left != right)
    if op == "<":
        return bool(left < right)
    if op == "<=":
        return bool(left <= right)
    if op == ">":
        return bool(left > right)
    if op == ">=":
        return bool(left >= right)
    return left is right


def _source_of(node: Node) -> str:
    """Return the tree as Python text made anew, every part in brackets."""
    if isinstance(node, Name):
        return f"f[{node.id!r}]"
    if isinstance(node, Value):
        return repr(node.value) if not isinstance(node.value, str) else ascii(node.value)
    if isinstance(node, Logic):
        if node.op == "not":
            return f"(not {_source_of(node.parts[0])})"
        return "(" + f" {node.op} ".join(map(_source_of, node.parts)) + ")"
    if isinstance(node, Member):
        values = "".join(f"{value!a}, " for value in node.values)
        return f"({_source_of(node.left)} in ({values}))"
    if node.op == "is" and not isinstance(node.left, Name):
        return repr(node.left.type == "null")  # Python warns of `3 is None`
    return f"({_source_of(node.left)} {node.op} {_source_of(node.right)})"


class Predicate:
    """A checked predicate, parsed once and evaluated as often as you like.

    >>> facts = {"epochs": 3, "held_out": False}
    >>> predicate = Predicate.parse("epochs > 2 and not held_out", facts)
    >>> predicate.names, predicate.holds(facts)
    (('epochs', 'held_out'), True)
    >>> print(Predicate.parse("epoch == 3", facts))
    Traceback (most recent call last):
        ...
    claimlab.predicates.UnsafePredicate: unknown name: epoch at column 1; did you mean 'epochs'?
    """

    __slots__ = ("_checked", "_run", "_runs", "facts", "names", "source", "tree")

    def __init__(self, source: str, tree: Node, names: tuple[str, ...], facts: Facts) -> None:
        self.source, self.tree, self.names = source, tree, names
        self.facts = facts
        self._run: Callable[[Facts], bool] | None = None
        self._runs = 0
        self._checked: Facts | None = None

    @classmethod
    def parse(cls, source: str, facts: Facts) -> Predicate:
        """Return the predicate of a source text over facts; only their names and types count.

        Raises UnsafePredicate (PredicateSyntaxError for what is no expression), and nothing else,
        for any source and any facts.
        """
        if not isinstance(source, str):
            raise UnsafePredicate(f"no text: {type(source).__name__}")
        if not isinstance(facts, Mapping):
            raise UnsafePredicate(f"facts: expected a mapping, got {type(facts).__name__}")
        _check_text(source)
        parser = _Parser(source, facts)
        tree = parser.parse()
        return cls(source, tree, tuple(parser.names), {name: facts[name] for name in parser.names})

    def holds(self, facts: Facts) -> bool:
        """Return whether the predicate holds over facts of the same names and types.

        Raises UnsafePredicate when a fact is missing or of a type that the source does not fit.
        """
        try:
            if facts is not self._checked:
                self._check(facts)
            if self._run is not None:
                return self._run(facts)
            self._runs += 1
            if self._runs > 2:
                self._run = eval(
                    f"lambda f: True if {_source_of(self.tree)} else False", {"__builtins__": {}}
                )
            return bool(evaluate(self.tree, facts))
        except KeyError as error:
            raise UnsafePredicate(f"unknown name: {error.args[0]}") from None
        except (TypeError, ArithmeticError) as error:
            raise UnsafePredicate(f"cannot be evaluated: {error}") from None

    def _check(self, facts: Facts) -> None:
        """Refuse facts of other types; the same mapping is checked once."""
        for name in self.names:
            given, expected = type_of(facts[name]), type_of(self.facts[name])
            if given is None or (given != expected and "null" not in (given, expected)):
                raise UnsafePredicate(f"fact {name!r}: is of another type than when parsed")
        self._checked = facts

    def vacuity(self) -> Vacuity:
        """Return whether the predicate can hold and can fail, with a witness for each."""
        from claimlab.vacuity import vacuity

        return vacuity(self)

    def __repr__(self) -> str:
        return f"Predicate({self.source!r})"
