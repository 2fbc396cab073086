import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/setup/action-setup.js"
import { tellStory } from "../diagnosis/stories.js"
import { AccessDenied, InvalidCheck } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import type { Reply } from "../http/response.js"
import { toReferenceCookie } from "./reference.js"

const textOf = ({ body }: Reply) => (body?.kind === "html" ? body.text : "")

describe("GET /error", () => {
  it.each([
    ["", 200],
    ["?error=Configuration", 500],
    ["?error=AccessDenied", 403],
    ["?error=Verification", 403],
    ["?error=Whatever", 200],
    ["?error=__proto__", 200],
    ["?error=toString", 200],
  ])("answers %j by %i", async (query, status) => {
    expect((await actionSetup().act(`/auth/error${query}`)).status).toBe(status)
  })

  it.each(["x&callbackUrl=https://evil.test#", "\r\nLocation: https://evil.test", "€"])(
    "URL-12, URL-13, URL-14: hands %j to the host's page as one value",
    async (error) => {
      const { act } = actionSetup({ pages: { error: "/err?x=1" } })
      const { redirect = "" } = await act(`/auth/error?error=${encodeURIComponent(error)}&callbackUrl=/y`)
      expect(redirect).toMatch(/^\/err\?x=1&error=[\w.%+-]+$/)
      expect(new URLSearchParams(redirect.split("?")[1]).get("error")).toBe(error)
    },
  )

  it("redirects to the app's page as configured without an error", async () => {
    expect((await actionSetup({ pages: { error: "/err" } }).act("/auth/error")).redirect).toBe("/err")
  })

  it("shows only the reference of the failure that redirected here", async () => {
    const { act, browser, context } = actionSetup()
    const error = new AccessDenied("of the log alone")
    browser.keep([toReferenceCookie(context.referenceCookie, error, "AccessDenied")])
    const page = textOf(await act("/auth/error?error=AccessDenied"))
    expect(page).toContain(error.reference)
    expect(page).not.toContain("of the log alone")
    expect(textOf(await act("/auth/error?error=Verification"))).not.toContain(error.reference)
  })

  it("shows the logged details only to a developer on their own machine", async () => {
    const { act, browser, context } = actionSetup()
    const error = new AccessDenied("of the log alone")
    context.recentFailures?.set(error.reference, error)
    browser.keep([toReferenceCookie(context.referenceCookie, error, "AccessDenied")])
    const path = "/auth/error?error=AccessDenied"
    for (const origin of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"]) {
      expect(textOf(await act(path, { origin }))).toContain("of the log alone")
    }
    const others = ["https://app.test", "http://localhost.evil.test", "http://128.0.0.1", "http://evil.test"]
    for (const origin of others) expect(textOf(await act(path, { origin }))).not.toContain("of the log alone")
    const elsewhere = { origin: "http://localhost:3000", context: { clientAddress: "198.51.100.7" } }
    expect(textOf(await act(path, elsewhere))).not.toContain("of the log alone")
    for (const clientAddress of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      const here = { origin: "http://localhost:3000", context: { clientAddress } }
      expect(textOf(await act(path, here))).toContain("of the log alone")
      const renamed = { origin: "http://app.test", context: { clientAddress } }
      expect(textOf(await act(path, renamed))).not.toContain("of the log alone")
    }
    for (const name of ["x-forwarded-for", "forwarded"]) {
      const proxied = { origin: "http://localhost:3000", headers: { [name]: "192.0.2.1" } }
      expect(textOf(await act(path, proxied))).not.toContain("of the log alone")
    }
  })
  it("DOC-01: tells the story only to a developer on their own machine, without text of visitors", async () => {
    const { act, browser, context } = actionSetup()
    const cause = { email: "ada@visitor.test", ...because("flow-other-host", { host: "www.app.test", ageSeconds: 4 }) }
    const error = new InvalidCheck("of the log alone", cause)
    context.recentFailures?.set(error.reference, error)
    browser.keep([toReferenceCookie(context.referenceCookie, error, "Configuration")])
    const path = "/auth/error?error=Configuration"
    const page = textOf(await act(path, { origin: "http://localhost:3000" }))
    const { sentences, fixes } = tellStory("flow-other-host", { host: "www.app.test", ageSeconds: 4 })
    for (const text of [...sentences, ...fixes, "flow-other-host", "Guide: &quot;Proxies&quot;"])
      expect(page).toContain(text)
    expect(page).not.toContain("ada@visitor.test")
    const production = textOf(await act(path, { origin: "https://app.test" }))
    expect(production).toContain(error.reference)
    for (const text of [...sentences, ...fixes, "flow-other-host"]) expect(production).not.toContain(text)
  })
})
