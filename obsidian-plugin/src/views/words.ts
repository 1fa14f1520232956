/** Numbers and days as the user reads them. */

import type { Ebbtide } from "../context";

export class Words {
  readonly #locale: string;

  constructor({ language }: Pick<Ebbtide, "language">) {
    this.#locale = language === "zh" ? "zh-CN" : "en-GB";
  }

  value(value: number, unit: "share" | "number" | "count"): string {
    if (unit === "share") return `${this.number(value * 100, value < 0.1 ? 1 : 0)} %`;
    return this.number(value, unit === "number" ? 2 : 0);
  }

  /** With its sign, for changes. */
  signed(value: number, digits = 2): string {
    const text = this.number(Math.abs(value), digits);
    return (value > 0 ? "+" : value < 0 ? "−" : "±") + text;
  }

  /** A day (ISO), short. It is a day of the calendar, not a moment, so no zone may move it. */
  day(iso: string): string {
    return this.#format(iso.slice(0, 10), { timeZone: "UTC" });
  }

  /** A moment, on this device's clock. */
  moment(iso: string): string {
    return this.#format(iso, { hour: "2-digit", minute: "2-digit" });
  }

  /** With so many decimals at most. */
  number(value: number, digits = 0): string {
    return value.toLocaleString(this.#locale, { maximumFractionDigits: digits });
  }

  #format(text: string, options: Intl.DateTimeFormatOptions): string {
    const at = Date.parse(text);
    return Number.isNaN(at) ? text : new Intl.DateTimeFormat(this.#locale, { day: "numeric", month: "short", ...options }).format(at);
  }
}
