import { inspect } from "node:util"
import { Auth, raw } from "@latchkey/core"
import { createCanaries, findLeaks, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, get, post, requestTo } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const secrets = {
  "the newest secret": "c4n4ry-newest-0f9c2ab74d1e83655ac0b9e7",
  "the older secret": "c4n4ry-older-7e9b0ca55638e1d47ba2c9f0",
  "the tokens' secret": "c4n4ry-tokens-d2431f68b9e70f9c2ab74d1e",
  "the mail provider's secret": "c4n4ry-mail-83655ac0b9e7d2431f680f9c",
  "the client secret": "c4n4ry-client-ab74d1e83655ac0b9e7d24",
}

const pages = [
  "signin",
  "signout",
  "error",
  "error?error=Configuration",
  "verify-request",
  "providers",
  "csrf",
  "session",
]
const faults = ["token-error", "id-token-expired", "access-denied", "state-changed"] as const

function openSecret(strategy: "jwt" | "database"): TestHost {
  return openHost({
    adapter: memoryAdapter(),
    session: { strategy },
    debug: true,
    secret: [secrets["the newest secret"], secrets["the older secret"]],
    jwt: { secret: secrets["the tokens' secret"] },
    providers: ({ idp }) => [
      idp.provider(),
      idp.oauthProvider({ id: "wrong", clientSecret: secrets["the client secret"] }),
      { ...testEmail(), secret: secrets["the mail provider's secret"] },
      passwordProvider(),
    ],
  })
}

async function useEverything({ browser, idp, mailbox, handler }: TestHost): Promise<void> {
  for (const page of pages) await get(browser, `/auth/${page}`)
  await ask({ handler }, "/auth/signout", { form: {} })
  await ask({ handler }, "/auth/unknown")
  await ask({ handler }, "/auth/signin?callbackUrl=nowhere")
  for (const fault of faults) {
    idp.faults.turnOn(fault)
    await browser.signIn("oidc")
    await browser.signIn("wrong")
    idp.faults.clear()
  }
  await browser.signIn("oidc")
  await browser.signOut()
  await browser.signIn("email", { email: "v@corp.test" })
  await browser.open(mailbox.lastLink())
  await browser.open(mailbox.lastLink())
  for (const page of pages) await get(browser, `/auth/${page}`)
  await post(browser, "/auth/session", { data: "x" })
  await post(browser, "/auth/callback/cred", { u: "v", p: "wrong" })
}

function watched() {
  const canaries = createCanaries()
  for (const [name, value] of Object.entries(secrets)) canaries.watch(name, value)
  return canaries
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(["jwt", "database"] as const)("the app's secrets, with %s sessions", (strategy) => {
  it("KEY-06: appear in no response, log, error or page", { timeout: 60_000 }, async () => {
    const host = openSecret(strategy)
    await useEverything(host)
    const answers = host.answers.map((answer) => inspect(answer, { depth: 9, maxStringLength: null }))
    const errors = host.logger.errors.map((error) =>
      inspect(error, { depth: 9, showHidden: true, maxStringLength: null }),
    )
    expect([host.answers.length > 40, errors.length > 5, host.logger.debugs.length > 5]).toEqual([true, true, true])
    expect(findLeaks([...answers, ...errors, ...host.logger.texts()], watched().all)).toEqual([])
  })

  it("KEY-06: do not appear on the console", async () => {
    const lines: string[] = []
    for (const method of ["error", "warn", "log"] as const) {
      vi.spyOn(console, method).mockImplementation(
        (...parts) => void lines.push(inspect(parts, { depth: 9, maxStringLength: null })),
      )
    }
    const host = openSecret(strategy)
    const { logger: _, ...config } = host.config
    const told: TestHost = { ...host, handler: (request) => Auth(request, config) }
    for (const page of [...pages, "callback/oidc?code=c&state=s", "callback/wrong?error=x", "signin/oidc"]) {
      await ask(told, `/auth/${page}`)
    }
    await ask({ handler: (request) => Auth(request, { ...config, trustHost: false }) }, "/auth/session")
    await ask(
      { handler: (request) => Auth(request, { ...config, secret: [secrets["the newest secret"], ""] }) },
      "/auth/signin",
    )
    expect(lines.length).toBeGreaterThan(5)
    expect(findLeaks(lines, watched().all)).toEqual([])
  })

  it("KEY-06: appear in no error that is thrown to a framework", async () => {
    const { config } = openSecret(strategy)
    const thrown: unknown[] = []
    for (const path of ["/auth/callback/oidc?code=c&state=s", "/auth/signin/oidc", "/auth/callback/wrong"]) {
      await Auth(requestTo(path), { ...config, raw }).catch((error: unknown) => thrown.push(error))
    }
    expect(thrown).toHaveLength(3)
    const texts = thrown.map((error) => inspect(error, { depth: 9, showHidden: true, maxStringLength: null }))
    expect(findLeaks(texts, watched().all)).toEqual([])
  })
})
