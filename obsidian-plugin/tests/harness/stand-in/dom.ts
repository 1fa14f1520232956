/** Obsidian's DOM helpers (createEl and friends) on the prototypes of one window; a second window needs its own call. */
import type {} from "../../../node_modules/obsidian/obsidian";

type Scope = Window & typeof globalThis;

function classes(value: string | string[] | undefined): string[] {
  const list = typeof value === "string" ? value.split(/\s+/) : (value ?? []);
  return list.filter(Boolean);
}

function fill(el: Element, o: DomElementInfo | SvgElementInfo | string | undefined, parent: Node | null): void {
  const info: DomElementInfo = typeof o === "string" ? { cls: o } : (o ?? {});
  if (info.cls?.length) el.classList.add(...classes(info.cls));
  if (info.text !== undefined) el.setText(info.text);
  for (const [name, value] of Object.entries(info.attr ?? {})) if (value !== null) el.setAttr(name, value);
  for (const name of ["title", "type", "placeholder", "href"] as const) if (info[name] !== undefined) el.setAttribute(name, info[name]);
  if (info.value !== undefined) (el as HTMLInputElement).value = info.value;
  const into = info.parent ?? parent;
  if (into) into.insertBefore(el, info.prepend ? into.firstChild : null);
}

function html(doc: Document, parent: Node | null, tag: string, o?: DomElementInfo | string, callback?: (el: never) => void): never {
  const el = doc.createElement(tag);
  fill(el, o, parent);
  callback?.(el as never);
  return el as never;
}

function svg(doc: Document, parent: Node | null, tag: string, o?: SvgElementInfo | string, callback?: (el: never) => void): never {
  const el = doc.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(el, o, parent);
  callback?.(el as never);
  return el as never;
}

/** Callbacks for a node that moves to another window, called by the stand-in's workspace. */
const migrations = new WeakMap<Node, Set<(win: Window) => unknown>>();

export function migrated(root: Element, win: Window): void {
  for (const node of [root, ...Array.from(root.querySelectorAll("*"))]) for (const tell of migrations.get(node) ?? []) tell(win);
}

function define<T extends object>(target: T, members: Partial<T> & ThisType<T>): void {
  for (const [name, about] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    Object.defineProperty(target, name, { ...about, configurable: true, enumerable: false });
  }
}

const delegates = new WeakMap<object, { type: string; selector: string; listener: unknown; callback: EventListener }[]>();

function delegate(on: EventTarget, type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions): void {
  const callback = (event: Event): void => {
    const hit = (event.target as Element | null)?.closest?.(selector);
    if (hit && (on as Node).contains(hit)) (listener as (this: EventTarget, ev: Event, el: Element) => void).call(on, event, hit);
  };
  delegates.set(on, [...(delegates.get(on) ?? []), { type, selector, listener, callback }]);
  on.addEventListener(type, callback, options);
}

function undelegate(on: EventTarget, type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions): void {
  for (const one of delegates.get(on) ?? []) {
    if (one.type === type && one.selector === selector && one.listener === listener) on.removeEventListener(type, one.callback, options);
  }
}

export function installDom(scope: Scope): void {
  define(scope.Node.prototype, {
    get doc() { return this.nodeType === 9 ? (this as unknown as Document) : this.ownerDocument!; },
    get win() { return this.doc.defaultView!; },
    get constructorWin() { return scope; },
    detach() { this.parentNode?.removeChild(this); },
    empty() { while (this.lastChild) this.removeChild(this.lastChild); },
    insertAfter(node, child) { return this.insertBefore(node, child ? child.nextSibling : this.firstChild); },
    indexOf(other) { return Array.prototype.indexOf.call(this.childNodes, other); },
    setChildrenInPlace(children) {
      const keep = new Set(children);
      for (const child of Array.from(this.childNodes)) if (!keep.has(child)) this.removeChild(child);
      children.forEach((child, at) => { if (this.childNodes[at] !== child) this.insertBefore(child, this.childNodes[at] ?? null); });
    },
    appendText(val) { this.appendChild(this.doc.createTextNode(val)); },
    instanceOf<T>(type: { new (): T }): this is T {
      const own = (this.win as unknown as Record<string, unknown> | null)?.[(type as { name?: string }).name ?? ""];
      return this instanceof type || (typeof own === "function" && this instanceof own);
    },
    createEl(tag, o, callback) { return html(this.doc, this, tag, o, callback); },
    createDiv(o, callback) { return html(this.doc, this, "div", o, callback); },
    createSpan(o, callback) { return html(this.doc, this, "span", o, callback); },
    createSvg(tag, o, callback) { return svg(this.doc, this, tag, o, callback); },
  } as Partial<Node> & ThisType<Node>);
  define(scope.Element.prototype, {
    getText() { return this.textContent; },
    setText(val) { if (typeof val === "string") this.textContent = val; else this.replaceChildren(val); },
    addClass(...names) { this.classList.add(...names.flatMap(classes)); },
    addClasses(names) { this.classList.add(...names); },
    removeClass(...names) { this.classList.remove(...names.flatMap(classes)); },
    removeClasses(names) { this.classList.remove(...names); },
    toggleClass(names, value) { for (const name of classes(names)) this.classList.toggle(name, value); },
    hasClass(cls) { return this.classList.contains(cls); },
    setAttr(name, value) { if (value === null) this.removeAttribute(name); else this.setAttribute(name, String(value)); },
    setAttrs(all) { for (const [name, value] of Object.entries(all)) this.setAttr(name, value); },
    getAttr(name) { return this.getAttribute(name); },
    matchParent(selector, last) { const hit = this.closest(selector); return hit && (!last || last.contains(hit)) ? hit : null; },
    getCssPropertyValue(name, pseudo) { return this.win.getComputedStyle(this, pseudo).getPropertyValue(name).trim(); },
    isActiveElement() { return this.doc.activeElement === this; },
    find(selector: string) { return this.querySelector(selector); },
    findAll(selector: string) { return Array.from(this.querySelectorAll(selector)); },
    findAllSelf(selector: string) { return [...(this.matches(selector) ? [this] : []), ...Array.from(this.querySelectorAll(selector))]; },
  } as Partial<Element> & ThisType<Element>);
  define(scope.HTMLElement.prototype, {
    show() { this.style.display = ""; },
    hide() { this.style.display = "none"; },
    toggle(show) { this.style.display = show ? "" : "none"; },
    toggleVisibility(visible) { this.style.visibility = visible ? "" : "hidden"; },
    isShown() { return this.offsetParent !== null; },
    setCssStyles(styles) { Object.assign(this.style, styles); },
    setCssProps(props) { for (const [name, value] of Object.entries(props)) this.style.setProperty(name, value); },
    on(type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions) { delegate(this, type, selector, listener, options); },
    off(type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions) { undelegate(this, type, selector, listener, options); },
    onClickEvent(listener: (this: HTMLElement, ev: MouseEvent) => unknown, options?: boolean | AddEventListenerOptions) {
      this.addEventListener("click", listener, options);
      this.addEventListener("auxclick", listener, options);
    },
    onNodeInserted(listener, once) {
      const watch = new MutationObserver(() => { if (this.isConnected) { if (once) watch.disconnect(); listener(); } });
      watch.observe(this.doc, { childList: true, subtree: true });
      return () => watch.disconnect();
    },
    onWindowMigrated(listener: (win: Window) => unknown) {
      const all = migrations.get(this) ?? new Set();
      migrations.set(this, all.add(listener));
      return () => void all.delete(listener);
    },
    trigger(type) { this.dispatchEvent(new Event(type, { bubbles: true })); },
  } as Partial<HTMLElement> & ThisType<HTMLElement>);
  define(scope.SVGElement.prototype, {
    setCssStyles(styles) { Object.assign(this.style, styles); },
    setCssProps(props) { for (const [name, value] of Object.entries(props)) this.style.setProperty(name, value); },
  } as Partial<SVGElement> & ThisType<SVGElement>);
  define(scope.DocumentFragment.prototype, {
    find(selector) { return this.querySelector(selector)!; },
    findAll(selector) { return Array.from(this.querySelectorAll(selector)); },
  } as Partial<DocumentFragment> & ThisType<DocumentFragment>);
  define(scope.Document.prototype, {
    on(type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions) { delegate(this, type, selector, listener, options); },
    off(type: string, selector: string, listener: unknown, options?: boolean | AddEventListenerOptions) { undelegate(this, type, selector, listener, options); },
  } as Partial<Document> & ThisType<Document>);
  define(scope.UIEvent.prototype, {
    get targetNode() { return this.target as Node | null; },
    get win() { return this.view ?? window; },
    get doc() { return this.win.document; },
    instanceOf(type) { return this instanceof type; },
  } as Partial<UIEvent> & ThisType<UIEvent>);
  installLanguage(scope);
  const doc = scope.document;
  Object.assign(scope, {
    createEl: (tag: string, o?: DomElementInfo | string, cb?: (el: never) => void) => html(doc, null, tag, o, cb),
    createDiv: (o?: DomElementInfo | string, cb?: (el: never) => void) => html(doc, null, "div", o, cb),
    createSpan: (o?: DomElementInfo | string, cb?: (el: never) => void) => html(doc, null, "span", o, cb),
    createSvg: (tag: string, o?: SvgElementInfo | string, cb?: (el: never) => void) => svg(doc, null, tag, o, cb),
    createFragment: (cb?: (el: DocumentFragment) => void) => { const made = doc.createDocumentFragment(); cb?.(made); return made; },
    sleep: (ms: number) => new Promise<void>((done) => { scope.setTimeout(done, ms); }),
    nextFrame: () => new Promise<void>((done) => { scope.requestAnimationFrame(() => done()); }),
    fish: (selector: string) => doc.querySelector(selector),
    fishAll: (selector: string) => Array.from(doc.querySelectorAll(selector)),
    activeWindow: scope,
    activeDocument: doc,
  });
}

function installLanguage(scope: Scope): void {
  define(scope.Array.prototype as unknown[], {
    first() { return this[0]; },
    last() { return this[this.length - 1]; },
    contains(target) { return this.includes(target); },
    remove(target) { const at = this.indexOf(target); if (at >= 0) this.splice(at, 1); },
    unique() { return [...new Set(this)]; },
  } as Partial<unknown[]> & ThisType<unknown[]>);
  define(scope.String.prototype as never, { contains(this: string, target: string) { return this.includes(target); } } as never);
  Object.assign(scope.Math, { clamp: (value: number, min: number, max: number) => Math.min(max, Math.max(min, value)) });
}
