import assert from "node:assert/strict";
import { test } from "node:test";
import { axisTop, byDay, evenly, roundUp, span, stretches } from "../../src/views/charts";

test("an axis spans all days that are known, and two weeks at least", () => {
  assert.deepEqual(span(["2026-11-29", "2026-11-30"]), ["2026-11-17", "2026-11-30"]);
  assert.deepEqual(span(["2026-09-01", "2026-11-30"]), ["2026-09-01", "2026-11-30"]);
});

test("days stand at their distance in time, also over a month's end and a change of clocks", () => {
  assert.deepEqual(byDay(["2026-11-17", "2026-11-30"]), [0, 1]);
  const [, middle] = byDay(["2026-10-19", "2026-10-26", "2026-11-02"]);
  assert.equal(middle, 0.5);
  assert.deepEqual(byDay(["2026-11-30"]), [1]);
});

test("runs stand at equal distances, a single one at the end", () => {
  assert.deepEqual(evenly(3), [0, 0.5, 1]);
  assert.deepEqual(evenly(1), [1]);
  assert.deepEqual(evenly(0), []);
});

test("the top of an axis is round and never below a value", () => {
  assert.deepEqual([0, 0.3, 1, 1.2, 3, 7, 12, 480, 501].map(roundUp), [1, 0.5, 1, 2, 5, 10, 20, 500, 1000]);
  for (let value = 0.01; value < 5000; value *= 1.37) assert.ok(roundUp(value) >= value);
});

test("shares show the whole, unless they are all tiny; undefined values do not count", () => {
  assert.equal(axisTop("share", [0.2, null, 0.4]), 1);
  assert.equal(axisTop("share", [0.02, 0.1]), 0.1);
  assert.equal(axisTop("share", [null]), 0.1);
  assert.equal(axisTop("count", [0, 0]), 2);
  assert.equal(axisTop("count", [31]), 50);
});

test("what is not defined is a gap in the line, never a zero", () => {
  const found = stretches([0, 0.25, 0.5, 0.75, 1], [0, 0.5, null, 1, 2], 1);
  assert.deepEqual(found, [
    [[0, 100], [25, 50]],
    [[75, 0], [100, 0]],
  ]);
  assert.deepEqual(stretches([0, 1], [null, null], 1), []);
});
