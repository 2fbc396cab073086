import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { hasProgram } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type AppProcess, startProcess, useProcesses, useService } from "./processes.js"
import { lifetimes, type RotatingProvider, silenceProvider, startRotatingProvider } from "./rotating-provider.js"
import type { OpenedStore, SharedStore } from "./stores.js"

/** Longer than the lease of a process that was killed. */
const leaseMs = 16_000

interface TokenPlace extends SharedStore {
  readonly keep?: "account" | "redis"
}

/** What the app answers for a token. */
export interface TokenAnswer {
  readonly accessToken?: string
  readonly reason?: string
}

/** Runs three processes that keep the access tokens of one user on each of the stores. */
export function testKeptTokens(...stores: readonly TokenPlace[]): void {
  const service = useService()
  silenceProvider()

  describe.each(stores)("getAccessToken in three processes on $name", ({ program, open, keep = "account" }) => {
    const isMissing = program !== null && !hasProgram(program)
    let store: OpenedStore
    let provider: RotatingProvider
    /** The instant at which all clocks stand. */
    let signedInAt: number
    const secret = crypto.randomUUID()
    beforeAll(async () => {
      if (isMissing) return
      store = await open()
      provider = await startRotatingProvider()
    })
    afterAll(async () => {
      await provider?.close()
      await store?.stop()
    })
    const processes = useProcesses(3, () => {
      const { issuer, clientId, clientSecret } = provider
      const shared = { checkEvery: 60, secret, provider: { issuer, clientId, clientSecret } }
      return startProcess(service(), { ...shared, keep, store: store.url, strategy: "jwt" })
    })
    beforeEach(() => provider.resetCounts())

    const nth = (n: number): AppProcess => processes()[n % 3] ?? expect.unreachable()

    async function signInAt(n: number): Promise<Browser> {
      const network = { [provider.issuer]: overHttp }
      const browser = createBrowser({ handler: (request) => nth(n).answer(request), network })
      await browser.signIn("rotating", { callbackUrl: "/in" })
      expect((await browser.session())?.user?.email).toBe("lin@id.example")
      signedInAt = Date.now()
      for (const one of processes()) one.holdClock(signedInAt)
      return browser
    }

    /** Asks a process for a token with the cookies of a browser. */
    async function askAt(n: number, { cookies }: Browser): Promise<TokenAnswer> {
      const cookie = cookies.list().map(({ name, value }) => `${name}=${value}`)
      const answer = await nth(n).answer(
        new Request("https://app.test/token", { headers: { cookie: cookie.join("; ") } }),
      )
      return (await answer.json()) as TokenAnswer // as: what the app answers
    }

    /** Stops all clocks, so many milliseconds after the sign-in. */
    async function passTime(milliseconds: number): Promise<void> {
      for (const one of processes()) one.holdClock(signedInAt + milliseconds)
      await store.passTime?.(milliseconds)
    }

    /** 50 callers at once, at some of the processes in turn. */
    const ask50 = async (browser: Browser, at: readonly number[]) =>
      Promise.all(Array.from({ length: 50 }, (__, n) => askAt(at[n % at.length] ?? 0, browser)))

    it.skipIf(isMissing)("KEEP-01: refreshes once for 50 callers, and all get the same token", async () => {
      const browser = await signInAt(0)
      const answers = await ask50(browser, [0, 1, 2])
      expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
      expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
    })

    it.skipIf(isMissing)(
      "KEEP-02: refreshes once after a process was killed before its provider got the call",
      async () => {
        const browser = await signInAt(0)
        const dropped = provider.dropNext("before")
        const lost = askAt(0, browser).catch(() => "killed")
        await dropped
        await nth(0).kill()
        expect(await lost).toBe("killed")
        await passTime(leaseMs)
        const answers = await ask50(browser, [1, 2])
        expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
        expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
      },
    )

    it.skipIf(isMissing)(
      "KEEP-02: asks for a new sign-in after a process was killed before it got the answer",
      async () => {
        const browser = await signInAt(0)
        const dropped = provider.dropNext("after")
        const lost = askAt(0, browser).catch(() => "killed")
        await dropped
        await nth(0).kill()
        expect(await lost).toBe("killed")
        await passTime(lifetimes.signIn * 1000)
        expect(new Set((await ask50(browser, [1, 2])).map(({ reason }) => reason))).toEqual(new Set(["refused"]))
        // Each process that asks tries it once at most: there is no loop.
        expect(provider.refreshes.granted).toBe(1)
        expect(provider.refreshes.refused).toBeLessThanOrEqual(2)
        expect((await askAt(1, await signInAt(1))).accessToken).toEqual(expect.any(String))
      },
    )
  })
}
