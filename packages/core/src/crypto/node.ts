import * as crypto from "node:crypto"
import type { Primitives } from "./backend.js"
import { createNodePrimitives } from "./node-crypto.js"

// In this file, because it runs at import and on Node only.
assertSupportedNode()

/**
 * Older versions lack functions that are called much later, and the error would name one of those. Node 22.0 to 22.17 is
 * not supported, but has the functions: npm warns about it.
 */
function assertSupportedNode(): void {
  const { version } = process
  if (Number.parseInt(version.slice(1), 10) < 22) {
    throw new Error(`Latchkey needs Node 22.18 or later. This is Node ${version.slice(1)}: update it`)
  }
}

export const primitives: Primitives = createNodePrimitives(crypto)
