"""The child process: llama.cpp's own server on loopback, for as long as the parent lives.

    python -m ankita.integrations.local_model.worker

The first line of standard input is the order (`child_words`); the key comes that way and
never stands in the list of processes. One line on standard output says where the server
answers. Standard input ends when the parent does, however it ends, and with it the child.
"""

from __future__ import annotations

import os
import sys
import threading

from ankita.integrations.local_model.child_words import (
    MAX_ORDER_BYTES,
    MODEL_NAME,
    Order,
    decode_order,
    encode_ready,
)


def main() -> None:
    """Serve until standard input ends. Ends with code 0 then, with another on any failure."""
    answer = _own_output()
    order = decode_order(sys.stdin.buffer.readline(MAX_ORDER_BYTES))
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    server = _start(order)
    with os.fdopen(answer, "wb") as pipe:
        pipe.write(encode_ready(server.listening_address))
    threading.Event().wait()


def _own_output() -> int:
    """Keep standard output for the one answer; what the library prints goes to the errors."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answer


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(MAX_ORDER_BYTES):
        pass
    os._exit(0)  # a reply in progress must not keep the process alive


def _start(order: Order):  # type: ignore[no-untyped-def]  # the library ships no types
    """Load the model; the interpreter stands still meanwhile."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = order.model
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [order.api_key]
    parameters.n_ctx = order.context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = order.threads
    parameters.cpuparams_batch.n_threads = order.threads
    # The memory was measured beforehand, so nothing may grow or be fitted later.
    parameters.cache_ram_mib = 0
    parameters.fit_params = False
    parameters.warmup = False
    # Nothing but the one door: no page, no downloads, no view of the conversations.
    parameters.offline = True
    parameters.ui = False
    parameters.endpoint_slots = False
    return xllamacpp.Server(parameters)


if __name__ == "__main__":
    main()
