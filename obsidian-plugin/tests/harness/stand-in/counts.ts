/** What is alive in the page that a plugin could leave behind: timers, observers, and listeners on what outlives its views. */

/** The page's timers: Node's declarations, which the units need, say otherwise. */
interface Clock {
  setTimeout(callback: () => void, ms?: number): number;
  clearTimeout(id: number): void;
  setInterval(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): number;
  clearInterval(id: number): void;
}

export interface Counts { timers: number; intervals: number; observers: number; listeners: number; what: string[] }

const timers = new Map<number, string>();
const intervals = new Map<number, string>();
const observers = new Map<object, string>();
const listeners = new Map<string, number>();

function from(): string {
  return (new Error().stack ?? "").split("\n").slice(3, 7).map((line) => line.trim().replace(/^at /, "").replace(/\(?https?:\S*\//, "(")).join(" < ");
}

export function watchPage(scope: Window & typeof globalThis, lasting: (target: EventTarget) => string | null): void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = scope as unknown as Clock;
  Object.assign(scope, {
    setTimeout: (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const id: number = setTimeout.call(scope, () => { timers.delete(id); callback(...args); }, ms);
      timers.set(id, from());
      return id;
    },
    clearTimeout: (id: number) => { timers.delete(id); clearTimeout.call(scope, id); },
    setInterval: (callback: () => void, ms?: number, ...args: unknown[]) => {
      const id = setInterval.call(scope, callback, ms, ...args);
      intervals.set(id, from());
      return id;
    },
    clearInterval: (id: number) => { intervals.delete(id); clearInterval.call(scope, id); },
  });
  for (const name of ["ResizeObserver", "MutationObserver", "IntersectionObserver"] as const) {
    const { observe, disconnect } = scope[name].prototype as { observe(...args: unknown[]): void; disconnect(): void };
    Object.assign(scope[name].prototype, {
      observe(this: object, ...args: unknown[]) { observers.set(this, `${name} ${from()}`); observe.apply(this, args); },
      disconnect(this: object) { observers.delete(this); disconnect.apply(this); },
    });
  }
  const ids = new WeakMap<object, number>();
  let last = 0;
  const key = (target: EventTarget, type: string, listener: object, options: unknown): string | null => {
    const name = lasting(target);
    if (!name) return null;
    if (!ids.has(listener)) ids.set(listener, (last += 1));
    const capture = typeof options === "boolean" ? options : Boolean((options as AddEventListenerOptions | undefined)?.capture);
    return `${name} ${type} ${ids.get(listener)} ${capture}`;
  };
  const { addEventListener, removeEventListener } = scope.EventTarget.prototype;
  Object.assign(scope.EventTarget.prototype, {
    addEventListener(this: EventTarget | undefined, type: string, listener: EventListenerOrEventListenerObject | null, options?: AddEventListenerOptions | boolean) {
      const target = this ?? scope;
      const id = listener && !(typeof options === "object" && (options.once || options.signal)) ? key(target, type, listener, options) : null;
      if (id) listeners.set(id, 1);
      addEventListener.call(target, type, listener, options);
    },
    removeEventListener(this: EventTarget | undefined, type: string, listener: EventListenerOrEventListenerObject | null, options?: EventListenerOptions | boolean) {
      const target = this ?? scope;
      const id = listener ? key(target, type, listener, options) : null;
      if (id) listeners.delete(id);
      removeEventListener.call(target, type, listener, options);
    },
  });
}

export function counts(): Counts {
  return {
    timers: timers.size, intervals: intervals.size, observers: observers.size, listeners: listeners.size,
    what: [...[...timers.values()].map((one) => `timer: ${one}`), ...[...intervals.values()].map((one) => `interval: ${one}`), ...observers.values(), ...[...listeners.keys()].map((one) => `listener: ${one}`)],
  };
}
