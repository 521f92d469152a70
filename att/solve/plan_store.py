"""The file that keeps solved plans: a table of texts by key in one SQLite database, safe under several processes.

It is a cache: whatever happens to the file, the answer is that nothing was kept. A damaged file is set aside with a warning; one that
cannot be read or written is left alone; one that another process holds is waited for once, for a moment.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final, TypeVar

T = TypeVar("T")

FILE_NAME: Final = "plans.sqlite3"
_MOST_PLANS: Final = 10_000
"""Plans kept, the latest ones: a plan has some kilobytes."""
_PATIENCE_S: Final = 0.4
"""How long a store waits for another process in all, seconds; a write takes some milliseconds, most plans less than a second."""
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS plans (key TEXT PRIMARY KEY, plan TEXT NOT NULL)"
_PRIMARY_CODE: Final = 0xFF
"""The bits of an extended SQLite error code that tell the kind of error."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlanStore:
    """Plans in a folder."""

    folder: Path
    patience_s: float = field(default=_PATIENCE_S, compare=False)
    _given_up: Event = field(default_factory=Event, compare=False, repr=False)
    """Set when another process held the file for too long: this store keeps and finds nothing from then on."""

    @property
    def path(self) -> Path:
        """The database file."""
        return self.folder / FILE_NAME

    def get(self, key: str) -> str | None:
        """The text kept under a key."""
        if not self.path.exists():
            return None
        row = self._attempt(lambda db: db.execute("SELECT plan FROM plans WHERE key = ?", (key,)).fetchone())
        return None if row is None else str(row[0])

    def put(self, key: str, text: str) -> None:
        """Keeps a text; the oldest ones go when there are too many."""

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO plans VALUES (?, ?)", (key, text))
            db.execute("DELETE FROM plans WHERE rowid <= (SELECT MAX(rowid) FROM plans) - ?", (_MOST_PLANS,))

        self._attempt(write)

    def drop(self, key: str) -> None:
        """Forgets a key."""
        self._attempt(lambda db: db.execute("DELETE FROM plans WHERE key = ?", (key,)))

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """The result of `work` in a transaction; None where the file does not allow it."""
        if self._given_up.is_set():
            return None
        try:
            with self._opened() as db:
                return work(db)
        except sqlite3.OperationalError as error:
            self._do_without(error)
        except sqlite3.DatabaseError as error:
            self._set_aside(error)
        except OSError as error:
            _log.info("plans are not kept: %s", error)
        return None

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=self.patience_s)) as db, db:
            db.execute(_SCHEMA)
            yield db

    def _do_without(self, error: sqlite3.OperationalError) -> None:
        if error.sqlite_errorcode & _PRIMARY_CODE in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            self._given_up.set()
            _log.warning("another process holds the plan cache; going on without it: %s", self.path)
        else:
            _log.info("plans are not kept: %s: %s", self.path, error)

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        aside = self.path.with_suffix(".damaged")
        _log.warning("the plan cache is damaged (%s); it is set aside as %s and begun anew", error, aside)
        try:
            self.path.replace(aside)
        except OSError as failure:
            _log.info("it cannot be set aside: %s", failure)
