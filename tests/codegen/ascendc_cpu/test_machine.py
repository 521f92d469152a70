"""The machine around the instructions: UB, pipes, queues, flags, ordering and lanes never written. Every planted misuse has its message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

X = {"x": np.arange(1, 513, dtype=np.float32)}
SOURCE = Path(__file__).with_name("machine.cpp").read_text(encoding="utf-8").splitlines()


def outcome(run) -> str:
    return "ok" if run.ok else run.failure["fault"]


@pytest.mark.parametrize(("params", "expected", "part"), [
    ({"in_num": 2, "out_num": 2, "calc": 100}, "ok", ""),
    ({"in_num": 0}, "capacity", "number of buffers"),
    ({"in_num": 65}, "capacity", "1 to 64"),
    ({"in_num": 9}, "capacity", "VECIN"),
    ({"out_num": 9}, "capacity", "VECOUT"),
    ({"in_num": 8, "out_num": 8}, "ok", ""),
    ({"calc": 0}, "capacity", "at least 1 B"),
    ({"calc": 196608}, "ok", ""),
    ({"calc": 196609}, "capacity", "196640 B"),
    ({"in_num": 2, "len": 98305}, "capacity", "at most 196608 B"),
    ({"calc": 196384, "ub_reserved_bytes": 256}, "capacity", "at most 196352 B"),
    ({"calc": 196352, "ub_reserved_bytes": 256}, "ok", ""),
    ({"calc": 1025, "ub_bytes": 1024}, "capacity", "at most 1024 B"),
    ({"calc": 64, "twice": 1}, "queue", "already has buffers"),
])  # fmt: skip
def test_init_buffer(run_case, params: dict[str, object], expected: str, part: str) -> None:
    run = run_case("machine", "init_buffer", **params)
    assert outcome(run) == expected, run.text
    assert part in run.text


def test_peak_is_the_sum_of_whole_blocks(run_case) -> None:
    run = run_case("machine", "init_buffer", in_num=2, out_num=3, len=33, calc=100)
    assert run.report["total"]["ub_peak_bytes"] == 2 * 64 + 3 * 64 + 128


def test_at_most_64_buffers(run_case) -> None:
    assert run_case("machine", "many_tbufs", buffers=64).ok
    assert "at most 64, got 65" in run_case("machine", "many_tbufs", buffers=65).text


@pytest.mark.parametrize(("case", "params", "expected", "part"), [
    ("two_pipes", {}, "queue", "a second TPipe"),
    ("two_pipes", {"destroy": 1}, "ok", ""),
    ("pipe_reset", {}, "ok", ""),
    ("pipe_reset", {"use_old": 1}, "lifetime", ""),
    ("pipe_after_pipe", {}, "ok", ""),
    ("pipe_after_pipe", {"use_tensor": 1}, "lifetime", ""),
    ("pipe_after_pipe", {"use_queue": 1}, "queue", "TPipe that has ended"),
    ("tbuf_get", {"elements": 32, "count": 32}, "ok", ""),
    ("tbuf_get", {"elements": 33}, "extent", "at most 128 B"),
    ("tbuf_get", {"elements": 16, "offset": 64, "count": 16}, "ok", ""),
    ("tbuf_get", {"elements": 16, "offset": 96}, "extent", "160 B"),
    ("tbuf_get", {"elements": 8, "offset": 36}, "alignment", "multiple of 32 B"),
    ("tbuf_get", {"elements": 8, "count": 9}, "extent", "36 B"),
    ("tbuf_get", {"elements": 8, "size": 16, "count": 16}, "ok", ""),
    ("tbuf_get", {"elements": 8, "size": 33}, "extent", "132 B"),
    ("tbuf_get", {"elements": 8, "init": 0}, "queue", "InitBuffer first"),
    ("queue_without_buffers", {}, "queue", "InitBuffer first"),
    ("queue_depth", {"enqueued": 2}, "ok", ""),
    ("queue_depth", {"enqueued": 3}, "queue", "at most 2, the depth of the queue"),
    ("nine_freed_buffers", {"buffers": 8}, "ok", ""),
    ("nine_freed_buffers", {"buffers": 9, "buffers_per_position_max": 9}, "event", "V_MTE2"),
    ("foreign_exception", {}, "argument", "boom"),
    ("outside_a_launch", {}, "argument", "outside a launch"),
    ("two_pipes", {"block_dim": 0}, "argument", "number of cores"),
    ("old_tbuf", {}, "queue", "TPipe that has ended"),
    ("scalar_access", {}, "ok", ""),
    ("scalar_access", {"mistake": "get_beyond"}, "extent", "0 to 63, got 64"),
    ("scalar_access", {"mistake": "get_before"}, "extent", "got -1"),
    ("scalar_access", {"mistake": "set_beyond"}, "extent", "0 to 63, got 64"),
    ("scalar_access", {"mistake": "no_buffer"}, "lifetime", "no buffer backs"),
])  # fmt: skip
def test_pipes_and_buffers(run_case, case: str, params: dict[str, object], expected: str, part: str) -> None:
    run = run_case("machine", case, **params)
    assert outcome(run) == expected, run.text
    assert part in run.text


@pytest.mark.parametrize(("mistake", "expected", "part"), [
    ("", "ok", ""),
    ("alloc_without_free", "queue", "no buffer of the queue is free"),
    ("deque_empty", "queue", "the queue is empty"),
    ("enque_foreign", "queue", "another queue or TBuf"),
    ("enque_other_queue", "queue", "another queue or TBuf"),
    ("enque_slice", "queue", "32 B into it"),
    ("enque_twice", "lifetime", "EnQue"),
    ("no_enque", "hazard", "MTE2_V"),
    ("use_while_enqueued", "lifetime", "DeQue before use"),
    ("free_while_enqueued", "lifetime", "DeQue before use"),
    ("leave_enqueued", "leftover", "still enqueued"),
    ("leave_allocated", "leftover", "never freed"),
    ("free_twice", "lifetime", "after its buffer was freed"),
    ("use_after_free", "lifetime", "after its buffer was freed"),
    ("old_handle", "lifetime", "after its buffer was freed"),
    ("no_out_queue", "hazard", "V_MTE3"),
])  # fmt: skip
def test_queue_mistakes(run_case, mistake: str, expected: str, part: str) -> None:
    run = run_case("machine", "queues", inputs=X, outputs={"y": "f4"}, mistake=mistake)
    assert outcome(run) == expected, run.text
    assert part in run.text
    if run.ok:
        np.testing.assert_allclose(run.outputs["y"], np.exp(X["x"][:64]), rtol=1e-6)


def test_queue_state(run_case) -> None:
    run = run_case("machine", "queue_state", outputs={"y": "i4"})
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], [1, 0, 0, 1, 0, 1])


def test_pass_through_queue(run_case) -> None:
    run = run_case("machine", "pass_through", inputs=X, outputs={"y": "f4"})
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], X["x"][:192])


@pytest.mark.parametrize(("mistake", "expected", "part"), [
    ("", "ok", ""),
    ("wait_without_set", "event", "the core hangs"),
    ("set_twice", "event", "set twice"),
    ("wait_other_id", "event", "id 2"),
    ("wait_other_kind", "event", "MTE2_S"),
    ("leave_set", "leftover", "V_S id 3"),
    ("id_8", "event", "0 to 7"),
    ("nine_ids", "event", "no event id of kind V_S"),
    ("leave_id", "leftover", "never released"),
    ("release_free_id", "event", "nobody holds"),
    ("reduce_without_ids", "event", "S_MTE3"),
])  # fmt: skip
def test_flags(run_case, mistake: str, expected: str, part: str) -> None:
    run = run_case("machine", "flags", mistake=mistake)
    assert outcome(run) == expected, run.text
    assert part in run.text


@pytest.mark.parametrize(("cut", "expected", "part"), [
    ("", "ok", ""),
    ("load_again", "hazard", "PipeBarrier<PIPE_MTE2>"),
    ("MTE2_V", "hazard", "HardEvent::MTE2_V"),
    ("V", "hazard", "PipeBarrier<PIPE_V>"),
    ("overwrite_source", "hazard", "HardEvent::V_MTE2"),
    ("write_after_read", "hazard", "PipeBarrier<PIPE_V>"),
    ("get_value", "hazard", "HardEvent::V_S"),
    ("set_value", "hazard", "HardEvent::V_S"),
    ("V_MTE3", "hazard", "HardEvent::V_MTE3"),
    ("store_again", "hazard", "PipeBarrier<PIPE_MTE3>"),
    ("overwrite_stored", "hazard", "HardEvent::MTE3_V"),
    ("load_stored", "hazard", "HardEvent::MTE3_MTE2"),
    ("wrong_pipe_barrier", "hazard", "PipeBarrier<PIPE_V>"),
])  # fmt: skip
def test_order(run_case, cut: str, expected: str, part: str) -> None:
    run = run_case("machine", "order", inputs=X, outputs={"y": "f4"}, cut=cut)
    assert outcome(run) == expected, run.text
    assert part in run.text
    if run.ok:
        np.testing.assert_array_equal(run.outputs["y"], 2 * X["x"][:64] + 1)


@pytest.mark.parametrize(("cut", "policy"), [
    ("V", {"vector_needs_barrier": 0}),
    ("write_after_read", {"vector_needs_barrier": 0}),
    ("get_value", {"scalar_needs_flags": 0}),
])  # fmt: skip
def test_order_that_the_compiler_can_add(run_case, cut: str, policy: dict[str, object]) -> None:
    assert run_case("machine", "order", inputs=X, cut=cut, **policy).ok


def test_the_scalar_pipe_passes_its_knowledge_on_but_not_its_own_writes(run_case) -> None:
    assert run_case("machine", "order_through_scalar").ok
    missing = run_case("machine", "order_through_scalar", write=1)
    assert outcome(missing) == "hazard"
    assert "S_MTE3" in missing.text
    assert run_case("machine", "order_through_scalar", write=1, flag=1).ok


@pytest.mark.parametrize(("mistake", "expected", "part"), [
    ("", "ok", ""),
    ("count_in_normal_mode", "argument", "mode of the mask"),
    ("bits_in_counter_mode", "argument", "value of the mask register"),
    ("own_mask_in_counter_mode", "argument", "SetMaskNorm"),
    ("copy_in_counter_mode", "argument", "not modelled"),
])  # fmt: skip
def test_mask_register(run_case, mistake: str, expected: str, part: str) -> None:
    run = run_case("machine", "mask_register", inputs=X, mistake=mistake)
    assert outcome(run) == expected, run.text
    assert part in run.text


def test_flags_that_collide_with_those_of_a_queue(run_case) -> None:
    taken = run_case("machine", "queue_and_hand_flags", inputs=X)
    assert outcome(taken) == "event"
    assert "waited for by someone else" in taken.text
    used = run_case("machine", "queue_and_hand_flags", inputs=X, set_first=1)
    assert outcome(used) == "event"
    assert "AllocEventID" in used.text


def test_unaligned_gm(run_case) -> None:
    run = run_case("machine", "unaligned_gm", inputs=X)
    assert outcome(run) == "alignment"
    assert "GM 'x'" in run.text


def test_barrier_on_all_pipes(run_case) -> None:
    run = run_case("machine", "barrier_all", inputs=X, outputs={"y": "f4"})
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], 2 * X["x"][:64])


@pytest.mark.parametrize(("sink", "expected", "part"), [
    ("", "ok", ""),
    ("gm", "taint", "GM"),
    ("reduce", "taint", "a reduction"),
    ("good_reduce", "ok", ""),
    ("whole_reduce", "taint", "a reduction"),
    ("scalar", "taint", "a scalar"),
    ("good_scalar", "ok", ""),
    ("rewritten", "hazard", "PIPE_MTE3"),
])  # fmt: skip
def test_lanes_never_written(run_case, sink: str, expected: str, part: str) -> None:
    run = run_case("machine", "taint", inputs=X, sink=sink)
    assert outcome(run) == expected, run.text
    assert part in run.text


def test_a_fresh_tensor_holds_nothing(run_case) -> None:
    assert outcome(run_case("machine", "stale_tensor")) == "taint"


@pytest.mark.parametrize(("kind", "expected"), [
    ("same", "ok"),
    ("same_mask", "ok"),
    ("shifted", "overlap"),
    ("shifted_mask", "overlap"),
    ("next_iteration", "overlap"),
    ("earlier_iteration", "ok"),
    ("short_rows_apart", "ok"),
    ("dense_rows", "overlap"),
    ("unaligned", "alignment"),
])  # fmt: skip
def test_overlapping_operands(run_case, kind: str, expected: str) -> None:
    run = run_case("machine", "overlap", inputs=X, kind=kind)
    assert outcome(run) == expected, run.text


def test_a_message_names_call_line_core_and_run(run_case) -> None:
    run = run_case("machine", "runs", inputs=X, block_dim=3, bad_core=1)
    line = next(number for number, text in enumerate(SOURCE, 1) if "i == 3 && GetBlockIdx()" in text)
    failure = run.failure
    assert (failure["api"], failure["line"], failure["core"], failure["run"]) == ("Adds", line, 1, 4)
    assert failure["file"].endswith("machine.cpp")
    assert run.text == (
        f"Adds at machine.cpp:{line} (core 1, run 4 of this line): dst is too small for the call; "
        "expected a tensor of at least 260 B, got 256 B"
    )


@pytest.mark.parametrize("key", [1, 2])
def test_tiling_key(run_case, key: int) -> None:
    run = run_case("machine", "tiling_key", outputs={"y": "f4"}, tiling_key=key)
    np.testing.assert_array_equal(run.outputs["y"], np.full(64, key, np.float32))


def test_counts_per_core(run_case) -> None:
    run = run_case("machine", "runs", inputs=X, block_dim=2, bad_core=9)
    assert run.ok, run.text
    assert [core["calls"]["V"] for core in run.report["cores"]] == [{"Adds": 5}, {"Adds": 5}]
    assert run.calls("V") == {"Adds": 10}
    assert run.calls("SYNC")["PipeBarrier"] == 10
