import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnderWay } from "../../src/jobs";
import { enHealth } from "../../src/locales/en-health";
import { zhHealth } from "../../src/locales/zh-health";
import { grouped, inWords } from "../../src/views/figures";
import { commandsIn } from "../../src/views/sections";
import { Words } from "../../src/views/words";

const en = { t: enHealth, words: new Words({ language: "en" }) };
const zh = { t: zhHealth, words: new Words({ language: "zh" }) };
const DAYS = ["2026-11-28", "2026-11-29", "2026-11-30"];

test("a line is told in words: its first and last value, and the days without one", () => {
  assert.equal(
    inWords(en, DAYS, { title: "Fresh", unit: "share", values: [0.4, null, 0.5] }),
    "Fresh: 40 % on 28 Nov, 50 % on 30 Nov, not defined on 1 day",
  );
  assert.equal(inWords(zh, DAYS, { title: "新鲜", unit: "share", values: [null, 0.4, 0.5] }), "新鲜：11月29日 为 40 %，11月30日 为 50 %，有 1 天无定义");
});

test("a line that is defined on no day says so instead of telling numbers", () => {
  assert.equal(inWords(en, DAYS, { title: "Steps", unit: "number", values: [null, null, null] }), "Steps: not defined on any day");
});

test("figures that are read together share a picture; none is lost, also of those that this version does not know", () => {
  const names = ["freshness", "shown_only", "coherence", "steps", "new_one", "inside", "core"];
  const groups = grouped(names.map((name) => ({ name }))).map((group) => group.map(({ name }) => name));
  assert.deepEqual(groups, [["freshness", "shown_only"], ["coherence"], ["steps", "inside"], ["new_one"], ["core"]]);
});

test("the commands that the doctor names can be copied, and nothing else", () => {
  assert.deepEqual(commandsIn("see `ebbtide notes --status failed` or `ebbtide doctor`"), ["ebbtide notes --status failed", "ebbtide doctor"]);
  assert.deepEqual(commandsIn("look at key and network"), []);
});

test("a job is under way until it is done or has failed", () => {
  assert.deepEqual((["queued", "running", "done", "failed"] as const).map((state) => isUnderWay({ state })), [true, true, false, false]);
  assert.equal(isUnderWay(undefined), false);
});
