"""From a HintGraph to templates: loop nests with symbolic tile sizes. One transform a file; `generate` puts them together."""
