"""The ``claimlab`` command. Exit status: 0 PASS, 1 FAIL, 2 bad usage or bad input."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from claimlab import __version__
from claimlab.commands import (
    ask,
    generation,
    jury,
    ledger,
    lexicon,
    orders,
    record,
    review,
    start,
)
from claimlab.commands.common import BAD, FAIL, PASS, say
from claimlab.errors import ClaimlabError

__all__ = ["BAD", "FAIL", "PASS", "main"]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD, f"{self.prog}: {message}; see {self.prog} --help\n")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if sys.stdout is not None:
            sys.stdout.flush()  # here main() still hears that nobody reads
        super().exit(status, message)


def main(argv: list[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = _parser().parse_args(argv)
        status: int = arguments.run(arguments)
        if sys.stdout is not None:  # a closed one is None
            sys.stdout.flush()
    except ClaimlabError as error:
        say(" ".join(str(error).split()))
        return BAD
    except BrokenPipeError:
        _drop_output()  # whoever reads it has read enough
        return PASS
    except OSError as error:
        _drop_output()
        say(f"the output cannot be written ({error.strerror or error})")
        return BAD
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return status


def _drop_output() -> None:
    """Python writes what is left once more at exit: let nobody hear of the same error twice."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="claimlab",
        description="When a model says something, what independent object can still say no?",
        epilog="Exit status: 0 RESULT: PASS, 1 RESULT: FAIL, 2 bad usage or bad input.",
    )
    parser.add_argument("--version", action="version", version=f"claimlab {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    ledger.add(commands)
    jury.add(commands)
    generation.add(commands)
    review.add(commands)
    orders.add(commands)
    lexicon.add(commands)
    ask.add(commands)
    record.add(commands)
    start.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
