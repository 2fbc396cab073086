import { mailScanner } from "@latchkey/testkit"
import type { BrowserContext, Page } from "playwright-core"
import { beforeEach, describe, expect, it } from "vitest"
import { browserTestOptions, type Stage, useVisits } from "../stage.js"
import {
  choosePerson,
  expectSignedOut,
  openNewestLink,
  openSignIn,
  readCurrentSession,
  readUserId,
  requestLink,
  signInWithDemoId,
  signInWithPassword,
} from "../steps.js"

/** Every way to sign in, with scripts and without. */
export function testSignIn(openStage: () => Promise<Stage>): void {
  describe("signing in to the demo", browserTestOptions, () => {
    let stage: Stage
    let context: BrowserContext
    let page: Page
    const origin = (): string => stage.demo().origin

    useVisits(openStage, (visit) => {
      ;({ stage, context, page } = visit)
    })

    describe.each([
      ["with scripts", true],
      ["without scripts", false],
    ])("%s", (_, javaScriptEnabled) => {
      beforeEach(async () => {
        context = await stage.newContext({ javaScriptEnabled })
        page = await context.newPage()
      })

      it("works through the identity provider", async () => {
        await openSignIn(page, origin())
        await signInWithDemoId(page, "Grace Hopper")
        expect(page.url()).toBe(`${origin()}/auth/account`)
        expect(await readCurrentSession(page, origin())).toContain("Signed in as Grace Hopper")
      })

      it("works through the identity provider with an entered name and email address", async () => {
        await openSignIn(page, origin())
        await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
        await page.getByLabel("Name").fill("Lin")
        await page.getByLabel("Email address").fill("nowhere")
        await page.getByRole("button", { name: "Continue" }).click()
        expect(await page.getByRole("alert").textContent()).toContain("Enter an email address")
        await page.getByLabel("Email address").fill("Lin@id.example")
        await page.getByRole("button", { name: "Continue" }).click()
        expect(await readCurrentSession(page, origin())).toMatch(/Signed in as Lin.*lin@id\.example/)
      })

      it("works with an email link that arrives in the inbox over SMTP", async () => {
        await openSignIn(page, origin())
        await requestLink(page, "hedy@example.com")
        expect(page.url()).toContain("/check-email")
        await page.goto(`${origin()}/inbox`)
        expect(await page.getByRole("article").textContent()).toContain("hedy@example.com")
        await openNewestLink(page, origin())
        expect(page.url()).toBe(`${origin()}/auth/account`)
        expect(await readCurrentSession(page, origin())).toContain("hedy@example.com")
      })

      it("works with six digits that are read on another device, after scanners have opened the link", async () => {
        await openSignIn(page, origin())
        await requestLink(page, "lamarr@example.com")
        const phone = await stage.newContext()
        const inbox = await phone.newPage()
        await inbox.goto(`${origin()}/inbox`)
        const mail = inbox.frameLocator("iframe").locator("body")
        const link = (await mail.getByRole("link", { name: "Sign in", exact: true }).getAttribute("href")) ?? ""
        for (const mode of ["head", "get", "headless", "redirects"] as const) await mailScanner(mode).scan(link)
        await inbox.goto(link)
        expect(await inbox.getByRole("heading").textContent()).toContain("Sign in to Latchkey demo?")
        expect(await inbox.locator("main").textContent()).toContain("l\u2022\u2022\u2022@example.com")
        await inbox.goto(`${origin()}/inbox`)
        const code = (await mail.getByText(/^\d{6}$/).textContent()) ?? ""
        const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0")
        await page.getByLabel("Code").fill(wrong)
        await page.getByRole("button", { name: "Sign in" }).click()
        expect(await page.getByRole("alert").textContent()).toContain("That code is not right")
        await page.getByLabel("Code").fill(`${code.slice(0, 3)} ${code.slice(3)}`)
        await page.getByRole("button", { name: "Sign in" }).click()
        expect(page.url()).toBe(`${origin()}/auth/account`)
        expect(await readCurrentSession(page, origin())).toContain("lamarr@example.com")
        await expectSignedOut(inbox, origin())
        await phone.close()
      })

      it("works with a user name and password", async () => {
        await openSignIn(page, origin())
        await signInWithPassword(page)
        expect(page.url()).toBe(`${origin()}/auth/account`)
        expect(await readCurrentSession(page, origin())).toContain("Signed in as Ada Lovelace")
      })

      it("ends with sign-out", async () => {
        await openSignIn(page, origin())
        await signInWithPassword(page)
        await page.getByRole("link", { name: "Sign out" }).click()
        await page.getByRole("button", { name: "Sign out" }).click()
        expect(page.url()).toBe(`${origin()}/`)
        await expectSignedOut(page, origin())
        await page.goto(`${origin()}/auth/account`)
        expect(new URL(page.url()).pathname).toBe("/auth/signin")
      })
    })

    it("works in two tabs at once, in any order, each with its own callback URL", async () => {
      const other = await context.newPage()
      await openSignIn(page, origin(), "/statement?from=first")
      await openSignIn(other, origin(), "/inbox?from=second")
      await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
      await other.getByRole("button", { name: "Sign in with Demo ID" }).click()
      await choosePerson(other, "Grace Hopper")
      expect(other.url()).toBe(`${origin()}/inbox?from=second`)
      await choosePerson(page, "Grace Hopper")
      expect(page.url()).toBe(`${origin()}/statement?from=first`)
    })

    it("returns to the account page that required it", async () => {
      await page.goto(`${origin()}/auth/account`)
      expect(await page.getByRole("status").textContent()).toContain("Please sign in to continue")
      await signInWithPassword(page)
      expect(page.url()).toBe(`${origin()}/auth/account`)
    })

    it("survives a restart, with its user, mails and ports", async () => {
      await openSignIn(page, origin())
      await requestLink(page, "katherine@example.com")
      await openNewestLink(page, origin())
      const id = await readUserId(page, origin())
      const before = stage.demo().ports
      await stage.restart()
      expect(stage.demo().ports).toEqual(before)
      expect(await readUserId(page, origin())).toBe(id)
      await page.goto(`${origin()}/inbox`)
      expect(await page.getByRole("article").textContent()).toContain("katherine@example.com")
      await signInAgainAs("Grace Hopper")
    })

    async function signInAgainAs(name: string): Promise<void> {
      const fresh = await (await stage.newContext()).newPage()
      await openSignIn(fresh, origin())
      await signInWithDemoId(fresh, name)
      expect(await readCurrentSession(fresh, origin())).toContain(`Signed in as ${name}`)
      await fresh.context().close()
    }
  })
}
