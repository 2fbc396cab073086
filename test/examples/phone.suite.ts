import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { demoUser, phoneClient } from "../../apps/demo/src/app/auth-config.js"
import { openStage, type Stage } from "../../apps/demo/test/stage.js"
import { signInWithPassword } from "../../apps/demo/test/steps.js"
import { readExample } from "./example.js"
import { catchAppLink } from "./phone/app-link.js"
import { openPhone, type Phone } from "./phone/phone.js"
import { runScript } from "./running-app.js"

const example = readExample()
/** A sign-in takes several pages of a browser, on a machine that may be busy. */
const polling = { timeout: 60_000, interval: 50 }
const patience = { timeout: 240_000 }
const [redirectUri = ""] = phoneClient.redirectUris

describe(example.name, patience, () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage()
    const env = { EXPO_PUBLIC_ISSUER: `${stage.demo().origin}/auth`, EXPO_NO_TELEMETRY: "1", EXPO_OFFLINE: "1" }
    for (const script of ["check", "build"]) await runScript(example, script, env)
  }, 600_000)
  afterAll(() => stage?.close())

  // Hermes is the engine of React Native. Its npm package has only the compiler.
  it.runIf(process.platform === "linux").each(["android", "ios"])("is compiled by Hermes for %s", async (platform) => {
    const [bundle = ""] = globSync(`dist/_expo/static/js/${platform}/*.js`, { cwd: example.folder })
    const hermesc = join("node_modules", "hermes-compiler", "hermesc", "linux64-bin", "hermesc")
    const args = ["-emit-binary", "-O", "-w", "-out", `${bundle}.hbc`, bundle]
    await promisify(execFile)(hermesc, args, { cwd: example.folder })
    expect((await stat(join(example.folder, `${bundle}.hbc`))).size).toBeGreaterThan(100_000)
  })

  describe.each(["android", "ios"] as const)("on %s", (platform) => {
    let context: BrowserContext
    let phone: Phone
    /** What the user does in the browser. Closes it by returning null. */
    let act: (page: Page) => Promise<string | null>
    /** How often the browser has gone back to the app. */
    let returns: number

    beforeEach(async () => {
      context = await stage.newContext({ viewport: { width: 390, height: 844 } })
      returns = 0
      phone = openPhone({
        platform,
        folder: join(example.folder, "dist"),
        browser: {
          async open(url) {
            const page = await context.newPage()
            await page.goto(url)
            const link = await act(page)
            await page.close()
            returns += 1
            return link
          },
        },
      })
      return () => context.close()
    })

    const expectScreen = (...texts: string[]) => expect.poll(() => phone.screen.texts(), polling).toEqual(texts)
    const answer = (name: string) => (page: Page) =>
      catchAppLink(page, redirectUri, () => page.getByRole("button", { name }).click())
    const allow = answer(`Continue to ${phoneClient.name}`)
    /** The last texts are the other devices, those of former tests among them. */
    const expectSignedIn = async (): Promise<void> => {
      const first = ["Latchkey example", `Signed in as ${demoUser.name}`, `${phoneClient.name}, this app`]
      await expect.poll(() => phone.screen.texts().slice(0, 3), polling).toEqual(first)
      expect(phone.screen.texts().slice(3)).toEqual(expect.arrayContaining(["Chrome on Linux", "Sign out"]))
    }
    const signedOut = ["Latchkey example", "Not signed in", "Sign in"]

    it("signs in by the browser, stays signed in after a restart, and signs out", async () => {
      act = async (page) => {
        await signInWithPassword(page)
        await page.waitForURL(/\/auth\/native\?/)
        return allow(page)
      }
      await expectScreen(...signedOut)
      phone.screen.press("Sign in")
      await expectSignedIn()
      const [token] = phone.keychain.values()
      expect(token).toMatch(/^latchkey_/)
      phone.restart()
      await expectSignedIn()
      expect([...phone.keychain.values()]).not.toEqual([token])
      phone.screen.press("Sign out")
      await expectScreen(...signedOut)
      expect([[...phone.keychain], phone.problems]).toEqual([[], []])
      act = answer("Cancel")
      phone.screen.press("Sign in")
      await expect.poll(() => returns, polling).toBe(2)
      await expectScreen(...signedOut)
    })

    it("asks again after the user has closed the browser", async () => {
      act = async () => null
      await expectScreen(...signedOut)
      for (const expected of [1, 2]) {
        phone.screen.press("Sign in")
        await expect.poll(() => returns, polling).toBe(expected)
        await expectScreen(...signedOut)
      }
      expect([[...phone.keychain], phone.problems]).toEqual([[], []])
    })

    it("keeps nothing of an app link that another app sends", async () => {
      act = async () => `${redirectUri}?code=planted&state=guessed&iss=${encodeURIComponent(stage.demo().origin)}/auth`
      await expectScreen(...signedOut)
      phone.screen.press("Sign in")
      await expectScreen(...signedOut, "The sign-in failed. Try again.")
      expect([...phone.keychain]).toEqual([])
    })
  })
})
