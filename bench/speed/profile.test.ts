import { describe, expect, it } from "vitest"
import { type CpuProfile, findHotFunctions, type ProfileNode } from "./profile.ts"

const jwe = "file:///srv/latchkey/packages/core/dist/crypto/jwe.js"
const preact = "file:///srv/latchkey/node_modules/preact/dist/preact.mjs"

function node(id: number, [functionName, url = ""]: readonly [string, string?], children: number[] = []): ProfileNode {
  return { id, callFrame: { functionName, url, lineNumber: 41 }, children }
}

const profile: CpuProfile = {
  nodes: [
    node(1, ["(root)"], [2, 3, 4]),
    node(2, ["(idle)"]),
    node(3, ["seal", jwe], [5]),
    node(4, ["(garbage collector)"]),
    node(5, ["update", "node:internal/crypto/hash"], [6]),
    node(6, ["", preact]),
  ],
  samples: [2, 3, 4, 5, 6],
  timeDeltas: [900, 30, 20, 40, 10],
}

describe("findHotFunctions", () => {
  it("charges platform time to the caller and other packages to themselves, and skips idle time", () => {
    expect(findHotFunctions(profile)).toEqual([
      { place: "seal packages/core/dist/crypto/jwe.js:42", part: 0.7 },
      { place: "(garbage collector)", part: 0.2 },
      { place: "(anonymous) node_modules/preact/dist/preact.mjs:42", part: 0.1 },
    ])
  })

  it("returns at most the requested number of functions", () => {
    expect(findHotFunctions(profile, 1)).toHaveLength(1)
  })
})
