import { describe, expect, it, onTestFinished, vi } from "vitest"
import { assertConfigHidden } from "../src/handler.js"
import { latchkey } from "../src/vite/index.js"

const code = `export const s_1 = () => ({ secret: "of the host" })`

/** Transforms a module that Qwik's optimizer made from a `$` call. */
function transform(segment: object | undefined, options?: { readonly ssr: boolean }) {
  const graph = { getModuleInfo: () => (segment ? { meta: { segment } } : { meta: {} }) }
  return latchkey().transform.call(graph, code, "plugin@auth.ts_QwikAuth_1.js", options)?.code
}

/** Transforms the module with the call, as the optimizer has left it. */
function transformParent(text: string, options?: { readonly ssr: boolean }) {
  return latchkey().transform.call({ getModuleInfo: () => ({ meta: {} }) }, text, "plugin@auth.ts", options)
}

describe("the Vite plugin", () => {
  it("removes the configuration from the browser build, but keeps its export", () => {
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" })).toBe("export const s_1 = () => undefined")
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" }, { ssr: false })).not.toContain("of the host")
  })

  it("makes no source map of the modules whose source has the configuration", () => {
    const optimized = "export const { useSession } = QwikAuthQrl(qrl(() => import('./s_1')))"
    expect(transformParent(optimized)).toEqual({ code: optimized, map: { mappings: "" } })
    expect(transformParent(optimized, { ssr: true })).toBeUndefined()
    expect(transformParent("export const a = 1")).toBeUndefined()
  })

  it("leaves the server build and all other modules unchanged", () => {
    expect(transform({ ctxName: "QwikAuth$", name: "s_1" }, { ssr: true })).toBeUndefined()
    expect(transform({ ctxName: "component$", name: "s_1" })).toBeUndefined()
    expect(transform(undefined)).toBeUndefined()
  })

  it("lets the server start, which fails in an app built without it", () => {
    expect(assertConfigHidden).toThrow("vite.config.ts")
    onTestFinished(() => void vi.unstubAllGlobals())
    for (const [name, value] of Object.entries(latchkey().config().define)) {
      vi.stubGlobal(name.replace("globalThis.", ""), value)
    }
    expect(assertConfigHidden).not.toThrow()
  })
})
