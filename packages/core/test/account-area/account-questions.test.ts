import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { load, openArea, read } from "../setup/area-setup.js"

/** Loads a page, and the page that the first of its links with a step leads to. */
async function follow(browser: Browser, section: string, step: string) {
  const shown = await browser.open(`/auth/account/${section}`)
  const link = shown.findAll("main a").find((each) => each.attribute("href")?.includes(`step=${step}`))
  const url = link?.attribute("href") ?? ""
  expect(url).toContain(`/auth/account/${section}?step=${step}`)
  return browser.open(url)
}

/** What the page says: its heading and its text. */
const say = (page: Awaited<ReturnType<typeof follow>>) => [page.find("h1")?.text, page.find("main p")?.text]

/** What protects the account, and how the page that asks names it. */
const things = {
  methods: ["unlink", "Remove Test OAuth provider?", "You will no longer be able to sign in with it."],
  passkeys: ["remove", "Remove Passkey without a name?", "You will no longer be able to sign in with it."],
  factors: ["remove", "Remove Authenticator app?", "your recovery codes will no longer work"],
  sessions: ["end-others", "Sign out everywhere else?", "You will have to sign in again"],
} as const

async function openFull() {
  const area = await openArea({ kind: "guarded" })
  await area.signIn()
  const browser = await area.signIn()
  await passkeyClient({ browser, device: softwareAuthenticator() }).register()
  const shown = await browser.open("/auth/account/factors?step=set-up")
  const key = shown.find("code")?.text.replaceAll(" ", "") ?? ""
  await browser.submit("form", { code: await authenticatorApp(key).code() })
  await browser.submit("form.form")
  return { ...area, browser }
}

describe("what protects an account", () => {
  it.each(Object.entries(things))("FAC-14: goes by no single click: %s", async (section, [step, heading, text]) => {
    using _clock = fixedClock()
    const { browser } = await openFull()
    const before = (await read(browser, `/${section}`)).text
    const question = await follow(browser, section, step)
    expect(say(question)).toEqual([heading, expect.stringContaining(text)])
    // It can be loaded again, and changes nothing.
    expect(say(await browser.open(question.url.href))).toEqual(say(question))
    expect((await read(browser, `/${section}`)).text).toBe(before)
    await browser.open(question.url.href)
    const left = await browser.click("main .next-steps a")
    expect([left.url.pathname, left.url.search]).toEqual([`/auth/account/${section}`, ""])
    expect((await read(browser, `/${section}`)).text).toBe(before)
    await browser.open(question.url.href)
    const done = await browser.submit("main form")
    expect([done.url.pathname, done.url.search]).toEqual([
      `/auth/account/${section}`,
      expect.stringMatching(/^\?done=/),
    ])
    expect((await read(browser, `/${section}`)).text).not.toBe(before)
  })

  it("FAC-14: is asked about before recovery codes are replaced", async () => {
    const { browser } = await openFull()
    const question = await follow(browser, "factors", "renew-codes")
    expect(say(question)).toEqual(["Replace the recovery codes?", "The codes that you have now will no longer work."])
    const codes = await browser.submit("main form")
    expect(codes.find("h1")?.text).toBe("Save your recovery codes")
  })

  it("FAC-14: is named by no identifier in a URL", async () => {
    const { browser } = await openFull()
    const lists = await Promise.all(["/methods", "/passkeys", "/factors"].map((path) => read(browser, path)))
    const ids = lists.flatMap(({ text }) =>
      [...text.matchAll(/"(?:id|providerAccountId)":"([^"]+)"/g)].map(([, id]) => id),
    )
    expect(ids.length).toBeGreaterThanOrEqual(4)
    for (const [section, [step]] of Object.entries(things).slice(0, 3)) {
      const { url } = await follow(browser, section, step)
      expect(url.search).toMatch(/^\?step=\w+&of=[0-9a-f]{32}$/)
      const links = (browser.page?.findAll("a") ?? []).map((link) => link.attribute("href") ?? "")
      for (const id of ids) expect([url.href, ...links].filter((each) => each.includes(id ?? "?"))).toEqual([])
    }
  })

  it("has no page that asks about what does not exist, or is another user's", async () => {
    const { browser, signIn } = await openFull()
    const bob = await signIn("bob")
    for (const [section, [step]] of Object.entries(things).slice(0, 3)) {
      const { url } = await follow(browser, section, step)
      expect((await load(bob, `/${section}${url.search}`)).location).toMatch(/\?done=gone$/)
      expect((await load(bob, `/${section}?step=${step}&of=x`)).location).toMatch(/\?done=gone$/)
    }
    for (const step of ["constructor", "nothing", ""]) {
      expect((await load(bob, `/factors?step=${step}`)).location).toBe("https://app.test/auth/account/factors")
    }
  })
})
