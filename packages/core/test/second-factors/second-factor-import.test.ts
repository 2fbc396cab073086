import { Auth } from "@latchkey/core"
import { importFactor, importRecoveryCodes, passkeyFactor, recoveryCodes, totp } from "@latchkey/core/second-factors"
import type { AuthConfig } from "@latchkey/core/types"
import { authenticatorApp, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it, vi } from "vitest"
import { requestTo } from "../setup/requests.js"
import {
  address,
  begin,
  change,
  type FactorHost,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
} from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const user = "u-ada"
/** Made by Better Auth 1.7.25, whose keys are the bytes of a text, for one user. */
const betterAuth = {
  secret: "KZGWIVRWHFGGGWSOGE4DORS2PJYWY5ZZPFSXESCCJJMUC3CONA2A",
  codes: ["UeTjN-BiXNY", "Opw9s-Fjkok", "gzmHf-GQyQc", "0kBtf-LkgZz", "inkSs-Lj4Xp"],
}
const [code = "", other = ""] = betterAuth.codes

const configOf = ({ host }: FactorHost) => host.config as AuthConfig
const importApp = (hosting: FactorHost, given: object = {}, id = user) =>
  importFactor(configOf(hosting), id, { kind: "totp", secret: betterAuth.secret, ...given })
const importCodes = (hosting: FactorHost, codes: readonly string[] = betterAuth.codes, id = user) =>
  importRecoveryCodes(configOf(hosting), id, codes)

/** An opened host whose user is asked for a second factor. */
async function openImported(options: Parameters<typeof openFactors>[0] = {}) {
  const hosting = await openFactors(options)
  expect([await importApp(hosting), await importCodes(hosting)]).toEqual([true, true])
  return hosting
}

describe("a second factor of another system", () => {
  it("is asked for at the next sign-in, and accepted once", async () => {
    using _clock = fixedClock()
    const hosting = await openImported()
    const app = authenticatorApp(betterAuth.secret)
    const browser = await hosting.signIn()
    expect(hasSessionCookie(browser)).toBe(false)
    await give(browser, await app.code())
    expect((await browser.session())?.user?.email).toBe(address)
    const again = await hosting.signIn()
    await give(again, await app.code())
    expect(hasSessionCookie(again)).toBe(false)
  })

  it("is stored sealed: its key and codes are not in the store", async () => {
    const hosting = await openImported()
    const stored = JSON.stringify(await hosting.adapter.listFactors(user))
    for (const secret of [betterAuth.secret, ...betterAuth.codes]) expect(stored).not.toContain(secret)
  })

  it("has recovery codes that are accepted as the user reads them, once", async () => {
    using _clock = fixedClock()
    const hosting = await openImported()
    const use = async (typed: string) => {
      const browser = await hosting.signIn()
      await give(browser, typed, "recovery")
      return hasSessionCookie(browser)
    }
    expect([await use(code), await use(code)]).toEqual([true, false])
    expect([await use(` ${other.toLowerCase().replace("-", " ")}`), await use(other)]).toEqual([true, false])
    expect(await use(betterAuth.codes[2]?.replace("-", "").toUpperCase() ?? "")).toBe(true)
    const browser = await hosting.signIn()
    await give(browser, betterAuth.codes[3] ?? "", "recovery")
    expect((await listOwn(browser)).map(({ kind, codesLeft }) => [kind, codesLeft])).toEqual([
      ["totp", null],
      ["recovery", 1],
    ])
  })

  it("FAC-16: is imported once, also by two imports at once", async () => {
    const hosting = await openFactors()
    const apps = await Promise.all([importApp(hosting), importApp(hosting, { secret: "JBSWY3DPEHPK3PXP" })])
    const sets = await Promise.all([importCodes(hosting), importCodes(hosting, ["12345678"])])
    expect([...apps, ...sets].sort()).toEqual([false, false, true, true])
    const rows = await hosting.adapter.listFactors(user)
    expect(rows.map(({ kind }) => kind).sort()).toEqual(["recovery", "totp"])
    expect([await importApp(hosting), await importCodes(hosting)]).toEqual([false, false])
    expect(await hosting.adapter.listFactors(user)).toEqual(rows)
  })

  it("FAC-16: changes nothing for a user who has set up a factor here", async () => {
    const hosting = await openFactors()
    await hosting.enroll()
    const rows = await hosting.adapter.listFactors(user)
    expect([await importApp(hosting), await importCodes(hosting)]).toEqual([false, false])
    expect(await hosting.adapter.listFactors(user)).toEqual(rows)
  })

  it.each(["nobody", "", "__proto__"])("FAC-16: is refused for the unknown user %j", async (id) => {
    const hosting = await openFactors()
    await expect(importApp(hosting, {}, id)).rejects.toThrow("userId: there is no user with this id")
    await expect(importCodes(hosting, undefined, id)).rejects.toThrow("userId: there is no user with this id")
  })
})

describe("importFactor()", () => {
  it.each([
    ["short", { secret: "JBSWY3DPEHPK3PX" }],
    ["empty", { secret: "" }],
    ["with other digits than base32 has", { secret: "JBSWY3DPEHPK3PX1" }],
    ["in hexadecimal", { secret: "3132333435363738393031323334353637383930" }],
    ["of a length that base32 never has", { secret: `${betterAuth.secret}AA` }],
    ["of 10 MB", { secret: "A".repeat(10_000_000) }],
    ["of 10 MB of spaces", { secret: " ".repeat(10_000_000) }],
    ["longer than 128 bytes", { secret: "A".repeat(208) }],
    ["with a NUL", { secret: `${betterAuth.secret}\0` }],
    ["in letters of another alphabet", { secret: "ＫＺＧＷＩＶＲＷＨＦＧＧＧＷＳＯ" }],
    ["missing", { secret: undefined }],
    ["in bytes", { secret: new Uint8Array(20) }],
  ])("FAC-16: refuses a key that is %s, without quoting it", async (_, given) => {
    const hosting = await openFactors()
    const refusal = importApp(hosting, given)
    await expect(refusal).rejects.toThrow(/^factor\.secret: must be a key in base32, of 10 to 128 bytes$/)
    await expect(refusal).rejects.toMatchObject({ type: "InvalidRequest" })
    expect(await hosting.adapter.listFactors(user)).toEqual([])
  })

  it.each([
    [{ digits: 8 }, "factor.digits: must be 6."],
    [{ digits: "6" }, "factor.digits: must be 6."],
    [{ period: 60 }, "factor.period: must be 30."],
    [{ algorithm: "SHA256" }, 'factor.algorithm: must be "SHA1".'],
    [{ algorithm: "SHA-512" }, 'factor.algorithm: must be "SHA1".'],
    [{ kind: "sms" }, 'factor.kind: must be "totp"'],
  ])("FAC-16: refuses an app with %j, whose codes would be wrong", async (given, message) => {
    const hosting = await openFactors()
    await expect(importApp(hosting, given)).rejects.toThrow(message)
    expect(await hosting.adapter.listFactors(user)).toEqual([])
  })

  it.each([
    ["spaces and hyphens", "kzgw ivrw-hfgg gwso ge4d ors2 pjyw y5zz pfsx escc jjmu c3co na2a"],
    ["padding", `${betterAuth.secret}====`],
  ])("accepts a key with %s", async (_, secret) => {
    using _clock = fixedClock()
    const hosting = await openFactors()
    expect(await importApp(hosting, { secret, digits: 6, period: 30, algorithm: "sha-1" })).toBe(true)
    const browser = await hosting.signIn()
    await give(browser, await authenticatorApp(betterAuth.secret).code())
    expect(hasSessionCookie(browser)).toBe(true)
  })

  it("keeps a label of at most 64 characters, and sends an event", async () => {
    const factorAdded = vi.fn()
    const hosting = await openFactors({ events: { factorAdded } })
    await importApp(hosting, { label: ` ${"n".repeat(80)}` })
    await importCodes(hosting)
    expect((await hosting.adapter.listFactors(user))[0]?.label).toBe("n".repeat(64))
    expect(factorAdded.mock.calls).toEqual([[{ userId: user, kind: "totp" }], [{ userId: user, kind: "recovery" }]])
  })

  it("needs second factors and, for codes, recoveryCodes() in the configuration", async () => {
    const hosting = await openFactors()
    const without = await openFactors({ secondFactor: { factors: [totp()] } })
    await expect(importCodes(without)).rejects.toThrow("secondFactors.factors: add recoveryCodes() to the list")
    const { secondFactors: _, ...none } = configOf(hosting)
    await expect(importFactor(none, user, { kind: "totp", secret: betterAuth.secret })).rejects.toThrow(
      "secondFactors: there are no second factors",
    )
    await expect(importRecoveryCodes(none, user, betterAuth.codes)).rejects.toThrow(
      "secondFactors: there are no second factors",
    )
  })

  it("FAC-16: forgets the devices that the user had remembered before", async () => {
    const hosting = await openFactors()
    const device = { id: "d", userId: user, kind: "device", secret: "s", label: null, lastStep: null, version: 0 }
    await hosting.adapter.createFactor({ ...device, createdAt: new Date(), lastUsedAt: null })
    await importApp(hosting)
    expect((await hosting.adapter.listFactors(user)).map(({ kind }) => kind)).toEqual(["totp"])
  })

  it("tells of a store that fails", async () => {
    const hosting = await openFactors()
    vi.spyOn(hosting.adapter, "createFactor").mockRejectedValue(new Error("down"))
    const config = { ...configOf(hosting), adapter: hosting.adapter }
    const added = importFactor(config, user, { kind: "totp", secret: betterAuth.secret })
    await expect(added).rejects.toMatchObject({ type: "AdapterError" })
  })
})

describe("importRecoveryCodes()", () => {
  it.each([
    ["no code", [], "codes: must be a list of 1 to 50 recovery codes"],
    ["51 codes", Array.from({ length: 51 }, (_, n) => `code-${n + 1000}`), "codes: must be a list of 1 to 50"],
    ["no list", "UeTjN-BiXNY", "codes: must be a list of 1 to 50 recovery codes"],
    ["a short code", [...betterAuth.codes, "1234-567"], "codes: each must be text of 8 to 64"],
    ["an empty code", [""], "codes: each must be text of 8 to 64"],
    ["hyphens only", ["----------"], "codes: each must be text of 8 to 64"],
    ["a code of 65 characters", ["a".repeat(65)], "codes: each must be text of 8 to 64"],
    ["a code of 10 MB", ["a".repeat(10_000_000)], "codes: each must be text of 8 to 64"],
    ["a code with a NUL", ["UeTjN\0BiXNY"], "codes: each must be text of 8 to 64"],
    ["a code in another alphabet", ["ÄÖÜäöüßßß"], "codes: each must be text of 8 to 64"],
    ["a number", [1234567890], "codes: each must be text of 8 to 64"],
    ["null", [null], "codes: each must be text of 8 to 64"],
    ["a code twice", [code, other, code], "codes: two are the same"],
    ["a code in two cases", [code, code.toLowerCase()], "codes: two are the same"],
    ["codes that look alike", ["O1234567", "01234567"], "codes: two are the same"],
  ])("FAC-16: refuses %s, without quoting it", async (_, codes, message) => {
    const hosting = await openFactors()
    await importApp(hosting)
    const refusal = importRecoveryCodes(configOf(hosting), user, codes as string[]) // as: apps in JavaScript
    await expect(refusal).rejects.toThrow(message)
    await expect(refusal).rejects.not.toThrow(/UeTjN|1234567\b/)
    expect(await hosting.adapter.listFactors(user)).toHaveLength(1)
  })

  it("refuses the codes of a user without another factor: there is nothing to recover", async () => {
    const factors = [totp(), passkeyFactor(), recoveryCodes()]
    const hosting = await openFactors({ secondFactor: { factors } })
    await expect(importCodes(hosting)).rejects.toThrow("codes: the user has no other second factor. Import that first")
    const browser = await hosting.signIn()
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    expect(await importCodes(hosting)).toBe(true)
  })

  it("FAC-16: adds no way in beside an app that the user has set up here", async () => {
    const hosting = await openFactors({ secondFactor: { factors: [totp()] } })
    await hosting.enroll()
    const later = await openFactors({ adapter: hosting.adapter })
    expect(await importCodes(later)).toBe(false)
  })

  it("counts a typing mistake in an imported code as no guess, and a wrong code as one", async () => {
    using _clock = fixedClock()
    const hosting = await openImported()
    const browser = await hosting.signIn()
    for (let n = 0; n < 8; n++) await give(browser, code.slice(0, -1), "recovery")
    await give(browser, code, "recovery")
    expect(hasSessionCookie(browser)).toBe(true)
    const guesser = await hosting.signIn()
    for (let n = 0; n < 5; n++) await give(guesser, `AAAAA-AAAA${n + 2}`, "recovery")
    await give(guesser, other, "recovery")
    expect(hasSessionCookie(guesser)).toBe(false)
  })

  it("are replaced by codes that the user creates here", async () => {
    using clock = fixedClock()
    const hosting = await openImported()
    const browser = await hosting.signIn()
    await give(browser, await authenticatorApp(betterAuth.secret).code())
    const created = await change(browser, "create-recovery-codes")
    const { recoveryCodes: [own = ""] = [] } = created.json() as { recoveryCodes?: readonly string[] }
    clock.advance({ minutes: 1 })
    const later = await hosting.signIn()
    await give(later, code, "recovery")
    expect(hasSessionCookie(later)).toBe(false)
    await give(later, own, "recovery")
    expect(hasSessionCookie(later)).toBe(true)
    expect(await importCodes(hosting)).toBe(false)
  })
})

describe("an import during an enrollment", () => {
  /** Runs work when the user's factors have been read for the n-th time. */
  function atRead(reads: number, adapter: MemoryAdapter, work: () => Promise<unknown>): MemoryAdapter {
    let left = reads
    return {
      ...adapter,
      async listFactors(userId) {
        const rows = await adapter.listFactors(userId)
        if (--left === 0) await work()
        return rows
      },
    }
  }

  /** Confirms a setup whose user's factors are imported at a moment of it, or the other way around. */
  async function race(first: "enrollment" | "import", reads: number) {
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    const { ticket, secret } = await begin(browser)
    const form = { csrfToken: await browser.csrfToken(), action: "confirm-totp", ticket }
    const confirm = async (adapter: MemoryAdapter) => {
      const fields = { form: { ...form, code: await authenticatorApp(secret).code() }, cookie: cookiesOf(browser) }
      const request = requestTo("/auth/account/factors", { ...fields, headers: { accept: "application/json" } })
      const response = await Auth(request, { ...configOf(hosting), adapter })
      return response.json()
    }
    const importAll = async (adapter: MemoryAdapter) => {
      const config = { ...configOf(hosting), adapter }
      await importFactor(config, user, { kind: "totp", secret: betterAuth.secret })
      await importRecoveryCodes(config, user, betterAuth.codes)
    }
    const { adapter } = hosting
    const confirmed: unknown[] = []
    const confirmHere = async (at: MemoryAdapter) => confirmed.push(await confirm(at))
    if (first === "import") await importAll(atRead(reads, adapter, () => confirmHere(adapter)))
    else await confirmHere(atRead(reads, adapter, () => importAll(adapter)))
    const { error, recoveryCodes: shown } = confirmed[0] as { error?: string; recoveryCodes?: readonly string[] | null }
    // Once the imported app is there, the user confirms who they are by that.
    return { hosting, error, app: error ? betterAuth.secret : secret, usable: shown?.[0] ?? code }
  }

  const moments = [1, 2, 3, 4].flatMap((reads) => [["import", reads] as const, ["enrollment", reads] as const])

  it.each(moments)(
    "FAC-16: leaves the user the app and the codes that they saw (%s, read %i)",
    async (first, reads) => {
      using clock = fixedClock()
      const { hosting, error, app, usable } = await race(first, reads)
      expect(error).toBe(first === "import" && reads > 1 ? "FreshnessRequired" : undefined)
      const sets = (await hosting.adapter.listFactors(user)).filter(({ kind }) => kind === "recovery")
      expect(sets).toHaveLength(1)
      clock.advance({ minutes: 1 })
      const browser = await hosting.signIn()
      await give(browser, await authenticatorApp(app).code())
      expect(hasSessionCookie(browser)).toBe(true)
      const lost = await hosting.signIn()
      await give(lost, usable, "recovery")
      expect(hasSessionCookie(lost)).toBe(true)
    },
  )
})
