import { authenticatorApp } from "@latchkey/testkit"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { addVirtualDevice, browserTestOptions, openStage, type Stage, useBrowser } from "../stage.js"
import { openSignIn, openSignInWithoutAutofill, phoneAgent, signInWithPassword, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"
import { findLatinWords } from "./latin-words.js"

/** Each page is checked by axe. */
const timeout = 3 * browserTestOptions.timeout

/** Names of the user, of browsers and of systems. */
const ownNames = ["Ada Lovelace", "Safari", "Chrome", "iPhone", "Linux"]

// Colors do not depend on the direction.
const looks = [
  ["light", "ltr"],
  ["dark", "rtl"],
] as const

describe.skipIf(!hasChromium)("every page of the account area", { timeout }, () => {
  const browser = useBrowser()
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage({ browser: browser() })
  }, browserTestOptions.timeout)
  afterEach(() => stage.close())

  it.each(looks)("passes axe and fits into 320 pixels (%s, %s)", async (colorScheme, direction) => {
    const { origin } = stage.demo()
    const locale = direction === "rtl" ? "ar" : "en"
    const other = await (await stage.newContext({ userAgent: phoneAgent })).newPage()
    await openSignIn(other, origin)
    await signInWithPassword(other)
    const context = await stage.newContext({ colorScheme, viewport: { width: 320, height: 720 } })
    const page = await context.newPage()
    await addVirtualDevice(page)
    await openSignInWithoutAutofill(page, origin)
    await signInWithPassword(page)
    await context.setExtraHTTPHeaders({ "accept-language": locale })

    async function check(name: string): Promise<void> {
      await takePicture(page, `${name}-${colorScheme}-${direction}`)
      expect({ name, direction: await page.getAttribute("html", "dir") }).toEqual({ name, direction })
      expect({ name, findings: await findAccessibilityFaults(page) }).toEqual({ name, findings: [] })
      expect({ name, overflow: await readOverflow(page) }).toEqual({ name, overflow: 0 })
      if (direction === "rtl") {
        expect({ name, words: await findLatinWords(page, ownNames) }).toEqual({ name, words: [] })
      }
    }
    const open = async (path: string, name = path): Promise<void> => {
      await page.goto(`${origin}/auth/account${path && `/${path}`}`)
      await check(name)
    }
    const submit = (section: string) =>
      page.locator(`form[action$="/account/${section}"]`).last().getByRole("button").click()

    await open("", "overview")
    for (const name of ["profile", "email", "methods", "password", "sessions", "export", "delete"]) await open(name)
    await open("passkeys")
    await page.locator("form[data-passkey]").getByRole("button").click()
    await page.waitForURL(/done=added/)
    await check("passkeys-added")
    await page.getByRole("group").locator("summary").click()
    await check("passkeys-rename")
    await open("factors")
    await submit("factors")
    await check("factors-setup")
    const secret = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
    await page.locator("input[name=code]").fill(await authenticatorApp(secret).code())
    await page.locator("main form").first().getByRole("button").last().click()
    await check("factors-codes")
    await open("factors", "factors-on")
    await open("", "overview-full")
    await page.goto(`${origin}/auth/account/email`)
    await page.locator("input[name=email]").fill("a-rather-long-address.of-a-countess@demonstration.example")
    await submit("email")
    await check("email-code")
    await context.clearCookies({ name: /authjs\.proof$/ })
    await open("methods", "methods-locked")
    await context.close()
  })
})

const views = [
  { language: "en", width: 390, scheme: "light" },
  { language: "en", width: 768, scheme: "dark" },
  { language: "en", width: 1280, scheme: "light" },
  { language: "de", width: 390, scheme: "dark" },
  { language: "de", width: 1280, scheme: "dark" },
  { language: "ar", width: 390, scheme: "light" },
  { language: "ar", width: 1280, scheme: "light" },
] as const
const paths = [
  "",
  "/profile",
  "/email",
  "/methods",
  "/passkeys",
  "/factors",
  "/password",
  "/sessions",
  "/export",
  "/delete",
]

describe.skipIf(!hasChromium)("the navigation of the account area", { timeout }, () => {
  let stage: Stage
  let context: BrowserContext
  let page: Page
  const area = (): string => `${stage.demo().origin}/auth/account`

  beforeAll(async () => {
    stage = await openStage()
    context = await stage.newContext()
    page = await context.newPage()
    await openSignIn(page, stage.demo().origin)
    await signInWithPassword(page)
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())

  it.each(views)("marks the page, and no page moves the card: $language, $width pixels, $scheme", async (view) => {
    await context.setExtraHTTPHeaders({ "accept-language": view.language })
    await page.emulateMedia({ colorScheme: view.scheme })
    await page.setViewportSize({ width: view.width, height: 800 })
    const places = new Set<string>()
    for (const path of paths) {
      await page.goto(area() + path)
      await takePicture(page, `area${path.replace("/", "-")}-${Object.values(view).join("-")}`)
      const { place, ...links } = await page.evaluate(readNavigation)
      expect({ path, ...links }).toEqual({ path, ...toExpected(path, view.width) })
      expect({ path, isTooWide: (await readOverflow(page)) > 0 }).toEqual({ path, isTooWide: false })
      if (links.count > 0) places.add(place)
    }
    expect([...places]).toHaveLength(1)
    expect(await findAccessibilityFaults(page)).toEqual([])
  })
})

/** A narrow overview lists the sections itself. The other narrow pages only lead back to it. */
function toExpected(path: string, width: number): object {
  if (width >= 900) return { current: `/auth/account${path}`, count: paths.length + 2 }
  return { current: null, count: path === "" ? 0 : 1 }
}

/** Runs in the page. The navigation that is shown, and where the card begins. */
function readNavigation() {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("nav a")].filter((link) => link.checkVisibility())
  const current = links.find((link) => link.ariaCurrent === "page")
  const { left, right, top, width } = document.querySelector("main")?.getBoundingClientRect() ?? new DOMRect()
  const start = document.dir === "rtl" ? document.documentElement.clientWidth - right : left
  return { count: links.length, current: current?.pathname ?? null, place: [start, top, width].join(" ") }
}
