import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Auth } from "@latchkey/core"
import Passkey from "@latchkey/core/providers/passkey"
import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import {
  type Browser,
  type PasskeyClient,
  passkeyClient,
  type SoftwareAuthenticator,
  softwareAuthenticator,
  testHost,
  toStoredId,
} from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const inside = "https://app.test/in"
const locationOf = (response: Response) => response.headers.get("location")

describe.each(["jwt", "database"] as const)("passkeys in SQLite with %s sessions", (strategy) => {
  let folder: string
  let adapters: SqliteAdapter[]
  const open = () => {
    const adapter = sqlite(join(folder, "app.db"))
    adapters.push(adapter)
    return adapter
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-passkeys-"))
    adapters = []
  })
  afterEach(() => {
    for (const adapter of adapters) adapter.close()
    rmSync(folder, { recursive: true })
  })

  interface Person {
    readonly browser: Browser
    readonly device: SoftwareAuthenticator
    readonly client: PasskeyClient
  }

  function setUp() {
    const adapter = open()
    const host = testHost({
      adapter,
      session: { strategy },
      providers: [Passkey()],
    })
    const person = (device = softwareAuthenticator()): Person => {
      const browser = host.newBrowser()
      return { browser, device, client: passkeyClient({ browser, device }) }
    }
    const countOf = (table: string) => adapter.database.prepare(`select count(*) as n from "${table}"`).get()?.["n"]
    return { adapter, host, person, countOf }
  }

  it("store sign-up, sign-in, a second passkey, its name and its removal", async () => {
    const { adapter, person, countOf } = setUp()
    const ada = person(softwareAuthenticator({ firstCounter: 1 }))
    expect(locationOf(await ada.client.register("ada@example.com"))).toBe(inside)
    const phone = softwareAuthenticator()
    const second = passkeyClient({ browser: ada.browser, device: phone })
    expect(locationOf(await second.register())).toBe(inside)
    await ada.browser.signOut()
    expect(locationOf(await ada.client.signIn())).toBe(inside)
    expect((await ada.browser.session())?.user?.email).toBe("ada@example.com")
    expect(["User", "Account", "Authenticator"].map(countOf)).toEqual([1, 2, 2])
    const used = toStoredId(ada.device.credentials[0]?.id ?? "")
    const lost = toStoredId(phone.credentials[0]?.id ?? "")
    expect(adapter.getAuthenticator(used)).toMatchObject({ counter: 2, lastUsedAt: expect.any(Date), name: null })
    adapter.updateAuthenticator({ credentialID: lost, name: "Phone" })
    expect(adapter.getAuthenticator(lost)).toMatchObject({ name: "Phone", lastUsedAt: null })
    adapter.unlinkAccount({ provider: "passkey", providerAccountId: lost })
    adapter.deleteAuthenticator(lost)
    const stranger = person(phone)
    const refused = await stranger.client.signIn()
    expect(locationOf(refused)).toBe("https://app.test/auth/error?error=WebAuthnVerificationError")
    expect(await stranger.browser.session()).toBeNull()
  })

  it("WAN-04: are rejected by another connection once the challenge is consumed", async () => {
    const { host, person } = setUp()
    const ada = person()
    await ada.client.register("ada@example.com")
    await ada.browser.signOut()
    const answer = await ada.device.get(await ada.client.request())
    const data = JSON.stringify(answer)
    const body = { csrfToken: await ada.browser.csrfToken(), action: "authenticate", data, callbackUrl: "/in" }
    const cookies = ada.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const ask = () =>
      new Request("https://app.test/auth/callback/passkey", {
        method: "POST",
        body: new URLSearchParams(body),
        headers: { cookie: cookies.join("; ") },
      })
    const elsewhere = { ...host.config, adapter: open() }
    const answers = await Promise.all([host.handler(ask()), ...Array.from({ length: 9 }, () => Auth(ask(), elsewhere))])
    expect(answers.map(locationOf).filter((location) => location === inside)).toHaveLength(1)
  })

  it("ADP-08: keep the larger of two concurrent counters", async () => {
    const { adapter, person } = setUp()
    const ada = person(softwareAuthenticator({ firstCounter: 10 }))
    await ada.client.register("ada@example.com")
    const others = [person(), person()]
    const answers = await Promise.all(
      others.map(async ({ client }, index) => ada.device.get(await client.request(), { counter: 12 - index })),
    )
    await Promise.all(others.map(({ client }, index) => client.finish("authenticate", answers[index])))
    expect(adapter.getAuthenticator(toStoredId(ada.device.credentials[0]?.id ?? ""))).toMatchObject({ counter: 12 })
  })

  it("WAN-16: keep the row of a credential that another user registers again", async () => {
    const { adapter, person, countOf } = setUp()
    const credentialId = crypto.getRandomValues(new Uint8Array(32))
    const [ada, eve] = [person(), person()]
    await ada.client.register("ada@example.com", { credentialId })
    const before = adapter.getAuthenticator(toStoredId(ada.device.credentials[0]?.id ?? ""))
    const refused = await eve.client.register("eve@example.com", { credentialId })
    expect(locationOf(refused)).toBe("https://app.test/auth/signin?error=AccountNotLinked")
    expect(adapter.getAuthenticator(toStoredId(eve.device.credentials[0]?.id ?? ""))).toEqual(before)
    expect(["User", "Account", "Authenticator"].map(countOf)).toEqual([1, 1, 1])
  })
})
