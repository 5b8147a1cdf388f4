"""Planting a fault: one rule of the library broken, while a ``with`` lasts.

For a demonstration in class, for a learner, and for the course's own tests: each fault must turn a
lesson red. The faults are data (``data/faults.toml``): a line of a file, and what somebody might
have written instead. A file is compiled again with the broken line, and the functions that changed
get the new code; whoever holds such a function runs the broken rule, and the old one afterwards.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType
from typing import Any

from claimlab import files
from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, read_unique

PACKAGE = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """One line of one file of the library, and what somebody might have written instead.

    ``says`` is the fault in words; ``lesson`` the number of the lesson that has to turn red.
    """

    name: str
    says: str
    file: str
    line: str
    broken: str
    lesson: int


@lru_cache(maxsize=1)
def faults() -> Mapping[str, Fault]:
    """Return the faults by name, such as ``ledger.weekday``."""
    return read_unique(DATA / "faults.toml", _fault, "name")


def _fault(record: Record) -> Fault:
    check_names(record.fields, [field.name for field in fields(Fault)], record.place)
    return Fault(**record.fields)


_lock = RLock()
_planted: list[Fault] = []


@contextmanager
def broken(name: str) -> Iterator[Fault]:
    """Break a rule of the running library inside a ``with`` statement; yields the fault.

    Raises InputError for a name that no fault has, naming those there are.

    >>> from claimlab.courses import lookup_course
    >>> from claimlab.ledger import judge_claim
    >>> def verdict(): return judge_claim(
    ...     "COMP 4081 has a Tuesday lab", lookup_course("COMP 4081"), "weekday").source
    >>> with broken("ledger.weekday"):
    ...     verdict()
    'TOOL'
    >>> verdict()
    'GUESSED'
    """
    fault = faults().get(name)
    if fault is None:
        known = ", ".join(faults())
        raise InputError(f"fault: no {name!r:.60}, expected one of {known}")
    with _lock:
        _planted.append(fault)
        try:
            _settle(fault.file)
        except BaseException:
            _planted.remove(fault)
            _settle(fault.file)
            raise
    try:
        yield fault
    finally:
        with _lock:
            _planted.remove(fault)
            _settle(fault.file)


def with_fault(fault: Fault, source: str) -> str:
    """Return a file's text with a fault in it, with as many lines as before.

    Raises InputError if its line is not there once, or more is put in than is taken out.
    """
    count = source.count(fault.line)
    if count != 1:
        raise InputError(f"fault {fault.name}: its line is in {fault.file} {count} times, not once")
    fewer = fault.line.count("\n") - fault.broken.count("\n")
    if fewer < 0:
        raise InputError(f"fault {fault.name}: puts in {-fewer} lines more than it takes out")
    return source.replace(fault.line, fault.broken + "\n" * fewer)


def _settle(file: str) -> None:
    """Bring a file's functions, or its text, to what the planted faults ask for."""
    path = PACKAGE / file
    source = path.read_text(encoding="utf-8")
    text = source
    for fault in dict.fromkeys(_planted):
        if fault.file == file:
            text = with_fault(fault, text)
    if path.suffix == ".py":
        _exchange(file, source, text)
    elif text == source:
        files.STAND_INS.pop(path, None)
    else:
        files.STAND_INS[path] = text
    _forget()


_whole: dict[str, dict[FunctionType, CodeType]] = {}
"""By file: the functions that run a broken rule now, and the code that they had before."""


def _exchange(file: str, source: str, text: str) -> None:
    """Give the functions in which the two texts differ the code of the second.

    Raises InputError, and leaves the library whole, when a difference is in no function of it.
    """
    module = importlib.import_module("claimlab." + ".".join(Path(file).with_suffix("").parts))
    for function, code in _whole.pop(file, {}).items():
        function.__code__ = code
    changes = _changed(*(compile(t, str(PACKAGE / file), "exec", dont_inherit=True)
                         for t in (source, text)))  # fmt: skip
    found = {one.__qualname__: one for one in _functions(vars(module), module.__name__)}
    for name, new in changes.items():
        if "<" in name or name not in found or new.co_freevars != found[name].__code__.co_freevars:
            raise InputError(f"fault in {file}: {name} is no function that can be exchanged")
    _whole[file] = {found[name]: found[name].__code__ for name in changes}
    for name, new in changes.items():
        found[name].__code__ = new


def _changed(before: CodeType, after: CodeType) -> dict[str, CodeType]:
    """The functions in which two compiled texts differ, by qualified name, outermost first.

    What differs outside every function is listed under the name of its module or class.
    """
    old = [inner for inner in before.co_consts if isinstance(inner, CodeType)]
    new = [inner for inner in after.co_consts if isinstance(inner, CodeType)]
    found: dict[str, CodeType] = {}
    if _own(before) != _own(after) or len(old) != len(new):
        found[after.co_qualname] = after
    for one, other in zip(old, new, strict=False):
        if one != other:
            a_function = other.co_flags & CO_OPTIMIZED
            found |= {other.co_qualname: other} if a_function else _changed(one, other)
    return found


def _own(code: CodeType) -> tuple[object, ...]:
    """What a module or a class does itself, without its functions."""
    constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, code.co_names, repr(constants)


def _functions(names: Mapping[str, Any], module: str) -> Iterator[FunctionType]:
    """Every function that a module defines, also inside classes and decorators."""
    for held in list(names.values()):
        if isinstance(held, type):
            if held.__module__ == module:
                yield from _functions(vars(held), module)
            continue
        for part in (held, *(getattr(held, name, None) for name in ("fget", "func", "__func__"))):
            inner = getattr(part, "__wrapped__", part)
            if isinstance(inner, FunctionType) and inner.__module__ == module:
                yield inner


def _forget() -> None:
    """Empty every cache of the library: what it holds was computed by other rules."""
    for name, module in list(sys.modules.items()):
        if name == "claimlab" or name.startswith("claimlab."):
            for held in list(vars(module).values()):
                clear = getattr(held, "cache_clear", None)
                if callable(clear) and held is not faults:
                    clear()
