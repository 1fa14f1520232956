import type * as real from "../../../node_modules/obsidian/obsidian";
import { Events } from "./events";
import { normalizePath, theHost, type VaultEntry } from "./platform";

export abstract class TAbstractFile {
  vault!: Vault;
  path = "";
  name = "";
  parent: TFolder | null = null;
}

export class TFile extends TAbstractFile {
  stat: real.FileStats = { ctime: 0, mtime: 0, size: 0 };
  basename = "";
  extension = "";
}

export class TFolder extends TAbstractFile {
  children: TAbstractFile[] = [];
  isRoot(): boolean { return this.parent === null; }
}

export class FileSystemAdapter {
  getName(): string { return theHost().basePath.split(/[\\/]/).pop() ?? ""; }
  getBasePath(): string { return theHost().basePath; }
  getFullPath(normalizedPath: string): string { return `${theHost().basePath}/${normalizedPath}`; }
  async read(normalizedPath: string): Promise<string> { return theHost().text(normalizedPath); }
  async write(normalizedPath: string, data: string): Promise<void> { theHost().write(normalizedPath, data); }
  async exists(normalizedPath: string): Promise<boolean> {
    try { theHost().text(normalizedPath); return true; } catch { return false; }
  }
}

export class Vault extends Events {
  adapter = new FileSystemAdapter();
  configDir = theHost().configDir;
  _root = new TFolder();
  _files = new Map<string, TAbstractFile>();

  constructor() {
    super();
    Object.assign(this._root, { vault: this, path: "/", name: "" });
    this._files.set("/", this._root);
    for (const entry of theHost().entries) this._add(entry);
  }
  _add(entry: VaultEntry): TFile {
    const file = new TFile();
    const name = entry.path.split("/").pop()!;
    const dot = name.lastIndexOf(".");
    const parent = this._folder(entry.path.split("/").slice(0, -1).join("/"));
    Object.assign(file, { vault: this, path: entry.path, name, parent, basename: dot > 0 ? name.slice(0, dot) : name, extension: dot > 0 ? name.slice(dot + 1) : "", stat: { ctime: entry.ctime, mtime: entry.mtime, size: entry.size } });
    parent.children.push(file);
    this._files.set(entry.path, file);
    return file;
  }
  _folder(path: string): TFolder {
    if (path === "" || path === "/") return this._root;
    const have = this._files.get(path);
    if (have instanceof TFolder) return have;
    const folder = new TFolder();
    const parent = this._folder(path.split("/").slice(0, -1).join("/"));
    Object.assign(folder, { vault: this, path, name: path.split("/").pop()!, parent });
    parent.children.push(folder);
    this._files.set(path, folder);
    return folder;
  }
  _forget(file: TAbstractFile): void {
    this._files.delete(file.path);
    file.parent?.children.remove(file);
  }
  getName(): string { return this.adapter.getName(); }
  getRoot(): TFolder { return this._root; }
  getAbstractFileByPath(path: string): TAbstractFile | null { return this._files.get(path) ?? null; }
  getFileByPath(path: string): TFile | null { const file = this._files.get(path); return file instanceof TFile ? file : null; }
  getFolderByPath(path: string): TFolder | null { const file = this._files.get(path); return file instanceof TFolder ? file : null; }
  getAllLoadedFiles(): TAbstractFile[] { return [...this._files.values()]; }
  getFiles(): TFile[] { return this.getAllLoadedFiles().filter((file): file is TFile => file instanceof TFile); }
  getMarkdownFiles(): TFile[] { return this.getFiles().filter((file) => file.extension === "md"); }
  async read(file: TFile): Promise<string> { return theHost().text(file.path); }
  async cachedRead(file: TFile): Promise<string> { return theHost().text(file.path); }
  async create(path: string, data: string): Promise<TFile> {
    if (this._files.has(path)) throw new Error("File already exists.");
    theHost().write(normalizePath(path), data);
    const now = Date.now();
    const file = this._add({ path: normalizePath(path), size: data.length, ctime: now, mtime: now });
    this.trigger("create", file);
    return file;
  }
  async createFolder(path: string): Promise<TFolder> { return this._folder(normalizePath(path)); }
  async modify(file: TFile, data: string): Promise<void> {
    theHost().write(file.path, data);
    file.stat = { ...file.stat, mtime: Date.now(), size: data.length };
    this.trigger("modify", file);
  }
  async append(file: TFile, data: string): Promise<void> { await this.modify(file, theHost().text(file.path) + data); }
  async process(file: TFile, fn: (data: string) => string): Promise<string> {
    const data = fn(theHost().text(file.path));
    await this.modify(file, data);
    return data;
  }
  async delete(file: TAbstractFile): Promise<void> {
    theHost().remove(file.path);
    this._forget(file);
    this.trigger("delete", file);
  }
  async rename(file: TAbstractFile, newPath: string): Promise<void> {
    if (!(file instanceof TFile)) throw new Error("the stand-in renames files only");
    const old = file.path;
    theHost().rename(old, newPath);
    this._forget(file);
    const fresh = this._add({ path: newPath, ...file.stat });
    fresh.parent?.children.remove(fresh);
    Object.assign(file, { ...fresh });
    file.parent?.children.push(file);
    this._files.set(newPath, file);
    this.trigger("rename", file, old);
  }
}

const FENCE = /^(```|~~~)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm;
const CODE = /`[^`\n]+`/g;
const WIKI = /(!?)\[\[([^\]|\n]+)(?:\|([^\]\n]*))?\]\]/g;
const MARKDOWN = /(!?)\[([^\]\n]*)\]\((?:<([^>\n]+)>|([^)\s]+))(?:\s+"[^"]*")?\)/g;
const TAG = /(?<=^|\s)#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/gm;

/** Links, tags and headings of a note by plain patterns: near Obsidian's cache in form, not in every corner of its syntax. */
export function parseNote(text: string): real.CachedMetadata {
  const yaml = /^---\n[\s\S]*?\n---\s*(?:\n|$)/.exec(text)?.[0] ?? "";
  const blank = (part: string): string => part.replace(/[^\n]/g, " ");
  const body = (yaml ? blank(yaml) : "") + text.slice(yaml.length).replace(FENCE, blank).replace(CODE, blank);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const loc = (offset: number): real.Loc => {
    let line = starts.length - 1;
    while (starts[line]! > offset) line -= 1;
    return { line, col: offset - starts[line]!, offset };
  };
  const position = (at: number, length: number): real.Pos => ({ start: loc(at), end: loc(at + length) });
  const cache: real.CachedMetadata = {};
  const found: { embed: boolean; ref: real.LinkCache }[] = [];
  for (const hit of body.matchAll(WIKI)) {
    found.push({ embed: hit[1] === "!", ref: { link: hit[2]!.trim(), original: hit[0], displayText: hit[3] ?? hit[2]!, position: position(hit.index, hit[0].length) } });
  }
  for (const hit of body.matchAll(MARKDOWN)) {
    const target = hit[3] ?? hit[4]!;
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    let link = target;
    try { link = decodeURIComponent(target); } catch { /* stays as written */ }
    found.push({ embed: hit[1] === "!", ref: { link, original: hit[0], displayText: hit[2] ?? "", position: position(hit.index, hit[0].length) } });
  }
  found.sort((a, b) => a.ref.position.start.offset - b.ref.position.start.offset);
  const links = found.filter((one) => !one.embed).map((one) => one.ref);
  const embeds = found.filter((one) => one.embed).map((one) => one.ref);
  const tags = [...body.matchAll(TAG)].map((hit) => ({ tag: hit[0], position: position(hit.index, hit[0].length) }));
  const headings = [...body.matchAll(HEADING)].map((hit) => ({ heading: hit[2]!, level: hit[1]!.length, position: position(hit.index, hit[0].length) }));
  if (links.length) cache.links = links;
  if (embeds.length) cache.embeds = embeds;
  if (tags.length) cache.tags = tags;
  if (headings.length) cache.headings = headings;
  if (yaml) cache.frontmatterPosition = position(0, yaml.trimEnd().length);
  return cache;
}

export class MetadataCache extends Events {
  _all: { resolved: Record<string, Record<string, number>>; unresolved: Record<string, Record<string, number>> } | null = null;
  _byName = new Map<string, TFile[]>();

  constructor(readonly _vault: Vault) {
    super();
    for (const name of ["create", "modify", "delete", "rename"]) {
      _vault.on(name, (file: TAbstractFile) => {
        this._all = null;
        this._byName.clear();
        if (file instanceof TFile && name !== "delete") this.trigger("changed", file, "", this.getFileCache(file) ?? {});
        this.trigger("resolved");
      });
    }
  }
  getCache(path: string): real.CachedMetadata | null {
    const file = this._vault.getFileByPath(path);
    return file ? this.getFileCache(file) : null;
  }
  getFileCache(file: TFile): real.CachedMetadata | null {
    return file.extension === "md" ? parseNote(theHost().text(file.path)) : null;
  }
  getFirstLinkpathDest(linkpath: string, sourcePath: string): TFile | null {
    if (linkpath === "") return this._vault.getFileByPath(sourcePath);
    const wanted = linkpath.replace(/^\/+/, "").toLowerCase();
    const exact = this._vault.getFileByPath(linkpath) ?? this._vault.getFileByPath(`${linkpath}.md`);
    if (exact) return exact;
    if (!this._byName.size) {
      for (const file of this._vault.getFiles()) {
        for (const name of new Set([file.name.toLowerCase(), file.basename.toLowerCase()])) this._byName.set(name, [...(this._byName.get(name) ?? []), file]);
      }
    }
    const fits = (this._byName.get(wanted.split("/").pop()!) ?? []).filter((file) => {
      const path = `/${file.path.toLowerCase()}`;
      return path.endsWith(`/${wanted}`) || path.endsWith(`/${wanted}.md`);
    });
    const folder = sourcePath.split("/").slice(0, -1).join("/");
    return fits.sort((a, b) => Number(b.parent?.path === folder) - Number(a.parent?.path === folder) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))[0] ?? null;
  }
  fileToLinktext(file: TFile, sourcePath: string, omitMdExtension = true): string {
    const name = omitMdExtension && file.extension === "md" ? file.basename : file.name;
    if (this.getFirstLinkpathDest(name, sourcePath) === file) return name;
    return omitMdExtension && file.extension === "md" ? file.path.replace(/\.md$/, "") : file.path;
  }
  get resolvedLinks(): Record<string, Record<string, number>> { return this._links().resolved; }
  get unresolvedLinks(): Record<string, Record<string, number>> { return this._links().unresolved; }
  _links(): NonNullable<MetadataCache["_all"]> {
    if (this._all) return this._all;
    const all: NonNullable<MetadataCache["_all"]> = { resolved: {}, unresolved: {} };
    for (const [path, text] of Object.entries(theHost().texts())) {
      const [to, missing]: Record<string, number>[] = [all.resolved[path] = {}, all.unresolved[path] = {}];
      const cache = parseNote(text);
      for (const ref of [...(cache.links ?? []), ...(cache.embeds ?? [])]) {
        const linkpath = ref.link.split("#")[0]!;
        const target = this.getFirstLinkpathDest(linkpath, path);
        const [table, key] = target ? [to!, target.path] : [missing!, linkpath];
        table[key] = (table[key] ?? 0) + 1;
      }
    }
    return (this._all = all);
  }
}

export class FileManager {
  constructor(readonly _vault: Vault, readonly _cache: MetadataCache) {}
  getNewFileParent(_sourcePath: string, _newFilePath?: string): TFolder { return this._vault.getRoot(); }
  generateMarkdownLink(file: TFile, sourcePath: string, subpath = "", alias?: string): string {
    return `[[${this._cache.fileToLinktext(file, sourcePath)}${subpath}${alias ? `|${alias}` : ""}]]`;
  }
  async renameFile(file: TAbstractFile, newPath: string): Promise<void> { await this._vault.rename(file, newPath); }
  async trashFile(file: TAbstractFile): Promise<void> { await this._vault.delete(file); }
}
