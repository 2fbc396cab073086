import { createSource } from "@latchkey/core/moving"
import { trackSessions } from "@latchkey/core/sessions"
import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, idOf, type Kind, openArea, read, type Strategy, settings, strategies } from "../setup/area-setup.js"
import { address, newPassword, openPasswords, password } from "../setup/password-setup.js"
import { post } from "../setup/requests.js"

const now = "2026-11-28T08:05:00Z"
const until = new Date("2027-03-01T00:00:00Z")

/** Sessions of an app that had cookies of its own, which began a moment ago. */
const former = (findSubject: () => string | undefined = () => idOf("ada")) =>
  createSource(
    { until },
    {
      name: "former",
      cookies: ["sid"],
      read: (value) =>
        value === "s-1"
          ? { kind: "found", claims: null, subject: findSubject(), startedAt: new Date(now) }
          : { kind: "over" },
    },
  )

const oauth = { provider: "oauth", id: "ada-1" }

const mail = { send: () => {} }

/** What changes how Ada signs in, or what others see of her. */
const changes: readonly (readonly [name: string, section: string, fields: Readonly<Record<string, string>>])[] = [
  ["a link to a provider", "methods", { action: "link", provider: "oidc" }],
  ["the removal of a link", "methods", { action: "unlink", ...oauth }],
  ["a new address", "email", { action: "send", email: "ada@new.example" }],
  ["the removal of a passkey", "passkeys", { action: "remove", id: "a-passkey" }],
  ["the sign-out of other devices", "sessions", { action: "end-others" }],
  ["a copy of the data", "export", { action: "download" }],
  ["the deletion of the account", "delete", { action: "delete", confirm: "ada@example.com" }],
]

/** Those of a user who can have a second factor. */
const factorChanges = [
  { action: "begin-totp" },
  { action: "confirm-totp", ticket: "a-ticket", code: "123456" },
  { action: "create-recovery-codes" },
  { action: "remove", id: "a-factor" },
]

async function open(strategy: Strategy, kind: Kind) {
  const opened = await openArea({ strategy, kind, area: { mail }, session: { accept: [former()] } })
  const browser = opened.host.newBrowser()
  browser.cookies.set("sid", "s-1", { path: "/" })
  expect((await browser.session())?.user?.email).toBe("ada@example.com")
  return { ...opened, browser }
}

describe.each(settings)("MIG-14: a session that was taken over, with %s sessions (%s)", (strategy, kind) => {
  it.each(changes)("does not allow %s without a new proof", async (_, section, fields) => {
    using _clock = fixedClock(now)
    const { browser, adapter } = await open(strategy, kind)
    const before = adapter.calls.length
    const refused = await call(browser, section, fields)
    expect([refused.status, refused.json()]).toEqual([403, expect.objectContaining({ error: "FreshnessRequired" })])
    const written = adapter.calls.slice(before).map(({ method }) => method)
    expect(written.filter((method) => /^(create|update|delete|link|unlink)/.test(method))).toEqual([])
  })

  it("allows no new passkey without a new proof", async () => {
    using _ = fixedClock(now)
    const { browser, adapter } = await open(strategy, kind)
    const added = passkeyClient({ browser, device: softwareAuthenticator() })
    expect((await added.ask({ action: "register" })).status).toBe(403)
    expect(await adapter.listAuthenticatorsByUserId(idOf("ada"))).toEqual([])
  })

  it("allows changes after a sign-in", async () => {
    using _ = fixedClock(now)
    const { browser, signIn } = await open(strategy, kind)
    expect((await read(browser)).json()).toMatchObject({ isFresh: false })
    await signIn("ada", browser)
    expect((await call(browser, "methods", { action: "unlink", ...oauth })).status).toBe(200)
  })

  it("ACC-05: is nobody's after its user has removed a way to sign in: nothing tells how it began", async () => {
    using _ = fixedClock(now)
    const { host, signIn } = await openArea({ strategy, kind, session: { accept: [former()] } })
    expect((await call(await signIn("ada"), "methods", { action: "unlink", ...oauth })).status).toBe(200)
    const browser = host.newBrowser()
    browser.cookies.set("sid", "s-1", { path: "/" })
    expect(await browser.session()).toBeNull()
  })

  it("MIG-01: is nobody's after its user was deleted, even if the next user gets the id", async () => {
    using _ = fixedClock(now)
    const { host, adapter, signIn } = await openArea({ strategy, kind, session: { accept: [former()] } })
    const deleted = await call(await signIn("ada"), "delete", { action: "delete", confirm: "ada@example.com" })
    expect(deleted.status).toBe(200)
    await adapter.createUser({ id: idOf("ada"), email: "eve@example.com", name: "Eve", emailVerified: null })
    const browser = host.newBrowser()
    browser.cookies.set("sid", "s-1", { path: "/" })
    expect(await browser.session()).toBeNull()
  })
})

describe.each(strategies)("MIG-14: a session that was taken over, with %s sessions", (strategy) => {
  it.each(factorChanges)("allows no change of second factors without a new proof: $action", async (fields) => {
    using _ = fixedClock(now)
    const { browser } = await open(strategy, "guarded")
    expect((await call(browser, "factors", fields)).status).toBe(403)
  })

  it.each([false, true])("allows no new password without a new proof (second factors: %s)", async (hasSecondFactor) => {
    const ids = new Map<string, string>()
    const session = { strategy, track: trackSessions(), accept: [former(() => ids.get("ada"))] }
    const { host, adapter, signUp } = openPasswords({ hasSecondFactor, session })
    await signUp()
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    ids.set("ada", id)
    const before = await adapter.getPassword(id)
    const browser = host.newBrowser()
    browser.cookies.set("sid", "s-1", { path: "/" })
    expect((await browser.session())?.user?.email).toBe(address)
    const fields = { action: "change", current: password, password: newPassword }
    const refused = await post(browser, "/auth/password/change", fields, { headers: { accept: "application/json" } })
    expect(refused.status).toBe(403)
    expect(await adapter.getPassword(id)).toEqual(before)
  })
})
