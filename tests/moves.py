"""Graphs that move values: transposes, joins, slices, gathers. Sizes are numbers or shape symbols."""

from __future__ import annotations

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType

F32 = DType.FLOAT32


def builder(name, sizes):
    """A builder over axes a, b, c … of these sizes; sizes that are names become shape symbols."""
    symbols = tuple(Size(name=size, maximum=5000) for size in sizes if isinstance(size, str))
    known = {size.name: size.symbol for size in symbols}
    return GraphBuilder(name, {axis: known.get(size, size) for axis, size in zip("abcdefgh", sizes, strict=False)}, symbols)


def transposed(order, sizes, dtype=F32, *, added=False, cast_to=None):
    """x lies in the axis order `order` (as `ba`) and is stored as a, b, …; `added`: with a row added behind the Transpose, an Abs before."""
    g = builder(f"transpose_{order}_{dtype}{'_added' if added else ''}{cast_to or ''}", sizes)
    x = g.load("x", tuple(order), dtype, in_place=True)
    if cast_to is not None:
        x = g.in_order("Cast", x, tuple(order), dtype=cast_to)
    t = g.op("Transpose", x)
    if added:
        t = g.op("Add", t, g.load("row", (max(order),), t.dtype))
    g.store("y", t)
    return g.build()


def joined(lengths, rows=("M",), dtype=F32, *, tail=(), behind=False, name="join"):
    """Parts [rows..., p_k, tail...] side by side; `behind`: an Exp and a row added behind the Concat, an Abs before."""
    total = sum(lengths) if all(isinstance(n, int) for n in lengths) else None
    symbols = tuple(Size(name=s, maximum=5000) for s in dict.fromkeys((*rows, *lengths, *tail)) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    sizes = [known.get(n, n) for n in lengths]
    if total is None:
        total = sizes[0]
        for size in sizes[1:]:
            total = total + size
    row_axes, tail_axes = [f"m{i}" for i in range(len(rows))], [f"t{i}" for i in range(len(tail))]
    parts = [f"p{k}" for k in range(len(lengths))]
    axes = {**dict(zip(row_axes, (known.get(r, r) for r in rows), strict=True)), "n": total, **dict(zip(parts, sizes, strict=True)),
            **dict(zip(tail_axes, (known.get(t, t) for t in tail), strict=True))}  # fmt: skip
    g = GraphBuilder(f"{name}_{'_'.join(map(str, (*rows, *lengths, *tail)))}_{dtype}{'_behind' if behind else ''}", axes, symbols)
    values = [g.load(f"x{k}", (*row_axes, p, *tail_axes), dtype) for k, p in enumerate(parts)]
    if behind:
        values = [g.op("Abs", value) for value in values]
    y = g.concat("n", *zip(values, parts, strict=True))
    if behind:
        y = g.op("Add", g.op("Exp", y), g.load("row", ("n", *tail_axes), dtype))
    g.store("y", y)
    return g.build()


def joined_reduces(lengths, *ops, rows=3, normed=False):
    """y[m] = op(Concat(x0, |x1|, …)) for each op; `normed`: y[m, n] = softmax of it instead. Sizes are numbers or shape symbols."""
    symbols = tuple(Size(name=s, maximum=100_000) for s in dict.fromkeys((rows, *lengths)) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    sizes = [known.get(n, n) for n in lengths]
    total = sizes[0]
    for size in sizes[1:]:
        total = total + size
    parts = [f"p{k}" for k in range(len(lengths))]
    name = "_".join(map(str, ("reduced", *lengths, *ops, *(["normed"] if normed else []))))
    g = GraphBuilder(name, {"m": known.get(rows, rows), "n": total, **dict(zip(parts, sizes, strict=True))}, symbols)
    loads = [g.load(f"x{k}", ("m", p)) for k, p in enumerate(parts)]
    y = g.concat("n", *zip([loads[0], *(g.op("Abs", x) for x in loads[1:])], parts, strict=True))
    for k, op in enumerate(ops):
        g.store(f"y{k}", g.reduce(op, y, "n"))
    if normed:
        e = g.op("Exp", g.op("Sub", y, g.reduce("Max", y, "n")))
        g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def picked(table, indices, *, dtype=F32, index=DType.INT32, scaled=False):
    """Elements of the last axis of a table, `table` and `indices` being sizes of axes; `scaled`: doubled behind."""
    symbols = tuple(Size(name=s, maximum=5000) for s in dict.fromkeys((*table, *indices)) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    rows, picks = [f"m{i}" for i in range(len(table) - 1)], [f"n{i}" for i in range(len(indices))]
    sizes = dict(zip((*rows, "v", *picks), (known.get(s, s) for s in (*table, *indices)), strict=True))
    g = GraphBuilder(f"pick_{'_'.join(map(str, (*table, 'by', *indices)))}_{dtype}_{index}{'_scaled' if scaled else ''}", sizes, symbols)
    y = g.gather(g.load("x", (*rows, "v"), dtype), "v", g.load("i", tuple(picks), index))
    g.store("y", g.op("Mul", y, 2.0) if scaled else y)
    return g.build()


def picked_from_each(rows, length, row=(), *, dtype=F32, index=DType.INT32, outer=(), summed=False):
    """y[outer..., m, row...] = x[outer..., m, i[m], row...], sizes as above; `summed`: added up over m behind."""
    names = {"o": outer, "m": (rows,), "v": (length,), "d": row}
    symbols = tuple(Size(name=s, maximum=60000) for s in dict.fromkeys(x for part in names.values() for x in part) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    axes = {f"{k}{i}": known.get(s, s) for k, part in names.items() for i, s in enumerate(part)}
    of = {k: [f"{k}{i}" for i in range(len(part))] for k, part in names.items()}
    g = GraphBuilder(f"each_{'_'.join(map(str, (*outer, rows, length, *row)))}_{dtype}_{index}{'_summed' if summed else ''}", axes, symbols)
    y = g.gather(g.load("x", (*of["o"], "m0", "v0", *of["d"]), dtype), "v0", g.load("i", ("m0",), index))
    g.store("y", g.reduce("Sum", y, "m0") if summed else y)
    return g.build()


def rows_picked(table, indices, row, *, outer=(), dtype=F32, index=DType.INT32, scaled=False):
    """Rows of a table [outer..., table, row...] picked along `table`; sizes as above; `scaled`: doubled behind."""
    names = {"o": outer, "n": indices, "v": (table,), "d": row}
    symbols = tuple(Size(name=s, maximum=5000) for s in dict.fromkeys(x for part in names.values() for x in part) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    axes = {f"{k}{i}": known.get(s, s) for k, part in names.items() for i, s in enumerate(part)}
    of = {k: [f"{k}{i}" for i in range(len(part))] for k, part in names.items()}
    name = "_".join(map(str, (*outer, table, "by", *indices, "of", *row)))
    g = GraphBuilder(f"rows_{name}_{dtype}_{index}{'_scaled' if scaled else ''}", axes, symbols)
    y = g.gather(g.load("x", (*of["o"], "v0", *of["d"]), dtype), "v0", g.load("i", tuple(of["n"]), index))
    g.store("y", g.op("Mul", y, 2.0) if scaled else y)
    return g.build()


def cut(lengths, *, rows=("M",), tail=(), scaled=False):
    """[rows..., s, tail...] cut along s into pieces, each stored on its own; `scaled`: |x| is cut, and doubled behind."""
    symbols = tuple(Size(name=s, maximum=5000) for s in dict.fromkeys((*rows, *lengths, *tail)) if isinstance(s, str))
    known = {s.name: s.symbol for s in symbols}
    sizes = [known.get(n, n) for n in lengths]
    total = sizes[0]
    for size in sizes[1:]:
        total = total + size
    of_rows, of_tail, pieces = ([f"{k}{i}" for i in range(len(part))] for k, part in (("m", rows), ("t", tail), ("p", lengths)))
    axes = {**{a: known.get(s, s) for a, s in zip(of_rows, rows, strict=True)}, "s": total, **dict(zip(pieces, sizes, strict=True)),
            **{a: known.get(s, s) for a, s in zip(of_tail, tail, strict=True)}}  # fmt: skip
    g = GraphBuilder(f"cut_{'_'.join(map(str, (*rows, *lengths, *tail)))}{'_scaled' if scaled else ''}", axes, symbols)
    x = g.load("x", (*of_rows, "s", *of_tail))
    for k, piece in enumerate(g.split(g.op("Abs", x) if scaled else x, "s", *pieces)):
        g.store(f"y{k}", g.op("Mul", piece, 2.0) if scaled else piece)
    return g.build()


def mean_of_16():
    """Divided by a power of two, a mean is the same number before and after its sum is rounded."""
    g = GraphBuilder("mean_of_16", {"m": 8, "n": 16})
    g.store("y", g.reduce("Mean", g.load("x", ("m", "n")), "n"))
    return g.build()
