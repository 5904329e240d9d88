"""How many bytes of a peak have a name and a source line, as `tests.program.attribution` counts them."""

from tests.program.attribution import peaks
from tests.support.samples import SAMPLES


def test_lines_are_counted_where_frames_can_be_resolved() -> None:
    found = {peak.label.partition("/")[0]: peak for peak in peaks(SAMPLES) if peak.label.endswith("space 0")}
    assert found["cpu-train-step"].has_frames
    assert found["cpu-train-step"].share == 1
    assert found["gpu-train-step"].framed_bytes  # of which nothing beside the dump tells the lines
    assert not found["gpu-train-step"].has_frames
    assert all(peak.own_name_bytes <= peak.named_bytes <= peak.peak_bytes for peak in found.values())
