// The data files of a site (`data_shards.py` and `summarize.py` write them), and what other scripts put on the page.
// Columns hold one entry for each value, allocation, instruction or module.

type Row = [moment: number, amount: number];

/** A step function: the amount from each moment to the next. */
interface Steps {
  moments: number[];
  amounts: number[];
}

interface RowHrefs {
  row: string;
  laterRow: string;
}

interface Allocations {
  id: string[];
  index: number[];
  size: number[];
  color: number[];
  class: number[];
  kind: number[];
}

interface Values {
  hrefs: { value: string; allocation: string; filtered: string; line: string; map: string };
  /** Source lines with bytes of the peak, as FILE:LINE, and the numbers of the pages of their files; 0 for none. */
  lines: { line: string[]; size: number[]; page: number[] };
  /** The id of each value in the dump, which damaged dumps may repeat, with a suffix. */
  id: string[];
  name: string[];
  index: string[];
  allocation: number[];
  offset: number[];
  size: number[];
  padding: number[];
  /** The first and last moments of the live range, inclusive; -1 where unknown. */
  first: number[];
  last: number[];
  /** The moments that read each value, in order. */
  reads: number[][];
  /** The dense bytes where they are not the size without padding; null where unknown. */
  unusualDense: Record<number, number | null>;
  /** The first value of the buffer of each value that is not the first itself. */
  unusualBuffer: Record<number, number>;
  opcode: number[];
  /** What stands before the scope: "read by", "new value of", "a copy of", or nothing. */
  relation: number[];
  scope: number[];
  /** What a value without a scope is called; empty for the name of its own instruction. */
  label: number[];
  source: number[];
  /** The line that reads a value first, of one that has no line of its own; in the table of the sources. */
  firstRead: number[];
  shape: number[];
  classes: string[];
  opcodes: string[];
  relations: string[];
  scopes: string[];
  /** The same without what JAX adds to them. */
  shortScopes: string[];
  labels: string[];
  sources: string[];
  /** The colors of the source lines that have one, as `source-1`. */
  looks: Record<string, string>;
  shapes: string[];
  kinds: string[];
  /** The name of each memory space by its color. */
  spaces: Record<number, string>;
  conflicting: number[];
  allocations: Allocations;
}

interface Instructions {
  hrefs: { row: string };
  name: string[];
  moment: number[];
}

/** What is resident in a memory space: what the caller holds, and the temporaries with their largest parts. */
interface SpaceSteps {
  static: number;
  live: Steps;
  temp: Steps;
  parts: (Steps & { name: string })[];
}

/** The same inside a page, at fewer moments; without what is live where parts are drawn. */
type DrawnSteps = Omit<SpaceSteps, "live"> & { live?: Steps };

interface Timeline {
  names: string[];
  /** The instruction whose result is computed again, by the moment. */
  recomputes: Record<number, string>;
  spaces: Record<string, SpaceSteps>;
}

/**
 * A change to the program, or several: the peak that it leads to, what it adds to what is resident, or takes away, and
 * the bytes that are needed then, at the least and at the most that it saves.
 */
interface Change extends Steps {
  words: string;
  result: string;
  least: number;
  needs: number;
  peak: number;
  moment: number;
}

/** The sections of the help pages. */
interface Terms {
  name: string[];
  href: string[];
  page: string[];
}

interface Modules {
  hrefs: RowHrefs & { terms: string };
  name: string[];
  path: string[];
  backend: string[];
  size: number[];
  href: string[];
  page: number[];
}

interface ChartData {
  datasets: Record<string, object[]>;
  params: Record<string, unknown>;
  steps?: DrawnSteps;
  height?: number;
}

interface VegaView {
  signal(name: string, value: unknown): VegaView;
  signal(name: string): unknown;
  data(name: string, rows: object[]): VegaView;
  data(name: string): object[];
  addEventListener(type: string, listen: (event: PointerEvent, item: { datum: unknown } | null) => void): VegaView;
  runAsync(): Promise<VegaView>;
  toSVG(): Promise<string>;
  width(): number;
  height(): number;
  height(pixels: number): VegaView;
  origin(): [number, number];
}

interface Window {
  REPORT_CHARTS: Record<string, { params?: { name: string }[]; height?: number }>;
  vegaEmbed(plot: HTMLElement, specification: object, options: object): Promise<{ view: VegaView }>;
}

/** Why the figures on a page are not those on the disk. */
interface Outdated {
  state: "being written" | "stale";
  since: string;
  reason: string;
  figures: string | null;
}

interface LiveEntry {
  href: string | null;
  title: string;
  label: string;
}

/** What the last build changed in a module, and the page that explains it. */
interface LiveChange extends LiveEntry {
  headline: string;
  comparison: string | null;
}

interface LiveModule extends LiveChange {
  build: number;
  time: string;
  outdated: Outdated | null;
}

/** The answer of `reportgen watch` to a page that asks for changes. */
interface LiveChanges {
  starting?: boolean;
  path: string;
  version: string;
  why?: string;
  /** The id of the value that was asked for, on the page at `path`. */
  place?: string;
  build: number;
  time: string;
  message: string | null;
  module: LiveModule | null;
  changed: LiveChange[];
  outdated: (LiveEntry & { outdated: Outdated })[];
}
