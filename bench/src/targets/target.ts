import type { Subject } from "../scenario.ts"

/** A library, or the limit, with all scenarios that it takes part in. */
export interface Target {
  readonly subjects: Readonly<Partial<Record<string, () => Promise<Subject>>>>
}
