import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { OIDCUserConfig } from "@latchkey/core/types"
import { type MemoryAdapter, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { clients } from "../setup/native-setup.js"
import { cheap } from "../setup/password-setup.js"
import { strategies } from "../setup/tracked-setup.js"

/** An adapter on a database such as PostgreSQL, whose driver throws for text that it cannot store. */
function strict(adapter: MemoryAdapter): MemoryAdapter {
  return new Proxy(adapter, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== "function") return method
      return (...args: unknown[]) => {
        if (args.some(isUnstorable)) throw new Error("invalid byte sequence")
        return method.apply(target, args)
      }
    },
  })
}

function isUnstorable(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed()
  if (typeof value !== "object" || value === null || value instanceof Date || ArrayBuffer.isView(value)) return false
  return Object.values(value).some(isUnstorable)
}

const texts = ["a\0b", "\ud800", `${"f".repeat(64)}\0`]

const gets = (text: string) => {
  const bad = encodeURIComponent(text.toWellFormed())
  return [
    `/auth/callback/email?token=${bad}&email=v@corp.test`,
    `/auth/callback/email?token=${"f".repeat(64)}&email=${bad}`,
    `/auth/callback/email?token=${"f".repeat(64)}&email=v@corp.test${bad}`,
    `/auth/callback/oidc?code=${bad}&state=${bad}`,
    `/auth/callback/oidc?error=${bad}&state=${bad}`,
    `/auth/webauthn-options/passkey?action=register&email=${bad}&name=${bad}`,
    `/auth/webauthn-options/passkey?action=authenticate&email=v@corp.test${bad}`,
    `/auth/webauthn-options/passkey?action=authenticate&email=${bad}`,
    `/auth/native?client_id=${bad}&state=${bad}`,
    `/auth/account/email/undo?change=email:${"f".repeat(64)}&token=${bad}`,
    `/auth/account/email/undo?change=${bad}&token=${"f".repeat(64)}`,
    `/auth/account/delete/undo?change=${bad}&token=${"f".repeat(64)}`,
    `/auth/password/sign-up?token=${bad}&flow=${bad}`,
    `/auth/password/reset?token=${bad}&email=${bad}`,
    `/auth/signin?error=${bad}`,
    `/auth/error?error=${bad}`,
  ]
}

const passkeyOf = (text: string) =>
  JSON.stringify({
    id: text,
    rawId: text,
    type: "public-key",
    response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA", userHandle: text },
  })

const posts = (text: string): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => [
  ["/auth/signin/email", { email: text }],
  ["/auth/signin/email", { email: `v@corp.test${text}` }],
  ["/auth/callback/email", { code: text, flow: text }],
  ["/auth/callback/cred", { name: text, password: text }],
  ["/auth/callback/password", { email: text, password: text }],
  ["/auth/callback/password", { email: `v@corp.test${text}`, password: text }],
  ["/auth/callback/password", { email: "v@corp.test", password: text }],
  ["/auth/password/sign-up", { email: "new@corp.test", password: `a long password ${text}`, name: text }],
  ["/auth/password/sign-up", { code: text, flow: text }],
  ["/auth/password/sign-up", { token: text }],
  ["/auth/password/reset", { email: text }],
  ["/auth/password/reset", { code: text, password: `a long password ${text}` }],
  ["/auth/password/change", { current: text, password: `a long password ${text}` }],
  ["/auth/callback/passkey", { action: "authenticate", data: passkeyOf(text) }],
  ["/auth/callback/passkey", { action: text, data: passkeyOf(text) }],
  ["/auth/native/token", { grant_type: "authorization_code", client_id: "ios", code: text, former_token: text }],
  ["/auth/account/sessions", { action: "end", id: text }],
  ["/auth/account/passkeys", { action: "rename", id: text, name: text }],
  ["/auth/account/passkeys", { action: "remove", id: text }],
  ["/auth/account/methods", { action: "link", provider: text }],
  ["/auth/account/methods", { action: "unlink", provider: "oidc", id: text }],
  ["/auth/account/methods", { action: "unlink", provider: text, id: "1" }],
  ["/auth/account/factors", { action: "remove", id: text }],
  ["/auth/account/factors", { action: "confirm-totp", ticket: text, code: text, label: text }],
  ["/auth/account/second-factors", { action: "remove", id: text }],
  ["/auth/account/profile", { action: "save", name: text, image: `https://corp.test/${text}` }],
  ["/auth/account/email", { action: "send", email: text }],
  ["/auth/account/email", { action: "send", email: `v@corp.test${text}` }],
  ["/auth/account/email", { action: "confirm", code: text }],
  ["/auth/account/delete", { action: "delete", confirm: text }],
  ["/auth/second-factor", { code: text, kind: text }],
  ["/auth/session", { data: { name: text } }],
  ["/auth/signout", { callbackUrl: `/${text}` }],
]

describe.each(strategies)("text that PostgreSQL cannot store, with sessions of strategy %s", (strategy) => {
  function open(profile?: OIDCUserConfig["profile"]): TestHost {
    const adapter = strict(memoryAdapter())
    return openHost({
      adapter,
      rateLimit: false,
      session: { strategy, track: trackSessions({ checkEvery: 0 }) },
      accountArea: accountArea(),
      secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
      nativeApps: nativeApps({ clients }),
      providers: ({ idp }) => [
        idp.provider(profile && { profile }),
        testEmail({ code: true }),
        Passkey({}),
        Passwords({ mail: { send: () => undefined }, breached: false, hash: cheap }),
      ],
    })
  }

  it.each(texts)("reaches no store: %j", async (text) => {
    const host = open()
    const { browser } = host
    await browser.signIn("oidc")
    const cookies = browser.cookies.list()
    const failed: unknown[] = []
    const look = (path: string, status: number): void => {
      const errors = host.logger.errorTypes()
      if (status >= 500 || errors.includes("AdapterError")) failed.push([path, status, errors])
      host.logger.clear()
    }
    for (const path of gets(text)) look(path, (await browser.fetch(path)).status)
    for (const [path, fields] of posts(text)) {
      const body = JSON.stringify({ csrfToken: await browser.csrfToken(), ...fields })
      const headers = { "content-type": "application/json", accept: "application/json" }
      look(path, (await browser.fetch(path, { method: "POST", headers, body })).status)
    }
    for (const { name } of cookies) {
      const visitor = host.newBrowser()
      visitor.cookies.set(name, encodeURIComponent(text.toWellFormed()))
      look(`/auth/session with the cookie ${name}`, (await visitor.fetch("/auth/session")).status)
    }
    expect(failed).toEqual([])
  })

  it("of an identity provider fails the sign-in, without an error of the store", async () => {
    const host = open(() => ({ id: "\ud800" }))
    await host.browser.signIn("oidc")
    expect(host.logger.errorTypes()).toEqual(["OAuthProfileParseError"])
  })
})
