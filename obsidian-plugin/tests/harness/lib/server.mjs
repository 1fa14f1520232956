/** Serves the page and the vault on 127.0.0.1, and does for the page what Obsidian and Node do outside of it. */
import { randomUUID } from "node:crypto";
import { constants, existsSync, mkdirSync, promises as fs, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import esbuild from "esbuild";
import { HARNESS, ROOT } from "./places.mjs";

const CONFIG = ".obsidian";
const LIMIT_MS = 130_000;

/** The stand-in as one script, and what else the page loads. */
export async function assets() {
  const built = await esbuild.build({
    entryPoints: [path.join(HARNESS, "stand-in/boot.ts")], bundle: true, write: false, format: "iife", target: "es2022", logLevel: "warning",
  });
  return {
    "page.html": ["text/html", readFileSync(path.join(HARNESS, "stand-in/page.html"))],
    "theme.css": ["text/css", readFileSync(path.join(HARNESS, "stand-in/theme.css"))],
    "boot.js": ["text/javascript", Buffer.from(built.outputFiles[0].contents)],
    icons: icons(),
    main: readFileSync(path.join(ROOT, "main.js"), "utf8"),
    styles: readFileSync(path.join(ROOT, "styles.css"), "utf8"),
    manifest: JSON.parse(readFileSync(path.join(ROOT, "manifest.json"), "utf8")),
  };
}

/** Lucide's glyphs, under their former names too: Obsidian's copy is older than the newest. */
function icons() {
  const folder = path.join(ROOT, "node_modules/lucide-static");
  const found = JSON.parse(readFileSync(path.join(folder, "icon-nodes.json"), "utf8"));
  for (const file of readdirSync(path.join(folder, "icons"))) {
    const name = file.replace(/\.svg$/, "");
    if (name in found || name === file) continue;
    const inside = readFileSync(path.join(folder, "icons", file), "utf8").replace(/<!--[^]*?-->/g, "").replace(/<\/?svg[^>]*>/g, "");
    found[name] = [...inside.matchAll(/<(\w+)([^>]*)>/g)].map(([, tag, attributes]) => [tag, Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]))]);
  }
  return found;
}

/** Every file that Obsidian would list: no dot folders. */
function walk(vault) {
  const found = [];
  const into = (folder) => {
    for (const entry of readdirSync(path.join(vault, folder), { withFileTypes: true })) {
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) into(name);
      else if (entry.isFile()) {
        const about = statSync(path.join(vault, name));
        found.push({ path: name, size: about.size, ctime: about.birthtimeMs, mtime: about.mtimeMs });
      }
    }
  };
  into("");
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Why no signal would reach a process; null if one would. */
function gone(pid) {
  try {
    process.kill(pid, 0);
    return null;
  } catch (error) {
    return error.code;
  }
}

export class PageServer {
  constructor(files, daemon) {
    this.files = files;
    this.daemon = daemon;
    this.known = new Map();
    this.handles = new Map();
    /** Requests of the plugin to anywhere but 127.0.0.1, and reads outside of the scenario's folder. */
    this.strayed = [];
  }

  async listen() {
    const secret = randomUUID();
    this.server = createServer((request, response) => {
      const name = new URL(request.url, "http://127.0.0.1").pathname.slice(1);
      if (!name.startsWith(`${secret}/`)) return void response.writeHead(404).end();
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        this.answer(name.slice(secret.length + 1), text ? JSON.parse(text) : null, response);
      });
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}/${secret}/page.html`;
    return this;
  }

  answer(name, body, response) {
    const asset = this.files[name];
    if (Array.isArray(asset)) return void response.writeHead(200, { "Content-Type": `${asset[0]}; charset=utf-8` }).end(asset[1]);
    let told;
    try {
      told = { value: this.page(name, body) ?? null };
    } catch (error) {
      told = { error: String(error.message) };
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(told));
  }

  page(name, body) {
    const { daemon, files } = this;
    if (name === "setup") {
      const entries = walk(daemon.vault);
      this.known = new Map(entries.map((entry) => [entry.path, entry.mtime]));
      return {
        basePath: daemon.vault, configDir: CONFIG, home: daemon.home, env: daemon.env, uid: process.getuid?.() ?? 0, entries,
        icons: files.icons, manifest: files.manifest, main: files.main, styles: files.styles,
      };
    }
    if (name === "vault/texts") return Object.fromEntries(walk(daemon.vault).filter((entry) => entry.path.endsWith(".md")).map((entry) => [entry.path, readFileSync(path.join(daemon.vault, entry.path), "utf8")]));
    if (name === "process/kill") return gone(body.pid);
    const file = this.inside(body.path);
    if (name === "vault/text") return readFileSync(file, "utf8");
    if (daemon.readOnly && !body.path.startsWith(`${CONFIG}/`)) throw new Error("this vault is only read");
    if (name === "vault/write") {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, body.text);
      this.known.set(body.path, statSync(file).mtimeMs);
    } else if (name === "vault/remove") {
      rmSync(file);
      this.known.delete(body.path);
    } else if (name === "vault/rename") {
      renameSync(file, this.inside(body.to));
      this.known.delete(body.path);
      this.known.set(body.to, statSync(this.inside(body.to)).mtimeMs);
    } else throw new Error(`no ${name}`);
    return null;
  }

  /** Settings of Obsidian lie beside the vault, so that a vault which is only asked stays as it is. */
  inside(name) {
    const base = name.startsWith(`${CONFIG}/`) ? path.join(this.daemon.place, "obsidian") : this.daemon.vault;
    const file = path.resolve(base, name);
    if (!file.startsWith(base + path.sep)) throw new Error("outside of the vault");
    return file;
  }

  /** What changed on disk since the page was last told. */
  news() {
    const entries = walk(this.daemon.vault);
    const news = { created: [], modified: [], deleted: [] };
    const now = new Map(entries.map((entry) => [entry.path, entry.mtime]));
    for (const entry of entries) {
      if (!this.known.has(entry.path)) news.created.push(entry);
      else if (this.known.get(entry.path) !== entry.mtime) news.modified.push(entry);
    }
    for (const name of this.known.keys()) if (!now.has(name)) news.deleted.push(name);
    this.known = now;
    return news;
  }

  /** `requestUrl`: outside of the renderer, so that CORS does not bind it. */
  async request({ url, method, headers, body }) {
    if (new URL(url).hostname !== "127.0.0.1") {
      this.strayed.push(url);
      throw new Error("net::ERR_FAILED");
    }
    const reply = await fetch(url, { method, headers, body: body ?? undefined, redirect: "manual", signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => {
      throw new Error("net::ERR_CONNECTION_REFUSED");
    });
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
  }

  /** Node's modules, as far as the plugin needs them. */
  async call(module, name, args) {
    try {
      return { value: await this.node(module, name, args) };
    } catch (error) {
      return { error: { message: error.message, code: error.code } };
    }
  }

  async node(module, name, [target, ...rest]) {
    if (name === "ended") return this.daemon.spawned.find((one) => one.pid === target)?.ended;
    if (module === "child_process") return this.daemon.spawn(target, rest[0], rest[1].stdio.map((one) => this.handles.get(one)?.fd ?? "ignore"));
    const about = (found) => ({ file: found.isFile(), folder: found.isDirectory(), size: found.size, mode: found.mode, uid: found.uid, mtimeMs: found.mtimeMs });
    if (name.startsWith("handle.")) {
      const handle = this.handles.get(target);
      if (name === "handle.stat") return about(await handle.stat());
      if (name === "handle.readFile") return handle.readFile("utf8");
      this.handles.delete(target);
      return void (await handle.close());
    }
    const allowed = [this.daemon.place, this.daemon.vault, ...Object.values(this.daemon.env)];
    if (!allowed.some((base) => target === base || target.startsWith(base + path.sep))) {
      this.strayed.push(`fs ${target}`);
      throw Object.assign(new Error("ENOENT: outside of the scenario"), { code: "ENOENT" });
    }
    if (name === "mkdir") return void (await fs.mkdir(target, { recursive: true, mode: 0o700 }));
    if (name === "open" && rest[0] === "w") {
      if (path.basename(target) !== "start.log") throw new Error(`only its log may be written, not ${target}`);
      const id = randomUUID();
      this.handles.set(id, await fs.open(target, "w", 0o600));
      return id;
    }
    if (name === "open") {
      const id = randomUUID();
      this.handles.set(id, await fs.open(target, constants.O_RDONLY | (rest[0] & (constants.O_NOFOLLOW | constants.O_NONBLOCK))));
      return id;
    }
    if (name === "readdir") return fs.readdir(target);
    if (name === "realpath") return fs.realpath(target);
    if (name === "readFile") return fs.readFile(target, "utf8");
    if (name === "stat" || name === "lstat") return about(await fs[name](target));
    throw new Error(`no ${module}.${name}`);
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
    for (const handle of this.handles.values()) void handle.close();
  }
}

export const built = () => existsSync(path.join(ROOT, "main.js"));
