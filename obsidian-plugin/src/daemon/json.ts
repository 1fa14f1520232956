/** The JSON object that a text holds, or null. `chinese`: of what is said in both languages, `x` and `x_zh`, the Chinese is taken for `x`. */
export function parseObject(text: string, chinese = false): object | null {
  try {
    const value: unknown = JSON.parse(text, function (this: Record<string, unknown>, key, said: unknown) {
      if (chinese && said && key.endsWith("_zh")) this[key.slice(0, -3)] = said;
      return said;
    });
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether two values differ as far as JSON tells them apart. */
export function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
