"""Records of ops that move values: Load, Store, Broadcast, RemovePad, Transpose, Concat, Gather, Split.

Moves take any bits. The op table of V1 lacks int64 for Broadcast, Concat and Transpose; it is there because each is made of calls that
take it: a Gather of halves, copies of blocks, and loads and stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from att.expr.core import Expr
from att.ir.node import AttrValue
from att.ops import (
    concat,
    dtypes,
    gathers,
    matrices,
    mended_dma,
    packing,
    published_broadcast,
    published_dma,
    published_gather,
    published_vector,
    tmp_mended,
    tmp_published,
)
from att.ops import mended_vector as mended
from att.ops.call import Pipe
from att.ops.elementwise import DEFAULT_TMP
from att.ops.instructions import recipe
from att.ops.pricing import no_price, no_tmp, priced, requested
from att.ops.published_vector import one_cycle
from att.ops.spec import EXACT, NOTHING, ApiCall, ComputeType, OpSpec

OFFSET: Final = MappingProxyType({"offset": (Expr, int)})
"""First element in GM; 0 if it is not given."""
ELEMENTS_TMP: Final = requested(published_v1=no_tmp, published_v2=no_tmp, mended_v1=tmp_mended.element_blocks)
"""Elements that lie apart in GM pass through blocks of 32 bytes."""


_PACKED = "int16 uint16 int32 uint32 float16 float32 bfloat16"


def _as_it_is(inputs: tuple[Any, ...], attrs: Mapping[str, AttrValue]) -> Any:
    del attrs
    return inputs[0]


LOAD: Final = OpSpec(
    name="Load",
    compute=ComputeType.LOAD,
    inputs=("x",),
    dtypes=dtypes.both(dtypes.MOVED_V1, dtypes.MOVED_V2),
    output_dtype=dtypes.first_data,
    pipe=Pipe.MTE2,
    price=priced(
        published_v1=published_dma.load_v1,
        published_v2=published_dma.load_v2,
        mended_v1=mended_dma.load_v1,
        mended_v2=mended_dma.load_v2,
    ),
    tmp=ELEMENTS_TMP,
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="load", name="DataCopyPad"),
    attrs=NOTHING,
    optional_attrs=OFFSET,
)

STORE: Final = OpSpec(
    name="Store",
    compute=ComputeType.STORE,
    inputs=("x",),
    dtypes=dtypes.both(dtypes.MOVED_V1, dtypes.MOVED_V2),
    output_dtype=dtypes.first_data,
    pipe=Pipe.MTE3,
    price=priced(
        published_v1=published_dma.store_v1,
        published_v2=published_dma.store_v2,
        mended_v1=mended_dma.store_v1,
        mended_v2=mended_dma.store_v2,
    ),
    tmp=ELEMENTS_TMP,
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="store", name="DataCopyPad"),
    attrs=NOTHING,
    optional_attrs=OFFSET,
)

BROADCAST: Final = OpSpec(
    name="Broadcast",
    compute=ComputeType.BROADCAST,
    inputs=("x",),
    dtypes=dtypes.listed(
        "uint8 int16 int32 float16 float32 int8 uint16 uint32 uint64 int64",
        "uint8 int16 int32 float16 float32 int8 uint16 uint32 uint64 int64 bool",
    ),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=priced(
        published_v1=published_broadcast.broadcast,
        published_v2=published_broadcast.broadcast,
        mended_v1=mended.broadcast,
        mended_v2=mended.broadcast,
    ),
    tmp=requested(
        published_v1=tmp_published.floored(tmp_published.broadcast),
        published_v2=no_tmp,
        mended_v1=tmp_mended.broadcast,
        mended_v2=tmp_mended.broadcast,
    ),
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="broadcast", name="Broadcast"),
    attrs=NOTHING,
    scalar_operands=(0,),
)

REMOVE_PAD: Final = OpSpec(
    name="RemovePad",
    compute=ComputeType.ELEMENTWISE,
    inputs=("x",),
    dtypes=dtypes.listed(_PACKED, _PACKED),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=priced(
        published_v1=published_vector.over_elements("GatherMask"),
        published_v2=recipe("RemovePad"),
        mended_v1=packing.remove_pad,
        mended_v2=recipe("RemovePad"),
    ),
    tmp=requested(published_v1=packing.mask_block, published_v2=packing.mask_block, mended_v1=packing.mask_block),
    reference=_as_it_is,
    tolerance=EXACT,
    api=ApiCall(form="remove_pad", name="GatherMask"),
    attrs=NOTHING,
)
"""Lays rows side by side: what it reads and what it makes differ in UB only."""

TRANSPOSE: Final = OpSpec(
    name="Transpose",
    compute=ComputeType.TRANSPOSE,
    inputs=("x",),
    dtypes=dtypes.listed("int16 uint16 int32 uint32 float16 float32 int64", "int16 uint16 int32 uint32 float16 float32 bfloat16 bool"),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=priced(published_v1=one_cycle, published_v2=one_cycle, mended_v1=matrices.transposed, mended_v2=matrices.transposed),
    tmp=requested(
        published_v1=DEFAULT_TMP,
        published_v2=tmp_published.floored(tmp_published.transpose_v2),
        mended_v1=matrices.spare,
        mended_v2=matrices.spare,
    ),
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="transpose", name="TransDataTo5HD"),
    attrs=NOTHING,
)

CONCAT: Final = OpSpec(
    name="Concat",
    compute=ComputeType.CONCAT,
    inputs=("x",),
    dtypes=dtypes.listed(
        "int8 uint8 int16 uint16 int32 uint32 int64 uint64 bfloat16 float16 float32",
        "int8 uint8 int16 uint16 int32 uint32 int64 uint64 bfloat16 float16 float32",
    ),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=priced(published_v1=one_cycle, published_v2=one_cycle, mended_v1=concat.concat, mended_v2=concat.concat),
    tmp=requested(
        published_v1=concat.published_tmp,
        published_v2=concat.published_tmp,
        mended_v1=concat.concat_tmp,
        mended_v2=concat.concat_tmp,
    ),
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="concat", name="TransDataTo5HD"),
    attrs=NOTHING,
)

GATHER: Final = OpSpec(
    name="Gather",
    compute=ComputeType.GATHER,
    inputs=("x1", "x2"),
    dtypes=dtypes.both(dtypes.GATHERED, dtypes.GATHERED),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=priced(
        published_v1=published_gather.picks, published_v2=published_gather.picks, mended_v1=gathers.gather, mended_v2=gathers.gather
    ),
    reads=priced(published_v1=published_gather.reads_v1, published_v2=published_gather.reads_v2, mended_v1=no_price, mended_v2=no_price),
    tmp=requested(
        published_v1=gathers.gather_tmp, published_v2=gathers.gather_tmp, mended_v1=gathers.gather_tmp, mended_v2=gathers.gather_tmp
    ),
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="gather", name="Gather"),
    attrs=MappingProxyType({"axis": int}),
    index_operand=1,
)

SPLIT: Final = OpSpec(
    name="Split",
    compute=ComputeType.SPLIT,
    inputs=("x",),
    dtypes=dtypes.both(dtypes.MOVED_V1, dtypes.MOVED_V2),
    output_dtype=dtypes.first_data,
    pipe=None,
    price=no_price,
    tmp=no_tmp,
    reference=None,
    tolerance=EXACT,
    api=None,
    attrs=MappingProxyType({"index": int}),
    optional_attrs=MappingProxyType({"gid": int}),
)
"""One piece of a Split. The scheduler makes Loads of slices of it, so there is no call and any type that is loaded will do."""

RECORDS: Final[tuple[OpSpec, ...]] = (LOAD, STORE, BROADCAST, REMOVE_PAD, TRANSPOSE, CONCAT, GATHER, SPLIT)
"""All records of this file."""
