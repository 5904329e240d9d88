"""Makes what the report needs when the package is built: charts, what draws them, and help for shells.

`templates/assets/vega.js` is the library: 0.9 MB of other people's code, and the tool that bundles it
unpacks to 84 MB. `templates/assets/chart-specifications.js` are the charts: Altair takes longer to write
them than a small site takes to build. So neither is in the repository, and neither tool is needed at run
time. They are made once per wheel or editable install; the library again only when a version, the licence
text or the wrapping changes. Completions come from the parser of the command line.
"""

import argparse
import sys
from collections.abc import Callable
from importlib import metadata
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The Vega-Lite that the Altair of pyproject.toml writes charts for; a test compares the two.
VEGA_LITE = "6.4"

NOTICE = """\
Contains:

  Vega, Copyright (c) 2015-2023, University of Washington Interactive Data Lab
  Vega-Lite, Vega-Embed, Copyright (c) 2015, University of Washington Interactive Data Lab
  vega-themes, vega-tooltip, Copyright (c) 2016, University of Washington Interactive Data Lab
  vega-schema-url-parser, Copyright (c) 2017, Vega
    under the BSD 3-Clause License
  d3, internmap, topojson-client, Copyright (c) 2010-2026, Mike Bostock
  d3-delaunay, Copyright (c) 2018-2026, Observable, Inc.
  delaunator, Copyright (c) 2026, Mapbox
  semver, Copyright (c) Isaac Z. Schlueter and Contributors
    under the ISC License
  fast-json-patch, Copyright (c) 2013, 2014, 2020, Joachim Wester
  json-stringify-pretty-compact, Copyright (c) 2014-2022, Simon Lydell
  GeographicLib (in d3-geo), Copyright (c) 2008-2012, Charles Karney
  integrate-adaptive-simpson (in d3-geo-projection), Copyright (c) 2015, Ricky Reusser
    under the MIT License
  ColorBrewer schemes, Copyright (c) 2002, Cynthia Brewer, Mark Harrower, and The Pennsylvania State University
    under the Apache License, Version 2.0 (http://www.apache.org/licenses/LICENSE-2.0)

BSD 3-Clause License. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided
that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
   following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and
   the following disclaimer in the documentation and/or other materials provided with the distribution.

3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or
   promote products derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED
WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY
DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.

ISC License

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is
hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE
INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF
USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.

MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions
of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
"""


class TemplatesHook(BuildHookInterface):
    """Adds `templates/`, with all that is made for it, to the wheel as `reportgen/templates`.

    An editable install reads the checkout's own `templates/`: copies of them in site-packages would
    only grow stale, which is why they are added here and not by `force-include` in pyproject.toml.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        templates = Path(self.root, "templates")
        # An attribute, so that the directory lives until the wheel is written.
        self._elsewhere = TemporaryDirectory()
        keep = version == "editable"
        sys.path.insert(0, self.root)  # the package that is being built makes some of it
        made = {
            name: self._made(templates / "assets" / name, script, keep=keep)
            for name, script in (("vega.js", _library), ("chart-specifications.js", _specifications))
        }
        if version == "standard":
            build_data["shared_data"] |= self._shared()
            others = {path: path.relative_to(templates).as_posix() for path in templates.rglob("*") if path.is_file()}
            names = {path: name for path, name in others.items() if name.removeprefix("assets/") not in made}
            names |= {path: f"assets/{name}" for name, path in made.items()}
            build_data["force_include"] |= {str(path): f"reportgen/templates/{names[path]}" for path in sorted(names)}

    def _shared(self) -> dict[str, str]:
        """What belongs into the `share` of an environment, by the places where it is made."""
        made = {}
        for place, text in completions().items():
            path = Path(self._elsewhere.name, Path(place).name)
            path.write_text(text, encoding="utf-8", newline="\n")
            made[str(path)] = f"share/{place}"
        return made

    def _made(self, target: Path, make: Callable[[str], str], *, keep: bool) -> Path:
        """Where an up-to-date script is: at `target` or, unless it must be kept, beside a read-only tree."""
        present = target.read_text(encoding="utf-8") if target.is_file() else ""
        script = make(present)
        if script == present:
            return target
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(script, encoding="utf-8", newline="\n")
        except OSError:
            if keep:
                raise
            target = Path(self._elsewhere.name, target.name)
            target.write_text(script, encoding="utf-8", newline="\n")
        return target


def completions() -> dict[str, str]:
    """Scripts that complete commands, options and paths, by their places below `share`."""
    import shtab

    from reportgen.cli import argument_parser

    parser = argument_parser()
    paths = {"DIR": shtab.DIRECTORY} | dict.fromkeys(("AFTER", "BEFORE", "FILE", "PATH", "REPORT"), shtab.FILE)
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for option in chain.from_iterable(command._actions for command in commands.choices.values()):
        if option.metavar in paths:
            option.complete = paths[option.metavar]
    places = {
        "bash": "bash-completion/completions/reportgen",
        "zsh": "zsh/site-functions/_reportgen",
        "fish": "fish/vendor_completions.d/reportgen.fish",
    }
    return {place: shtab.complete(parser, shell=shell) for shell, place in places.items()}


def _specifications(present: str) -> str:
    """The charts as Altair writes them."""
    from reportgen.render.drawings.charts import specifications_script

    return specifications_script()


def _library(present: str) -> str:
    """The chart library; `present` where that was made by this very recipe, to its end."""
    head, tail = wrapping()
    return present if present.startswith(head) and present.endswith(tail) else head + bundle() + tail


def wrapping() -> tuple[str, str]:
    """What stands before and after the bundle; the first line says what it was made from."""
    import vl_convert

    vega, embed = vl_convert.get_vega_version(), vl_convert.get_vega_embed_version()
    maker = f"vl-convert {metadata.version('vl-convert-python')}"
    title = f"Vega {vega}, Vega-Lite {VEGA_LITE}, Vega-Embed {embed}; bundled by {maker}; sets only window.vegaEmbed"
    # The bundle was written as a module: a module is strict, and its names are its own.
    return f'/*! {title}\n\n{NOTICE}*/\n(function () {{\n"use strict";\n', "\n})();\n"


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script; the same bytes for the same versions."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
