import { accessTokens, disconnectAccount } from "@latchkey/core/access-tokens"
import { nativeApps } from "@latchkey/core/native-apps"
import Passkey from "@latchkey/core/providers/passkey"
import { requireFresh, trackSessions } from "@latchkey/core/sessions"
import { type Browser, memoryAdapter, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { begin, clients } from "../setup/native-setup.js"
import { post } from "../setup/requests.js"
import { cookiesOf, endById, listOf, strategies } from "../setup/tracked-setup.js"

/** Ada is signed in, in two browsers. The sessions have records, and no other feature decides about additions. */
async function openTwice(strategy: (typeof strategies)[number]) {
  const adapter = memoryAdapter()
  await adapter.createUser({ id: "u-ada", email: "ada@corp.test", name: "Ada", emailVerified: null })
  await adapter.linkAccount({ provider: "oauth", providerAccountId: "ada-1", type: "oauth", userId: "u-ada" })
  const host = openHost({
    adapter,
    session: { strategy, track: trackSessions() },
    accessTokens: accessTokens(),
    nativeApps: nativeApps({ clients }),
    providers: ({ idp }) => [
      idp.provider(),
      idp.oauthProvider(),
      Passkey(),
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: () => adapter.getUser("u-ada"),
      },
    ],
  })
  const [owner, stolen] = [host.newBrowser(), host.newBrowser()]
  for (const browser of [owner, stolen]) await browser.signIn("cred", { name: "ada" })
  return {
    host,
    adapter,
    stolen,
    /** The owner ends the stolen session. A check that is not due does not notice it yet. */
    async end() {
      const other = (await listOf(owner)).find(({ isCurrent }) => !isCurrent)
      expect((await endById(owner, String(other?.id))).status).toBe(200)
    },
    waysOfAda: async () => (await adapter.listAccountsByUserId("u-ada")).map(({ provider }) => provider),
  }
}

const requestOf = (browser: Browser) => new Request("https://app.test/", { headers: { cookie: cookiesOf(browser) } })

describe.each(strategies)("a session that was ended a moment ago, with %s sessions", (strategy) => {
  it("SESS-01: links no account, when the sign-in began after the end", async () => {
    const { stolen, end, waysOfAda } = await openTwice(strategy)
    await end()
    await stolen.signIn("oidc")
    expect(await waysOfAda()).toEqual(["oauth"])
  })

  it("SESS-01: links no account, when the sign-in began before the end", async () => {
    const { host, stolen, end, waysOfAda } = await openTwice(strategy)
    const begun = await post(stolen, "/auth/signin/oidc", {})
    const answered = await host.idp.fetch(begun.headers.get("location") ?? "", { redirect: "manual" })
    await end()
    await stolen.open(answered.headers.get("location") ?? "")
    expect(await waysOfAda()).toEqual(["oauth"])
  })

  it("SESS-01: gets no options for a passkey of its user, and adds none", async () => {
    const { stolen, end, adapter } = await openTwice(strategy)
    const device = softwareAuthenticator()
    const client = passkeyClient({ browser: stolen, device })
    const created = await device.create(await client.creation())
    await end()
    const asked = await client.ask({ action: "register" })
    expect([asked.status, JSON.stringify(await asked.json())]).toEqual([400, expect.not.stringContaining("ada")])
    await client.finish("register", created)
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toEqual([])
  })

  it("SESS-01: removes no account", async () => {
    const { host, stolen, end, waysOfAda } = await openTwice(strategy)
    await end()
    const removing = disconnectAccount(requestOf(stolen), host.config, { provider: "oauth" })
    await expect(removing).rejects.toMatchObject({ reason: "signed-out" })
    expect(await waysOfAda()).toEqual(["oauth"])
  })

  it("SESS-01: is not fresh, and is asked nothing for an app", async () => {
    const { host, stolen, end } = await openTwice(strategy)
    await end()
    const fresh = await requireFresh(requestOf(stolen), host.config)
    expect(fresh).toMatchObject({ status: 401 })
    expect((await stolen.open(begin().path)).url.pathname).toBe("/auth/signin")
  })
})
