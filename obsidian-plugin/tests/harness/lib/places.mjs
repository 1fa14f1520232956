import path from "node:path";
import { fileURLToPath } from "node:url";

export const HARNESS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const ROOT = path.resolve(HARNESS, "../..");
export const ARTEFACTS = path.join(ROOT, ".artefacts");
export const SAMPLE = path.resolve(process.env.EBBTIDE_SAMPLE_VAULT ?? path.join(ROOT, "../sample-vault"));
