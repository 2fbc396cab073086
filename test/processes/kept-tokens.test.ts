import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type TokenAnswer, testKeptTokens } from "./kept-tokens.suite.js"
import { type AppProcess, startProcess, useProcesses, useService } from "./processes.js"
import { type RotatingProvider, silenceProvider, startRotatingProvider } from "./rotating-provider.js"
import { sqliteFile } from "./stores.js"

testKeptTokens(sqliteFile)

describe("getAccessToken in two processes with tokens in cookies", () => {
  const service = useService()
  silenceProvider()
  let provider: RotatingProvider
  const secret = crypto.randomUUID()
  beforeAll(async () => {
    provider = await startRotatingProvider()
  })
  afterAll(() => provider.close())
  const processes = useProcesses(2, () => {
    const { issuer, clientId, clientSecret } = provider
    const shared = { checkEvery: 60, secret, provider: { issuer, clientId, clientSecret } }
    return startProcess(service(), { ...shared, keep: "cookie", store: "none:", strategy: "jwt" })
  })
  beforeEach(() => provider.resetCounts())

  const nth = (n: number): AppProcess => processes()[n] ?? expect.unreachable()

  async function signIn(): Promise<Browser> {
    const network = { [provider.issuer]: overHttp }
    const browser = createBrowser({ handler: (request) => nth(0).answer(request), network })
    await browser.signIn("rotating", { callbackUrl: "/in" })
    return browser
  }

  async function askAt(n: number, { cookies }: Browser): Promise<TokenAnswer> {
    const cookie = cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: cookie.join("; ") }
    return (await nth(n).answer(new Request("https://app.test/token", { headers }))).json() as Promise<TokenAnswer> // as: what the app answers
  }

  it("KEEP-01: refreshes once for 50 callers at one process, and all get the same token", async () => {
    const browser = await signIn()
    const answers = await Promise.all(Array.from({ length: 50 }, () => askAt(0, browser)))
    expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })

  it("goes on at another process with the cookie that a refresh set", async () => {
    const browser = await signIn()
    const first = (await (await browser.fetch("/token")).json()) as TokenAnswer // as: what the app answers
    expect(await askAt(1, browser)).toMatchObject({ accessToken: first.accessToken })
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })

  it("has a limit: two processes without a store both refresh the token of one cookie, and the provider ends the grant", async () => {
    const browser = await signIn()
    const [one, other] = [await askAt(0, browser), await askAt(1, browser)]
    // The second one is served the old token, while it lives.
    expect([one.accessToken === other.accessToken, provider.refreshes]).toEqual([false, { granted: 1, refused: 1 }])
  })
})
