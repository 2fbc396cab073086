import { providerLogout } from "@latchkey/core/provider-logout"
import { trackSessions } from "@latchkey/core/sessions"
import { authenticatorApp, fixedClock, type MemoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openPasswords, signIn as signInByPassword } from "../setup/password-setup.js"
import { post } from "../setup/requests.js"
import { address, give, openFactors } from "../setup/second-factor-setup.js"

/** Where a sign-in waits. */
const places: readonly (readonly [string, readonly (keyof MemoryAdapter)[]])[] = [
  ["in the store", []],
  ["in a cookie", ["keepTemporary", "takeTemporary"]],
]

const startOf = (token: unknown) => (token as { auth_time?: number } | undefined)?.auth_time

describe.each(places)("what is known about a sign-in that waits %s", (_, lacks) => {
  it("has its profile and account for the jwt callback and the signIn event, with whether the user is new", async () => {
    using clock = fixedClock()
    const seen: unknown[] = []
    const hosting = await openFactors({
      lacks,
      callbacks: {
        jwt({ token, profile, account, trigger, isNewUser }) {
          if (trigger)
            seen.push({
              sub: profile?.sub,
              nickname: profile?.["nickname"],
              token: account?.access_token,
              trigger,
              isNewUser,
            })
          return token
        },
      },
    })
    const { host, enroll } = hosting
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    host.idp.faults.turnOn({ idTokenClaims: (claims) => ({ ...claims, nickname: "Countess" }) })
    host.events.clear()
    seen.splice(0)
    const browser = host.newBrowser()
    await browser.signIn("oidc")
    expect([seen, host.events.of("signIn")]).toEqual([[], []])
    await give(browser, await app.code())
    const token = host.idp.issued.findLast(({ name }) => name === "access token")?.value
    expect(seen).toEqual([{ sub: "ada-1815", nickname: "Countess", token, trigger: "signIn", isNewUser: false }])
    expect(host.events.of("signIn")).toMatchObject([
      { user: { id: "u-ada" }, account: { access_token: token }, profile: { nickname: "Countess" }, isNewUser: false },
    ])
  })

  it("has the user whom authorize returned, whom the store may know otherwise, and no isNewUser in its event", async () => {
    using _clock = fixedClock()
    const { host } = await openFactors({
      lacks,
      secondFactor: { require: "always" },
      providers: [
        {
          id: "cred",
          name: "Password",
          type: "credentials",
          credentials: { name: {} },
          authorize: () => ({ id: "u-ada", name: "From the app", email: address }),
        },
      ],
    })
    const page = await host.browser.signIn("cred", { name: address })
    await host.browser.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    const [event] = host.events.of("signIn")
    expect(event).toMatchObject({ user: { id: "u-ada", name: "From the app" } })
    expect(event).not.toHaveProperty("isNewUser")
    expect(event).not.toHaveProperty("profile")
  })

  it("says that the user is new, and where they go", async () => {
    using _clock = fixedClock()
    const triggers: unknown[] = []
    const { host } = await openFactors({
      lacks,
      pages: { newUser: "/welcome" },
      secondFactor: { require: "always" },
      callbacks: {
        jwt({ token, trigger }) {
          triggers.push(trigger)
          return token
        },
      },
    })
    host.idp.signInAs({ sub: "new", email: "new@example.com", email_verified: true })
    const page = await host.browser.signIn("oidc", { callbackUrl: "/private" })
    await host.browser.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    expect(triggers[0]).toBe("signUp")
    expect(host.events.of("signIn")).toMatchObject([{ isNewUser: true }])
    const next = await host.browser.submit("form.form")
    expect([next.url.pathname, next.url.searchParams.get("callbackUrl")]).toEqual([
      "/welcome",
      "https://app.test/private",
    ])
  })

  it("FAC-05: says that an account was added: it begins no session, proves nothing, and its provider is not signed out of", async () => {
    using clock = fixedClock()
    const tokens: unknown[] = []
    const { adapter, enroll } = await openFactors({
      lacks,
      session: { strategy: "jwt", absoluteMaxAge: 86_400, track: trackSessions() },
      providerLogout: providerLogout({ atProvider: true }),
      callbacks: {
        jwt({ token }) {
          tokens.push(token)
          return token
        },
      },
    })
    const { browser, app } = await enroll()
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    const start = startOf(tokens.at(-1))
    const proof = browser.cookies.get("__Host-authjs.proof")
    const [before] = await adapter.listSessionsByUserId("u-ada")
    clock.advance({ minutes: 1 })
    await browser.signIn("oidc")
    expect(browser.page?.url.pathname).toBe("/auth/second-factor")
    await give(browser, await app.code())
    await browser.session()
    const accounts = await adapter.listAccountsByUserId("u-ada")
    expect(accounts.map(({ provider }) => provider)).toContain("oidc")
    expect([start === undefined, startOf(tokens.at(-1))]).toEqual([false, start])
    expect(browser.cookies.get("__Host-authjs.proof")).toBe(proof)
    expect(browser.cookies.get("__Host-authjs.hint")).toBeUndefined()
    const [after] = await adapter.listSessionsByUserId("u-ada")
    expect([after?.createdAt, after?.amr]).toEqual([before?.createdAt, before?.amr])
  })

  it("FAC-02: knows its password: one that was changed meanwhile, by whatever code, ends it without a session", async () => {
    using clock = fixedClock()
    const override = Object.fromEntries(lacks.map((name) => [name, undefined]))
    const { host, adapter, signUp } = openPasswords({ hasSecondFactor: true, override })
    const owner = await signUp()
    const setup = await post(owner, "/auth/account/factors", { action: "begin-totp" })
    const { ticket, secret } = setup.json() as { ticket: string; secret: string }
    const app = authenticatorApp(secret)
    await post(owner, "/auth/account/factors", { action: "confirm-totp", ticket, code: await app.code() })
    clock.advance({ minutes: 1 })
    const thief = host.newBrowser()
    await signInByPassword(thief)
    const userId = (await adapter.getUserByEmail(address))?.id ?? ""
    const stored = await adapter.getPassword(userId)
    // As another process does in the middle of a change: it has not ended the sign-ins that wait yet.
    if (stored)
      await adapter.setPassword({ ...stored, changedAt: new Date(stored.changedAt.valueOf() + 1), from: stored.hash })
    const answer = await give(thief, await app.code())
    expect([answer.location, await thief.session()]).toEqual([expect.stringContaining("error=CredentialsSignin"), null])
    expect(await adapter.listSessionsByUserId(userId)).toHaveLength(1)
  })
})
