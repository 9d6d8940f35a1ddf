"""NCCL's tuning: systems by name, lists of rows and ranges, the tuner's text."""
import dtcore
import pytest
from dtcore import Collective, Nccl, NcclAlgorithm, NcclProtocol

MIB = 2**20


def test_a_choice_is_a_named_tuple():
    nccl = dtcore.nccl_find("h100_8x400", 0, 8, 8)
    choice = dtcore.nccl_choose(nccl, "all_reduce", 16 * MIB)
    assert (choice.algorithm, choice.protocol) == (NcclAlgorithm.NVLS_TREE, NcclProtocol.SIMPLE)
    assert choice.channels == 16 and choice.seconds == choice.latency + 16 * MIB / choice.bandwidth
    assert dtcore.nccl_choose(nccl, Collective.ALL_REDUCE, 4096 * MIB).algorithm is NcclAlgorithm.RING


def test_rows_and_ranges_are_lists():
    nccl = dtcore.nccl_find("h100-8x400", 2_027_007, 1, 8)
    rows = dtcore.nccl_table(nccl, "all_gather")
    assert [(row.algorithm, row.protocol) for row in rows] == [
        (NcclAlgorithm.RING, NcclProtocol.LL), (NcclAlgorithm.RING, NcclProtocol.LL128),
        (NcclAlgorithm.RING, NcclProtocol.SIMPLE), (NcclAlgorithm.NVLS, NcclProtocol.SIMPLE)]
    ranges = dtcore.nccl_switches(nccl, "all_gather", 0, 2**64 - 1)
    assert [r.first for r in ranges] == sorted({r.first for r in ranges}) and ranges[0].first == 0
    for r in ranges:
        assert dtcore.nccl_choose(nccl, "all_gather", r.first)[:2] == (r.algorithm, r.protocol)


def test_numbers_of_a_log_do():
    log = Nccl(compute=89, nodes=2, per_node=4, ring_channels=2, tree_channels=2, ring_intra=12e9, tree_intra=12e9)
    resolved = dtcore.nccl_resolve(log)
    assert (resolved.channels, resolved.ring_inter, resolved.ll128) == (4, 12e9, True)
    assert dtcore.nccl_resolve(resolved) == resolved


def test_the_tuner_file_names_channels():
    nccl = dtcore.nccl_find("b200-8x400", 0, 2, 8)
    lines = dtcore.nccl_tuner_write(nccl).splitlines()
    assert lines[0].startswith("# NCCL 2.30.7, ") and len({line.split(",")[0] for line in lines[1:]}) == 5
    assert all(int(line.split(",")[5]) > 0 for line in lines[1:])


def test_what_is_not_known_is_refused():
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.nccl_find("h100-8x200", 0, 2, 4)
    assert (caught.value.rule, caught.value.upper) == (dtcore.Rule.NCCL_PLACE, 8)
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.nccl_table(dtcore.nccl_find("h100-8x400", 0, 2, 8), "all_to_all")
    assert caught.value.code is dtcore.Status.UNSUPPORTED
