/** Something that others want to hear of. */
export class Signal<T = void> {
  readonly #listeners = new Set<(told: T) => void>();

  /** Hear of it. Returns what ends that. */
  readonly on = (listener: (told: T) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  tell(told: T): void {
    for (const listener of [...this.#listeners]) listener(told);
  }
}
