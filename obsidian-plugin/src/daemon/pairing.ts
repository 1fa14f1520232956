import type { Endpoint } from "./client";
import type { Locator } from "./state";

/** Where the daemon listens unless told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:27631";

/** What a person may have typed in, on this device. */
export interface Typed {
  address: string;
  tokenSecret: string;
}

/** An address that was typed in goes first, then the run file; a token alone is tried where the daemon usually listens. */
export class Pairing implements Locator {
  readonly #typed: Typed;
  readonly #secret: (id: string) => string | null;
  readonly #machine: Locator | null;

  constructor(typed: Typed, secret: (id: string) => string | null, machine: Locator | null) {
    this.#typed = typed;
    this.#secret = secret;
    this.#machine = machine;
  }

  async locate(): Promise<Endpoint | null> {
    const { address, tokenSecret } = this.#typed;
    const token = tokenSecret ? this.#secret(tokenSecret)?.trim() : undefined;
    const byHand = (url: string): Endpoint => ({ url, token: token ?? "", vaultId: null, command: [] });
    if (address) return byHand(address);
    return (await this.#machine?.locate()) ?? (token ? byHand(DEFAULT_URL) : null);
  }

  start(command: readonly string[], onEnd: (words: string) => void): Promise<void> {
    return this.#machine ? this.#machine.start(command, onEnd) : Promise.reject(new Error());
  }
}
