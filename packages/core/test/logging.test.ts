import { createCanaries, findLeaks, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider } from "./sign-ins.js"

/** Signs in by every way, well and badly, and gives every secret that a browser met on the way. */
async function useEverything(host: TestHost): Promise<Map<string, string>> {
  const secrets = new Map<string, string>()
  const { browser, idp, mailbox } = host
  const note = () => {
    for (const { name, value } of browser.cookies.list()) {
      // Who reads the log may read the reference: that is what it is for.
      if (/session-token|csrf|state|nonce|pkce/.test(name) && value !== "")
        secrets.set(`${name} ${secrets.size}`, value)
    }
  }
  const noteFlow = async () => {
    const { location } = await post(browser, "/auth/signin/oidc")
    const { searchParams } = new URL(location ?? "")
    for (const name of ["state", "nonce"]) secrets.set(`${name} ${secrets.size}`, searchParams.get(name) ?? "")
    note()
    const back = (await idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
    await browser.open(back)
    note()
    const verifier = idp.requests.token.at(-1)?.params.get("code_verifier")
    if (verifier) secrets.set("code verifier", verifier)
  }
  secrets.set("csrf token", await browser.csrfToken())
  await noteFlow()
  for (const fault of ["id-token-signature-changed", "token-error", "state-changed", "access-denied"] as const) {
    idp.faults.turnOn(fault)
    await browser.signIn("oidc")
    note()
    idp.faults.clear()
  }
  await browser.signIn("email", { email: "v@corp.test" })
  secrets.set("mail token", mailbox.messages[0]?.token ?? "")
  await browser.open(mailbox.lastLink())
  await browser.open(mailbox.lastLink())
  note()
  await browser.signIn("cred", { u: "v", p: "hunter2hunter2" })
  secrets.set("password", "hunter2hunter2")
  await get(browser, "/auth/session")
  await browser.signOut()
  return secrets
}

describe("the log", () => {
  it.each(["jwt", "database"] as const)(
    "holds no secret at debug level, with %s sessions (LOG-02, LOG-03, KEY-06)",
    async (strategy) => {
      const host = openHost({
        debug: true,
        adapter: memoryAdapter(),
        session: { strategy },
        providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
      })
      const canaries = createCanaries()
      for (const [name, value] of await useEverything(host)) canaries.watch(name, value)
      expect(canaries.all.length).toBeGreaterThan(10)
      expect(host.logger.errors.length).toBeGreaterThan(4)
      expect(findLeaks(host.logger.texts(), canaries.all)).toEqual([])
    },
  )

  it("is told by a debug function of the host's own, whatever config.debug says", async () => {
    const host = openHost({ adapter: memoryAdapter() })
    await host.browser.signIn("oidc")
    expect(host.logger.debugs.length).toBeGreaterThan(0)
  })
})
