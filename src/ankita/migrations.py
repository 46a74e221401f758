"""The database's schema, one step a version. A landed step is never edited."""

from __future__ import annotations

import sqlite3

_STEPS = (
    """
    CREATE TABLE threads (
        id TEXT PRIMARY KEY,
        teammate_id TEXT NOT NULL,
        title TEXT NOT NULL,
        draft TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE turns (
        id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        status TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX turns_by_thread ON turns (thread_id, started_at);
    CREATE INDEX turns_running ON turns (status) WHERE status = 'running';
    CREATE TABLE items (
        id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        is_open INTEGER NOT NULL,
        UNIQUE (thread_id, position)
    ) STRICT;
    CREATE INDEX items_open ON items (is_open) WHERE is_open = 1;
    CREATE INDEX items_by_turn ON items (turn_id);
    CREATE TABLE growth (
        id INTEGER PRIMARY KEY,
        item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
        text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX growth_by_item ON growth (item_id);
    CREATE TABLE attachments (
        id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        is_sent INTEGER NOT NULL DEFAULT 0,
        body TEXT NOT NULL,
        text TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX attachments_by_thread ON attachments (thread_id, created_at);
    CREATE TABLE notes (
        id INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL,
        turn_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        teammate_id TEXT NOT NULL,
        digest TEXT NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'yes', 'no', 'withdrawn')),
        answered_by TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        answered_at TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX approvals_pending ON approvals (created_at) WHERE state = 'pending';
    CREATE TRIGGER approvals_answered_once BEFORE UPDATE OF state ON approvals
        WHEN OLD.state <> 'pending'
        BEGIN SELECT RAISE (ABORT, 'an answered request is final'); END;
    CREATE TABLE decisions (
        sequence INTEGER PRIMARY KEY,
        server TEXT NOT NULL,
        outcome TEXT NOT NULL,
        body TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_server ON decisions (server, outcome);
    """,
    """
    CREATE TABLE teammates (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE plans (
        thread_id TEXT PRIMARY KEY REFERENCES threads (id) ON DELETE CASCADE,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE queued (
        id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (thread_id, position)
    ) STRICT;
    CREATE TABLE requests (
        id INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
        turn_id TEXT NOT NULL,
        step INTEGER NOT NULL,
        at TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX requests_by_thread ON requests (thread_id, id);
    ALTER TABLE approvals ADD COLUMN parked_at TEXT NOT NULL DEFAULT '';
    """,
)

SCHEMA_VERSION = len(_STEPS)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a database from `version` to SCHEMA_VERSION, each step in one transaction."""
    for number in range(version + 1, SCHEMA_VERSION + 1):
        step = _STEPS[number - 1]
        connection.executescript(f"BEGIN IMMEDIATE;{step};PRAGMA user_version={number};COMMIT;")
