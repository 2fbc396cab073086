import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it, vi } from "vitest"
import * as config from "../src/config/index.js"

vi.mock("#latchkey/auth-config", () => ({
  default: { providers: [], secret: "a secret of at least thirty-two characters" },
}))
vi.mock("#latchkey/mount-path", () => ({ mountPath: "/auth" }))

describe("@latchkey/nuxt", () => {
  it("exports the names in its guide", async () => {
    const face = await import("../src/server/index.js")
    expect(Object.keys(face).sort()).toEqual([
      "AuthError",
      "CredentialsSignin",
      "customFetch",
      "getAuth",
      "requireAuth",
    ])
    expect(Object.keys(config).sort()).toEqual(["createNuxtAuth", "defineAuthConfig"])
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })

  it("has one instance for the endpoints, the hooks and server routes", async () => {
    const { auth } = await import("../src/instance.js")
    const { default: handler } = await import("../src/middleware/index.js")
    const { default: plugin } = await import("../src/nitro-plugin/index.js")
    const hooks = new Map<string, (event: never, response: never) => void>()
    plugin({ hooks: { hook: (name: string, run: (...args: never[]) => void) => hooks.set(name, run) } })
    const event = { context: {} as Record<string, unknown> }
    hooks.get("request")?.(event as never, {} as never)
    expect([handler, event.context["latchkey"], hooks.get("beforeResponse")]).toEqual([
      ...[auth.handler, auth, auth.beforeResponse],
    ])
  })
})
