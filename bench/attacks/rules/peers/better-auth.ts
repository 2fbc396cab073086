import { DatabaseSync } from "node:sqlite"
import { authenticatorApp, type Browser } from "@latchkey/testkit"
import { type BetterAuthOptions, betterAuth } from "better-auth"
import { verifyPassword } from "better-auth/crypto"
import { getMigrations } from "better-auth/db/migration"
import { magicLink, twoFactor } from "better-auth/plugins"
import { origin, readTarget } from "../../app.ts"
import { commonOptions, openIdProvider } from "../../peers/better-auth.ts"
import type { Mail, RuleApp, RuleAppOptions, RulePeer } from "../app.ts"

export const betterAuthPeer: RulePeer = {
  id: "better-auth",
  packageName: "better-auth",
  lacks: { policy: "cannot require one for every user", passkey: "has a package of its own for passkeys" },
  open: openApp,
}

async function openApp({ idp }: RuleAppOptions): Promise<RuleApp> {
  const mails: Mail[] = []
  const database = new DatabaseSync(":memory:")
  const prepare = database.prepare.bind(database)
  const calls = { count: 0 }
  database.prepare = (...values) => {
    calls.count += 1
    return prepare(...values)
  }
  const mail = (to: string, subject: string, link: string) => void mails.push({ to, subject, link })
  const options = {
    ...commonOptions,
    database,
    session: { freshAge: 600 },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 15,
      requireEmailVerification: true,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, url }) => mail(user.email, "Reset", url),
      onPasswordReset: async ({ user }) => mail(user.email, "Password changed", ""),
      onExistingUserSignUp: async ({ user }) => mail(user.email, "You have an account", ""),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, url }) => mail(user.email, "Verify", url),
    },
    plugins: [
      openIdProvider(idp),
      magicLink({ storeToken: "hashed", sendMagicLink: ({ email, url }) => mail(email, "Sign in", url) }),
      twoFactor({ issuer: "Compare" }),
    ],
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const { handler } = betterAuth(options)
  return {
    ...toSteps(mails),
    countCalls: () => calls.count,
    handle: handler,
    stolenHash: async (email) => {
      const query = "SELECT password FROM account JOIN user ON user.id = account.userId WHERE email = ?"
      return String(database.prepare(query).get(email)?.["password"])
    },
    guess: (hash, password) => verifyPassword({ hash, password }),
  }
}

const post = (browser: Browser, path: string, json: object): Promise<Response> =>
  browser.fetch(`/auth${path}`, { method: "POST", json })

const toSteps = (mails: readonly Mail[]): Omit<RuleApp, "handle" | "stolenHash" | "guess" | "countCalls"> => ({
  mails,
  signUp: (browser, email, password) =>
    post(browser, "/sign-up/email", { name: "", email, password, callbackURL: "/" }),
  openSignUpLink: async (browser, link) => void (await browser.open(link)),
  signIn: (browser, email, password) => post(browser, "/sign-in/email", { email, password }),
  signOut: (browser) => post(browser, "/sign-out", {}),
  async whoIs(browser) {
    const found = (await (await browser.fetch("/auth/get-session")).json()) as { user: { email: string } } | null
    return found?.user.email ?? null
  },
  forgot: (browser, email, callbackUrl = "/reset") =>
    post(browser, "/request-password-reset", { email, redirectTo: callbackUrl }),
  reset: (browser, link, newPassword) =>
    post(browser, "/reset-password", { newPassword, token: new URL(link).pathname.split("/").at(-1) }),
  change: (browser, currentPassword, newPassword) =>
    post(browser, "/change-password", { currentPassword, newPassword, revokeOtherSessions: true }),
  async enroll(browser, password) {
    const enabled = await post(browser, "/two-factor/enable", { password })
    const { totpURI, backupCodes } = (await enabled.json()) as { totpURI: string; backupCodes: readonly string[] }
    const key = new URL(totpURI).searchParams.get("secret") ?? ""
    const app = authenticatorApp(key)
    await post(browser, "/two-factor/verify-totp", { code: await app.code() })
    return { app, key, recoveryCodes: backupCodes }
  },
  verify: (browser, code, { isRemembered } = { isRemembered: false }) =>
    post(browser, "/two-factor/verify-totp", { code, trustDevice: isRemembered }),
  verifyRecoveryCode: (browser, code) => post(browser, "/two-factor/verify-backup-code", { code }),
  removeFactor: (browser, password) => post(browser, "/two-factor/disable", { password }),
  async renewCodes(browser, password) {
    const renewed = await post(browser, "/two-factor/generate-backup-codes", { password })
    const { backupCodes } = (await renewed.json()) as { backupCodes?: readonly string[] }
    return backupCodes ?? []
  },
  async signInByMail(browser, email) {
    await post(browser, "/sign-in/magic-link", { email, callbackURL: `${origin}/` })
    await browser.open(mails.findLast(({ to, subject }) => to === email && subject === "Sign in")?.link ?? "/")
  },
  startSignIn: async (browser) =>
    readTarget(await post(browser, "/sign-in/social", { provider: "oidc", callbackURL: `${origin}/` })),
  async forgeUpdate(browser) {
    await post(browser, "/update-user", { twoFactorEnabled: false })
  },
  readFactors: async (browser, { password }) => (await post(browser, "/two-factor/get-totp-uri", { password })).text(),
})
