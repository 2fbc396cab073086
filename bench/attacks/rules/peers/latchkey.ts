import { Auth, type AuthConfig } from "@latchkey/core"
import { argon2id } from "@latchkey/core/passwords"
import passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, type SecondFactorOptions, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import { authenticatorApp, type Browser, memoryAdapter, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { origin, proxyAddress, readTarget, secret } from "../../app.ts"
import { post as postForm } from "../../peers/contract.ts"
import { findLink, type Mail, type RuleApp, type RuleAppOptions, type RulePeer } from "../app.ts"

export const latchkey: RulePeer = {
  id: "latchkey",
  packageName: "@latchkey/core",
  lacks: {},
  open: (options) => Promise.resolve(openApp(options)),
}

const factorOptions: SecondFactorOptions = {
  factors: [totp({ issuer: "Compare" }), recoveryCodes()],
  remember: { days: 30 },
}

function openApp({ idp }: RuleAppOptions): RuleApp {
  const mails: Mail[] = []
  const { store, countCalls } = countingStore()
  const send = ({ to, subject, text }: { to: string; subject: string; text: string }) =>
    void mails.push({ to, subject, link: findLink(text) })
  const config: AuthConfig = {
    basePath: "/auth",
    secret,
    trustHost: true,
    allowedOrigins: [origin],
    trustedProxies: [proxyAddress],
    adapter: store,
    // Asks the store at every check, so that an ended session is refused at once.
    session: { track: trackSessions({ checkEvery: 0 }) },
    logger: { error() {}, warn() {}, debug() {} },
    secondFactors: secondFactors(factorOptions),
    providers: [
      // No library can reach the online lists here.
      Passwords({ mail: { send }, breached: false, minLength: 15, pepper: [secret] }),
      {
        id: "email",
        name: "Email",
        type: "email",
        from: "no-reply@app.test",
        sendVerificationRequest: ({ identifier, url }) =>
          void mails.push({ to: identifier, subject: "Sign in", link: url }),
      },
      passkey({}),
      idp.provider(),
    ],
  }
  let current = config
  return {
    ...toSteps(mails),
    countCalls,
    handle: (request) => Auth(request, current, { clientAddress: proxyAddress }),
    demandFactor() {
      current = { ...config, secondFactors: secondFactors({ ...factorOptions, require: "always" }) }
    },
    async stolenHash(email) {
      const user = await store.getUserByEmail(email)
      return (user && (await store.getPassword(user.id)))?.hash ?? ""
    },
    guess: (hash, password) => argon2id().verify(hash, new TextEncoder().encode(password)),
  }
}

function countingStore() {
  const calls = { count: 0 }
  const store = new Proxy(memoryAdapter(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return (...values: unknown[]): unknown => {
        calls.count += 1
        return Reflect.apply(method, target, values)
      }
    },
  })
  return { store, countCalls: () => calls.count }
}

const post = (browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  postForm(browser, `/auth/${path}`, fields)

const whoIs = async (browser: Browser): Promise<string | null> => (await browser.session())?.user?.email ?? null

const toSteps = (mails: readonly Mail[]): Omit<RuleApp, "handle" | "stolenHash" | "guess" | "countCalls"> => ({
  mails,
  signUp: (browser, email, password) => post(browser, "password/sign-up", { email, password }),
  async openSignUpLink(browser, link, password) {
    await browser.open(link)
    await postLink(browser, link, { password })
  },
  signIn: (browser, email, password) => post(browser, "callback/password", { email, password }),
  signOut: (browser) => post(browser, "signout", {}),
  whoIs,
  forgot: (browser, email, callbackUrl = `${origin}/`) => post(browser, "password/forgot", { email, callbackUrl }),
  reset: (browser, link, password) => postLink(browser, link, { password }),
  change: (browser, current, password) => post(browser, "password/change", { current, password }),
  async enroll(browser) {
    const begun = await post(browser, "account/factors", { action: "begin-totp" })
    const { ticket, secret: key } = (await begun.json()) as { ticket: string; secret: string }
    const app = authenticatorApp(key)
    const confirmed = await post(browser, "account/factors", { action: "confirm-totp", ticket, code: await app.code() })
    const { recoveryCodes: codes } = (await confirmed.json()) as { recoveryCodes: readonly string[] | null }
    return { app, key, recoveryCodes: codes ?? [] }
  },
  verify: (browser, code, { isRemembered } = { isRemembered: false }) =>
    post(browser, "second-factor/totp", { code, ...(isRemembered && { remember: "true" }) }),
  verifyRecoveryCode: (browser, code) => post(browser, "second-factor/recovery", { code }),
  async removeFactor(browser) {
    const listed = (await (await browser.fetch("/auth/account/factors")).json()) as { factors: readonly OwnFactor[] }
    const id = listed.factors.find(({ kind }) => kind === "totp")?.id ?? ""
    return post(browser, "account/factors", { action: "remove", id })
  },
  async renewCodes(browser) {
    const renewed = await post(browser, "account/factors", { action: "create-recovery-codes" })
    const { recoveryCodes: codes } = (await renewed.json()) as { recoveryCodes?: readonly string[] }
    return codes ?? []
  },
  async addPasskey(browser) {
    await passkeyClient({ browser, device: softwareAuthenticator({ origin }) }).register()
  },
  async enrollAtSignIn(browser) {
    const page = await browser.open("/auth/second-factor")
    const key = page.find("code")?.text
    if (key) await browser.submit("form", { code: await authenticatorApp(key).code() })
  },
  async signInByMail(browser, email) {
    await post(browser, "signin/email", { email })
    await browser.open(mails.findLast(({ to, subject }) => to === email && subject === "Sign in")?.link ?? "/")
  },
  startSignIn: async (browser) => readTarget(await post(browser, "signin/oidc", {})),
  async forgeUpdate(browser) {
    const json = { csrfToken: await browser.csrfToken(), data: { auth: { level: 3 }, amr: ["mfa"], factors: [] } }
    await browser.fetch("/auth/session", { method: "POST", json })
  },
  async readFactors(browser) {
    return (await browser.fetch("/auth/account/factors")).text()
  },
})

interface OwnFactor {
  readonly id: string
  readonly kind: string
}

/** Posts to the link of a mail, like its form. */
const postLink = (browser: Browser, link: string, fields: Readonly<Record<string, string>>): Promise<Response> => {
  const { pathname, search } = new URL(link)
  return postForm(browser, `${pathname}${search}`, fields)
}
