/** An editor over a textarea: positions are UTF-16 columns, as in Obsidian. */
import type * as real from "../../../node_modules/obsidian/obsidian";

export class Editor {
  // Optional for the compiler only: an editor as the real declarations know it fits where one of these is asked for.
  readonly _area?: HTMLTextAreaElement;
  readonly _heard?: () => void;
  constructor(area?: HTMLTextAreaElement, heard?: () => void) {
    if (area) this._area = area;
    if (heard) this._heard = heard;
  }

  getDoc(): this { return this; }
  refresh(): void {}
  getValue(): string { return this._area!.value; }
  setValue(content: string): void { this._area!.value = content; this._heard?.(); }
  _lines?(): string[] { return this._area!.value.split("\n"); }
  getLine(line: number): string { return this._lines!()[line] ?? ""; }
  setLine(n: number, text: string): void { this.replaceRange(text, { line: n, ch: 0 }, { line: n, ch: this.getLine(n).length }); }
  lineCount(): number { return this._lines!().length; }
  lastLine(): number { return this.lineCount() - 1; }
  getSelection(): string { return this._area!.value.slice(this._area!.selectionStart, this._area!.selectionEnd); }
  somethingSelected(): boolean { return this._area!.selectionStart !== this._area!.selectionEnd; }
  getRange(from: real.EditorPosition, to: real.EditorPosition): string { return this._area!.value.slice(this.posToOffset(from), this.posToOffset(to)); }
  replaceSelection(replacement: string): void {
    this._area!.setRangeText(replacement, this._area!.selectionStart, this._area!.selectionEnd, "end");
    this._heard?.();
  }
  replaceRange(replacement: string, from: real.EditorPosition, to = from): void {
    this._area!.setRangeText(replacement, this.posToOffset(from), this.posToOffset(to), "preserve");
    this._heard?.();
  }
  getCursor(side: "from" | "to" | "head" | "anchor" = "head"): real.EditorPosition {
    return this.offsetToPos(side === "from" || side === "anchor" ? this._area!.selectionStart : this._area!.selectionEnd);
  }
  listSelections(): real.EditorSelection[] { return [{ anchor: this.getCursor("anchor"), head: this.getCursor("head") }]; }
  setCursor(pos: real.EditorPosition | number, ch = 0): void { this.setSelection(typeof pos === "number" ? { line: pos, ch } : pos); }
  setSelection(anchor: real.EditorPosition, head = anchor): void {
    const [from, to] = [this.posToOffset(anchor), this.posToOffset(head)];
    this._area!.setSelectionRange(Math.min(from, to), Math.max(from, to), from > to ? "backward" : "forward");
  }
  focus(): void { this._area!.focus(); }
  blur(): void { this._area!.blur(); }
  hasFocus(): boolean { return this._area!.ownerDocument.activeElement === this._area!; }
  getScrollInfo(): { top: number; left: number } { return { top: this._area!.scrollTop, left: this._area!.scrollLeft }; }
  scrollTo(x?: number | null, y?: number | null): void { this._area!.scrollTo(x ?? this._area!.scrollLeft, y ?? this._area!.scrollTop); }
  scrollIntoView(range: real.EditorRange, _center?: boolean): void {
    this._area!.scrollTop = (range.from.line / Math.max(1, this.lineCount())) * this._area!.scrollHeight - this._area!.clientHeight / 2;
  }
  posToOffset(pos: real.EditorPosition): number {
    const lines = this._lines!();
    const line = Math.min(Math.max(0, pos.line), lines.length - 1);
    return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + Math.min(pos.ch, lines[line]!.length);
  }
  offsetToPos(offset: number): real.EditorPosition {
    const before = this._area!.value.slice(0, offset).split("\n");
    return { line: before.length - 1, ch: before[before.length - 1]!.length };
  }
}
