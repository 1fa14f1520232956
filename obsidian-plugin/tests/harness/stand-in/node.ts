/**
 * `require` as a desktop plugin has it: `obsidian`, and the few Node modules by which the plugin finds and starts the daemon. What
 * touches the machine is done by the test process, which shows only the scenario's own folder and keeps count of the calls.
 */
import * as obsidian from "./obsidian";

export type Call = (module: string, name: string, args: unknown[]) => Promise<unknown>;

interface Stat { file: boolean; folder: boolean; size: number; mode: number; uid: number; mtimeMs: number }
const stat = (about: Stat): object => ({ ...about, isFile: () => about.file, isDirectory: () => about.folder });

function join(...parts: string[]): string {
  const whole = parts.filter(Boolean).join("/");
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") kept.pop();
    else if (part && part !== ".") kept.push(part);
  }
  return (whole.startsWith("/") ? "/" : "") + kept.join("/");
}
const posix = {
  sep: "/", join, normalize: (path: string) => join(path), isAbsolute: (path: string) => path.startsWith("/"),
  resolve: (...parts: string[]) => join(...parts.slice(Math.max(0, parts.findLastIndex((part) => part.startsWith("/"))))),
  dirname: (path: string) => join(path, ".."), basename: (path: string) => path.split("/").pop() ?? "",
};

export function makeRequire(call: Call, home: string): (name: string) => unknown {
  const fs = {
    readdir: (path: string) => call("fs", "readdir", [path]),
    realpath: (path: string) => call("fs", "realpath", [path]),
    readFile: (path: string) => call("fs", "readFile", [path]),
    stat: async (path: string) => stat((await call("fs", "stat", [path])) as Stat),
    lstat: async (path: string) => stat((await call("fs", "lstat", [path])) as Stat),
    mkdir: (path: string) => call("fs", "mkdir", [path]),
    open: async (path: string, flags: number | string) => {
      const handle = await call("fs", "open", [path, flags]);
      return {
        fd: handle,
        stat: async () => stat((await call("fs", "handle.stat", [handle])) as Stat),
        readFile: () => call("fs", "handle.readFile", [handle]),
        close: () => call("fs", "handle.close", [handle]),
      };
    },
  };
  const spawn = (program: string, args: string[], options: Record<string, unknown>): object => {
    const heard = new Map<string, ((...values: unknown[]) => void)[]>();
    const listen = (type: string, callback: (...values: unknown[]) => void): object => { heard.set(type, [...(heard.get(type) ?? []), callback]); return child; };
    const tell = (type: string, ...values: unknown[]): void => heard.get(type)?.forEach((callback) => callback(...values));
    const child: Record<string, unknown> = { pid: undefined, on: listen, once: listen, unref: () => undefined, removeAllListeners: () => heard.clear() };
    void call("child_process", "spawn", [program, args, options]).then(
      (pid) => {
        child.pid = pid;
        tell("spawn");
        void call("child_process", "ended", [pid]).then((code) => tell("exit", code), () => undefined);
      },
      (error: Error) => tell("error", error),
    );
    return child;
  };
  const modules: Record<string, unknown> = {
    fs: { promises: fs, constants: { O_RDONLY: 0, O_NOFOLLOW: 0o400000, O_NONBLOCK: 0o4000 } },
    "fs/promises": fs,
    path: { ...posix, posix, win32: posix },
    os: { homedir: () => home, platform: () => "linux" },
    child_process: { spawn },
  };
  return (name) => {
    if (name === "obsidian") return obsidian;
    const found = modules[name.replace(/^node:/, "")];
    if (!found) throw new Error(`Cannot find module '${name}': the stand-in has none`);
    return found;
  };
}
