"""Files of one's own: what they may say, and what is said of one that is wrong."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hwmodels.decode import DECIMALS_MAX, FILE_MAX_BYTES, NUMBER_MAX
from hwmodels.errors import ChipFileError
from hwmodels.load import load

CHIP = """\
name = "mine"
arch = "2201"
table = "v1"
sources = ["measured at home"]
ub_bytes = 65536
ub_reserved_bytes = 512
vector_cores = 8
clock_mhz = 1200
cache_line_bytes = 512
vector_bytes = 256
l2_bytes = 0
vecin_queues = 4
vecout_queues = 3

[dma]
block_count_max = 4095
block_len_max_bytes = 2097151
stride_max_bytes = 4294967295
ub_stride_max_blocks = 65535
dims_per_call = 2
"""

ROW = """
[[cost]]
shape = "linear"
source = "measured at home"
entries = [
  { api = "Add", dtype = ["float32", "float16"], k = 0.5, b = 7 },
]
"""

fixture_per_test = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def refusal(path: Path, text: str) -> ChipFileError:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ChipFileError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    return caught.value


def test_a_file_that_names_a_shipped_table(mine: Path) -> None:
    mine.write_text(CHIP, encoding="utf-8")
    chip = load(str(mine))
    assert (chip.name, chip.vector_cores, chip.ub_usable_bytes, chip.vecout_queues) == ("mine", 8, 65024, 3)
    assert chip.rows == load("ascend910b1").rows
    assert chip.constants == load("ascend910b1").constants


def test_a_row_of_the_file_overrides_the_table_and_others_stay(mine: Path) -> None:
    mine.write_text(CHIP + ROW, encoding="utf-8")
    chip, table = load(mine), load("ascend910b1")
    for dtype in ("float32", "float16"):
        row = chip.rows["Add", dtype]
        assert (row.params["k"], row.params["b"], row.estimated) == (Fraction(1, 2), 7, False)
        assert row.source == "measured at home: Add"
    others = {key for key in table.rows if key[0] != "Add"}
    assert {key: chip.rows[key] for key in others} == {key: table.rows[key] for key in others}


def test_an_overriding_estimate_says_so(mine: Path) -> None:
    mine.write_text(CHIP + ROW.replace('source = "measured at home"', 'source = "a guess"\nestimated = true'), encoding="utf-8")
    row = load(mine).rows["Add", "float32"]
    assert (row.source, row.estimated, row.published) == ("estimate: a guess", True, False)


def test_a_constant_of_the_file_overrides_the_table(mine: Path) -> None:
    mine.write_text(CHIP + '[[constant]]\nsource = "x"\nvalues = { vec_head_cycles = 1.25 }\n', encoding="utf-8")
    assert load(mine).constants["vec_head_cycles"] == Fraction(5, 4)
    assert load("ascend910b1").constants["vec_head_cycles"] == Fraction("37.37")


def test_borrowing_marks_the_rows_of_the_table_only(mine: Path) -> None:
    mine.write_text(CHIP.replace('table = "v1"', 'table = "v1"\nborrowed = "none published"') + ROW, encoding="utf-8")
    chip = load(mine)
    assert not chip.rows["Add", "float32"].estimated
    assert chip.rows["Sub", "float32"].estimated
    assert chip.rows["Sub", "float32"].published


def test_an_edited_file_is_read_again_and_an_unchanged_one_is_not_built_again(mine: Path) -> None:
    mine.write_text(CHIP, encoding="utf-8")
    first = load(mine)
    assert load(mine) is first
    mine.write_text(CHIP.replace("vector_cores = 8", "vector_cores = 9"), encoding="utf-8")
    assert load(mine).vector_cores == 9
    assert first.vector_cores == 8


def test_a_relative_path_without_a_separator_is_a_file(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.write_text(CHIP, encoding="utf-8")
    monkeypatch.chdir(mine.parent)
    assert load("mine.toml").name == "mine"
    mine.rename(mine.with_suffix(""))
    assert load("mine").name == "mine"


@pytest.mark.parametrize(
    ("name", "meant"), [("ascend910b9", "ascend910b"), ("Ascend910B1", "ascend910b1"), ("ascend950", "ascend950pr"), ("tou", "toy")]
)
def test_a_misspelt_name_is_answered_with_the_likeliest(name: str, meant: str) -> None:
    with pytest.raises(ChipFileError, match=f"^{name}: no such chip, known: ascend310p3, .*; did you mean {meant}"):
        load(name)


@pytest.mark.parametrize("name", ["", "zzz", "tensor core", "nul\0byte"])
def test_a_name_like_none_gets_no_suggestion(name: str) -> None:
    with pytest.raises(ChipFileError, match=r"no such chip, known: .*toy$"):
        load(name)


def test_a_missing_file(mine: Path) -> None:
    with pytest.raises(ChipFileError, match=r"mine\.toml: no such file$"):
        load(mine)


def test_a_file_name_that_no_system_takes() -> None:
    with pytest.raises(ChipFileError, match="cannot be read"):
        load("nul\0byte.toml")
    with pytest.raises(ChipFileError, match="cannot be read"):
        load("x" * 5000 + ".toml")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ChipFileError, match="is a directory, expected a TOML file"):
        load(tmp_path)


def test_a_forbidden_file(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ChipFileError, match="cannot be read: Permission denied"):
        load(mine)


def test_a_binary_file(mine: Path) -> None:
    mine.write_bytes(b"name = \x89PNG\r\n")
    with pytest.raises(ChipFileError, match="is not a text file: byte 7 is not UTF-8"):
        load(mine)


def test_a_huge_file(mine: Path) -> None:
    mine.write_bytes(b"#" * (FILE_MAX_BYTES + 1))
    with pytest.raises(ChipFileError, match=f"more than {FILE_MAX_BYTES} B"):
        load(mine)


def test_text_that_is_not_toml(mine: Path) -> None:
    assert "is not TOML: " in str(refusal(mine, "name = \n"))
    assert "line 2" in str(refusal(mine, 'name = "a"\nname = "b"\n'))
    assert "is not TOML: " in str(refusal(mine, "x = " + "[" * 5000 + "]" * 5000))
    assert "is not TOML: " in str(refusal(mine, f"{CHIP}\nx = 1{'0' * 5000}\n"))


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        ("vector_cores = 8\n", "", "", "missing field `vector_cores`"),
        ("vector_cores", "vector_core", "", "unknown field `vector_core`"),
        ("block_count_max", "block_counts_max", "dma", "unknown field `block_counts_max`"),
        ("dims_per_call = 2\n", "", "dma", "missing field `dims_per_call`"),
        ("vector_cores = 8", 'vector_cores = "8"', "vector_cores", "expected `int`, got `str`"),
        ("vector_cores = 8", "vector_cores = 8.0", "vector_cores", "expected `int`, got `decimal`"),
        ("vector_cores = 8", "vector_cores = true", "vector_cores", "expected `int`, got `bool`"),
        ('sources = ["measured at home"]', 'sources = "home"', "sources", "expected `array`, got `str`"),
        ("ub_bytes = 65536", "ub_bytes = -1", "ub_bytes", "got -1 B, allowed 1 to 2147483647"),
        ("ub_bytes = 65536", "ub_bytes = 0", "ub_bytes", "got 0 B, allowed 1 to 2147483647"),
        ("ub_bytes = 65536", "ub_bytes = 512", "ub_reserved_bytes", "got 512 B, allowed less than the 512 B of UB"),
        ("ub_reserved_bytes = 512", "ub_reserved_bytes = -256", "ub_reserved_bytes", "got -256 B, allowed 0 to 2147483647"),
        ("ub_reserved_bytes = 512", "ub_reserved_bytes = 65536", "ub_reserved_bytes", "got 65536 B, allowed less than the 65536 B of UB"),
        ("vector_cores = 8", "vector_cores = 0", "vector_cores", "got 0 cores, allowed 1 to 4096"),
        ("clock_mhz = 1200", "clock_mhz = 0", "clock_mhz", "got 0 MHz, allowed 1 to 100000"),
        ("vecin_queues = 4", "vecin_queues = 0", "vecin_queues", "got 0 queues, allowed 1 to 64"),
        ("block_count_max = 4095", "block_count_max = 0", "dma.block_count_max", "got 0 blocks, allowed 1 to 2147483647"),
        ("dims_per_call = 2", "dims_per_call = 0", "dma.dims_per_call", "got 0 dims, allowed 1 to 8"),
        ('name = "mine"', 'name = " "', "name", "got an empty name"),
        ('table = "v1"', 'table = "shared"', "table", "table shared is only a part of others"),
    ],
)
def test_a_wrong_field(mine: Path, old: str, new: str, path: str, message: str) -> None:
    assert old in CHIP
    error = refusal(mine, CHIP.replace(old, new))
    assert (error.path, error.message) == (path, message)


def test_a_misspelt_field_is_answered_with_the_likeliest(mine: Path) -> None:
    assert refusal(mine, CHIP.replace("ub_reserved_bytes", "ub_reserve_bytes")).hint == "did you mean ub_reserved_bytes?"
    assert refusal(mine, CHIP.replace("dims_per_call", "dim_per_call")).hint == "did you mean dims_per_call?"
    assert refusal(mine, CHIP + ROW.replace("api =", "apis =")).hint == "did you mean api?"


def test_a_field_of_another_part_is_not_suggested(mine: Path) -> None:
    assert refusal(mine, CHIP.replace("l2_bytes = 0\n", "l2_bytes = 0\nblock_count_max = 7\n")).hint == ""


def test_a_missing_field_is_answered_with_all_that_are_needed(mine: Path) -> None:
    assert refusal(mine, "").hint.startswith("needed here: name, arch, table, sources, ub_bytes, ub_reserved_bytes, vector_cores, ")
    assert refusal(mine, CHIP.replace("dims_per_call = 2\n", "")).hint.endswith("stride_max_bytes, ub_stride_max_blocks, dims_per_call")


def test_an_unknown_table(mine: Path) -> None:
    error = refusal(mine, CHIP.replace('table = "v1"', 'table = "v11"'))
    assert (error.path, error.message) == ("table", "no such table 'v11', known: toy, v1, v2")
    assert error.hint == "did you mean v1?"


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        ('"linear"', '"linnear"', "cost[0].shape", "unknown shape: Invalid value 'linnear'"),
        ('shape = "linear"\n', "", "cost[0]", "missing field `shape`"),
        ("k = 0.5, ", "", "cost[0].entries[0]", "missing field `k`"),
        ("k = 0.5", 'k = "0.5"', "cost[0].entries[0].k", "expected a number, got `str`"),
        ("k = 0.5", "k = -0.5", "cost[0].entries[0].k", "got -0.5, allowed 0 or more: costs are never negative"),
        ("k = 0.5", "k = nan", "cost[0].entries[0].k", "got NaN, expected a finite number"),
        ("k = 0.5", "k = inf", "cost[0].entries[0].k", "got Infinity, expected a finite number"),
        ("k = 0.5", "k = 1e999999", "cost[0].entries[0].k", f"got 1E+999999, allowed at most {NUMBER_MAX} in size"),
        ("k = 0.5", "k = 1e99999999999999", "cost[0].entries[0].k", f"got 1E+99999999999999, allowed at most {NUMBER_MAX} in size"),
        ("k = 0.5", "k = 0.12345678901", "cost[0].entries[0].k", f"got 11 decimals, allowed at most {DECIMALS_MAX}"),
        ("b = 7", "b = 7, c = 8", "cost[0].entries[0]", "unknown field `c`"),
        ('"float32", "float16"', '"float32", "float32"', "cost[0].entries[0]", "Add float32 is given twice, first at cost[0].entries[0]"),
        ('"linear"', '"bandwidth"', "cost[0].entries[0]", "unknown field `k`"),
    ],
)
def test_a_wrong_row(mine: Path, old: str, new: str, path: str, message: str) -> None:
    assert old in ROW
    error = refusal(mine, CHIP + ROW.replace(old, new))
    assert (error.path, error.message) == (path, message)


def test_a_doubled_row_across_groups(mine: Path) -> None:
    error = refusal(mine, CHIP + ROW + ROW)
    assert error.path == "cost[1].entries[0]"
    assert error.message == "Add float32 is given twice, first at cost[0].entries[0]"


def test_a_bandwidth_of_zero(mine: Path) -> None:
    row = ROW.replace('"linear"', '"bandwidth"').replace("k = 0.5, b = 7", "a = 0, b = 7, h = 1, hl = 0")
    assert refusal(mine, CHIP + row).message == "got 0, allowed more than 0: it is a bandwidth"


def test_an_unknown_constant(mine: Path) -> None:
    error = refusal(mine, CHIP + '[[constant]]\nsource = "x"\nvalues = { vec_heads_cycles = 1 }\n')
    assert error.message == "table v1 has no constant `vec_heads_cycles` to override"
    assert error.hint == "did you mean vec_head_cycles?"


def test_a_doubled_constant(mine: Path) -> None:
    group = '[[constant]]\nsource = "x"\nvalues = { vec_head_cycles = 1 }\n'
    assert refusal(mine, CHIP + group + group).message == "vec_head_cycles is given twice, first at constant[0].values.vec_head_cycles"


@fixture_per_test
@given(number=st.decimals(min_value=0, max_value=NUMBER_MAX, places=DECIMALS_MAX))
def test_decimals_are_read_without_loss(tmp_path: Path, number: Decimal) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(CHIP + ROW.replace("k = 0.5", f"k = {number:f}"), encoding="utf-8")
    assert load(path).rows["Add", "float32"].params["k"] == Fraction(str(number))


@fixture_per_test
@given(data=st.data())
def test_whatever_a_file_holds_it_is_a_chip_or_a_refusal(tmp_path: Path, data: st.DataObject) -> None:
    text = CHIP + ROW
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    junk = data.draw(st.text(alphabet=st.sampled_from('abk019.-+e_"[]{}=,\n# \t'), max_size=12))
    path = tmp_path / "mine.toml"
    path.write_text(text[:start] + junk + text[stop:], encoding="utf-8")
    said = _said_of(path)
    assert said is None or said.startswith(f"{path}: ")


def _said_of(path: Path) -> str | None:
    try:
        chip = load(path)
    except ChipFileError as error:
        return str(error)
    return None if 0 <= chip.ub_reserved_bytes < chip.ub_bytes else "accepted a chip without UB"
