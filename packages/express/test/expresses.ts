import { createRequire } from "node:module"
import express5, { type Express } from "express"

/**
 * Both majors that are supported. The older has no type declarations here, and its interface is the same as far as it
 * is used.
 */
const express4 = createRequire(import.meta.url)("express4") as typeof express5

export interface ExpressUnderTest {
  readonly name: string
  readonly express: typeof express5
  /** A mount path with a wildcard, in this major's spelling. */
  readonly wildcard: (path: string) => string
}

export const expresses = [
  { name: "Express 5", express: express5, wildcard: (path) => `${path}/*splat` },
  { name: "Express 4", express: express4, wildcard: (path) => `${path}/*` },
] as const satisfies readonly ExpressUnderTest[]

export type { Express }
