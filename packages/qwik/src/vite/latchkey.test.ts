import { describe, expect, it, onTestFinished, vi } from "vitest"
import { assertHidden } from "../assert-hidden.js"
import { latchkey } from "./latchkey.js"

const code = `export const s_1 = () => ({ secret: "of the host" })`

/** What is left of a module that Qwik's optimizer made from a call. */
function transform(segment: object | undefined, options?: { readonly ssr: boolean }) {
  const graph = { getModuleInfo: () => (segment ? { meta: { segment } } : { meta: {} }) }
  return latchkey().transform.call(graph, code, "plugin@auth.ts_QwikAuth_1.js", options)?.code
}

describe("the Vite plugin", () => {
  it("leaves nothing of the configuration to browsers, and its name for those who import it", () => {
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" })).toBe("export const s_1 = () => undefined")
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" }, { ssr: false })).not.toContain("of the host")
  })

  it("leaves the server's part, and all other modules, as they are", () => {
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" }, { ssr: true })).toBeUndefined()
    expect(transform({ ctxName: "component$", name: "s_1" })).toBeUndefined()
    expect(transform(undefined)).toBeUndefined()
  })

  it("is missed by a server whose app was built without it", () => {
    expect(assertHidden).toThrow("vite.config.ts")
    onTestFinished(() => void vi.unstubAllGlobals())
    for (const [name, value] of Object.entries(latchkey().config().define)) {
      vi.stubGlobal(name.replace("globalThis.", ""), value)
    }
    expect(assertHidden).not.toThrow()
  })
})
