import assert from "node:assert/strict";
import { test } from "node:test";
import { Words } from "../../src/views/words";

const en = new Words({ language: "en" });
const zh = new Words({ language: "zh" });

test("shares are in percent, with a decimal where they are small", () => {
  assert.equal(en.value(0.5, "share"), "50 %");
  assert.equal(en.value(0.0123, "share"), "1.2 %");
  assert.equal(en.value(1.25, "number"), "1.25");
  assert.equal(en.value(12345, "count"), "12,345");
});

test("a change has its sign", () => {
  assert.deepEqual([4, -0.5, 0].map((by) => en.signed(by)), ["+4", "−0.5", "±0"]);
});

test("a day of the calendar stays that day in every zone, in the user's language", () => {
  assert.equal(en.day("2026-11-30"), "30 Nov");
  assert.equal(zh.day("2026-11-30"), "11月30日");
  assert.equal(en.day("2026-11-30T23:59:00Z"), "30 Nov");
  assert.equal(en.day("soon"), "soon");
});
