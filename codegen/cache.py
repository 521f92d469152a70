"""The folder that keeps compiled kernels.

Every result lies under a name that is the hash of all texts that went into it, so nothing is stale, and appears there only when it is
complete: it is made in a folder beside it and moved.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from att.errors import EmitError
from att.folders import user_cache


def default_cache() -> Path:
    """Where results are kept: the user's cache folder."""
    return user_cache()


@contextmanager
def making(cache: Path, name: str) -> Generator[Path]:
    """A new folder that becomes the result `name` when the block ends well. Raises EmitError if the cache cannot be written."""
    _make(cache)
    try:
        fresh = Path(tempfile.mkdtemp(dir=cache, prefix=f".{name[:24]}."))
    except OSError as error:
        raise _unwritable(cache, error) from None
    try:
        yield fresh
        _publish(fresh, cache / name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def alone(cache: Path) -> Generator[None]:
    """Only one process at a time is inside the block for a cache. Raises EmitError if the cache cannot be written."""
    _make(cache)
    handle = os.open(cache, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make(cache: Path) -> None:
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(cache, error) from None


def _unwritable(cache: Path, error: OSError) -> EmitError:
    return EmitError(
        f"the cache folder cannot be written: {error.strerror or error}",
        where=str(cache),
        hint="choose another with --cache, or set XDG_CACHE_HOME",
    )


def _publish(fresh: Path, final: Path) -> None:
    """Moves the folder to its name; where another process was faster, its equal result stays."""
    try:
        fresh.rename(final)
    except OSError:
        if not final.is_dir():
            raise
