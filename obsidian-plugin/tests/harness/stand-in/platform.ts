/** What Obsidian has from the system: requests past CORS, language, icons, secrets, files. The page's boot script sets `host`. */
import type * as real from "../../../node_modules/obsidian/obsidian";
import { Events } from "./events";

export interface VaultEntry { path: string; size: number; ctime: number; mtime: number }

/** How the page reaches the test process. Text of files is read at once (sync), as Obsidian's cache would have it. */
export interface Host {
  basePath: string;
  configDir: string;
  entries: VaultEntry[];
  icons: Record<string, [string, Record<string, string>][]>;
  request(request: { url: string; method: string; headers: Record<string, string>; body: string | null }): Promise<{ status: number; headers: Record<string, string>; text: string }>;
  text(path: string): string;
  texts(): Record<string, string>;
  write(path: string, text: string): void;
  remove(path: string): void;
  rename(path: string, to: string): void;
}

let host: Host | null = null;
export function setHost(one: Host): void { host = one; }
export function theHost(): Host {
  if (!host) throw new Error("the stand-in has no host: this part of Obsidian needs the page");
  return host;
}

export const apiVersion = "1.13.7";

export const Platform = {
  isDesktop: true, isMobile: false, isDesktopApp: true, isMobileApp: false, isIosApp: false, isAndroidApp: false, isPhone: false,
  isTablet: false, isMacOS: false, isWin: false, isLinux: true, isSafari: false, resourcePathPrefix: "app://local/",
};

export function getLanguage(): string {
  return window.localStorage.getItem("language") ?? "en";
}

export function requestUrl(request: real.RequestUrlParam | string): real.RequestUrlResponsePromise {
  const asked = typeof request === "string" ? { url: request } : request;
  if (asked.body instanceof ArrayBuffer) throw new Error("the stand-in sends text only");
  const headers = { ...asked.headers };
  if (asked.contentType) headers["Content-Type"] = asked.contentType;
  const reply = theHost().request({ url: asked.url, method: asked.method ?? "GET", headers, body: asked.body ?? null }).then((got) => {
    if (asked.throw !== false && got.status >= 400) throw Object.assign(new Error(`Request failed, status ${got.status}`), { status: got.status, headers: got.headers });
    return {
      status: got.status, headers: got.headers, text: got.text,
      get json(): unknown { return JSON.parse(got.text); },
      get arrayBuffer(): ArrayBuffer { return new TextEncoder().encode(got.text).buffer as ArrayBuffer; },
    };
  });
  // As in Obsidian the parts can be awaited too. Each is its own promise: a getter, so that nobody gets a rejection he did not ask for.
  return Object.defineProperties(reply, {
    text: { get: () => reply.then((got) => got.text) },
    json: { get: () => reply.then((got) => got.json) },
    arrayBuffer: { get: () => reply.then((got) => got.arrayBuffer) },
  }) as unknown as real.RequestUrlResponsePromise;
}

/** Names asked for which Lucide lacks: Obsidian draws nothing for them, so the harness calls it a fault. */
export const missingIcons = new Set<string>();

export function getIcon(iconId: string): SVGSVGElement | null {
  const name = iconId.replace(/^lucide-/, "");
  const nodes = theHost().icons[name];
  if (!nodes) {
    missingIcons.add(iconId);
    return null;
  }
  const svg = createSvg("svg", { cls: `svg-icon lucide-${name}`, attr: { viewBox: "0 0 24 24", width: 24, height: 24, fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" } });
  for (const [tag, attr] of nodes) svg.createSvg(tag as "path", { attr });
  return svg;
}

export function setIcon(parent: HTMLElement, iconId: string): void {
  parent.empty();
  const icon = getIcon(iconId);
  if (icon) parent.appendChild(icon);
}

export function setTooltip(el: HTMLElement, tooltip: string, options?: real.TooltipOptions): void {
  el.setAttribute("aria-label", tooltip);
  if (options?.placement) el.setAttribute("data-tooltip-position", options.placement);
}

export function normalizePath(path: string): string {
  return path.replace(/[\\/]+/g, "/").replace(/^\/+|\/+$/g, "").replace(/[\u00a0\u202f]/g, " ").normalize("NFC") || "/";
}

export function parseLinktext(linktext: string): { path: string; subpath: string } {
  const at = linktext.indexOf("#");
  return at < 0 ? { path: linktext, subpath: "" } : { path: linktext.slice(0, at), subpath: linktext.slice(at) };
}

export class SecretStorage extends Events {
  setSecret(id: string, secret: string): void {
    if (!/^[a-z0-9-]{1,64}$/.test(id)) throw new Error(`Invalid secret ID ${id}`);
    window.localStorage.setItem(`secret:${id}`, secret);
  }
  getSecret(id: string): string | null { return window.localStorage.getItem(`secret:${id}`); }
  listSecrets(): string[] {
    return Object.keys(window.localStorage).filter((key) => key.startsWith("secret:")).map((key) => key.slice(7));
  }
}
