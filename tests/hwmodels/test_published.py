"""Every published constant stands in the shipped tables with exactly its decimal value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hwmodels.load import load
from hwmodels.model import Chip, Recipe

SHAPE_OF = {
    "SimpleLinear": "linear",
    "LoadStoreFunc": "bandwidth",
    "LoadUbStride": "row_bandwidth",
    "StoreFunc": "small_rows",
    "LoadStoreStrideFunc": "stride",
    "LoadStoreStrideV2Func": "clamped_stride",
    "LoadStoreStrideV2WithPenaltyFunc": "clamped_stride",
}
RENAMED = {"penalty_coeff": "penalty"}
UNUSED = {"data_type_size"}
"""Overwritten at run time by the size of the real dtype, says the data file."""

CHIP_OF = {"v1": "ascend910b1", "v2": "ascend950pr"}

HALF_WORDS = {"float16", "bfloat16", "int16", "uint16"}


@pytest.fixture(scope="session")
def published(shared_data: Path) -> Any:
    return json.loads((shared_data / "att_perf_params.json").read_text(encoding="utf-8"), parse_float=Fraction, parse_int=Fraction)


@pytest.mark.parametrize("family", ["v1", "v2"])
def test_every_row_has_its_published_parameters(published: Any, family: str) -> None:
    chip = load(CHIP_OF[family])
    seen: set[tuple[str, str]] = set()
    for api, entry in published["chips"][family]["apis"].items():
        for dtype, params in entry["by_dtype"].items():
            row = chip.rows[api, dtype]
            assert row.shape == SHAPE_OF[entry["model"]]
            assert row.params == {RENAMED.get(name, name): value for name, value in params.items() if name not in UNUSED}
            assert row.published
            assert not row.estimated
            seen.add((api, dtype))
    assert {key for key, row in chip.rows.items() if row.published} == seen
    assert len(seen) > 100


def test_pipe_heads_and_launch(published: Any) -> None:
    one, two = published["chips"]["v1"], published["chips"]["v2"]
    v1, v2 = load("ascend910b1").constants, load("ascend950pr").constants
    head = one["pipe_head"]["MTE2"]
    assert v1["mte2_head_small_cycles_per_core"] == head["small"]["k"]
    assert v1["mte2_head_small_cycles"] == head["small"]["b"]
    assert v1["mte2_head_normal_cycles_per_core"] == head["normal"]["k"]
    assert v1["mte2_head_normal_cycles"] == head["normal"]["b"]
    assert v1["mte2_head_threshold_bytes"] == head["threshold_bytes"]
    assert v1["mte3_head_cycles"] == one["pipe_head"]["MTE3"]
    assert v1["vec_head_cycles"] == one["pipe_head"]["VEC"]
    assert v1["launch_cycles_per_core"] == one["op_head_per_core"]
    head = two["pipe_head"]["MTE2"]
    assert (v2["mte2_head_small_cycles"], v2["mte2_head_normal_cycles"]) == (head["small"], head["normal"])
    assert v2["mte2_head_small_cycles_per_core"] == v2["mte2_head_normal_cycles_per_core"] == 0
    assert v2["mte2_head_threshold_bytes"] == head["threshold_bytes"]
    assert v2["mte3_head_cycles"] == two["pipe_head"]["MTE3"]
    assert v2["launch_cycles_per_core"] == two["op_head_per_core"]
    assert v2["vector_function_head_cycles"] == two["vector_function_head"]
    assert v2["reduce_group_head_cycles"] == two["reduce_repeated_group_head"]


@pytest.mark.parametrize("family", ["v1", "v2"])
def test_common_and_solver_constants(published: Any, family: str) -> None:
    constants, common, solver = load(CHIP_OF[family]).constants, published["common"], published["solver"]["axes_reorder"]
    assert constants["block_bytes"] == common["block_bytes"]
    assert constants["repeat_bytes"] == common["repeat_bytes"]
    assert constants["repeats_max"] == common["max_repeat"]
    assert constants["tmp_default_bytes"] == common["default_tmp_buf_bytes"]
    assert constants["tmp_max_bytes"] == common["max_tmp_buf_bytes"]
    assert constants["ub_stride_row_bytes"] == common["ub_stride_row_bytes"]
    assert constants["reserved_compare_bytes"] == common["reserved_ub_bytes_if_compare_select_gather"]
    for dtype, repeats in common["brcb_max_repeat"].items():
        wide = common["dtype_size"][dtype] >= 4
        assert constants["brcb_repeats_max_wide" if wide else "brcb_repeats_max_narrow"] == repeats
    assert constants["compare_factor"] == common["compare_factor"]["normal"]
    assert constants["compare_factor_int64_equality"] == common["compare_factor"]["int64_eq_ne"]
    assert constants["compare_factor_int64_order"] == common["compare_factor"]["int64_gt_ge_le"]
    assert constants["axis_sort_ub_threshold"] == solver["default_ub_threshold"]
    assert constants["axis_sort_core_threshold"] == solver["default_corenum_threshold"]
    assert constants["axis_sort_other_vars_elems"] == solver["cache_line_other_vars"]
    assert constants["axis_sort_secondary_core_usage"] == solver["secondary_tiling_core_usage"]
    assert constants["core_penalty_ub_ratio"] == solver["penalty_ub_ratio"]
    assert constants["gather_reduce_penalty_bytes"] == solver["gather_reduce_penalty_cache_line"]
    assert constants["alignment_skip_single_tile_bytes"] == solver["prompt_align_skip"]["single_tile_bytes_le"]
    assert constants["alignment_skip_tile_bytes"] == solver["prompt_align_skip"]["tile_bytes_le"]
    assert constants["concat_outer_alignment_elems"] == solver["concat_outer_prompt_align"]
    small, medium, large = solver["core_steps"]
    assert (small["when"], small["step"]) == (f"n<={constants['axis_sort_core_step_small_max']}", constants["axis_sort_core_step_small"])
    below, step = constants["axis_sort_core_step_medium_below"], constants["axis_sort_core_step_medium"]
    assert (medium["when"], medium["step"]) == (f"n<{below}", step)
    assert large["step"] == constants["axis_sort_core_step_large"]


def _schedule(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Fraction]]:
    names = {"perf_effective": "perf_effective_cycles", "trade_off_enable": "trade_off", "trade_off_core_num_ratio": "trade_off_core_ratio"}
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _schedule({f"{key}_{inner}": v for inner, v in value.items()}, prefix)
        elif isinstance(value, (bool, Fraction)) and key != "cache_line":
            yield prefix + names.get(key, key), Fraction(value)


def test_schedule_configuration(published: Any) -> None:
    v1, v2 = load("ascend910b1"), load("ascend950pr")
    config = published["chips"]["v1"]["schedule_config"]
    expected = [*_schedule(config["v1"]), *_schedule(config["v1_heavy_op"], "heavy_")]
    assert [(name, v1.constants[name]) for name, _ in expected] == expected
    expected2 = [*_schedule(published["chips"]["v2"]["schedule_config"]["v2"])]
    assert [(name, v2.constants[name]) for name, _ in expected2] == expected2
    assert len(expected) + len(expected2) >= 16
    assert v1.cache_line_bytes == config["v1"]["cache_line"]
    assert v2.cache_line_bytes == published["chips"]["v2"]["schedule_config"]["v2"]["cache_line"]


def test_platform_limits(published: Any) -> None:
    for key, name in (("2201", "ascend910b1"), ("3510,5102", "ascend950pr")):
        chip, facts = load(name), published["hardware"][key]
        assert (chip.vecin_queues, chip.vecout_queues) == (facts["max_vec_queues"], facts["max_vec_queues"])
        assert (chip.cache_line_bytes, chip.vector_bytes) == (facts["cache_line"], facts["vector_len_bytes"])
        assert chip.constants["loads_after_fuse_max"] == facts["max_loads_after_fuse"]
        assert chip.constants["inputs_after_fuse_max"] == facts["max_inputs_after_fuse"]
        assert chip.constants["concat_inputs_max"] == facts["concat_max_inputs"]
    assert load("ascend910b1").dma.dims_per_call == published["chips"]["v1"]["dma_max_dims"]["Load"]
    assert load("ascend950pr").dma.dims_per_call == published["chips"]["v2"]["dma_max_dims"]["Load"]
    assert load("ascend950pr").constants["nddma_dims_per_call"] == published["chips"]["v2"]["dma_max_dims"]["Nddma"]
    facts = published["hardware"]["3510,5102"]
    for name in ("simt_local_memory_bytes", "simt_dcache_bytes"):
        assert load("ascend950pr").constants[name] == facts[name]
    assert load("ascend950pr").constants["groups_per_compile_unit_max"] == facts["max_groups_per_compile_unit"]


@pytest.mark.parametrize("family", ["v1", "v2"])
def test_ops_without_a_formula(published: Any, family: str) -> None:
    ops = published["chips"][family]["ops"]
    assert load(CHIP_OF[family]).placeholder_ops == {op for op, entry in ops.items() if entry.get("cost", "").startswith("constant 1")}
    heavy = {op for op, entry in ops.items() if entry.get("schedule_config") == "v1_heavy_op"}
    assert load(CHIP_OF[family]).heavy_ops == heavy


def test_instruction_table(published: Any) -> None:
    chip = load("ascend950pr")
    expected: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}
    for name, entries in published["chips"]["v2"]["vf_instructions"]["table"].items():
        for entry in entries:
            expected |= {(name, dtype): (entry["latency"], entry["throughput"]) for dtype in entry["dtypes"]}
    for name, entries in published["chips"]["v2"]["vf_dtype_mapping"].items():
        for entry in entries if isinstance(entries, list) else ():
            pairs = [f"{source}->{target}" for source in entry["input"] for target in entry["output"]]
            expected |= {(name, pair): (entry["latency"], entry["throughput"]) for pair in pairs}
    found = {key: (i.latency_cycles, i.throughput_cycles) for key, i in chip.instructions.items() if i.published}
    assert found == expected
    assert len(expected) > 300


Steps = list[tuple[str, str, Fraction, Fraction, Fraction, frozenset[str]]]


def _published_steps(steps: list[Any], scale: Fraction = Fraction(1)) -> Steps:
    found: Steps = []
    for step in steps:
        mapped = re.fullmatch(r"mapping\((\w+),(\w+)\)", step["dtype"])
        dtype = f"{mapped[1]}->{mapped[2]}" if mapped else step["dtype"]
        counted = step["fixed"] == "number_of_inputs"
        fixed, per_input = (Fraction(0), Fraction(1)) if counted else (step["fixed"], Fraction(0))
        found.append((step["instr"], dtype, step["per_repeat"] * scale, fixed, per_input, _only(step.get("only_if"))))
    return found


def _only(condition: str | None) -> frozenset[str]:
    every = HALF_WORDS | {"float32", "int32", "uint32", "int64", "uint64", "int8", "uint8"}
    known: dict[str | None, set[str]] = {
        None: set(),
        "in==float16": {"float16"},
        "in!=float32": {"float16", "bfloat16"},
        "2-byte dtype": HALF_WORDS,
        "otherwise": every - HALF_WORDS,
        "in is int8|int16|int32": {"int8", "int16", "int32"},
    }
    return frozenset(known[condition])


def _steps(recipe: Recipe) -> Steps:
    return [(s.instruction, s.dtype, s.per_repeat, s.fixed, s.per_input, frozenset(s.only)) for s in recipe.steps]


def test_recipes_of_ops(published: Any) -> None:
    chip, recipes = load("ascend950pr"), published["chips"]["v2"]["recipes"]
    checked = 0
    for title, entry in recipes.items():
        if title == "Cast":
            continue
        op, _, note = title.rstrip(")").partition("(")
        while "same_as" in entry:
            entry = recipes[entry["same_as"]]
        variant = note if note in ("", "int", "float") else "elementwise"
        scale = Fraction(1, 2) if "/2 (exact" in entry["repeat"] else Fraction(1)
        for name in op.split("/"):
            recipe = chip.recipes[name, variant]
            assert _steps(recipe) == _published_steps(entry["instr"], scale)
            assert (recipe.published, recipe.lanes) == (True, 64 if "/64)" in entry["repeat"] else 0)
            assert (recipe.repeats_over == "last_two") == ("outer_repeat" in entry)
            assert (recipe.repeats_over == "all_dims") == ("prod(" in entry["repeat"])
            checked += 1
        if "b64" in entry:
            recipe = chip.recipes[op, "64bit"]
            assert (_steps(recipe), recipe.lanes_factor) == (_published_steps(entry["b64"]["instr"]), 2)
    assert checked == len(recipes) - 1 + 2


def test_recipes_of_casts(published: Any) -> None:
    chip, cast = load("ascend950pr"), published["chips"]["v2"]["recipes"]["Cast"]
    always = cast["always_for_others"]
    expected = {"default->default": _published_steps(always + cast["then"]["other"])}
    for titles, steps in cast["then"].items():
        for title in titles.split("; ") if titles != "other" else ():
            source, target = title.split("->")
            for pair in (f"{s}->{t}" for s in source.split("|") for t in target.split("|")):
                if "int4" not in pair:  # not a dtype of graphs
                    expected[pair] = _published_steps(always + steps)
    for pair in cast["same_bit_integer"]["pairs"].split(", "):
        left, right = pair.split("<->")
        same = _published_steps(cast["same_bit_integer"]["instr"])
        expected |= {f"{left}->{right}": same, f"{right}->{left}": same}
    assert {variant: _steps(r) for (op, variant), r in chip.recipes.items() if op == "Cast"} == expected


def test_recipes_of_reduces(published: Any) -> None:
    chip = load("ascend950pr")
    for op, entry in published["chips"]["v2"]["reduce"]["ops"].items():
        assert [s.instruction for s in chip.recipes[op, "reduce"].steps] == [entry["reduce"].split(" ")[0]]
        assert [s.instruction for s in chip.recipes[op, "binary"].steps] == [entry["binary"]]
    counts: dict[str, list[tuple[Fraction, str]]] = {
        op: [(s.per_repeat, s.instruction) for s in chip.recipes[op, "binary64"].steps] for op in ("Sum", "Max", "Min")
    }
    text = published["chips"]["v2"]["reduce"]["b64_binary"]
    assert " + ".join(f"{n} {name}" for n, name in counts["Sum"]) in text
    for op, order in (("Max", "Gt"), ("Min", "Lt")):
        assert " + ".join(f"{n} {name}" for n, name in counts[op]).replace(order, "Gt|Lt") in text


def test_published_golden_costs_follow_from_the_rows() -> None:
    """Three values of the reference's own unit tests, recomputed from the rows (att_facts §8)."""
    v1: Chip = load("ascend910b1")
    copy = v1.rows["Copy", "float32"].params
    broadcast = Fraction(64, 255) * (copy["k"] * 255 * 64 + copy["b"])
    assert abs(broadcast - Fraction("67.5690893734")) < Fraction(1, 10**5)
    v2 = load("ascend950pr")
    assert _elementwise(v2, "Exp", "float32", 129) == 45
    assert _elementwise(v2, "Gelu", "float32", 129) == 109


def _linear(chip: Chip, api: str, dtype: str, elements: int) -> Fraction:
    row = chip.rows[api, dtype].params
    return row["k"] * elements + row["b"]


def test_published_costs_of_ops_before_scheduling() -> None:
    """V1 formulas of whole reduces and of Gather, which no scheduled op takes (att_facts §3.7, §8)."""
    chip = load("ascend910b1")

    def half(api: str, elements: int) -> Fraction:
        return _linear(chip, api, "float16", elements)

    def agrees(amount: Fraction, golden: str) -> bool:
        return abs(amount - Fraction(golden)) < Fraction(golden) / 10**6

    rows, cols, block = 100, 200, 16
    largest = half("Adds", rows * block) + Fraction(cols, block) * half("Max", rows * block) + half("BlockReduceMax", rows * block)
    assert agrees(largest, "612.478002906")
    total = half("Add", (2 * 200 - 2) * 112) + half("Adds", 100)
    assert agrees(total, "504.153908845")
    assert agrees(total + half("Muls", 100), "527.964508139")
    gathered = _linear(chip, "Cast", "int64->int32", 64 * 128) + _linear(chip, "Muls", "int32", 128) + half("Gather", 128)
    assert agrees(gathered, "354.892294884")
    assert agrees(_linear(chip, "GatherMask", "float32", 64 * 32 * 120), "7706.30890846")


@pytest.mark.parametrize(
    ("op", "variant", "dtype", "cycles"),
    [
        ("LeakyRelu", "", "float32", 25),
        ("RemovePad", "", "float32", 50),
        ("Gelu", "", "float32", 109),
        ("ClipByValue", "", "float32", 35),
        ("BitwiseAnd", "", "int32", 35),
        ("FloorDiv", "", "float32", 80),
        ("Pow", "float", "float32", 301),
    ],
)
def test_published_costs_of_129_elements(op: str, variant: str, dtype: str, cycles: int) -> None:
    assert _elementwise(load("ascend950pr"), op, dtype, 129, variant) == cycles


def _elementwise(chip: Chip, op: str, dtype: str, elements: int, variant: str = "") -> Fraction:
    recipe = chip.recipes[op, variant]
    repeats = -(-elements // (recipe.lanes or 64))
    steps = [
        (chip.instructions.get((s.instruction, dtype if s.dtype == "in" else s.dtype)), s.per_repeat * repeats + s.fixed)
        for s in recipe.steps
        if not s.only or dtype in s.only
    ]
    known = [(i, times) for i, times in steps if i is not None and i.published]
    return (
        chip.constants["vector_function_head_cycles"]
        + max(i.latency_cycles for i, _ in known)
        + sum((i.throughput_cycles * times for i, times in known), Fraction(0))
    )
