import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionSetup, cred, mail, oidc } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import type { Reply } from "../http/response.js"

const textOf = ({ body }: Reply) => (body?.kind === "html" ? body.text : "")

describe("POST /signin", () => {
  it("rejects an unknown provider", async () => {
    expect((await failureOf(actionSetup().post("/auth/signin/nobody"))).error.type).toBe("InvalidProvider")
    expect((await failureOf(actionSetup().post("/auth/signin/constructor"))).error.type).toBe("InvalidProvider")
  })

  it("redirects to the sign-in page without a provider, and for a provider with a form", async () => {
    const { post } = actionSetup()
    expect((await post("/auth/signin")).redirect).toBe("https://app.test/auth/signin")
    expect((await post("/auth/signin/undefined")).redirect).toBe("https://app.test/auth/signin")
    expect((await post("/auth/signin/cred", { password: "right" })).redirect).toBe("https://app.test/auth/signin")
  })

  it("starts a sign-in with a provider whose id is undefined", async () => {
    const { post } = actionSetup({ providers: [{ ...mail, id: "undefined" }], adapter: memoryAdapter() })
    const { redirect } = await post("/auth/signin/undefined", { email: "vera@corp.test" })
    expect(redirect).toBe("https://app.test/auth/verify-request?provider=undefined&type=email")
  })

  it("sends a link, and redirects to the verify-request page", async () => {
    const { post } = actionSetup({ providers: [mail], adapter: memoryAdapter() })
    const { redirect } = await post("/auth/signin/mail", { email: "vera@corp.test" })
    expect(redirect).toBe("https://app.test/auth/verify-request?provider=mail&type=email")
  })
})

describe("GET /signin", () => {
  it("CSRF-09: starts no sign-in by GET", async () => {
    const { act, browser } = actionSetup()
    expect((await failureOf(act("/auth/signin/oidc"))).error.type).toBe("UnknownAction")
    expect(browser.names()).toEqual([])
  })

  it("has a form for each provider with its URL and the CSRF token", async () => {
    const { act, browser, context } = actionSetup({ providers: [oidc, mail, cred], adapter: memoryAdapter() })
    const page = textOf(await act("/auth/signin"))
    const { token = "none" } = await context.csrf.issue(browser.jar())
    for (const path of ["signin/oidc", "signin/mail", "callback/cred"]) {
      expect(page).toContain(`action="https://app.test/auth/${path}"`)
    }
    expect(page.split(token)).toHaveLength(4)
  })

  it("URL-08: puts neither a javascript: URL nor another site into the page", async () => {
    const { act } = actionSetup()
    for (const callbackUrl of ["javascript:alert(1)", "data:text/html,x", "https://evil.test/x"]) {
      const page = textOf(await act(`/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`))
      expect(page).not.toContain(callbackUrl)
      expect(page).toContain('value="https://app.test"')
    }
  })

  it("redirects to the app's page with the encoded callback URL and error", async () => {
    const { act } = actionSetup({ pages: { signIn: "/login?from=auth" } })
    const error = "x&callbackUrl=https://evil.test#"
    const { redirect = "" } = await act(`/auth/signin?callbackUrl=/a%3Fb=c&error=${encodeURIComponent(error)}`)
    expect(redirect.startsWith("/login?from=auth&")).toBe(true)
    expect([...new URLSearchParams(redirect.split("?")[1])]).toEqual([
      ["from", "auth"],
      ["callbackUrl", "https://app.test/a?b=c"],
      ["error", error],
    ])
    expect((await act("/auth/signin")).redirect).toBe("/login?from=auth&callbackUrl=https%3A%2F%2Fapp.test%2Fa%3Fb%3Dc")
  })
})

describe("GET /verify-request", () => {
  it("URL-15: passes only provider, type and error to the app's page", async () => {
    const { act } = actionSetup({ pages: { verifyRequest: "/vr?x=1" } })
    const query = "next=https://evil.test&x=<script>&provider=a%26b&type=email"
    expect(await act(`/auth/verify-request?${query}`)).toEqual({ redirect: "/vr?x=1&provider=a%26b&type=email" })
    expect(await act("/auth/verify-request")).toEqual({ redirect: "/vr?x=1" })
  })

  it("shows the page for an unknown provider, too", async () => {
    const { act } = actionSetup({ providers: [mail], adapter: memoryAdapter() })
    for (const provider of ["mail", "nobody", "__proto__"]) {
      const { body, cookies } = await act(`/auth/verify-request?provider=${provider}&type=email`)
      expect([body?.kind, cookies]).toEqual(["html", undefined])
    }
  })

  it("shows how long the link works if the provider has its own maxAge", async () => {
    const { act } = actionSetup({ providers: [mail, { ...mail, id: "quick", maxAge: 600 }], adapter: memoryAdapter() })
    const textFor = async (id: string) => {
      const { body } = await act(`/auth/verify-request?provider=${id}&type=email`)
      return body?.kind === "html" ? body.text : ""
    }
    expect(await textFor("quick")).toContain("10 minutes")
    for (const id of ["mail", "cred"]) expect(await textFor(id)).not.toMatch(/minutes|hours|NaN|undefined/)
  })
})
