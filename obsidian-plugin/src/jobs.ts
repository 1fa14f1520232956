/** Long works that were asked for by hand, each followed to its end for whoever shows it: a night, an exam, the figures. */

import { Component } from "obsidian";
import type { Schemas } from "./daemon/client";
import { Refused } from "./daemon/errors";
import { isUsable, type Clock, type Connection } from "./daemon/state";
import { Signal } from "./signal";

export type Work = "sleep" | "exam" | "measure";
export type Job = Pick<Schemas["JobResponse"], "id" | "state" | "message" | "progress" | "result">;

const FOLLOW_MS = 1_000;

export function isUnderWay(job: Pick<Job, "state"> | undefined): boolean {
  return job?.state === "queued" || job?.state === "running";
}

export class Jobs extends Component {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #jobs: Partial<Record<Work, Job>> = {};
  readonly #cancel: Partial<Record<Work, () => void>> = {};
  readonly #changed = new Signal<Work>();
  /** Hear of progress. Returns what ends it. */
  readonly onChange = this.#changed.on;
  #open = true;

  constructor(connection: Connection, clock: Clock) {
    super();
    this.#connection = connection;
    this.#clock = clock;
  }

  /** The last one that was asked for. */
  of(work: Work): Job | undefined {
    return this.#jobs[work];
  }

  /** Ask for one, or join the one under way. Rejects if the daemon refuses. */
  async start(work: Work): Promise<void> {
    if (!isUnderWay(this.of(work))) this.#become(work, await this.#connection.client[work]());
  }

  override onunload(): void {
    this.#open = false;
    for (const cancel of Object.values(this.#cancel)) cancel();
  }

  #become(work: Work, job: Job | undefined): void {
    if (!this.#open) return;
    this.#jobs[work] = job;
    if (job && isUnderWay(job)) this.#follow(work, job);
    else void this.#connection.refresh();
    this.#changed.tell(work);
  }

  #follow(work: Work, job: Job): void {
    this.#cancel[work] = this.#clock.after(FOLLOW_MS, () => void this.#look(work, job));
  }

  async #look(work: Work, job: Job): Promise<void> {
    const { client, state } = this.#connection;
    if (!isUsable(state)) return this.#follow(work, job); // the connection looks when it is back
    // A work goes on after a restart, but its number is not known any more. Any other failure says nothing of it.
    const next = await client.job(job.id).catch((error: unknown) => (error instanceof Refused && error.code === "not-found" ? undefined : job));
    this.#become(work, next);
  }
}
