"""What `mended` corrects: calls and kernels that the published formulas price wrongly (att_facts §5.1)."""

from __future__ import annotations

from typing import Final

from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.call import Pipe
from benchmarks.cost_faults import V1, V2, Fault, Price, call, head, kernel, tile

F16, BF16, F32, U8, I64 = DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.UINT8, DType.INT64


def _unary(op: str, dtype: DType = F32, elems: int = 4096) -> Price:
    x = tile((elems, 1), dtype=dtype)
    return call(op, x, x)


def _cast(source: DType, target: DType) -> Price:
    return call("Cast", tile((4096, 1), dtype=target), tile((4096, 1), dtype=source))


def _sum(dtype: DType) -> Price:
    return call("Sum", tile((16, 1), (1, 0), dtype=dtype), tile((16, 1024), (1024, 1), dtype=dtype))


def _compare(elems: int) -> Price:
    x = tile((elems, 1), dtype=F16)
    return call("Gt", tile((elems, 1), dtype=U8), x, x)


def _where(*axes: tuple[int, int]) -> Price:
    x = tile(*axes, dtype=F16)
    return call("Where", x, tile(*axes, dtype=U8), x, x)


def _rows(op: str, dims: tuple[int, int], gm: int, dtype: DType = F32) -> Price:
    pitch = -(-dims[1] * dtype.bytes // 32) * 32 // dtype.bytes
    return call(op, tile((dims[0], pitch, gm), (dims[1], 1, 1), dtype=dtype))


def _added(m: int, n: int, *axes: str) -> HintGraph:
    g = GraphBuilder("added", {"m": m, "n": n})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("w", axes)))
    return g.build()


def _abs(m: int) -> HintGraph:
    g = GraphBuilder("abs", {"m": m})
    g.store("y", g.op("Abs", g.load("x", ("m",))))
    return g.build()


def _cut_sum(m: int, n: int) -> HintGraph:
    g = GraphBuilder("sum", {"m": m, "n": n})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    return g.build()


_SPREAD = (tile((64, 1024), (1024, 1)), tile((1, 0), (1024, 1)))
_COLUMN = (tile((64, 128), (128, 1), dtype=BF16), tile((64, 1), (1, 0), dtype=BF16))
_ALTERNATING = (tile((2, 16384), (4, 4096), (2, 2048), (16, 128), (128, 1)), tile((1, 0), (4, 32), (1, 0), (16, 2), (1, 0)))

FAULTS: Final[tuple[Fault, ...]] = (
    Fault(
        numbers="10",
        chip=V1,
        example="Where, 2,048 float16",
        published="charges 16 elements for each, the last cast 64 times",
        mended="each once, in whole repeats",
        price=_where((2048, 1)),
    ),
    Fault(
        numbers="11",
        chip=V1,
        example="Where, 32 rows of 40 float16",
        published="no whole 64 elements a row: free",
        mended="at least one repeat",
        price=_where((32, 48), (40, 1)),
    ),
    Fault(
        numbers="12, 13",
        chip=V1,
        example="Broadcast (1, 1024) to (64, 1024) float32",
        published="the length of the row is ignored",
        mended="whole repeats of the output",
        price=call("Broadcast", *_SPREAD),
    ),
    Fault(
        numbers="32",
        chip=V1,
        example="Broadcast (64, 1) to (64, 128) bfloat16",
        published="no repeat count: free",
        mended="like float16",
        price=call("Broadcast", *_COLUMN),
    ),
    Fault(
        numbers="33",
        chip=V1,
        example="Broadcast over axes 1, 3 and 5 of five",
        published="unknown pattern: free",
        mended="any pattern pays for its output",
        price=call("Broadcast", *_ALTERNATING),
    ),
    Fault(
        numbers="",
        chip=V1,
        example="RemovePad of 1,000 rows of 20 float32",
        published="the elements that are kept",
        mended="whole repeats of each row; rows of up to two blocks share them",
        price=call("RemovePad", tile((1000, 20), (20, 1)), tile((1000, 24), (20, 1))),
    ),
    Fault(
        numbers="14",
        chip=V1,
        example="Cast int64 to float32, 4,096",
        published="falls back to float32 to float32: free",
        mended="a cast",
        price=_cast(I64, F32),
    ),
    Fault(
        numbers="14",
        chip=V1,
        example="Cast int8 to float16, 4,096",
        published="falls back to float16 to float16: free",
        mended="a cast",
        price=_cast(DType.INT8, F16),
    ),
    Fault(
        numbers="15",
        chip=V1,
        example="Store, one row of 804 B",
        published="512 B compared with 201 elements: half speed",
        mended="half speed up to 512 B, full beyond",
        price=call("Store", tile((201, 1, 1))),
    ),
    Fault(
        numbers="16",
        chip=V1,
        example="Store, 64 rows of 100 B, 200 B apart",
        published="no stride term for unaligned rows",
        mended="stride term for all rows",
        price=_rows("Store", (64, 25), 50),
    ),
    Fault(
        numbers="17",
        chip=V1,
        example="Gt, 1,000 float16",
        published="alignment in the wrong unit: cheaper when unaligned",
        mended="the dearer of both, whole repeats",
        price=_compare(1000),
    ),
    Fault(
        numbers="22",
        chip=V1,
        example="Load, 16 rows of 64, 320 elements apart",
        published="(320 - 64) mod 256 = 0: the stride is free",
        mended="the gap, clamped",
        price=_rows("Load", (16, 64), 320),
    ),
    Fault(
        numbers="25",
        chip=V1,
        example="Sigmoid, 4,096 float32",
        published="placeholder of 1 cycle",
        mended="its row of the table",
        price=_unary("Sigmoid"),
    ),
    Fault(
        numbers="25",
        chip=V1,
        example="Ln, 4,096 float32",
        published="placeholder of 1 cycle",
        mended="an estimate, marked",
        price=_unary("Ln"),
    ),
    Fault(
        numbers="25",
        chip=V1,
        example="TrueDiv, 4,096 float32",
        published="placeholder of 1 cycle",
        mended="as Div, marked",
        price=call("TrueDiv", tile((4096, 1)), tile((4096, 1)), tile((4096, 1))),
    ),
    Fault(
        numbers="25",
        chip=V1,
        example="Mean of 16 rows of 1,024 float32",
        published="placeholder of 1 cycle",
        mended="an estimate, marked",
        price=call("Mean", tile((16, 1), (1, 0)), tile((16, 1024), (1024, 1))),
    ),
    Fault(
        numbers="30",
        chip=V1,
        example="MTE2 of Abs of 100, tiles of 64 and 36",
        published="the tail counts as a whole tile",
        mended="the tail as it is",
        price=kernel(_abs(100), "general.z0", {"z0t_size": 64, "z0Tb_size": 2}, Pipe.MTE2),
    ),
    Fault(
        numbers="",
        chip=V1,
        example="MTE2 of x[2, 100000] + w[100000], 56 left of tiles of 7,688",
        published="a fused cut: every tile at the price of the tail",
        mended="whole tiles and one tail",
        price=kernel(_added(2, 100000, "n"), "general.z1", {"z1t_size": 7688, "z0z1Tb_size": 1}, Pipe.MTE2),
    ),
    Fault(
        numbers="",
        chip=V1,
        example="VEC of Sum over 4 tiles of a row",
        published="joining the partial sums is free",
        mended="an Add for each further tile",
        price=kernel(_cut_sum(8, 4096), "general.z0.z1", {"z0t_size": 8, "z1t_size": 1024, "z0Tb_size": 1}, Pipe.VEC),
    ),
    Fault(
        numbers="28, 29",
        chip=V1,
        example="MTE2 of x[4096, 1024] + w[4096], 8 tiles a row, 683 a core",
        published="w is loaded once a row, whatever the kernel does",
        mended="what the kernel does",
        price=kernel(_added(4096, 1024, "m"), "general.z1", {"z1t_size": 128, "z0z1Tb_size": 683}, Pipe.MTE2),
    ),
    Fault(
        numbers="18",
        chip=V2,
        example="Exp, tile of [64, 4096] float32",
        published="only the first dim counts",
        mended="all elements",
        price=call("Exp", tile((64, 4096), (4096, 1)), tile((64, 4096), (4096, 1))),
    ),
    Fault(numbers="19", chip=V2, example="head of VEC", published="the head of MTE2", mended="its own, as on V1", price=head(Pipe.VEC)),
    Fault(
        numbers="20, 34",
        chip=V2,
        example="Load, one row of 200 float32",
        published="short rows have more bandwidth than long ones",
        mended="one bandwidth",
        price=call("Load", tile((200, 1, 1))),
    ),
    Fault(
        numbers="22",
        chip=V2,
        example="Load, 16 rows of 64, a million elements apart",
        published="clamped for numbers only; a symbol costs 0.005 a byte",
        mended="always clamped",
        price=_rows("Load", (16, 64), 10**6),
    ),
    Fault(
        numbers="24",
        chip=V2,
        example="Square, 4,096 float32",
        published="no cost function: 1 cycle",
        mended="a Mul, marked",
        price=_unary("Square"),
    ),
    Fault(
        numbers="26",
        chip=V2,
        example="Sum of 16 rows of 1,024 float16",
        published="dtype not listed: free",
        mended="like the others",
        price=_sum(F16),
    ),
    Fault(
        numbers="27",
        chip=V2,
        example="Any of 16 rows of 32 float32",
        published="no reduce instruction: its head only",
        mended="as Max, marked",
        price=call("Any", tile((16, 1), (1, 0)), tile((16, 32), (32, 1))),
    ),
)
"""In the order of chips and kinds."""
