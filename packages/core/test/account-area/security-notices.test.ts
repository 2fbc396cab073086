import { removePasskey, unlinkAccount } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import type { AddressedMail } from "@latchkey/core/providers/passwords"
import { createRecoveryCodes, removeFactor } from "@latchkey/core/second-factors"
import { authenticatorApp, type Browser, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { call, idOf, openArea, read, strategies } from "../setup/area-setup.js"
import { passTime } from "../setup/fake-timers.js"
import { ask, post } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const ada = "ada@example.com"
const oauth = { action: "unlink", provider: "oauth", id: "ada-1" }
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

async function open(options: Parameters<typeof openArea>[0] = {}, fail?: Error) {
  const mails: AddressedMail[] = []
  const send = async (mail: AddressedMail) => {
    if (fail) throw fail
    mails.push(mail)
  }
  const opened = await openArea({ kind: "guarded", area: { mail: { send } }, ...options })
  const browser = await opened.signIn()
  const subjects = () => mails.map(({ to, subject }) => `${to}: ${subject}`)
  return { ...opened, browser, mails, subjects }
}

async function enroll(browser: Browser): Promise<void> {
  const { ticket, secret } = (await call(browser, "factors", { action: "begin-totp" })).json() as {
    ticket: string
    secret: string
  }
  await call(browser, "factors", { action: "confirm-totp", ticket, code: await authenticatorApp(secret).code() })
}

const idOfFactor = async (browser: Browser, kind: string): Promise<string> => {
  const { factors } = (await read(browser, "/factors")).json() as { factors: { id: string; kind: string }[] }
  return factors.find((factor) => factor.kind === kind)?.id ?? ""
}

const toRequest = (browser: Browser, url = "https://app.test/api"): Request =>
  new Request(url, { headers: { cookie: cookiesOf(browser), "user-agent": firefox } })

describe.each(strategies)("notices with %s sessions", (strategy) => {
  it.each([
    ["are sent after the answer", undefined],
    ["are logged when they fail after the answer", new Error("The mail server hung up")],
  ])("NOTE-06: of a slow mail server %s", async (_, fault) => {
    const sent: string[] = []
    let finish = () => {}
    const send = async ({ subject }: AddressedMail) => {
      await new Promise<void>((resolve, reject) => {
        finish = () => (fault ? reject(fault) : resolve())
      })
      sent.push(subject)
    }
    const { host, browser } = await open({ strategy, area: { mail: { send } } })
    const csrfToken = await browser.csrfToken()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const answer = await passTime(
      ask(host, "/auth/account/methods", {
        cookie: cookiesOf(browser),
        form: { csrfToken, ...oauth },
        headers: { accept: "application/json" },
      }),
    )
    expect([answer.status, sent]).toEqual([200, []])
    const before = host.logger.errors.length
    finish()
    await new Promise((resolve) => setImmediate(resolve))
    expect([sent.length, host.logger.errors.length - before]).toEqual(fault ? [0, 1] : [1, 0])
  })

  it("NOTE-01: tell about each second factor and set of recovery codes, one mail for each change", async () => {
    const { browser, subjects } = await open({ strategy, lacks: [] })
    await enroll(browser)
    await call(browser, "factors", { action: "create-recovery-codes" })
    await call(browser, "factors", { action: "remove", id: await idOfFactor(browser, "recovery") })
    await call(browser, "factors", { action: "remove", id: "unknown" })
    await call(browser, "factors", { action: "remove", id: await idOfFactor(browser, "totp") })
    expect(subjects()).toEqual([
      `${ada}: An authenticator app was added to your account at app.test`,
      `${ada}: New recovery codes for your account at app.test`,
      `${ada}: The recovery codes of your account at app.test were removed`,
      `${ada}: An authenticator app was removed from your account at app.test`,
    ])
  })

  it("NOTE-01: tell about accounts and passkeys that are added and removed", async () => {
    const { browser, subjects, adapter } = await open({ strategy })
    await browser.signIn("oidc")
    await browser.signIn("oidc")
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    const [key] = await adapter.listAuthenticatorsByUserId(idOf("ada"))
    await call(browser, "passkeys", { action: "remove", id: key?.credentialID ?? "" })
    await call(browser, "methods", oauth)
    await call(browser, "methods", oauth)
    expect(subjects()).toEqual([
      `${ada}: Test identity provider was added to your account at app.test`,
      `${ada}: A passkey was added to your account at app.test`,
      `${ada}: A passkey was removed from your account at app.test`,
      `${ada}: Test OAuth provider was removed from your account at app.test`,
    ])
  })

  it("NOTE-01: tell about changes by the functions for servers", async () => {
    const { browser, subjects, adapter, host } = await open({ strategy })
    await enroll(browser)
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    const [key] = await adapter.listAuthenticatorsByUserId(idOf("ada"))
    const before = subjects().length
    await unlinkAccount(toRequest(browser), host.config, { provider: "oauth", providerAccountId: "ada-1" })
    await removePasskey(toRequest(browser), host.config, key?.credentialID ?? "")
    await createRecoveryCodes(toRequest(browser), host.config)
    await removeFactor(toRequest(browser), host.config, await idOfFactor(browser, "totp"))
    expect(subjects().slice(before)).toEqual([
      `${ada}: Test OAuth provider was removed from your account at app.test`,
      `${ada}: A passkey was removed from your account at app.test`,
      `${ada}: New recovery codes for your account at app.test`,
      `${ada}: An authenticator app was removed from your account at app.test`,
    ])
  })

  it("NOTE-01: tell about an account that is linked by its address", async () => {
    const providers: Parameters<typeof openArea>[0] = {
      strategy,
      providers: ({ idp }) => [idp.provider({ allowDangerousEmailAccountLinking: true })],
    }
    const { host, subjects } = await open(providers)
    await host.newBrowser().signIn("oidc")
    expect(subjects()).toEqual([`${ada}: Test identity provider was added to your account at app.test`])
  })
})

describe("notices", () => {
  it("NOTE-02: go to no address that is not verified, and to no one who signs up", async () => {
    const { browser, host, mails, adapter } = await open()
    await adapter.updateUser({ id: idOf("ada"), emailVerified: null })
    await enroll(browser)
    await adapter.updateUser({ id: idOf("ada"), email: "ada@old.example" })
    await host.newBrowser().signIn("oidc")
    expect(host.events.of("createUser")).toHaveLength(1)
    expect(mails).toEqual([])
    await adapter.updateUser({ id: idOf("ada"), emailVerified: new Date(), email: "ada@new.example" })
    await call(browser, "methods", oauth)
    expect(mails.map(({ to }) => to)).toEqual(["ada@new.example"])
  })

  it("NOTE-03: are limited for each user, and the change is made all the same", async () => {
    const rateLimit = { budgets: { noticesPerUser: { limit: 1, windowSeconds: 60 } } }
    const { browser, mails, host, adapter } = await open({ rateLimit })
    await enroll(browser)
    expect((await call(browser, "methods", oauth)).status).toBe(200)
    expect(await adapter.listAccountsByUserId(idOf("ada"))).toEqual([])
    expect(mails).toHaveLength(1)
    expect(host.logger.warnings).toContain("mail-withheld")
  })

  it("NOTE-04: undo and block nothing if the mail server fails", async () => {
    const { browser, host, adapter } = await open({}, new Error("The mail server is away"))
    expect((await call(browser, "methods", oauth)).status).toBe(200)
    expect(await adapter.listAccountsByUserId(idOf("ada"))).toEqual([])
    expect(host.events.of("accountUnlinked")).toHaveLength(1)
    expect(host.logger.errors).toEqual([expect.objectContaining({ type: "EmailSignInError" })])
  })

  it("NOTE-05: say when and where, and have no link but that of the account page", async () => {
    const { browser, mails } = await open({ theme: { name: "Harbour" } })
    await browser.fetch("/auth/account/methods", { headers: { "user-agent": firefox } })
    await post(browser, "/auth/account/methods", oauth, {
      headers: { accept: "application/json", "user-agent": firefox },
    })
    const [mail] = mails
    expect(mail?.text.match(/https?:\/\/\S+/g)).toEqual(["https://app.test/auth/account"])
    expect(mail?.text).toMatch(/^Time: \w+ \d+, \d{4} at \d+:\d\d [AP]M UTC\nDevice: Firefox on Linux$/mu)
    expect(mail?.text).toContain("If you can no longer sign in, contact Harbour.")
    expect(mail?.html).toContain("Device: Firefox on Linux")
  })

  it("NOTE-05: link to no host that only the request names", async () => {
    const { browser, mails, host } = await open({ allowedOrigins: ["https://app.test"] })
    const account = { provider: "oauth", providerAccountId: "ada-1" }
    expect(await unlinkAccount(toRequest(browser, "https://evil.test/api"), host.config, account)).toBe(true)
    expect(mails).toEqual([])
  })

  it("are in the language of the request", async () => {
    const { browser, mails } = await open({ languages: languages([de], { locale: () => "de" }) })
    await call(browser, "methods", oauth)
    expect(mails[0]?.subject).toBe("Test OAuth provider wurde aus Ihrem Konto bei app.test entfernt")
    expect(mails[0]?.text).toMatch(/^Zeit: \d+\. \p{L}+ \d{4} um \d+:\d\d UTC$/mu)
  })

  it("warn once without anything that sends mails, and are turned off by `securityNotices: false`", async () => {
    const silent = await open({ area: {} })
    await call(silent.browser, "methods", oauth)
    await enroll(silent.browser)
    expect(silent.host.logger.warnings.filter((code) => code === "notice-not-sent")).toHaveLength(1)
    const off = await open({ area: {}, securityNotices: false })
    await call(off.browser, "methods", oauth)
    expect(off.host.logger.warnings).not.toContain("notice-not-sent")
  })
})
