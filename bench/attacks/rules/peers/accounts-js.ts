import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { AccountsMagicLink } from "@accounts/magic-link"
import { AccountsPassword } from "@accounts/password"
import rest from "@accounts/rest-express"
import { AccountsServer, ServerHooks } from "@accounts/server"
import type { User } from "@accounts/types"
import { authenticatorApp, type Browser } from "@latchkey/testkit"
import bcrypt from "bcryptjs"
import express from "express"
import { origin, secret } from "../../app.ts"
import { findLink, type Mail, type RuleApp, type RulePeer } from "../app.ts"
import { createStore } from "./accounts-store.ts"

export const accountsJs: RulePeer = {
  id: "accounts-js",
  packageName: "@accounts/password",
  lacks: {
    provider: "the app implements the provider's protocol",
    pending: "asks for the password and the code together",
    recovery: "has no recovery codes",
    remember: "has no remembered devices",
    policy: "cannot require one for every user",
    passkey: "has no passkeys",
    update: "has no endpoint for updates",
  },
  open: openApp,
}

async function openApp(): Promise<RuleApp> {
  const users = new Map<string, User>()
  const mails: Mail[] = []
  const calls = { count: 0 }
  const store = new Proxy(createStore(users), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return (...values: unknown[]): unknown => {
        calls.count += 1
        return Reflect.apply(method, target, values)
      }
    },
  })
  const server = new AccountsServer(
    {
      db: store,
      tokenSecret: secret,
      siteUrl: origin,
      sendMail: async ({ to, subject, text }: { to: string; subject: string; text: string }) =>
        void mails.push({ to, subject, link: findLink(text) }),
    },
    {
      password: new AccountsPassword({
        sendVerificationEmailAfterSignup: true,
        invalidateAllSessionsAfterPasswordChanged: true,
        validatePassword: (password) => typeof password === "string" && password.length >= 15,
        // Accepts the codes of the previous and the next step, like the other libraries.
        twoFactor: { appName: "Compare", window: 1 },
      }),
      magicLink: new AccountsMagicLink(),
    },
  )
  // As the documentation shows for verified addresses.
  server.on(ServerHooks.ValidateLogin, ({ user }: { user: User }) => {
    if (!user.emails?.some(({ verified }) => verified)) throw new Error("Verify your address first")
  })
  // In other environments, its error handler prints to the console.
  const app = express().set("env", "test").use(express.json()).use(rest.default(server))
  const listening = app.listen(0, "127.0.0.1")
  await once(listening, "listening")
  listening.unref()
  const { port } = listening.address() as AddressInfo // as: it listens on a port
  return {
    ...toSteps(mails),
    countCalls: () => calls.count,
    async handle(request) {
      const { pathname, search } = new URL(request.url)
      const body = request.body && new Uint8Array(await request.arrayBuffer())
      const headers = new Headers(request.headers)
      headers.delete("host")
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method: request.method, headers, body })
    },
    stolenHash: async (email) =>
      String([...users.values()].find(({ emails }) => emails?.[0]?.address === email)?.services?.["password"]?.bcrypt),
    guess: (hash, password) => bcrypt.compare(password, hash),
  }
}

/** The values in the form when the app asks for the code. */
const typed = new WeakMap<Browser, { readonly user: { readonly email: string }; readonly password: string }>()

/** The page's script keeps the token. Here it is a cookie, so that the attacks copy it along with the others. */
const cookieName = "access-token"

function post(browser: Browser, path: string, json: object): Promise<Response> {
  const accessToken = browser.cookies.get(cookieName)
  const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
  return browser.fetch(`/accounts/${path}`, { method: "POST", json, headers })
}

/** Signs in with a service, and keeps the token. */
async function authenticate(browser: Browser, service: string, json: object): Promise<Response> {
  const response = await post(browser, `${service}/authenticate`, json)
  if (!response.ok) return response
  const { tokens } = (await response.clone().json()) as { tokens: { accessToken: string } }
  browser.cookies.set(cookieName, tokens.accessToken)
  return response
}

const tokenOf = (link: string) => ({ token: new URL(link).pathname.split("/").at(-1) })

const toSteps = (mails: readonly Mail[]): Omit<RuleApp, "handle" | "stolenHash" | "guess" | "countCalls"> => ({
  mails,
  signUp: (browser, email, password) => post(browser, "password/register", { user: { email, password } }),
  openSignUpLink: async (browser, link) => void (await post(browser, "password/verifyEmail", tokenOf(link))),
  signIn(browser, email, password) {
    const fields = { user: { email }, password }
    typed.set(browser, fields)
    return authenticate(browser, "password", fields)
  },
  signOut: (browser) => post(browser, "logout", {}),
  async whoIs(browser) {
    const user = (await (await post(browser, "user", {})).json()) as User | null
    return user?.emails?.[0]?.address ?? null
  },
  forgot: (browser, email) => post(browser, "password/sendResetPasswordEmail", { email }),
  reset: (browser, link, newPassword) => post(browser, "password/resetPassword", { newPassword, ...tokenOf(link) }),
  change: (browser, oldPassword, newPassword) => post(browser, "password/changePassword", { oldPassword, newPassword }),
  async enroll(browser) {
    const { secret: key } = (await (await post(browser, "password/twoFactorSecret", {})).json()) as {
      secret: { base32: string }
    }
    const app = authenticatorApp(key.base32)
    await post(browser, "password/twoFactorSet", { secret: key, code: await app.code() })
    return { app, key: key.base32, recoveryCodes: [] }
  },
  verify: (browser, code) => authenticate(browser, "password", { ...typed.get(browser), code }),
  removeFactor: (browser, _, code) => post(browser, "password/twoFactorUnset", { code }),
  async signInByMail(browser, email) {
    await post(browser, "magiclink/requestMagicLinkEmail", { email })
    const mail = mails.findLast(({ to, link }) => to === email && link !== "")
    await authenticate(browser, "magicLink", tokenOf(mail?.link ?? origin))
  },
  // The page's script gets only the answer to a sign-in.
  readFactors: async (browser, { email, ...proofs }) =>
    (await post(browser, "password/authenticate", { user: { email }, ...proofs })).text(),
})
