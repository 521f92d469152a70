"""Logic on truth values: what is not 0 is true."""

from __future__ import annotations

from codegen.operands import TMP, Site


def logical(site: Site) -> None:
    """LogicalAnd, LogicalOr, LogicalNot, in chunks that fit the temporary area of a full tile."""
    operands = sorted(site.inputs, key=lambda operand: operand.is_scalar)
    helper = site.node.op if site.node.op == "LogicalNot" else "LogicalPair"
    logic = {"LogicalAnd": "<Logic::AND>", "LogicalOr": "<Logic::OR>"}.get(site.node.op, "")
    site.body.uses(helper)
    bytes_text = site.scope.text(site.spec.tmp_bytes(site.scope.full_call(site.node), site.costs))
    texts = ", ".join((site.output.text, *(o.text for o in operands), TMP, bytes_text, site.count()))
    site.vector(f"{helper}{logic}({texts});", scratch=True)
