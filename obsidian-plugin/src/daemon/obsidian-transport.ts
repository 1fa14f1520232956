import { requestUrl } from "obsidian";
import type { HttpReply, HttpRequest, Transport } from "./transport";

/** requestUrl knows neither a timeout nor an abort: it is raced with a timer, and a late answer is dropped. */
export const obsidianTransport: Transport = (request, timeoutMs) =>
  new Promise<HttpReply>((resolve, reject) => {
    const timer = window.setTimeout(() => reject(new Error("no answer in time")), timeoutMs);
    exchange(request)
      .then(resolve, reject)
      .finally(() => window.clearTimeout(timer));
  });

async function exchange(request: HttpRequest): Promise<HttpReply> {
  const reply = await requestUrl({ ...request, throw: false });
  return { status: reply.status, text: reply.text };
}
