import { fixedClock } from "@latchkey/testkit"
import { expect, it, vi } from "vitest"
import { day } from "../setup/fixtures.js"
import { openMoving, plant } from "../setup/moving-setup.js"
import { nextAuth } from "../setup/sources.js"

// Bundlers load several copies of a package into one process: Next has one for pages and one for routes.

it("MIG-01: a cookie that was taken over is nobody's in another copy of core after the sign-out in the first", async () => {
  using _ = fixedClock(day)
  const { host } = await openMoving("none", { accept: [nextAuth.source()] })
  vi.resetModules()
  // The readers bring along what takes sessions over.
  const [{ Auth }, sources] = [await import("@latchkey/core"), await import("../setup/sources.js")]
  const { session, ...config } = host.config
  const other = { ...config, session: { ...session, accept: [sources.nextAuth.source()] } }
  const askOther = async () => {
    const request = new Request("https://app.test/auth/session", { headers: { cookie: nextAuth.header } })
    return await (await Auth(request, other)).json()
  }
  const browser = plant(host.newBrowser(), nextAuth.cookies)
  expect((await browser.session())?.user?.email).toBe("ada@example.com")
  expect(await askOther()).toMatchObject({ user: { email: "ada@example.com" } })
  await browser.signOut()
  expect(await askOther()).toBeNull()
})
