import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import Passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { authenticatorApp, type Browser, passkeyClient, softwareAuthenticator, testEmail } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { begin, clients } from "./native-setup.js"
import { address, forget, openPasswords, password, pathOf, type Strategy, signIn } from "./password-setup.js"
import { post } from "./requests.js"
import { openFactors } from "./second-factor-setup.js"

/** A browser that shows a page, and the store behind it. */
export interface Shown {
  readonly browser: Browser
  readonly adapter: MemoryAdapter
}

/** Leads a new browser to a page, as its visitor comes there. */
type Open = (strategy: Strategy) => Promise<Shown>

type Options = Parameters<typeof openPasswords>[0]

/** A host with everything that has pages. */
function openAll(strategy: Strategy, options: Options = {}) {
  return openPasswords({
    strategy,
    accountArea: accountArea(),
    nativeApps: nativeApps({ clients }),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    others: [testEmail({ code: true }), Passkey()],
    ...options,
  })
}

const html = { headers: { accept: "text/html" } }

const visitor =
  (path: string, options?: Options): Open =>
  async (strategy) => {
    const { host, adapter } = openAll(strategy, options)
    await host.browser.open(path)
    return { browser: host.browser, adapter }
  }

/** Ada, signed in. */
async function openAda(strategy: Strategy, options?: Options) {
  const opened = openAll(strategy, options)
  return { ...opened, browser: await opened.signUp() }
}

const own =
  (path: string, options?: Options): Open =>
  async (strategy) => {
    const shown = await openAda(strategy, options)
    await shown.browser.open(path)
    return shown
  }

/** The page that a form of another page leads to. */
const after =
  (open: Open, selector: string, fields: Readonly<Record<string, string>> = {}): Open =>
  async (strategy) => {
    const shown = await open(strategy)
    await shown.browser.submit(selector, fields)
    return shown
  }

/** The page behind a mailed link, in a browser that did not ask for it. */
const linked =
  (ask: (browser: Browser) => Promise<unknown>, to = address, options?: Options): Open =>
  async (strategy) => {
    const { signUp, host, adapter, lastTo } = openAll(strategy, options)
    await ask(await signUp())
    const browser = host.newBrowser()
    await browser.open(pathOf(lastTo(to).link))
    return { browser, adapter }
  }

const keyOn = ({ page }: Browser): string => page?.find("code")?.text.replaceAll(" ", "") ?? ""

async function confirmKey({ browser }: Shown): Promise<void> {
  await browser.submit("form", { code: await authenticatorApp(keyOn(browser)).code() })
}

const setUp = own("/auth/account/factors?step=set-up")

const codes: Open = async (strategy) => {
  const shown = await setUp(strategy)
  await confirmKey(shown)
  return shown
}

/** A page that asks before something goes, by the link that leads there. */
const asked =
  (section: string, step: string): Open =>
  async (strategy) => {
    const opened = await openAda(strategy)
    const { browser, adapter, host } = opened
    const user = await adapter.getUserByEmail(address)
    await adapter.linkAccount({ provider: "email", providerAccountId: address, type: "email", userId: user?.id ?? "" })
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    await signIn(host.newBrowser())
    if (section === "factors") {
      await browser.open("/auth/account/factors?step=set-up")
      await confirmKey(opened)
      await browser.submit("form.form")
    }
    const page = await browser.open(`/auth/account/${section}`)
    const link = page.findAll("main a").find((each) => each.attribute("href")?.includes(`step=${step}`))
    await browser.open(link?.attribute("href") ?? `/auth/account/${section}?step=${step}`)
    return opened
  }

const section = (name: string): Open => own(`/auth/account/${name}`)
const signUp = visitor("/auth/password/sign-up")
const signUpCode = after(signUp, "form", { email: "new@example.com", password })
const moved = "moved@example.com"

async function move(browser: Browser): Promise<unknown> {
  return post(browser, "/auth/account/email", { action: "send", email: moved }, html)
}

/** Undoes a change of the address, after the code was typed. */
const undo: Open = async (strategy) => {
  const opened = await openAda(strategy)
  await move(opened.browser)
  const { code } = opened.lastTo(moved)
  await post(opened.browser, "/auth/account/email", { action: "confirm", code }, html)
  const browser = opened.host.newBrowser()
  await browser.open(pathOf(opened.lastTo(address).link))
  return { browser, adapter: opened.adapter }
}

const resetCode: Open = async (strategy) => {
  const { host, adapter, signUp: createAda } = openAll(strategy)
  await createAda()
  await forget(host.browser)
  await host.browser.open("/auth/password/reset")
  return { browser: host.browser, adapter }
}

/** A sign-in by password that waits, at the page that asks for what is missing. */
const waiting =
  (secondFactor: "required" | "enrolled" | "passkey", path = "/auth/second-factor"): Open =>
  async (strategy) => {
    const isRequired = secondFactor !== "enrolled"
    const hosting = await openFactors({ strategy, secondFactor: { require: isRequired ? "always" : "enrolled" } })
    const { adapter, host } = hosting
    if (secondFactor === "enrolled") await hosting.enroll()
    if (secondFactor === "passkey") {
      const key = { credentialID: "a2V5", providerAccountId: "a2V5", userId: "u-ada", credentialPublicKey: "a2V5" }
      const facts = { counter: 0, credentialDeviceType: "singleDevice", credentialBackedUp: false, transports: null }
      await adapter.createAuthenticator({ ...key, ...facts })
      await adapter.linkAccount({ provider: "passkey", providerAccountId: "a2V5", type: "webauthn", userId: "u-ada" })
    }
    const browser = await hosting.signIn(host.newBrowser())
    await browser.open(path)
    return { browser, adapter }
  }

const failedSignIn: Open = async (strategy) => {
  const { host, adapter } = openAll(strategy)
  const { location } = await signIn(host.browser)
  await host.browser.open(location ?? "")
  return { browser: host.browser, adapter }
}

const mailRequest = (browser: Browser) => browser.signIn("email", { email: "new@example.com" })

const checkMail: Open = async (strategy) => {
  const { host, adapter } = openAll(strategy)
  await mailRequest(host.browser)
  return { browser: host.browser, adapter }
}

/** The page of a sign-in link in another browser. */
const signInLink =
  (opening: "confirm" | "code"): Open =>
  async (strategy) => {
    const { host, adapter } = openAll(strategy, { others: [testEmail({ code: true, opening })] })
    await mailRequest(host.newBrowser())
    await host.browser.open(host.mailbox.lastLink())
    return { browser: host.browser, adapter }
  }

const frame = "features/account-area/"

/** Every page of every journey, by its heading, or by what it shows. The functions are those that show it. */
export const pages: Readonly<Record<string, readonly [by: string, open: Open]>> = {
  "the sign-in page": ["actions/signin.ts#showSignInPage", visitor("/auth/signin")],
  "a failed sign-in": ["actions/signin.ts#showWithExtras", failedSignIn],
  "the error page": ["actions/error.ts#showErrorPage", visitor("/auth/error?error=AccessDenied")],
  "an unknown path": ["actions/refuse.ts#showUnknownPath", visitor("/auth/nothing")],
  "the sign-out page": ["features/sign-out.ts#showSignOutPage", own("/auth/signout")],
  "check your email": ["actions/verify-request.ts#showVerifyRequestPage", checkMail],
  "a sent code that was wrong": [
    "actions/verify-request.ts#showVerifyRequestPage",
    after(checkMail, 'form[action*="callback/email"]', { code: "000000" }),
  ],
  "a sign-in link": ["actions/link-page.ts#showLinkPage", signInLink("confirm")],
  "a link that shows its code": ["actions/link-page.ts#showLinkPage", signInLink("code")],
  "sign-up": ["methods/password/sign-up.ts#show", signUp],
  "sign-up, refused": ["methods/password/sign-up.ts#show", after(signUp, "form", { email: "x@x.test", password: "x" })],
  "sign-up, code": ["methods/password/sign-up.ts#show", signUpCode],
  "sign-up, wrong code": ["methods/password/sign-up.ts#show", after(signUpCode, "form", { code: "000000" })],
  "sign-up, link": ["methods/password/sign-up.ts#show", linked(beginSignUp, "new@example.com")],
  "sign-up, link, refused": [
    "methods/password/sign-up.ts#show",
    after(linked(beginSignUp, "new@example.com"), "form", { password: "x" }),
  ],
  "forgotten password": ["methods/password/reset.ts#showForgotForm", visitor("/auth/password/forgot")],
  "forgotten password, refused": [
    "methods/password/reset.ts#showForgotForm",
    after(visitor("/auth/password/forgot"), "form", { email: "no address" }),
  ],
  "reset, code": ["methods/password/reset.ts#showResetForm", resetCode],
  "reset, refused": [
    "methods/password/reset.ts#showResetForm",
    after(resetCode, "form", { code: "000000", password: "x" }),
  ],
  "reset, link": ["methods/password/reset.ts#showResetForm", linked(forget)],
  "reset, link, refused": ["methods/password/reset.ts#showResetForm", after(linked(forget), "form", { password: "x" })],
  "change of the password": ["methods/password/change.ts#showForm", own("/auth/password/change")],
  "change of the password, refused": [
    "methods/password/change.ts#showForm",
    after(own("/auth/password/change"), "form", { current: "wrong", password }),
  ],
  "change of the password, done": [
    "methods/password/change.ts#showForm",
    after(own("/auth/password/change"), "form", { current: password, password: "another staple of words" }),
  ],
  "account area": [`${frame}page.tsx#showOverview`, own("/auth/account")],
  "account area, other path": [`${frame}page.tsx#showNotFound`, own("/auth/account/export", { accountArea: few() })],
  profile: [`${frame}page.tsx#showSection`, section("profile")],
  "profile, saved": [`${frame}page.tsx#showSection`, after(section("profile"), "main form", { name: "Ada" })],
  "profile, refused": [
    `${frame}page.tsx#showSection`,
    after(section("profile"), "main form", { name: "Typed", image: "javascript:1" }),
  ],
  email: [`${frame}page.tsx#showSection`, section("email")],
  "email, refused": [`${frame}page.tsx#showSection`, after(section("email"), "main form", { email: "no address" })],
  "email, code": [`${frame}page.tsx#showSection`, after(section("email"), "main form", { email: moved })],
  "email, wrong code": [
    `${frame}page.tsx#showSection`,
    after(after(section("email"), "main form", { email: moved }), "main form", { code: "000000" }),
  ],
  methods: [`${frame}page.tsx#showSection`, section("methods")],
  passkeys: [`${frame}page.tsx#showSection`, section("passkeys")],
  factors: [`${frame}page.tsx#showSection`, section("factors")],
  password: [`${frame}page.tsx#showSection`, section("password")],
  sessions: [`${frame}page.tsx#showSection`, section("sessions")],
  export: [`${frame}page.tsx#showSection`, section("export")],
  delete: [`${frame}page.tsx#showSection`, section("delete")],
  "delete, refused": [`${frame}page.tsx#showSection`, after(section("delete"), "main form", { confirm: "else" })],
  "delete, done": [`${frame}delete.tsx#showEnd`, after(section("delete"), "main form", { confirm: address })],
  "delete, planned": [
    `${frame}delete.tsx#showEnd`,
    after(own("/auth/account/delete", { accountArea: accountArea({ deleteAfterDays: 7 }) }), "main form", {
      confirm: address,
    }),
  ],
  "methods, unlink": [`${frame}page.tsx#showQuestion`, asked("methods", "unlink")],
  "passkeys, remove": [`${frame}page.tsx#showQuestion`, asked("passkeys", "remove")],
  "factors, remove": [`${frame}page.tsx#showQuestion`, asked("factors", "remove")],
  "factors, renew-codes": [`${frame}page.tsx#showQuestion`, asked("factors", "renew-codes")],
  "sessions, end-others": [`${frame}page.tsx#showQuestion`, asked("sessions", "end-others")],
  "undo of an address": [`${frame}email-undo.tsx#show`, undo],
  "undo of an address, done": [`${frame}email-undo.tsx#showDone`, after(undo, "main form")],
  "undo of an address, spent": [
    `${frame}email-undo.tsx#showSpent`,
    visitor("/auth/account/email/undo?change=email:0&token=0"),
  ],
  "factors, set-up": ["features/second-factors/enrollment-pages.ts#showSetup", setUp],
  "factors, set-up, wrong code": [
    "features/second-factors/enrollment-pages.ts#showSetup",
    after(setUp, "form", { code: "000000" }),
  ],
  "recovery codes": ["features/second-factors/enrollment-pages.ts#showCodes", codes],
  "recovery codes, saved": [
    "features/second-factors/enrollment-pages.ts#showCodes",
    async (strategy) => {
      const shown = await after(codes, "form.form")(strategy)
      await shown.browser.open("/auth/second-factor/codes")
      return shown
    },
  ],
  "a sign-in that waits for an app": ["features/second-factors/routes.ts#showFactor", waiting("enrolled")],
  "a sign-in that waits for a recovery code": [
    "features/second-factors/routes.ts#showFactor",
    waiting("enrolled", "/auth/second-factor?kind=recovery"),
  ],
  "a sign-in whose code was wrong": [
    "features/second-factors/routes.ts#showFactor",
    after(waiting("enrolled"), "form", { code: "000000" }),
  ],
  "a sign-in that has to set up an app": ["features/second-factors/enrollment-pages.ts#showSetup", waiting("required")],
  "a sign-in that waits for another way in": ["features/second-factors/routes.ts#showWays", waiting("passkey")],
  "confirm it's you": ["features/second-factors/confirm.ts#show", own("/auth/confirm?again=true&max_age=1")],
  "a native app's question": ["features/native-apps/authorize.ts#askConsent", own(begin().path)],
  "a native app's mistake": ["actions/refuse.ts#showInvalidRequest", own("/auth/native?client_id=none")],
}

function beginSignUp(browser: Browser): Promise<unknown> {
  return post(browser, "/auth/password/sign-up", { email: "new@example.com", password }, html)
}

function few() {
  return accountArea({ sections: ["profile"] })
}
