import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import { browserCookie, flowCookies, flowIdOf, flowSetup, oidc, stateCookie } from "../../test/setup/flow-setup.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import { resolveCookies } from "../http/own-cookies.js"

const otherProvider = { ...oidc, id: "oidc2" }

describe("resumeFlow: the user who began the flow", () => {
  it.each([null, "ada", "a user's id with spaces \u{1f600}"])("LINK-07: is returned: %j", async (initiatorId) => {
    const { begin, resume } = flowSetup()
    const { state } = await begin(oidc, "https://app.test/", initiatorId)
    expect(await resume(state)).toHaveProperty("initiatorId", initiatorId)
  })
})

describe("resumeFlow: the browser that began the flow", () => {
  /** A flow in an attacker's browser, whose check cookies a sibling domain planted in this one. */
  async function plantedFlow(provider = oidc) {
    const setup = flowSetup()
    const attacker = flowSetup(keptCookies())
    const started = await attacker.begin(provider)
    for (const { name, value } of started.cookies) {
      // Browsers refuse a `__Host-` cookie with a domain.
      if (!name.startsWith("__Host-")) setup.browser.set(name, value)
    }
    return { ...setup, state: started.state }
  }

  it.each([false, true])(
    "CSRF-14, LINK-07: rejects planted check cookies and clears nothing, form post %s",
    async (isFormPost) => {
      const provider = { ...oidc, isFormPost }
      const { resume, begin, browser, state } = await plantedFlow(provider)
      const { error, cookies } = await failureOf(resume(state, provider))
      expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
      expect(error.message).toMatch(/another browser/)
      // The same in a browser that has a secret of its own.
      const own = await begin(provider)
      expect((await failureOf(resume(state, provider))).error.type).toBe("InvalidCheck")
      expect(browser.names()).toHaveLength(7)
      expect(await resume(own.state, provider)).toHaveProperty("callbackUrl")
    },
  )

  it("has one secret for all of its flows, which an invalid cookie does not set", async () => {
    const { begin, browser } = flowSetup()
    await begin()
    const secretOfBrowser = browser.get(browserCookie)
    await begin(otherProvider)
    expect(browser.get(browserCookie)).toBe(secretOfBrowser)
    browser.set(browserCookie, "short")
    await begin()
    expect(browser.get(browserCookie)).toMatch(/^[\w-]{22}$/)
  })

  it("OAU-18: has a cookie of its own for form posts, so that a flow by GET does not make it Lax", async () => {
    const { begin, resume, browser } = flowSetup()
    const formPost = { ...oidc, isFormPost: true }
    const first = await begin(formPost)
    await begin()
    expect(browser.names().filter((name) => name.startsWith("__Host-"))).toEqual([
      `${browserCookie}.form-post`,
      browserCookie,
    ])
    expect(await resume(first.state, formPost)).toHaveProperty("callbackUrl")
  })

  it("is not bound where the app gave the state cookie a domain", async () => {
    const { state } = flowCookies
    const shared = { ...flowCookies, state: { ...state, options: { ...state.options, domain: "corp.test" } } }
    const setup = flowSetup(keptCookies(), shared)
    const started = await setup.begin()
    expect(started.cookies.map(({ name }) => name)).not.toContain(browserCookie)
    expect(await setup.resume(started.state)).toHaveProperty("initiatorId", null)
  })

  it("is bound by a cookie without prefix over plain http", async () => {
    const plain = resolveCookies(undefined, { isSecure: false })
    const setup = flowSetup(keptCookies(), plain)
    const started = await setup.begin()
    expect(started.cookies.at(-1)).toMatchObject({ name: "authjs.browser", options: { secure: false, path: "/" } })
    setup.browser.keep([{ name: "authjs.browser", value: "", options: { maxAge: 0 } }])
    expect((await failureOf(setup.resume(started.state))).error.type).toBe("InvalidCheck")
  })

  it("completes a flow that began under an earlier release, which did not bind it", async () => {
    const { begin, resume, browser, sealer } = flowSetup()
    const started = await begin()
    const name = `${stateCookie}.${flowIdOf(started)}`
    const claims = await sealer.open(stateCookie, browser.get(name) ?? "")
    const { browser: _, starter: __, ...earlier } = claims ?? {}
    browser.set(name, await sealer.seal(stateCookie, earlier, 900))
    browser.keep([{ name: browserCookie, value: "", options: { maxAge: 0 } }])
    expect(await resume(started.state)).toMatchObject({ callbackUrl: "https://app.test/", initiatorId: undefined })
  })
})
