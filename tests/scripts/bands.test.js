import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_BANDS, RESERVED, UNKNOWN, bandAt, bandsOf, grouping, momentsToDraw, stackedRows } from "../../templates/scripts/bands.js";
import { bytesByValue, residentAt } from "../../templates/scripts/composition.js";
import { ownedBytes } from "../../templates/scripts/owned-bytes.js";

const MOMENTS = 20;

/** Return numbers from 0 to `most`, the same for the same seed. */
const randoms = (/** @type {number} */ seed) => (/** @type {number} */ most) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * (most + 1));
};

/**
 * Return random values in two allocations of space 0, a parameter and a temporary, and one of space 1.
 * @param {number} seed
 * @returns {Values}
 */
const randomValues = (seed) => {
  const random = randoms(seed), count = 1 + random(30);
  const rows = Array.from({ length: count }, () => {
    const first = random(MOMENTS - 1);
    return { allocation: random(2), offset: random(12), size: random(12), first: random(9) ? first : -1, last: first + random(MOMENTS - 1 - first), scope: random(3) };
  });
  const column = (/** @type {"allocation" | "offset" | "size" | "first" | "last" | "scope"} */ name) => rows.map((row) => row[name]);
  return /** @type {Values} */ (/** @type {unknown} */ ({
    name: rows.map((_, number) => `v${number}`), index: rows.map(() => ""),
    allocation: column("allocation"), offset: column("offset"), size: column("size"), first: column("first"), last: column("last"),
    scope: column("scope"), scopes: ["", "a/x", "b/y", "c/z"], shape: rows.map((_, number) => number % 3),
    shapes: ["f32[8]{0}", "bf16[4]{0:T(4)}", "(f32[8], f32[4])"], classes: ["parameter", "temporary", "thread-local"],
    allocations: { color: [0, 0, 1], class: [0, 1, 1], size: [24, 24, 24] }
  }));
};

/** Return the steps of a function of moments. */
const stepsOf = (/** @type {(moment: number) => number} */ amount) => {
  const moments = [...Array(MOMENTS).keys()];
  return { moments, amounts: moments.map(amount) };
};

const sum = (/** @type {number[]} */ amounts) => amounts.reduce((all, one) => all + one, 0);

/** Return the bytes that values own at a moment, by an independent way. */
const ownedAt = (/** @type {Values} */ values, /** @type {number} */ moment) =>
  new Map([...bytesByValue(values, residentAt(values, 0, moment))].filter(([, size]) => size));

/** Return space 0 as the data of a page has it: a parameter of 24 bytes, and what is live in the temporary. */
const spaceOf = (/** @type {Values} */ values) => ({
  static: 24, live: stepsOf(() => 0),
  temp: stepsOf((moment) => sum([...ownedAt(values, moment)].filter(([number]) => values.allocation[number] === 1).map(([, size]) => size)))
});

test("every byte belongs to the live value that is defined last, at each moment", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const values = randomValues(seed), owned = ownedBytes(values, 0);
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      const found = new Map();
      owned.moment.forEach((from, at) => {
        if (from <= moment) found.set(owned.number[at], (found.get(owned.number[at]) ?? 0) + owned.change[at]);
      });
      const shown = [...found].filter(([, size]) => size).sort();
      assert.deepEqual(shown, [...ownedAt(values, moment)].sort(), `seed ${seed}, moment ${moment}`);
    }
  }
});

for (const by of /** @type {import("../../templates/scripts/bands.js").StackBy[]} */ (["scope", "shape", "value"])) {
  test(`the bands by ${by} are exactly what is resident`, () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const values = randomValues(seed), space = spaceOf(values);
      const bands = bandsOf(grouping(values, 0, by, MOMENTS), space, by, [0, MOMENTS], MOMENTS);
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        assert.equal(sum(bands.map(({ amounts }) => amounts[moment])), space.static + space.temp.amounts[moment]);
        assert.ok(bands.every(({ amounts }) => amounts[moment] >= 0));
        for (const band of bands.filter(({ name }) => name !== RESERVED)) {
          const members = [...ownedAt(values, moment)].filter(([number]) => band.has(number)).map(([, size]) => size);
          assert.equal(band.amounts[moment], sum(members));
        }
      }
    }
  });
}

test("the largest have bands of their own, and the rest is one", () => {
  const values = randomValues(7), bands = bandsOf(grouping(values, 0, "value", MOMENTS), spaceOf(values), "value", [0, MOMENTS], MOMENTS);
  const names = bands.map(({ name }) => name);
  assert.ok(names.filter((name) => /^v\d+$/.test(name)).length <= MOST_BANDS);
  assert.match(names.join("|"), /\d+ other values?\|/);
  const scopes = bandsOf(grouping(values, 0, "scope", MOMENTS), spaceOf(values), "scope", [0, MOMENTS], MOMENTS);
  assert.ok(scopes.some(({ name }) => name === UNKNOWN));
});

test("what is drawn has the least and the most of each stretch, and rows are stacked", () => {
  const amounts = Float64Array.from({ length: 5001 }, (_, moment) => (moment === 1234 ? 99 : moment === 4321 ? 1 : 50));
  const bands = [{ name: "a", amounts, has: () => true }, { name: "b", amounts, has: () => true }];
  const moments = momentsToDraw(bands, [0, 5000]);
  assert.ok([0, 1234, 1235, 4321, 5000].every((moment) => moment === 1235 || moments.includes(moment)));
  assert.ok(moments.length < 1000);
  const rows = stackedRows(bands, [0, 1234], ({ name }) => name);
  assert.deepEqual(rows.map(({ low, high }) => [low, high]), [[0, 50], [0, 99], [50, 100], [99, 198]]);
  assert.equal(bandAt(bands, 0, 60)?.name, "b");
  assert.equal(bandAt(bands, 0, 100), null);
});
