import type { Members } from "./fault.js"

/** The same without one member. */
export function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([own]) => own !== name))
}
