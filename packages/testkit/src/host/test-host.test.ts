import { describe, expect, it } from "vitest"
import { testEmail } from "../mail/mailbox.js"
import { fixedClock } from "../time/fixed-clock.js"
import { testHost } from "./test-host.js"

describe("a test host", () => {
  it("signs in through the identity provider and back", async () => {
    const { browser, idp, events, leaks } = testHost()
    const page = await browser.signIn("oidc", { callbackUrl: "/private" })
    expect([page.url.href, page.title]).toEqual(["https://app.test/private", "Host application /private"])
    expect((await browser.session())?.user).toMatchObject({ name: "Ada Lovelace", email: "ada@example.com" })
    expect(idp.requests.token).toHaveLength(1)
    expect(events.names()).toContain("signIn")
    expect(leaks()).toEqual([])
  })

  it("signs in through plain OAuth, and signs out", async () => {
    const { browser } = testHost({ providers: ({ idp }) => [idp.oauthProvider()] })
    await browser.signIn("oauth")
    expect((await browser.session())?.user?.name).toBe("Ada Lovelace")
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })

  it("receives a form_post response across sites", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const { browser, idp } = testHost({ providers: ({ idp }) => [idp.provider({ authorization })] })
    await browser.signIn("oidc")
    expect(await browser.session()).not.toBeNull()
    expect(idp.requests.authorization[0]?.params.get("response_mode")).toBe("form_post")
  })

  it("delivers messages to its mailbox, with a link that signs in once", async () => {
    const { browser, mailbox } = testHost({ providers: [testEmail()] })
    await browser.signIn("email", { email: "grace@example.com" })
    await browser.open(mailbox.lastLinkTo("grace@example.com"))
    expect((await browser.session())?.user?.email).toBe("grace@example.com")
    await browser.signOut()
    expect((await browser.open(mailbox.lastLink())).url.searchParams.get("error")).toBe("Verification")
  })

  it("signs in through the form of the built-in page", async () => {
    const { browser } = testHost()
    const page = await browser.open("/auth/signin")
    await browser.submit(page.form('form[action$="/signin/oidc"]'))
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
  })

  it("separates visitors, and records the log", async () => {
    const { browser, newBrowser, logger, idp } = testHost()
    idp.faults.turnOn("id-token-expired")
    const page = await browser.signIn("oidc")
    expect(page.url.pathname).toBe("/auth/error")
    expect(logger.errorTypes()).toEqual(["CallbackRouteError"])
    idp.faults.clear()
    await newBrowser().signIn("oidc")
    expect(await browser.session()).toBeNull()
  })

  it("follows a fixed clock", async () => {
    using clock = fixedClock()
    const { browser } = testHost()
    await browser.signIn("oidc")
    clock.advance({ days: 29 })
    expect(await browser.session()).not.toBeNull()
    clock.advance({ days: 31 })
    expect(await browser.session()).toBeNull()
  })

  it("finds secrets that a host leaks", async () => {
    const { browser, leaks } = testHost({
      isSearched: false,
      providers: ({ idp }) => [idp.provider()],
      callbacks: {
        jwt: ({ token, account }) => (account ? { ...token, access: account.access_token } : token),
        session: ({ session, token }) => ({ ...session, access: token["access"] }),
      },
    })
    await browser.signIn("oidc")
    await browser.session()
    expect(leaks()).toMatchObject([{ canary: "access token", form: "plain" }])
  })

  it("finds values of the browser in the log", async () => {
    const { browser, idp, logger, leaks } = testHost({ isSearched: false })
    await browser.signIn("oidc")
    expect(leaks()).toEqual([])
    const { params } = idp.requests.authorization[0] ?? {}
    logger.debug("begin", { state: params?.get("state") })
    logger.debug("end", { verifier: idp.requests.token[0]?.params.get("code_verifier") })
    logger.error(new Error(`csrf ${await browser.csrfToken()}`))
    expect(new Set(leaks().map(({ canary }) => canary.replace(/^cookie __(Host|Secure)-authjs\./, "")))).toEqual(
      new Set(["state", "code_verifier", "csrf-token"]),
    )
  })

  it("finds a mailed code in the log, but not its digits within random text", async () => {
    const generateVerificationToken = () => "483920"
    const { browser, logger, leaks } = testHost({
      isSearched: false,
      providers: [testEmail({ generateVerificationToken })],
    })
    await browser.signIn("email", { email: "grace@example.com" })
    for (const random of ["a483920f", "04839201", "x-483920", "483920/b"]) logger.debug("begin", { random })
    expect(leaks()).toEqual([])
    logger.debug("end", { code: 483920 })
    logger.error(new Error("The code a483920f is not 483920"))
    expect(leaks()).toMatchObject([{ canary: "mail token" }, { canary: "mail token" }])
  })
})
