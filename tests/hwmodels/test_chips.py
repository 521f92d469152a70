"""The shipped chips: each loads, has the facts of its public sources, and prices what it should."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hwmodels.load import load, names
from hwmodels.model import SHAPES, Chip

V1_CHIPS = ("ascend310p3", "ascend910_9391", "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "toy")


def test_the_shipped_chips_are_these() -> None:
    assert names() == ("ascend310p3", "ascend910_9391", "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "ascend950pr", "toy")


@pytest.mark.parametrize(
    ("name", "arch", "cores", "usable_bytes", "clock_mhz", "line_bytes", "queues", "dims", "l2_mib"),
    [
        ("ascend910b1", "2201", 48, 196352, 1850, 512, 4, 2, 192),
        ("ascend910b2", "2201", 48, 196352, 1800, 512, 4, 2, 192),
        ("ascend910b3", "2201", 40, 196352, 1800, 512, 4, 2, 192),
        ("ascend910b4", "2201", 40, 196352, 1500, 512, 4, 2, 96),
        ("ascend910_9391", "2201", 48, 196352, 1850, 512, 4, 2, 192),
        ("ascend310p3", "2002", 8, 261888, 1060, 512, 4, 2, 16),
        ("ascend950pr", "3510", 64, 253696, 1650, 128, 14, 4, 128),
        ("toy", "2201", 4, 16128, 1000, 512, 4, 2, 1),
    ],
)
def test_capacities(
    name: str, arch: str, cores: int, usable_bytes: int, clock_mhz: int, line_bytes: int, queues: int, dims: int, l2_mib: int
) -> None:
    chip = load(name)
    assert (chip.name, chip.arch, chip.vector_cores, chip.ub_usable_bytes) == (name, arch, cores, usable_bytes)
    assert (chip.clock_mhz, chip.cache_line_bytes, chip.vector_bytes) == (clock_mhz, line_bytes, 256)
    assert (chip.vecin_queues, chip.vecout_queues, chip.l2_bytes) == (queues, queues, l2_mib * 2**20)
    assert (chip.dma.dims_per_call, chip.dma.block_count_max, chip.dma.block_len_max_bytes) == (dims, 4095, 2**21 - 1)


def test_strides_that_a_transfer_can_hold() -> None:
    assert load("ascend910b1").dma.stride_max_bytes == 2**32 - 1
    assert load("ascend950pr").dma.stride_max_bytes == 2**40 - 1
    assert load("ascend950pr").dma.ub_stride_max_blocks == 2**16 - 1


@pytest.mark.parametrize("name", names())
def test_every_row_is_complete_and_says_where_it_is_from(name: str) -> None:
    chip = load(name)
    assert chip.sources
    assert all(chip.sources)
    for key, row in chip.rows.items():
        assert key == (row.api, row.dtype)
        assert tuple(row.params) == SHAPES[row.shape]
        assert row.source
        assert row.published or (row.estimated and "estimate: " in row.source)
    for entry in (*chip.instructions.values(), *chip.recipes.values()):
        assert entry.source
        assert entry.published or (entry.estimated and "estimate: " in entry.source)


@pytest.mark.parametrize("name", names())
def test_every_number_is_an_exact_fraction(name: str) -> None:
    chip = load(name)
    numbers = [value for row in chip.rows.values() for value in row.params.values()]
    numbers += [*chip.constants.values()]
    numbers += [value for i in chip.instructions.values() for value in (i.latency_cycles, i.throughput_cycles)]
    numbers += [value for r in chip.recipes.values() for s in r.steps for value in (s.per_repeat, s.fixed, s.per_input)]
    for number in numbers:
        assert type(number) is Fraction
        assert (number * 10**9).denominator == 1


@pytest.mark.parametrize("name", ["ascend910b1", "toy"])
def test_v1_prices_every_op_that_the_reference_leaves_at_one_cycle(name: str) -> None:
    chip = load(name)
    apis = {api for api, _ in chip.rows}
    assert chip.placeholder_ops <= apis
    assert {"Ln", "TrueDiv", "FloorDiv", "LeakyRelu", "Sigmoid", "Pow", "Transpose", "Concat"} <= chip.placeholder_ops
    assert {"Split", "ConcatUnaligned"} <= apis


def test_v2_prices_every_op_that_the_reference_leaves_at_one_cycle() -> None:
    chip = load("ascend950pr")
    priced = {op for op, _ in chip.recipes} | {api for api, _ in chip.rows}
    assert chip.placeholder_ops <= priced
    assert {"Exp2", "Floor", "Sin", "IndirectLoad", "Zeta"} <= chip.placeholder_ops


def test_v2_recipes_use_only_priced_instructions() -> None:
    """The published table lacks some pairs, which then cost nothing; our estimates close every hole of the common dtypes."""
    chip = load("ascend950pr")
    priced = {name for name, _ in chip.instructions}
    assert {step.instruction for recipe in chip.recipes.values() for step in recipe.steps} <= priced
    for name in ("Add", "Mul", "Div", "Exp", "Abs", "Or", "Muls", "vcadd"):
        assert {(name, dtype) for dtype in ("float16", "bfloat16", "float32")} <= set(chip.instructions)


def test_an_estimate_that_is_a_sum_is_the_sum_of_its_parts() -> None:
    chip = load("ascend910b1")

    def k(api: str, dtype: str = "float32") -> Fraction:
        return chip.rows[api, dtype].params["k"]

    assert k("ClipByValue") == k("Max") + k("Min")
    assert k("Ln") == k("Exp")
    assert k("TrueDiv", "int32") == 2 * k("Cast", "int32->float32") + k("Div")
    assert k("Gelu") == 3 * k("Mul") + 3 * k("Muls") + k("Add") + k("Mins") + 2 * k("Exp") + k("Abs") + k("Adds") + k("Div")
    assert k("Cast", "float32->int32") == Fraction(1, 64)


def test_estimates_never_stand_in_for_published_rows() -> None:
    for name in ("ascend910b1", "ascend950pr", "toy"):
        rows = load(name).rows.values()
        assert all(row.published != row.estimated for row in rows)


def test_a_chip_without_a_table_of_its_own_says_so_in_every_row() -> None:
    lent, owner = load("ascend310p3"), load("ascend910b1")
    assert lent.rows.keys() == owner.rows.keys()
    for key, row in lent.rows.items():
        assert row.estimated
        assert row.source.startswith("borrowed: no performance table is published for arch 2002; ")
        assert row.published == owner.rows[key].published
        assert row.params == owner.rows[key].params


def test_the_toy_prices_whatever_v1_prices() -> None:
    toy, v1 = load("toy"), load("ascend910b1")
    assert {key: row.shape for key, row in toy.rows.items()} == {key: row.shape for key, row in v1.rows.items()}
    assert {key for key, row in toy.rows.items() if row.estimated} == {key for key, row in v1.rows.items() if row.estimated}
    assert toy.constants.keys() == v1.constants.keys()
    assert (toy.placeholder_ops, toy.heavy_ops) == (v1.placeholder_ops, v1.heavy_ops)


@pytest.mark.parametrize("name", V1_CHIPS)
def test_chips_of_one_table_share_its_names(name: str) -> None:
    assert load(name).cost_table == "v1"
    assert not load(name).instructions


def test_a_chip_cannot_be_changed() -> None:
    chip: Chip = load("toy")
    with pytest.raises(AttributeError):
        chip.vector_cores = 5  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        chip.rows["Abs", "float32"] = chip.rows["Add", "float32"]  # pyright: ignore[reportIndexIssue]
    with pytest.raises(TypeError):
        chip.constants["vec_head_cycles"] = Fraction(1)  # pyright: ignore[reportIndexIssue]
