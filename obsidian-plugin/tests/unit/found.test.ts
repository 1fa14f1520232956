import assert from "node:assert/strict";
import { test } from "node:test";
import { asFound, excerpt, further, nameOf, packet, patience, readLooked, type Found, type Row } from "../../src/views/found";

function row(note: string, more: Partial<Row> = {}): Row {
  return {
    id: `f_${note}`,
    kind: "passage",
    layer: "semantic",
    text: "First line.\nThe cited sentence.\nLast line.",
    inject: `when asked, say so [${note}:2]`,
    note,
    line: 2,
    column: 0,
    quote: " The cited sentence. ",
    heading: null,
    type: "note",
    state: "active",
    disputed_with: [],
    against: [],
    superseded_by: null,
    frame: null,
    temperature: null,
    score: 0.5,
    why: [],
    parts: { channels: {}, R: 0.5, F: null, I: null, W: null, B: null, gate: null, lapse: null },
    chain: [],
    as_of: null,
    tokens: 10,
    lead: false,
    ...more,
  };
}

function found(notes: string[], ranked: string[]): Found {
  return { items: notes.map((note) => row(note)), notes: ranked, budget: 6000, tokens: 20, counted: "tokenizer", ms: {}, skipped: [], hidden: {}, empty_reason: null };
}

test("further notes are those that no row is from, without the one that is looked at", () => {
  const ranked = ["Here.md", "a/Other.md", "Third.md"];
  assert.deepEqual(further(found(["a/Other.md"], ranked), "Here.md"), ["Third.md"]);
  assert.deepEqual(further(found(["a/Other.md"], ranked), null), ["Here.md", "Third.md"]);
  assert.deepEqual(further(found(ranked, ranked), null), []);
});

test("what has another shape is nothing that was found", () => {
  const one = found(["a.md"], ["a.md"]);
  assert.equal(asFound(one), one);
  assert.equal(asFound(undefined), null);
  assert.equal(asFound(JSON.parse('{"rows": []}') as Found), null);
});

test("a packet holds the lines for an agent, and no leads", () => {
  const rows = [row("a.md"), row("b.md", { lead: true, tokens: 99 }), row("c.md", { tokens: 7 })];
  assert.equal(packet(rows), "when asked, say so [a.md:2]\nwhen asked, say so [c.md:2]");
  assert.equal(packet([]), "");
});

test("an excerpt is as long as was chosen", () => {
  const one = row("a.md");
  assert.equal(excerpt(one, "0"), "");
  assert.equal(excerpt(one, "1"), "The cited sentence.");
  assert.equal(excerpt(one, "3"), "First line.\nThe cited sentence.\nLast line.");
  assert.equal(excerpt({ ...one, kind: "fact" }, "3"), "The cited sentence.");
});

test("a note is called as Obsidian calls it", () => {
  assert.deepEqual(["a/b/One.md", "笔记.md", "v1.2.MD", "x.canvas"].map(nameOf), ["One", "笔记", "v1.2", "x.canvas"]);
});

test("one switch asks at once, leafing through waits", () => {
  assert.equal(patience(10_000), 0);
  assert.ok(patience(50) > 0);
});

test("a stored state is read, and what is not as expected left out", () => {
  assert.deepEqual(readLooked(null), { note: null, pinned: false, question: "", type: "", include: [] });
  const stored = { note: "a.md", pinned: true, question: "why?", type: "decision", include: ["frozen", "stale"] };
  assert.deepEqual(readLooked(stored), { ...stored, include: ["stale", "frozen"] });
  assert.deepEqual(readLooked({ note: 3, pinned: "yes", question: {}, include: ["<img>", 4, "archived"] }), {
    note: null, pinned: false, question: "", type: "", include: ["archived"],
  });
});
