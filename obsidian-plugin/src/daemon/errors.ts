import type { DaemonState } from "./state";

/** A request that failed. `message` is a sentence for a person where the daemon wrote one; `means`: how it stands, null: nobody answered. */
export class DaemonError extends Error {
  constructor(
    message = "",
    readonly means: DaemonState | null = null,
  ) {
    super(message);
  }
}

/** The daemon understood and said no, in its own words; of the daemon's own state this tells nothing. */
export class Refused extends DaemonError {
  constructor(
    message: string,
    readonly remedy: string,
    readonly code = "",
  ) {
    super(message);
  }
}
