import { type LazyLanguage, languages } from "@latchkey/core/languages"
import { ar } from "@latchkey/core/languages/ar"
import { de } from "@latchkey/core/languages/de"
import { type AuthenticatorOptions, type Browser, memoryAdapter, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { accountMessages } from "../../src/features/account-area/messages.js"
import { authenticators, findAuthenticator } from "../../src/methods/webauthn/passkey-name.js"
import { deviceMessages } from "../../src/session/device.js"
import { createVisitor, openPasskeys, type PasskeyHostOptions, strategies } from "../setup/passkey-setup.js"
import { readAnswer } from "../setup/requests.js"

const onePassword = "bada5566-a7aa-401f-bd96-45619a55120d"
const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0"

/** Registers as a library would, with the headers that a browser adds. */
async function register(
  browser: Browser,
  device: AuthenticatorOptions,
  headers: Readonly<Record<string, string>> = {},
) {
  const query = new URLSearchParams({ action: "register", email: "ada@corp.test" })
  const { options } = await (await browser.fetch(`/auth/webauthn-options/passkey?${query}`)).json()
  const data = JSON.stringify(await softwareAuthenticator(device).create(options))
  const body = new URLSearchParams({
    csrfToken: await browser.csrfToken(),
    callbackUrl: "/in",
    action: "register",
    data,
  })
  return readAnswer(await browser.fetch("/auth/callback/passkey", { method: "POST", body, headers }))
}

/** The name of the passkey with which someone signed up. */
async function nameAfter(
  device: AuthenticatorOptions,
  headers?: Readonly<Record<string, string>>,
  options?: PasskeyHostOptions,
): Promise<string | null | undefined> {
  const { host, adapter } = openPasskeys(options)
  const browser = host.newBrowser()
  expect((await register(browser, device, headers)).location).toBe("https://app.test/in")
  const user = await adapter.getUserByEmail("ada@corp.test")
  const [key] = await adapter.listAuthenticatorsByUserId(user?.id ?? "")
  return key?.name
}

describe("the name of a new passkey", () => {
  it.each([
    ["1Password", onePassword],
    ["Bitwarden", "d548826e-79b4-db40-a3d8-11116f7e8349"],
    ["iCloud Keychain", "fbfc3007-154e-4ecc-8c0b-6e020557d7bd"],
    ["Google Password Manager", "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"],
    ["Windows Hello", "08987058-cadc-4b81-b6e1-30de50dcbe96"],
    ["YubiKey 5 NFC", "2fc0579f-8113-47ea-b116-bb5a8db9202a"],
  ])("is that of its authenticator, %s, if the model is known", async (name, aaguid) => {
    expect(await nameAfter({ aaguid }, { "user-agent": firefox })).toBe(name)
  })

  it.each([
    ["zeros, as without attestation", undefined],
    ["an unknown one", "12345678-1234-1234-1234-123456789abc"],
  ])("is that of the browser if the model is %s", async (_, aaguid) => {
    expect(await nameAfter({ aaguid }, { "user-agent": firefox })).toBe("Firefox on Windows")
  })

  it.each([
    ["de-AT", "Firefox auf Windows"],
    ["ar", "Firefox على Windows"],
    ["sv", "Firefox on Windows"],
  ])("is in the language of the request: %s", async (language, name) => {
    const lazy: LazyLanguage = { tag: "ar", load: async () => ar }
    const headers = { "user-agent": firefox, "accept-language": language }
    expect(await nameAfter({}, headers, { languages: languages([de, lazy]) })).toBe(name)
  })

  it("is written as in the list of sessions", () => {
    expect(accountMessages).toMatchObject(deviceMessages)
  })

  it("is missing if nothing is known, and never contains what a browser calls itself", async () => {
    expect(await nameAfter({})).toBeUndefined()
    expect(await nameAfter({}, { "user-agent": "<b>Evil</b> \u00ff" })).toBeUndefined()
    expect(await nameAfter({}, { "user-agent": "<b>Evil</b> Firefox/1" })).toBe("Firefox")
  })

  it("is not passed to `createAuthenticator`, and is missing in a store that cannot keep it", async () => {
    // as: a store without the method.
    const lacking: PasskeyHostOptions = { adapter: { updateAuthenticator: undefined as never } }
    expect(await nameAfter({ aaguid: onePassword }, {}, lacking)).toBeUndefined()
    const given: object[] = []
    const stored = memoryAdapter()
    const createAuthenticator: typeof stored.createAuthenticator = (authenticator) => {
      given.push(authenticator)
      return stored.createAuthenticator(authenticator)
    }
    const { host } = openPasskeys({ adapter: { ...stored, createAuthenticator } })
    await register(host.newBrowser(), { aaguid: onePassword })
    expect(given).toHaveLength(1)
    expect(given[0]).not.toHaveProperty("name")
  })

  it("does not prevent the sign-in if the store fails to keep it", async () => {
    const updateAuthenticator = () => Promise.reject(new Error("the table is read-only"))
    const { host, adapter } = openPasskeys({ adapter: { updateAuthenticator } })
    const browser = host.newBrowser()
    expect((await register(browser, { aaguid: onePassword })).location).toBe("https://app.test/in")
    expect((await browser.session())?.user?.email).toBe("ada@corp.test")
    expect(adapter.calls.filter(({ method }) => method === "createAuthenticator")).toHaveLength(1)
    expect(host.logger.texts().join()).toContain("the table is read-only")
  })
})

describe.each(strategies)("the names of passkeys, with %s sessions", (strategy) => {
  it("are given to those that a signed-in user adds, and stay as the user changes them", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const user = visitor({ aaguid: onePassword })
    await user.signInByPassword()
    await user.register()
    const [key] = await adapter.listAuthenticatorsByUserId("u-v")
    expect(key?.name).toBe("1Password")
    await adapter.updateAuthenticator({ credentialID: key?.credentialID ?? "", name: "Mine" })
    const again = createVisitor({ browser: host.newBrowser(), device: user.device, path: "passkey", adapter })
    expect((await again.signIn()).location).toBe("https://app.test/in")
    expect((await adapter.listAuthenticatorsByUserId("u-v")).map(({ name }) => name)).toEqual(["Mine"])
  })
})

describe("the list of authenticators", () => {
  it("has each model once, with a short name", () => {
    const models = Object.values(authenticators).flatMap((ids) => ids.trim().split(/\s+/))
    expect(models.filter((id) => !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toEqual([])
    expect(new Set(models).size).toBe(models.length)
    for (const name of Object.keys(authenticators)) {
      expect(name).toMatch(/^[\w -]{3,40}$/)
      for (const id of authenticators[name]?.trim().split(/\s+/) ?? []) expect(findAuthenticator(id)).toBe(name)
    }
  })

  it("knows neither zeros nor a part of a model's ID", () => {
    for (const id of ["00000000-0000-0000-0000-000000000000", "", "-", onePassword.slice(0, 8), `${onePassword} `]) {
      expect(findAuthenticator(id)).toBeUndefined()
    }
  })
})
