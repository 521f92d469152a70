"""What running a kernel on the CPU model found: errors against numpy, and measured numbers beside the model's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType

from att.report.console import assignments_text, heading, table


def run_tables(document: Mapping[str, Any]) -> RenderableType:
    """The tables of one `att run` document."""
    parts: list[RenderableType] = [heading(_title(document))]
    for entry in document["runs"]:
        parts += ["", _verdict(entry), "", _outputs(entry), "", _agreement(entry)]
    if not document["runs"]:
        parts += ["", "An axis has size 0: there is nothing to run."]
    if document["skipped"]:
        parts += ["", table("Templates not run", ("template", "reason"), ((s["template"], s["reason"]) for s in document["skipped"]))]
    return Group(*parts)


def _title(document: Mapping[str, Any]) -> str:
    shape = assignments_text(document["shape"].items()) if document["shape"] else "static"
    return f"{document['graph']} on the CPU model of {document['chip']}, shape {shape}, seed {document['seed']}"


def _verdict(entry: Mapping[str, Any]) -> str:
    word = "right" if entry["ok"] else "WRONG"
    return f"{entry['template']}: {word} ({assignments_text(entry['variables'].items())}, {entry['block_dim']} cores)"


def _outputs(entry: Mapping[str, Any]) -> RenderableType:
    rows = ((o["name"], f"{o['elems']:,}", o["wrong"], f"{o['max_error']:.3g}", f"{o['max_ulps']:.1f}") for o in entry["outputs"])
    columns = ("output", "elements", "wrong", "max error", "max ulps")
    return table("Against numpy", columns, rows, numbers=columns[1:])


def _agreement(entry: Mapping[str, Any]) -> RenderableType:
    return table("Against the model", ("", "predicted", "measured"), _numbers(entry["agreement"]), numbers=("predicted", "measured"))


def _numbers(agreement: list[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """UB and transfers line by line; calls in one line as long as they all agree."""
    calls = [a for a in agreement if a["what"].startswith("calls of")]
    for a in agreement:
        if a not in calls or a["predicted"] != a["measured"]:
            yield a["what"], f"{a['predicted']:,}", f"{a['measured']:,}"
    right = [a for a in calls if a["predicted"] == a["measured"]]
    if right:
        total = sum(a["predicted"] for a in right)
        yield f"API calls in {len(right)} places", f"{total:,}", f"{total:,}"
