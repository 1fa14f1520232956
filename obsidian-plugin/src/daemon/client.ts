/** The only module that talks HTTP. Its types are generated from the daemon's own document, so a renamed field does not compile. */

import type { components, paths } from "../api-types";
import { DaemonError, Refused } from "./errors";
import { parseObject } from "./json";
import type { Transport } from "./transport";

export type Schemas = components["schemas"];
export type Status = Schemas["StatusResponse"];
export type Action = paths["/v1/records/{id}/{action}"]["post"]["parameters"]["path"]["action"];

/** Where a daemon listens, and what it takes to be let in. `vaultId` and `command` are known from a run file only. */
export interface Endpoint {
  url: string;
  token: string;
  vaultId: string | null;
  command: string[];
}

/** The level of the interface that this plugin speaks. */
export const API_LEVEL = 1;

const QUICK = 10_000;
const SLOW = 60_000; // an answer may wait for Claude

type Plain = string | number | boolean | null | undefined;
type Verb = "get" | "post";
type Route<V extends Verb> = { [P in keyof paths]: paths[P][V] extends { responses: unknown } ? P : never }[keyof paths];
type Answer<P extends keyof paths, V extends Verb> = paths[P][V] extends { responses: { 200: { content: { "application/json": infer R } } } } ? R : never;
type Body<P extends keyof paths> = paths[P]["post"] extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
type Query<P extends keyof paths> = paths[P]["get"] extends { parameters: { query?: infer Q } } ? Q : never;

export class DaemonClient {
  readonly #transport: Transport;
  readonly #endpoint: () => Endpoint | null;
  readonly #language: "en" | "zh";
  readonly #onTrouble: (error: DaemonError) => void;

  /** `endpoint` is asked on every request, since port and token change; `onTrouble` hears of daemons that went away or refuse. */
  constructor(transport: Transport, endpoint: () => Endpoint | null, language: "en" | "zh", onTrouble: (error: DaemonError) => void = () => {}) {
    this.#transport = transport;
    this.#endpoint = endpoint;
    this.#language = language;
    this.#onTrouble = onTrouble;
  }

  /** `at`: a daemon that is still to be judged; nothing else is ever asked of such a one. */
  status = (at?: Endpoint) => this.#get("/v1/status", {}, {}, at);
  recall = (body: Schemas["RecallRequest"]) => this.#post("/v1/recall", { lang: this.#language, ...body });
  related = (query: Query<"/v1/related">) => this.#get("/v1/related", { lang: this.#language, ...query });
  explain = (body: Schemas["ExplainRequest"]) => this.#post("/v1/explain", { lang: this.#language, ...body });
  why = (body: Schemas["WhyRequest"]) => this.#post("/v1/why", { lang: this.#language, ...body });
  answer = (body: Schemas["AnswerRequest"]) => this.#post("/v1/answer", body, {}, SLOW);
  used = (body: Schemas["UsesRequest"]) => this.#post("/v1/uses", body);
  wrong = (body: Schemas["CorrectionsRequest"]) => this.#post("/v1/corrections", body);
  act = (id: string, action: Action) => this.#post("/v1/records/{id}/{action}", {}, { id, action });
  undo = (body: Schemas["UndoRequest"] = {}) => this.#post("/v1/undo", body);
  reviews = (query: Query<"/v1/reviews">) => this.#get("/v1/reviews", { lang: this.#language, ...query });
  rule = (id: string, body: Schemas["RulingRequest"]) => this.#post("/v1/reviews/{id}/ruling", body, { id });
  sleep = () => this.#post("/v1/sleep", {});
  job = (id: string) => this.#get("/v1/jobs/{id}", {}, { id });
  health = (query: Query<"/v1/health">) => this.#get("/v1/health", query);
  measure = () => this.#post("/v1/health", {});
  digest = () => this.#get("/v1/digest", {});
  notes = (query: Query<"/v1/notes">) => this.#get("/v1/notes", query);
  exam = () => this.#post("/v1/exam", {});
  examRuns = (query: Query<"/v1/exam">) => this.#get("/v1/exam", query);
  doctor = () => this.#get("/v1/doctor", { lang: this.#language });

  #get<P extends Route<"get">>(path: P, query: Query<P> | Record<string, never>, at: Record<string, string> = {}, judged?: Endpoint): Promise<Answer<P, "get">> {
    const pairs = Object.entries(query as Record<string, Plain | Plain[]>).flatMap(([key, value]) =>
      [value].flat().flatMap((one) => (one === undefined || one === null ? [] : [[key, String(one)]])),
    );
    const search = new URLSearchParams(pairs).toString();
    return this.#exchange("GET", fill(path, at) + (search && `?${search}`), undefined, QUICK, judged);
  }

  #post<P extends Route<"post">>(path: P, body: Body<P>, at: Record<string, string> = {}, timeoutMs = QUICK): Promise<Answer<P, "post">> {
    return this.#exchange("POST", fill(path, at), JSON.stringify(body), timeoutMs);
  }

  async #exchange<T>(method: string, target: string, body: string | undefined, timeoutMs: number, endpoint = this.#endpoint()): Promise<T> {
    let failure: DaemonError;
    try {
      if (!endpoint) throw new Error();
      const headers: Record<string, string> = { Authorization: `Bearer ${endpoint.token}`, "X-Ebbtide-Api": String(API_LEVEL) };
      if (body !== undefined) headers["Content-Type"] = "application/json";
      const reply = await this.#transport({ method, url: endpoint.url + target, headers, body }, timeoutMs);
      const answer = parseObject(reply.text, this.#language === "zh");
      if (answer && reply.status >= 200 && reply.status < 300) return answer as T;
      failure = failureOf(reply.status, answer);
    } catch (error) {
      failure = new DaemonError(error instanceof Error ? error.message : "");
    }
    if (!(failure instanceof Refused)) this.#onTrouble(failure);
    throw failure;
  }
}

/** The revision by which a change can be taken back. */
export function revisionOf(made: Schemas["RevisedResponse"] | undefined): string | undefined {
  const id: unknown = made?.revisions[0]?.id;
  return typeof id === "string" ? id : undefined;
}

function fill(path: string, at: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? ""));
}

function failureOf(status: number, answer: object | null): DaemonError {
  const { error } = (answer ?? {}) as { error?: Partial<Schemas["ErrorInfo"]> & { api?: number } };
  if (!error) return new DaemonError("", { kind: "other-vault", found: null }); // every failure of the daemon has this shape
  const { code, reason = "", remedy = "", api = 0 } = error;
  if (status === 401) return new DaemonError(reason, { kind: "token-refused" });
  if (status === 503) return new DaemonError(reason, { kind: "starting" });
  if (code === "api-level") return new DaemonError(reason, { kind: "version-mismatch", update: api > API_LEVEL ? "plugin" : "daemon" });
  return new Refused(reason, remedy, code);
}
