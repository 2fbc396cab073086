import type { Session } from "@latchkey/core"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

const cycle: Record<string, unknown> = {}
cycle["self"] = cycle

describe.each(["jwt", "database"] as const)("callbacks.session, with %s sessions", (strategy) => {
  async function openAnswering(answer: unknown) {
    const host = openHost({
      adapter: memoryAdapter(),
      session: { strategy },
      callbacks: { session: () => answer as Session }, // as: possible in plain JavaScript
    })
    await host.browser.signIn("oidc")
    return host
  }

  it.each<[string, unknown]>([
    ["a cycle", { expires: "", user: cycle }],
    ["a BigInt", { expires: "", user: { id: 7n } }],
    [
      "an object whose toJSON fails",
      {
        toJSON() {
          throw new Error("db password hunter2")
        },
      },
    ],
  ])(
    "CONF-01: a callback that returns %s is a failure in the log and 500 for the client, never a session",
    async (_, answer) => {
      const host = await openAnswering(answer)
      const before = host.browser.cookies.get(sessionCookie)
      const { status, headers, text, cookies } = await get(host.browser, "/auth/session")
      expect([status, headers.get("content-type")]).toEqual([500, "application/json"])
      expect(headers.get("cache-control")).toContain("no-store")
      expect(JSON.parse(text)).toEqual({
        message: expect.stringMatching(/^The answer could not be written\..*reference/),
      })
      expect([text.includes("hunter2"), text.includes("Ada"), cookies.size]).toEqual([false, false, 0])
      expect(host.logger.errorTypes()).toEqual(["AuthError"])
      expect(host.logger.errors[0]?.message).toMatch(/callbacks\.session/)
      expect(host.browser.cookies.get(sessionCookie)).toBe(before)
    },
  )

  it.each([undefined, () => "x", Symbol("x")])(
    "that answers %s, for which JSON has no word, is null",
    async (answer) => {
      const host = await openAnswering(answer)
      const { status, text } = await get(host.browser, "/auth/session")
      expect([status, text]).toEqual([200, "null"])
    },
  )
})
