import { en, type Strings } from "./en";
import { zh } from "./zh";

export type { Strings } from "./en";

export type Language = "en" | "zh";

/** The table for a language code as Obsidian gives it. Traditional Chinese reads Simplified sooner than English. */
export function pickLanguage(code: string): Language {
  return /^zh(-|$)/i.test(code) ? "zh" : "en";
}

export function strings(language: Language): Strings {
  return language === "zh" ? zh : en;
}
