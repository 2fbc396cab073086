import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/action-setup.js"
import { type VisitOptions, visitTo } from "../../test/visits.js"
import type { PagesOptions } from "../contract/pages.js"
import { UntrustedHost } from "../errors/request.js"
import { createLog } from "../log/log.js"
import { refuseConfiguration } from "./refuse-configuration.js"

const pageRoutes = ["signin", "signout", "error", "verify-request"]
const otherRequests: readonly (readonly [string, VisitOptions])[] = [
  ["session", {}],
  ["csrf", {}],
  ["providers", {}],
  ["callback/oidc", {}],
  ["webauthn-options", {}],
  ["signin/oidc", { form: { csrfToken: "t" } }],
  ["signout", { form: { csrfToken: "t" } }],
]

async function refuse(
  path: string,
  options: VisitOptions = {},
  pages: Partial<PagesOptions> = {},
  isProduction = true,
) {
  const logger = recordingLogger()
  const mistake = new UntrustedHost("trustHost: is not set")
  const needs = { ...actionSetup().needs, pages, isProduction, log: createLog(logger) }
  const reply = await refuseConfiguration(mistake, await visitTo(`/auth/${path}`, options), needs)
  const text = reply.body?.kind === "html" ? reply.body.text : JSON.stringify(reply.body)
  const [error] = logger.errors
  const reference = error instanceof UntrustedHost ? error.reference : undefined
  return { ...reply, text, reference, message: error?.message, logged: logger.errorTypes() }
}

describe("refuseConfiguration", () => {
  it.each(pageRoutes)("shows the error page for GET %s, and says nothing of the mistake", async (route) => {
    const { status, text, logged, cookies } = await refuse(route)
    expect([status, logged, cookies]).toEqual([500, ["UntrustedHost"], undefined])
    expect(text).not.toMatch(/trustHost|UntrustedHost/)
  })

  it.each(pageRoutes)("leads from GET %s to the host's error page", async (route) => {
    const { redirect } = await refuse(route, {}, { error: "/oops?x=1" })
    expect(redirect).toBe("https://app.test/oops?x=1&error=Configuration")
    const elsewhere = await refuse(route, {}, { error: "https://accounts.corp.test/oops" })
    expect(elsewhere.redirect).toBe("https://accounts.corp.test/oops?error=Configuration")
  })

  it.each(otherRequests)("answers %s by 500 and one sentence", async (path, options) => {
    const { status, body, text, reference } = await refuse(path, options, { error: "/oops" })
    expect([status, body?.kind]).toEqual([500, "json"])
    expect(text).toContain("problem with the server configuration")
    expect(text).toContain(reference)
    expect(text).not.toContain("trustHost")
  })

  it.each(["/oops", "/oops?again=1", "https://app.test/oops"])(
    "PAGE-12: shows its own page when the host's error page asks for a sign-in to %s, and says so in the log",
    async (callbackUrl) => {
      const path = `signin?callbackUrl=${encodeURIComponent(callbackUrl)}`
      const { status, logged, redirect } = await refuse(path, {}, { error: "/oops" })
      expect([status, redirect]).toEqual([500, undefined])
      expect(logged).toEqual(["UntrustedHost", "ErrorPageLoop"])
    },
  )

  it("tells the mistake to a developer on their own machine, and to nobody in production", async () => {
    const origin = "http://localhost:3000"
    expect((await refuse("signin", { origin }, {}, false)).text).toContain("trustHost: is not set")
    expect((await refuse("signin", { origin }, {}, true)).text).not.toContain("trustHost")
    expect((await refuse("signin", {}, {}, false)).text).not.toContain("trustHost")
  })

  it("HOST-01: tells the operator which header named which host", async () => {
    const { message, text } = await refuse("session", { headers: { "x-forwarded-host": "app.test", host: "inner" } })
    expect(message).toBe(`trustHost: is not set. The request's host is "app.test" (the header X-Forwarded-Host)`)
    expect(text).not.toContain("app.test")
  })

  it("serves the stylesheet that its page needs, and logs nothing for that", async () => {
    const { body, logged, status } = await refuse("style.css")
    expect([body?.kind, status, logged]).toEqual(["css", undefined, []])
  })
})
