/** The parts of a name that are there, with a space between. Null when there is none. */
export function joinName(...parts: readonly (string | null | undefined)[]): string | null {
  return parts.filter(Boolean).join(" ") || null
}
