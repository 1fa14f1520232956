import type * as real from "../../../node_modules/obsidian/obsidian";

interface Ref { source: Events; name: string; callback: (...data: any[]) => unknown; ctx: unknown }

export class Events {
  _refs: Ref[] = [];

  on(name: string, callback: (...data: any[]) => any, ctx?: any): real.EventRef {
    const ref: Ref = { source: this, name, callback, ctx };
    this._refs.push(ref);
    return ref as unknown as real.EventRef;
  }
  off(name: string, callback: (...data: unknown[]) => unknown): void {
    this._refs = this._refs.filter((ref) => ref.name !== name || ref.callback !== callback);
  }
  offref(ref: real.EventRef): void {
    this._refs = this._refs.filter((one) => one !== (ref as unknown as Ref));
  }
  trigger(name: string, ...data: unknown[]): void {
    for (const ref of [...this._refs]) if (ref.name === name) ref.callback.apply(ref.ctx, data);
  }
  tryTrigger(evt: real.EventRef, args: unknown[]): void {
    const ref = evt as unknown as Ref;
    ref.callback.apply(ref.ctx, args);
  }
}

export class Component {
  _loaded = false;
  _children: Component[] = [];
  _undo: (() => unknown)[] = [];

  load(): void {
    if (this._loaded) return;
    this._loaded = true;
    this._loading = this.onload();
    for (const child of [...this._children]) child.load();
  }
  _loading: unknown;
  onload(): void | Promise<void> {}
  unload(): void {
    if (!this._loaded) return;
    this._loaded = false;
    for (const child of this._children.splice(0)) child.unload();
    for (const undo of this._undo.splice(0).reverse()) undo();
    this.onunload();
  }
  onunload(): void {}
  addChild<T extends Component>(component: T): T {
    this._children.push(component);
    if (this._loaded) component.load();
    return component;
  }
  removeChild<T extends Component>(component: T): T {
    this._children = this._children.filter((child) => child !== component);
    component.unload();
    return component;
  }
  register(cb: () => any): void {
    this._undo.push(cb);
  }
  registerEvent(eventRef: real.EventRef): void {
    const ref = eventRef as unknown as Ref;
    this.register(() => ref.source.offref(eventRef));
  }
  registerDomEvent<K extends keyof WindowEventMap>(el: Window, type: K, callback: (this: HTMLElement, ev: WindowEventMap[K]) => any, options?: boolean | AddEventListenerOptions): void;
  registerDomEvent<K extends keyof DocumentEventMap>(el: Document, type: K, callback: (this: HTMLElement, ev: DocumentEventMap[K]) => any, options?: boolean | AddEventListenerOptions): void;
  registerDomEvent<K extends keyof HTMLElementEventMap>(el: HTMLElement, type: K, callback: (this: HTMLElement, ev: HTMLElementEventMap[K]) => any, options?: boolean | AddEventListenerOptions): void;
  registerDomEvent(el: EventTarget, type: string, callback: (this: HTMLElement, ev: never) => any, options?: boolean | AddEventListenerOptions): void {
    el.addEventListener(type, callback as EventListener, options);
    this.register(() => el.removeEventListener(type, callback as EventListener, options));
  }
  registerInterval(id: number): number {
    this.register(() => window.clearInterval(id));
    return id;
  }
}
