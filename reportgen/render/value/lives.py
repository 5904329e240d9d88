"""Draw the lives of values below the memory of their space, and say what they take of its peak."""

from collections.abc import Sequence
from functools import lru_cache

from reportgen.analyse.records import Space
from reportgen.analyse.spaces import main_space
from reportgen.program.buffer_uses import same_contents
from reportgen.render.drawings.life import Life, held_strip, life_of
from reportgen.render.drawings.life_curve import life_below_curve, symbols
from reportgen.render.drawings.time_axis import time_axis
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes, percent


class ValueLives:
    """The drawings of one module's values; the curve of each memory space is made once."""

    def __init__(self, module: Module) -> None:
        analysis = self._analysis = module.analysis
        self._module = module
        self._main = main_space(analysis.spaces)
        self._length = max(analysis.moments, 1)
        self._peaks = {color: space.peak_resident for color, space in analysis.spaces.items() if space.peak_resident}
        self._axes = {
            color: time_axis(analysis.moments, module.phases, peak.moment) for color, peak in self._peaks.items()
        }
        self._symbols = {
            color: symbols(analysis.spaces[color], peak, self._axes[color], self._length)
            for color, peak in self._peaks.items()
        }
        self._life = lru_cache(maxsize=256)(self._life_of_contents)
        self._held = lru_cache(maxsize=256)(self._held_of_buffer)
        self._bytes_at_peak = {
            share.value: share.size_bytes
            for space in analysis.spaces.values()
            for share in space.composition
            if share.value is not None
        }

    def symbols(self, numbers: Sequence[int]) -> str:
        """Return what the drawings of some values share."""
        colors = dict.fromkeys(self._space(number).color for number in numbers)
        return "".join(self._symbols[color] for color in colors if color in self._symbols)

    def drawing(self, number: int) -> str:
        """Return the life of what a value contains, which is also what the rows of its uses are about.

        It is empty for a value that is never live.
        """
        space = self._space(number)
        if self._analysis.dump.starts[number] < 0 or space.color not in self._axes:
            return ""
        program = self._analysis.program
        life = self._life(same_contents(program, number)[0], self._peaks[space.color].moment)
        if life is None:
            return ""
        colored, buffer = life._replace(look=self._module.color(number)), self._held(program.buffers.members(number)[0])
        return life_below_curve(space, colored, buffer, self._axes[space.color], self._length)

    def _life_of_contents(self, first: int, peak: int) -> Life | None:
        """Return the life of the contents that begin with a value."""
        return life_of(self._analysis, same_contents(self._analysis.program, first), "", peak)

    def _held_of_buffer(self, first: int) -> str:
        """Return the strip of the buffer that begins with a value."""
        return held_strip(self._analysis, self._analysis.program.buffers.members(first))

    def at_peak(self, number: int) -> str:
        """Return the part of the peak of its space that the buffer of a value takes, in words.

        It is empty where no peak is known.
        """
        space, own = self._space(number), self._bytes_at_peak.get(number, 0)
        peak = self._peaks.get(space.color)
        if peak is None or not peak.amount:
            return ""
        members = self._analysis.program.buffers.members(number)
        size = own or max(self._bytes_at_peak.get(member, 0) for member in members)
        if size:
            where = "" if space is self._main else f" of {space.name}"
            part = f"{percent(size, peak.amount)} of the peak{where}"
            if not own:
                return f"{part}, with its buffer"
            return part if own == self._analysis.dump.values.sizes[number] else f"{part}: {human_bytes(own)} of it"
        live = self._analysis.facts[number].live
        is_there = live is not None and live.start <= peak.moment <= live.end
        return "at the peak, in the bytes of another value" if is_there else "not at the peak"

    def peak_style(self, numbers: Sequence[int]) -> str:
        """Return the place of the peak in the rows of some values, as CSS writes it; that of the main space."""
        axis = self._axes.get(self._main.color) if self._main and numbers else None
        return f"--peak:{axis.peak_at}" if axis else ""

    def _space(self, number: int) -> Space:
        dump = self._analysis.dump
        return self._analysis.spaces[dump.allocations[dump.values.allocations[number]].color]
