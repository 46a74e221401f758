"""Readers of documents, each run in a bounded child process.

`process_reader.ProcessDocumentReader` is the way in. `intake` holds the cheap checks
and imports nothing heavy. Everything that touches the content of a file runs in the
child: `worker` -> `reading` -> one module a format.
"""
