/** One exchange with the daemon, as a function: inside Obsidian it wraps requestUrl, in tests whatever reaches the real daemon. */

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface HttpReply {
  status: number;
  text: string;
}

/** Resolves with any reply, whatever its status; rejects when there was none within `timeoutMs`. */
export type Transport = (request: HttpRequest, timeoutMs: number) => Promise<HttpReply>;
