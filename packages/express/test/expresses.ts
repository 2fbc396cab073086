import { createRequire } from "node:module"
import express5, { type Express } from "express"

/**
 * Express 4 is installed without type declarations. The part of its interface that the tests use is the same.
 */
const express4 = createRequire(import.meta.url)("express4") as typeof express5

export interface ExpressUnderTest {
  readonly name: string
  readonly express: typeof express5
  /** A mount path with a wildcard, in the syntax of this version. */
  readonly wildcard: (path: string) => string
}

export const expresses = [
  { name: "Express 5", express: express5, wildcard: (path) => `${path}/*splat` },
  { name: "Express 4", express: express4, wildcard: (path) => `${path}/*` },
] as const satisfies readonly ExpressUnderTest[]

export type { Express }
