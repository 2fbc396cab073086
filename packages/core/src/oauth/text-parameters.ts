/**
 * Configured parameters as text: an object (such as `claims`, OpenID Connect Core 1.0 section 5.5) as JSON, everything
 * else as it prints. What is null or undefined is left out.
 */
export function toTextParameters(parameters: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]))
}

function toText(value: unknown): string {
  return typeof value === "object" && !(value instanceof URL) ? JSON.stringify(value) : String(value)
}
