import { ada, memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const encoded = encodeURIComponent

describe("pages.signIn", () => {
  it.each([
    ["/login", "/auth/signin", `/login?callbackUrl=${encoded("https://app.test")}`],
    ["/login", "/auth/signin?callbackUrl=/in", `/login?callbackUrl=${encoded("https://app.test/in")}`],
    ["/login?x=1", "/auth/signin", `/login?x=1&callbackUrl=${encoded("https://app.test")}`],
    [
      "/login",
      "/auth/signin?error=AccessDenied&callbackUrl=//evil.test/x",
      `/login?callbackUrl=${encoded("https://app.test//evil.test/x")}&error=AccessDenied`,
    ],
    ["/login", "/auth/signin?callbackUrl=https://evil.test", `/login?callbackUrl=${encoded("https://app.test")}`],
  ])("%s: GET %s redirects to %s", async (signIn, path, location) => {
    const answer = await get(openHost({ pages: { signIn } }).browser, path)
    expect([answer.status, answer.location]).toEqual([302, location])
  })
})

describe("pages.signOut", () => {
  it("is redirected to without a query", async () => {
    const answer = await get(openHost({ pages: { signOut: "/bye" } }).browser, "/auth/signout?callbackUrl=/x")
    expect([answer.status, answer.location]).toEqual([302, "/bye"])
  })
})

describe("pages.verifyRequest", () => {
  it.each([
    ["/vr", "provider=email&type=email", "/vr?provider=email&type=email"],
    ["/vr?x=1", "provider=email&type=email", "/vr?x=1&provider=email&type=email"],
    ["/vr", "next=https://evil.test&x=%3Cscript%3E&type=email", "/vr?type=email"],
  ])("URL-15: %s receives only the provider and type of the query %s", async (verifyRequest, query, location) => {
    const answer = await get(openHost({ pages: { verifyRequest } }).browser, `/auth/verify-request?${query}`)
    expect([answer.status, answer.location]).toEqual([302, location])
  })

  it("is shown after a sign-in link was requested", async () => {
    const { browser } = openHost({ providers: [testEmail()], pages: { verifyRequest: "/vr" } })
    const page = await browser.signIn("email", { email: "v@corp.test" })
    expect(page.url.href).toBe("https://app.test/vr?provider=email&type=email")
  })
})

describe("pages.newUser", () => {
  const callbackUrl = "/a?b=c&d=#f"
  const welcome = `https://app.test/welcome?x=1&callbackUrl=${encoded("https://app.test/a?b=c&d=#f")}`
  const pages = { newUser: "/welcome?x=1" }

  it("URL-20: is shown only when the adapter creates the user", async () => {
    const { browser, newBrowser } = openHost({ adapter: memoryAdapter(), pages })
    expect((await browser.signIn("oidc", { callbackUrl })).url.href).toBe(welcome)
    expect((await newBrowser().signIn("oidc", { callbackUrl })).url.href).toBe("https://app.test/a?b=c&d=#f")
  })

  it("is shown after the first sign-in by email", async () => {
    const { browser, mailbox } = openHost({ providers: [testEmail()], pages })
    await browser.signIn("email", { email: ada.email, callbackUrl })
    expect((await browser.open(mailbox.lastLink())).url.href).toBe(welcome)
  })

  it.each([
    ["oidc", {}],
    ["cred", { u: "v", p: "right" }],
  ])("is not shown without an adapter: %s", async (id, fields) => {
    const { browser } = openHost({ providers: ({ idp }) => [idp.provider(), passwordProvider()], pages })
    const page = await browser.signIn(id, { ...fields, callbackUrl: "/in" })
    expect(page.url.href).toBe("https://app.test/in")
  })
})
