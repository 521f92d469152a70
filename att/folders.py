"""Where this package keeps what can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The user's cache folder for this package (XDG base directory specification: `XDG_CACHE_HOME`, else `~/.cache`)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "att-tiling"
