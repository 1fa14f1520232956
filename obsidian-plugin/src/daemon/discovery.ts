/**
 * The only file that knows the machine: where the daemon's run file lies, and how to start the daemon. Loaded late and on
 * desktop only. The path rule is the daemon's own (daemon/ebbtide/serve/pairing.py); tests/fixtures/run-file-cases.json holds both to it.
 */

import { spawn } from "node:child_process";
import { constants, promises as fs } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Endpoint } from "./client";
import { parseObject } from "./json";
import type { Locator } from "./state";

const RUN_SCHEMA = 1;
const MOST_BYTES = 1 << 16;

type Environment = Record<string, string | undefined>;

export interface RunFile extends Endpoint {
  vaultPath: string;
  started: string;
  pid: number;
}

/** The user's state folder for Ebbtide. A desktop app does not see what the shell exports, so mostly the system's default. */
export function stateFolder(platform: string, environment: Environment, home: string): string {
  const join = (...parts: string[]) => (platform === "win32" ? path.win32 : path.posix).join(...parts);
  if (environment.EBBTIDE_STATE) return environment.EBBTIDE_STATE;
  if (platform === "win32") return join(environment.LOCALAPPDATA || join(home, "AppData", "Local"), "ebbtide");
  const named = environment.XDG_STATE_HOME?.trim();
  if (named && path.posix.isAbsolute(named)) return join(named, "ebbtide");
  return platform === "darwin" ? join(home, "Library", "Application Support", "ebbtide") : join(home, ".local", "state", "ebbtide");
}

function inState(name: string): string {
  return path.join(stateFolder(process.platform, process.env, os.homedir()), name);
}

/** A run file's text as what it says, or null if it is not one of ours. */
export function parseRunFile(text: string): RunFile | null {
  const record = parseObject(text) as Record<string, unknown> | null;
  if (!record) return null;
  const { app, schema, url, token, vault_id: vaultId, vault_path: vaultPath, started, pid, command } = record;
  const ours = app === "ebbtide" && schema === RUN_SCHEMA && typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+$/.test(url);
  if (!ours || typeof token !== "string" || typeof vaultId !== "string" || typeof vaultPath !== "string" || typeof pid !== "number") return null;
  return {
    url,
    token,
    vaultId,
    vaultPath,
    started: typeof started === "string" ? started : "",
    pid,
    command: Array.isArray(command) && command.every((part) => typeof part === "string") ? command : [],
  };
}

/** The run file of the vault at `vaultPath`: a copy of a vault has the same id, so the path decides; then the youngest. */
export function chooseRunFile(files: RunFile[], vaultPath: string, platform: string): RunFile | null {
  const fold = (text: string) => (platform === "win32" ? text.replace(/\//g, "\\").toLowerCase() : text);
  const here = files.filter((file) => fold(file.vaultPath) === fold(vaultPath));
  return here.sort((a, b) => (a.started < b.started ? 1 : -1))[0] ?? null;
}

export class MachineLocator implements Locator {
  readonly #vaultPath: string;

  constructor(vaultPath: string) {
    this.#vaultPath = vaultPath;
  }

  async locate(): Promise<Endpoint | null> {
    const folder = inState("run");
    const [names, real] = await Promise.all([
      fs.readdir(folder).catch(() => [] as string[]),
      this.real(),
    ]);
    const texts = await Promise.all(names.filter((name) => name.endsWith(".json")).map((name) => readPrivate(path.join(folder, name))));
    return chooseRunFile(texts.flatMap((text) => parseRunFile(text) ?? []).filter(isAlive), real, process.platform);
  }

  /** The vault's folder as the daemon knows it: without links. */
  real(): Promise<string> {
    return fs.realpath(this.#vaultPath).catch(() => this.#vaultPath);
  }

  /** No shell, arguments apart, a life of its own; what it says goes to a file beside its own logs. */
  async start(command: readonly string[], onEnd: (words: string) => void): Promise<void> {
    const [program, ...args] = command;
    if (!program || !path.isAbsolute(program)) throw new Error(program);
    const logs = inState("logs");
    await fs.mkdir(logs, { recursive: true, mode: 0o700 });
    const log = path.join(logs, "start.log");
    const output = await fs.open(log, "w", 0o600);
    try {
      await new Promise<void>((resolve, reject) => {
        const child = spawn(program, args, { detached: true, stdio: ["ignore", output.fd, output.fd], shell: false, windowsHide: true, cwd: os.homedir() });
        child.once("error", reject);
        child.once("spawn", resolve);
        child.once("exit", (code) => void lastWords(log).then((words) => onEnd(words || `exit code ${code ?? "?"}`)));
        child.unref();
      });
    } finally {
      await output.close();
    }
  }
}

/** Whether its process is there; else another program may have its port by now, and would be given the token. */
function isAlive({ pid }: RunFile): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // somebody else's
  }
}

async function lastWords(log: string): Promise<string> {
  const text = await fs.readFile(log, "utf8").catch(() => "");
  return text.trim().slice(-500);
}

/** The text of a plain file that only its owner may read, as the daemon writes it; anything else is as good as empty. */
async function readPrivate(file: string): Promise<string> {
  let handle: fs.FileHandle | null = null;
  try {
    handle = await fs.open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const about = await handle.stat();
    const theirs = process.platform !== "win32" && (about.uid !== process.geteuid?.() || (about.mode & 0o077) !== 0);
    return about.isFile() && !theirs && about.size <= MOST_BYTES ? await handle.readFile("utf8") : "";
  } catch {
    return "";
  } finally {
    await handle?.close();
  }
}
