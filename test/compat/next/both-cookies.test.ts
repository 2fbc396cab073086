import { createRequire } from "node:module"
import { encode as encodeOurs } from "@latchkey/core/jwt"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { readCodeOfPage } from "../test/sessions/code-of-page.js"
import { address, password, secret } from "../test/sessions/former.js"
import { changeValue, readSessionCookies } from "./cookies.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"

// An app with two services: one has our cookie beside that of next-auth 4, the other keeps the name of next-auth 4 for ours. Ada
// has a session of next-auth 4, and Ben one of ours. A browser has both.

const require = createRequire(new URL("16/package.json", import.meta.url))
// as: the part of its types that is used.
const { encode } = require("next-auth/jwt") as {
  encode(params: { readonly token: object; readonly secret: string; readonly maxAge?: number }): Promise<string>
}

const ben = "ben@example.com"

type Kind = "own" | "same"
const names: Readonly<Record<Kind, string>> = { own: "authjs.session-token", same: "next-auth.session-token" }
const theirName = "next-auth.session-token"

/** Server components, behind the proxy and without. */
const pages = ["through", "component"]
/** Where an answer can set cookies: the proxy, a wrapped route handler, and the service. */
const setting = ["through", "proxy", "wrapped", "api/auth/session"]
/** Where it cannot, or is only asked for the token. */
const others = ["component", "handler", "with-auth"]

type Made = "theirs" | "theirs changed" | "theirs expired" | "ours" | "ours changed" | "ours expired"

interface Sent {
  readonly value: Made
  /** Under the name of the service's cookie, or of theirs. */
  readonly cookie: "ours" | "theirs"
  /** Cookies of a longer path come first. */
  readonly isFirst?: boolean
}

const own = (value: Made, isFirst = false): Sent => ({ value, cookie: "ours", isFirst })
const their = (value: Made): Sent => ({ value, cookie: "theirs" })

type Case = readonly [kind: Kind, title: string, sent: readonly Sent[], who: string]

const cases: readonly Case[] = [
  ["own", "both changed", [own("ours changed"), their("theirs changed")], "nobody"],
  ["own", "both expired", [own("ours expired"), their("theirs expired")], "nobody"],
  ["own", "ours under their name, and theirs under ours", [own("theirs"), their("ours")], "nobody"],
  ["own", "theirs alone", [their("theirs")], address],
  ["own", "both valid", [own("ours"), their("theirs")], ben],
  ["own", "ours changed beside theirs", [own("ours changed"), their("theirs")], address],
  ["own", "ours expired beside theirs", [own("ours expired"), their("theirs")], address],
  ["own", "ours beside theirs changed", [own("ours"), their("theirs changed")], ben],
  ["same", "theirs changed alone", [own("theirs changed")], "nobody"],
  ["same", "both changed", [own("ours changed", true), own("theirs changed")], "nobody"],
  ["same", "theirs alone", [own("theirs")], address],
  ["same", "ours alone", [own("ours")], ben],
  ["same", "ours before theirs", [own("ours", true), own("theirs")], ben],
  ["same", "theirs before ours", [own("theirs", true), own("ours")], ben],
  ["same", "ours changed before theirs", [own("ours changed", true), own("theirs")], address],
  ["same", "theirs changed before ours", [own("theirs changed", true), own("ours")], ben],
]

/** Runs in the browser, which sends its cookies, and keeps those of the answer. */
async function readText(url: string): Promise<string> {
  const answer = await fetch(url)
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return await answer.text()
}

describe.skipIf(!hasChromium)("MIG-07: our cookie and that of next-auth 4 in Next 16", () => {
  let browser: Browser
  let page: Page
  let app: NextApp
  const made = new Map<string, string>()

  async function signInHere(kind: Kind): Promise<string> {
    await page.goto(`${app.origin}/${kind}/api/auth/signin?callbackUrl=/${kind}/component`)
    await page.locator("input[name=username]").fill(ben)
    await page.locator("input[name=password]").fill(password)
    await page.locator("form:has(input[name=password]) button[type=submit]").click()
    await page.waitForURL(`${app.origin}/${kind}/component`)
    const cookie = (await page.context().cookies()).find(({ name }) => name === names[kind])
    return cookie?.value ?? expect.fail()
  }

  beforeAll(async () => {
    browser = await launchChromium()
    page = await browser.newPage()
    app = await createNextApp({ version: "16", name: "both-cookies", files: readFixture("both-cookies") })
    app.write("accept.ts", readCodeOfPage("next-auth-v4"))
    // Nearly every app that moves keeps its secret.
    app.setVariables({ AUTH_SECRET: secret, NEXTAUTH_SECRET: secret, AUTH_URL: app.origin })
    await app.deploy()
    const token = { sub: "user-1", email: address }
    made.set("theirs", await encode({ token, secret }))
    made.set("theirs expired", await encode({ token, secret, maxAge: -3600 }))
    for (const kind of ["own", "same"] as const) {
      const salt = names[kind]
      const token = { sub: "user-2", email: ben }
      made.set(`ours ${kind}`, await signInHere(kind))
      made.set(`ours expired ${kind}`, await encodeOurs({ token, secret, salt, maxAge: -3600 }))
    }
  })
  afterAll(async () => {
    await app?.stop()
    await browser?.close()
  })

  function toValue(value: Made, kind: Kind): string {
    const isChanged = value.endsWith(" changed")
    const whole = isChanged ? value.slice(0, -" changed".length) : value
    const text = made.get(whole.startsWith("ours") ? `${whole} ${kind}` : whole) ?? expect.fail()
    return isChanged ? changeValue(text) : text
  }

  async function setCookies(kind: Kind, sent: readonly Sent[]): Promise<void> {
    const cookies = sent.map(({ value, cookie, isFirst }) => ({
      name: cookie === "ours" ? names[kind] : theirName,
      value: toValue(value, kind),
      domain: "localhost",
      path: isFirst ? `/${kind}` : "/",
      httpOnly: true,
      sameSite: "Lax" as const,
    }))
    await page.context().clearCookies()
    await page.context().addCookies(cookies)
  }

  /** Everybody whom an answer names, once each. */
  async function readWho(kind: Kind, place: string): Promise<readonly string[]> {
    const url = `${app.origin}/${kind}/${place}`
    const text = await (pages.includes(place) ? showPage(url) : page.evaluate(readText, url))
    return text === "null" ? ["nobody"] : [...new Set(text.match(/nobody|\w+@example\.com/g))]
  }

  async function showPage(url: string): Promise<string> {
    await page.goto(url)
    return (await page.locator("main").textContent()) ?? ""
  }

  it.each(cases)("%s name: %s", async (kind, _title, sent, who) => {
    for (const place of [...others, ...setting]) {
      await setCookies(kind, sent)
      // What the answer has set counts from then on.
      for (const next of [place, "handler", "proxy"]) {
        expect([place, next, ...(await readWho(kind, next))]).toEqual([place, next, who])
      }
    }
  })

  it.each(setting)("sets ours and clears theirs (%s)", async (place) => {
    await setCookies("own", [own("ours changed"), their("theirs")])
    await readWho("own", place)
    const cookies = await readSessionCookies(page.context())
    expect(cookies.map(({ name }) => name)).toEqual([names.own])
    expect(cookies[0]?.value).not.toBe(toValue("ours changed", "own"))
  })

  it.each(setting)("replaces their value under the same name by ours (%s)", async (place) => {
    await setCookies("same", [own("theirs")])
    await readWho("same", place)
    const cookies = await readSessionCookies(page.context())
    expect(cookies.map(({ name }) => name)).toEqual([names.same])
    expect(cookies[0]?.value).not.toBe(toValue("theirs", "same"))
  })

  it.each(setting)("leaves theirs alone where ours is valid (%s)", async (place) => {
    await setCookies("own", [own("ours"), their("theirs")])
    await readWho("own", place)
    const cookies = (await page.context().cookies()).filter(({ name }) => name === theirName)
    expect(cookies.map(({ value }) => value)).toEqual([toValue("theirs", "own")])
  })

  it("ends a session that was taken over under the same name, with the value of next-auth 4", async () => {
    made.set("theirs", await encode({ token: { sub: "user-1", email: address }, secret }))
    await setCookies("same", [own("theirs")])
    expect(await readWho("same", "through")).toEqual([address])
    await page.goto(`${app.origin}/same/api/auth/signout?callbackUrl=/same/through`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/same/through`)
    expect(await page.locator("main").textContent()).toBe("nobody nobody nobody")
    for (const place of ["handler", ...setting]) {
      await setCookies("same", [own("theirs")])
      expect([place, ...(await readWho("same", place))]).toEqual([place, "nobody"])
    }
  })

  it("logs no error", () => {
    expect(app.listErrors()).toEqual([])
  })
})
