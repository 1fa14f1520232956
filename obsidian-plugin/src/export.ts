/**
 * What Obsidian itself makes of the notes, in the format of the daemon's conformance cases (an array of objects; one for each note
 * here), so that anyone with Obsidian can hold the daemon against it. `files` is left out: the vault is at hand.
 */

import { Notice, apiVersion, parseLinktext, type App, type CachedMetadata, type FrontMatterCache, type ReferenceCache, type TFile } from "obsidian";
import type { Ebbtide } from "./context";
import { confirm } from "./views/dialogs";

export interface SeenLink {
  target: string | null;
  raw: string;
  kind: "wikilink" | "embed" | "markdown" | "frontmatter";
  heading: string | null;
  block: string | null;
  alias: string | null;
  relation: string | null;
}

export interface SeenNote {
  id: string;
  category: "export";
  layer: "obsidian";
  source: string;
  expect_links: SeenLink[];
  expect_tags: string[];
  expect_aliases: string[];
  expect_blocks: string[];
  expect_headings: string[];
  why: string;
  sure: "high";
}

/** Into a new file of the vault, after consent. */
export async function exportSeen(ebbtide: Ebbtide): Promise<void> {
  const { app, t } = ebbtide;
  const stem = "what-obsidian-sees";
  let path = `${stem}.json`;
  for (let n = 2; app.vault.getAbstractFileByPath(path); n++) path = `${stem}-${n}.json`;
  const words = { title: t.actions.exportTitle, body: t.actions.exportBody(path), go: t.actions.exportGo };
  if (!(await confirm(app, t, words))) return;
  await app.vault.create(path, `${JSON.stringify(seenByObsidian(app, apiVersion), null, 1)}\n`);
  new Notice(t.actions.exported(path));
}

/** All notes that Obsidian has read, by path. */
function seenByObsidian(app: App, version: string): SeenNote[] {
  return app.vault
    .getMarkdownFiles()
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((file) => {
      const cache = app.metadataCache.getFileCache(file);
      return cache ? [seenNote(app, file, cache, version)] : [];
    });
}

function seenNote(app: App, file: TFile, cache: CachedMetadata, version: string): SeenNote {
  const seen = (link: Pick<ReferenceCache, "link" | "original" | "displayText">, kind: SeenLink["kind"], relation: string | null): SeenLink => {
    const { path, subpath } = parseLinktext(link.link);
    const place = subpath.replace(/^#/, "");
    const target = path === "" ? file : app.metadataCache.getFirstLinkpathDest(path, file.path);
    return {
      target: target?.path ?? null,
      raw: link.original,
      kind,
      heading: place && !place.startsWith("^") ? place : null,
      block: place.startsWith("^") ? place.slice(1) : null,
      alias: statedAlias(link.original),
      relation,
    };
  };
  const written = (link: ReferenceCache) => seen(link, link.original.startsWith("[[") ? "wikilink" : "markdown", null);
  const frontmatter = cache.frontmatter;
  return {
    id: file.path,
    category: "export",
    layer: "obsidian",
    source: file.path,
    expect_links: [
      ...(cache.links ?? []).map(written),
      ...(cache.embeds ?? []).map((link) => seen(link, "embed", null)),
      ...(cache.frontmatterLinks ?? []).map((link) => seen(link, "frontmatter", link.key.replace(/\.\d+$/, ""))),
    ],
    expect_tags: [...(cache.tags ?? []).map((tag) => tag.tag.replace(/^#/, "")), ...words(frontmatter, ["tags", "tag"]).map((tag) => tag.replace(/^#/, ""))],
    expect_aliases: words(frontmatter, ["aliases", "alias"]),
    expect_blocks: Object.keys(cache.blocks ?? {}),
    expect_headings: (cache.headings ?? []).map((heading) => heading.heading),
    why: `as Obsidian ${version} has it`,
    sure: "high",
  };
}

/** The text after the first bar, or that of a Markdown link; null where none was written. */
export function statedAlias(raw: string): string | null {
  const wiki = /^!?\[\[([^\]|]*)\|([\s\S]*)\]\]$/.exec(raw);
  if (wiki) return wiki[2] ?? null;
  return /^!?\[\[/.test(raw) ? null : (/^!?\[([\s\S]*)\]\(/.exec(raw)?.[1] ?? null) || null;
}

function words(frontmatter: FrontMatterCache | undefined, keys: string[]): string[] {
  return keys.flatMap((key) => {
    const value: unknown = frontmatter?.[key];
    const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
    return list.flatMap((entry) => (typeof entry === "string" && entry.trim() ? [entry.trim()] : []));
  });
}
