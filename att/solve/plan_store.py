"""The file that keeps solved plans: a table of texts by key in one SQLite database, safe under several processes.

It is a cache: whatever happens to the file, the answer is that nothing was kept. A damaged file is set aside with a warning; one that
cannot be read or written is left alone.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

FILE_NAME: Final = "plans.sqlite3"
_MOST_PLANS: Final = 10_000
"""Plans kept, the latest ones: a plan has some kilobytes."""
_PATIENCE_S: Final = 5.0
"""How long a process waits for another one's write."""
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS plans (key TEXT PRIMARY KEY, plan TEXT NOT NULL)"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlanStore:
    """Plans in a folder."""

    folder: Path

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
        try:
            with self._opened() as db:
                return work(db)
        except sqlite3.OperationalError as error:
            _log.info("plans are not kept: %s: %s", self.path, error)
        except sqlite3.DatabaseError as error:
            self._set_aside(error)
        except OSError as error:
            _log.info("plans are not kept: %s", error)
        return None

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=_PATIENCE_S)) as db, db:
            db.execute(_SCHEMA)
            yield db

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        aside = self.path.with_suffix(".damaged")
        _log.warning("the plan cache is damaged (%s); it is set aside as %s and begun anew", error, aside)
        try:
            self.path.replace(aside)
        except OSError as failure:
            _log.info("it cannot be set aside: %s", failure)
