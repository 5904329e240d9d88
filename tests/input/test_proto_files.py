"""Protos and profiles as input: which are dumps, under which labels, and what is said about the rest."""

import gzip
import json
import lzma
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reportgen.errors import UnreadableInput
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.protos.wire import fields
from tests.support.commands import Run
from tests.support.folders import labels
from tests.support.protos import message, profile, sample_proto
from tests.support.samples import SAMPLES

NAME = "module_0001.jit_mlp_train_step.sm_9.0a_gpu_after_optimizations.hlo.pb"
GPU = "gpu-train-step"
MODULES = {"jit_step(12)": sample_proto(GPU), "jit_odd(-7)": sample_proto("tpu-odd-shapes")}


def figures(run: Run, *arguments: object) -> dict[str, dict[str, int]]:
    """Return what `check --json` says of the only module, in bytes and moments, by memory space."""
    (module,) = json.loads(run("check", "--json", *arguments).out)["modules"]
    spaces = module["spaces"].items()
    return {color: {name: found for name, found in space.items() if isinstance(found, int)} for color, space in spaces}


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        (NAME, bytes),
        (f"{NAME}.gz", gzip.compress),
        (f"{NAME}.xz", lzma.compress),
        ("jit_mlp_train_step(12).hlo_proto.pb", bytes),
    ],
)
def test_a_proto_without_text_is_a_dump(tmp_path: Path, name: str, packed: Any) -> None:
    (tmp_path / name).write_bytes(packed(sample_proto(GPU)))
    found = discover([tmp_path])
    assert (labels(found), found.problems) == ([name], ())
    assert found.dumps[0].name.module_name == "jit_mlp_train_step"
    assert labels(discover([tmp_path / name])) == [name]


def test_the_figures_are_those_of_the_text(tmp_path: Path, run: Run) -> None:
    (tmp_path / NAME).write_bytes(sample_proto(GPU))
    assert figures(run, tmp_path) == figures(run, SAMPLES / GPU)
    assert figures(run, tmp_path)["0"]["peak_resident_bytes"] == 24_673_576


@pytest.mark.parametrize("name", ["cpu-tiny", "tf-train-step"])
def test_no_cut_of_a_proto_has_a_need_that_is_exact_or_passes(tmp_path: Path, run: Run, name: str) -> None:
    path, budgets, whole = tmp_path / NAME, tmp_path / "budgets.toml", sample_proto(name)
    budgets.write_text("[[budget]]\nmax = '1 TiB'\n")
    plan = len(message(1, bytes(dict(fields(whole))[1])))
    for end in (len(whole), *Random(name).sample(range(plan, len(whole)), 25)):
        path.write_bytes(whole[:end])
        ran, passes = run("check", path, "--budgets", budgets), end == len(whole)
        assert (ran.code, "budgets: pass" in ran.out) == ((0, True) if passes else (4 if ran.out else 1, False))
        assert (" needs at least " in ran.out) is (not passes and bool(ran.out))
        fitting = run("check", path, "--capacity", "1TiB")
        assert fitting.code == ran.code
        assert (" less than 1" in fitting.out) is passes


def test_no_check_judges_live_ranges_that_are_rebuilt_from_a_trace(tmp_path: Path, run: Run) -> None:
    (tmp_path / NAME).write_bytes(sample_proto("tf-train-step"))
    (module,) = json.loads(run("check", "--json", tmp_path).out)["modules"]
    assert [(found["slug"], found["severity"]) for found in module["findings"]] == [("no-live-ranges", "note")]
    assert "half of the ranges rebuilt from a trace are XLA's" in run("explain", tmp_path).out


def test_protos_of_other_stages_are_not_read_beside_a_text(tmp_path: Path) -> None:
    for path in (SAMPLES / GPU).glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / NAME.replace("sm_9.0a_gpu_after", "before")).write_bytes(sample_proto("cpu-tiny"))
    assert labels(discover([tmp_path])) == [NAME.replace(".hlo.pb", "-buffer-assignment.txt")]


@pytest.mark.parametrize(
    ("devices", "backend"),
    [
        (["/host:CPU"], "cpu"),
        (["/host:CPU", "/device:GPU:0"], "gpu"),
        (["/device:TPU:0 (pid 1)", "/host:CPU"], "unknown"),
    ],
    ids=["cpu", "gpu", "tpu"],
)
def test_the_devices_of_a_profile_say_its_backend(tmp_path: Path, devices: list[str], backend: str) -> None:
    (tmp_path / "host.xplane.pb").write_bytes(profile({"jit_f(1)": sample_proto("cpu-tiny")}, devices))
    assert [dump.name.backend for dump in discover([tmp_path]).dumps] == [backend]


def test_every_module_of_a_profile_is_a_dump(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "2026_11_23"
    folder.mkdir(parents=True)
    (folder / "host.xplane.pb").write_bytes(profile(MODULES))
    found = discover([tmp_path])
    label = "plugins/profile/2026_11_23/host.xplane.pb"
    assert labels(found) == [f"{label}#jit_odd(-7)", f"{label}#jit_step(12)"]
    assert [dump.name.module_name for dump in found.dumps] == ["jit_odd", "jit_step"]
    assert found.problems == ()
    for dump, proto in zip(found.dumps, [MODULES["jit_odd(-7)"], MODULES["jit_step(12)"]], strict=True):
        alone = tmp_path / "alone.hlo.pb"
        alone.write_bytes(proto)
        (same,) = discover([alone]).dumps
        assert read_contents(dump).text.parts[0].data == read_contents(same).text.parts[0].data


def test_what_xprof_keeps_beside_a_profile_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "host.xplane.pb.gz").write_bytes(gzip.compress(profile(MODULES)))
    (tmp_path / "jit_step(12).hlo_proto.pb").write_bytes(MODULES["jit_step(12)"])
    (tmp_path / "jit_other(13).hlo_proto.pb").write_bytes(MODULES["jit_step(12)"])
    modules = ["host.xplane.pb.gz#jit_odd(-7)", "host.xplane.pb.gz#jit_step(12)", "jit_other(13).hlo_proto.pb"]
    assert labels(discover([tmp_path])) == modules


def test_a_proto_of_another_program_beside_a_profile_is_shown(tmp_path: Path) -> None:
    tiny, other = sample_proto("cpu-tiny"), sample_proto(GPU)
    (tmp_path / "host.xplane.pb").write_bytes(profile({f"jit_f({number})": tiny for number in range(3)}))
    profiled = [f"host.xplane.pb#jit_f({number})" for number in range(3)]
    for proto, shown in ((other, ["jit_f(1).hlo_proto.pb"]), (tiny, [])):
        (tmp_path / "jit_f(1).hlo_proto.pb").write_bytes(proto)
        assert labels(discover([tmp_path])) == profiled + shown


def test_modules_of_one_name_are_told_apart(tmp_path: Path) -> None:
    twice = profile({"jit_f(1)": sample_proto("cpu-tiny")}) + profile({"jit_f(1)": sample_proto("cpu-tiny")})
    (tmp_path / "host.xplane.pb").write_bytes(twice)
    found = discover([tmp_path])
    assert labels(found) == ["host.xplane.pb#jit_f(1)", "host.xplane.pb#jit_f(1)#2"]
    assert {dump.name.module_name for dump in found.dumps} == {"jit_f"}


def test_a_profile_that_was_cut_off_says_so(tmp_path: Path) -> None:
    (tmp_path / "host.xplane.pb").write_bytes(profile(MODULES)[:-4_000])
    found = discover([tmp_path])
    assert labels(found) == ["host.xplane.pb#jit_step(12)"]
    (problem,) = found.problems
    assert (problem.severity, problem.file) == ("error", "host.xplane.pb")
    assert "is cut off after byte" in problem.message
    assert problem.message.endswith("; the modules before that are used")


def test_a_profile_without_programs_says_so(tmp_path: Path) -> None:
    (tmp_path / "host.xplane.pb").write_bytes(profile({}))
    assert "host.xplane.pb: the profile has no modules" in discover([tmp_path]).why_none


def test_protos_before_optimizations_are_counted(tmp_path: Path) -> None:
    (tmp_path / "module_0001.jit_f.before_optimizations.hlo.pb").write_bytes(b"\x0a\x03\x0a\x01f")
    assert "protos without a buffer assignment (1)" in discover([tmp_path]).why_none


def test_a_damaged_proto_is_reported_and_the_others_are_shown(tmp_path: Path, run: Run) -> None:
    (tmp_path / NAME).write_bytes(sample_proto(GPU))
    (tmp_path / "bad.hlo.pb").write_bytes(sample_proto("tpu-odd-shapes")[:5_000])
    with pytest.raises(UnreadableInput, match=r"it has no module: the field at byte 0 is cut off after byte 5,000"):
        read_contents(next(dump for dump in discover([tmp_path]).dumps if dump.label == "bad.hlo.pb"))
    ran = run("check", "--jobs", 1, tmp_path)
    assert "bad.hlo.pb: it has no module" in ran.err
    assert f"{NAME}: gpu" in ran.out


def test_text_and_proto_of_one_build_are_the_same(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_bytes(sample_proto(GPU))
    assert run("compare", SAMPLES / GPU, tmp_path / NAME, "--json", "c.json").code == 0
    compared = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    (module,) = compared["modules"]
    assert [space["terms"] for space in module["spaces"].values()] == [[] for _ in module["spaces"]]
    assert all(space["before_bytes"] == space["after_bytes"] for space in module["spaces"].values())


def test_a_site_of_a_profile_says_where_its_live_ranges_are_from(tmp_path: Path, run: Run) -> None:
    (tmp_path / "host.xplane.pb").write_bytes(profile({"jit_step(12)": sample_proto(GPU)}))
    assert run("build", tmp_path / "host.xplane.pb", "-o", tmp_path / "site", "--jobs", 1).code == 0
    (page,) = (tmp_path / "site" / "m").glob("*/index.html")
    assert "rebuilt from its schedule by XLA’s own rules" in page.read_text(encoding="utf-8")


def test_names_in_a_profile_are_hidden(tmp_path: Path, run: Run) -> None:
    secret = sample_proto(GPU).replace(b"mlp_train_step", b"hush_secret_xy")
    (tmp_path / "host.xplane.pb").write_bytes(profile({"jit_hush_secret_xy(12)": secret}))
    site = tmp_path / "site"
    assert run("build", tmp_path / "host.xplane.pb", "-o", site, "--redact-names", "--jobs", 1).code == 0
    files = [path for path in site.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"hush_secret" in path.read_bytes() or "hush" in path.as_posix()] == []
