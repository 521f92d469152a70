"""Numbers about chips, in TOML files, and their loader. Knows nothing of the rest."""
