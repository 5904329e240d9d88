import assert from "node:assert/strict";
import { test } from "node:test";
import { amountAt, byteRange, stackedSteps, sum, thinned } from "../../templates/scripts/steps.js";
import { cases } from "./cases.js";

test("the whole axis is thinned as Python thins it", () => {
  for (const { moments, amounts, length, points, rows } of cases("thinned").cases) {
    assert.deepEqual(thinned({ moments, amounts }, 0, length, points), rows);
  }
});

test("the areas of the temporaries are those that Python draws, each byte of them resident", () => {
  for (const { steps, last, tops } of cases("stacked").cases) {
    const { temporary } = stackedSteps(steps, [0, last]);
    for (const [kind, highs] of Object.entries(tops)) {
      const rows = temporary.filter((row) => row.class === kind);
      const drawn = { moments: rows.map(({ moment }) => moment), amounts: rows.map(({ high }) => high) };
      assert.deepEqual(highs.map((_, moment) => amountAt(drawn, moment)), highs);
    }
    assert.deepEqual([...new Set(temporary.map((row) => row.class))].reverse(), Object.keys(tops));
  }
});

test("the amount at a moment is that of the last step at or before it", () => {
  const steps = { moments: [0, 3, 7], amounts: [10, 20, 5] };
  assert.deepEqual([0, 2, 3, 6, 7, 100].map((moment) => amountAt(steps, moment)), [10, 10, 20, 20, 5, 5]);
});

test("a part begins with the amount from before it and ends at its end", () => {
  const steps = { moments: [0, 3, 7], amounts: [10, 20, 5] };
  assert.deepEqual(thinned(steps, 4, 9), [[4, 20], [7, 5], [9, 5]]);
});

test("thinning keeps every row within limits, the highest and the lowest", () => {
  const moments = Array.from({ length: 5000 }, (_, number) => number);
  const amounts = moments.map((moment) => (moment * 7919) % 5003);
  const rows = thinned({ moments, amounts }, 1000, 4000, 100);
  const inside = amounts.slice(1000, 4000), shown = rows.map(([, amount]) => amount);
  assert.ok(rows.length <= 3 * 100 + 5);
  assert.equal(Math.max(...shown), Math.max(...inside));
  assert.equal(Math.min(...shown), Math.min(...inside));
  assert.ok(rows.every(([moment, amount], number) => number === rows.length - 1 || amounts[moment] === amount));
});

test("the bytes of a part are shown from zero unless they hardly change", () => {
  const [low, high] = byteRange([1000, 1010, 1500]);
  assert.ok(low > 900 && low < 1000 && high > 1500);
  assert.equal(byteRange([100, 1500])[0], 0);
  const [least, most] = byteRange([8, 8]);
  assert.ok(least < 8 && most > 8);
});

test("the sum of two step functions is the sum of their amounts at every moment", () => {
  const one = { moments: [0, 3, 7], amounts: [10, 20, 5] }, other = { moments: [0, 3, 4, 9], amounts: [0, -5, 2, 1] };
  const both = sum(one, other);
  assert.deepEqual(both.moments, [0, 3, 4, 7, 9]);
  for (let moment = 0; moment < 12; moment += 1) {
    assert.equal(amountAt(both, moment), amountAt(one, moment) + amountAt(other, moment));
  }
});
