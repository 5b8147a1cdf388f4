"""The errors that claimlab raises on purpose. Each is one line that names what and where."""

from __future__ import annotations


class ClaimlabError(Exception):
    """Base class of every error that claimlab raises on purpose."""


class InputError(ClaimlabError):
    """Something that was handed in cannot be used: which thing, where, and what was expected.

    >>> raise InputError("courses.toml: entry 3: field 'code' is missing")
    Traceback (most recent call last):
        ...
    claimlab.errors.InputError: courses.toml: entry 3: field 'code' is missing
    """
