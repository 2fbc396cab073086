import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bcrypt, betterAuth, firebaseScrypt, lucia } from "@latchkey/core/passwords"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import {
  authenticatorApp,
  type Browser,
  passkeyClient,
  softwareAuthenticator,
  type TestHost,
  testHost,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { importCommand } from "../../src/import/import.js"
import type { ImportOptions } from "../../src/import/records.js"
import { fillSqlite, makeFolder, readFixture, type TableFixture } from "./source-fixtures.js"
import type { SupabaseFixture } from "./supabase-users.js"

const origin = "http://localhost:4713"
/** The parameters of the vector in the README of Firebase's own implementation. */
const firebase = {
  signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
  saltSeparator: "Bw==",
  rounds: 8,
  memoryCost: 14,
}

/** An app into which users of a source are imported. */
function openApp(adapter = sqlite(":memory:")): TestHost {
  return testHost({
    origin,
    adapter,
    session: { strategy: "jwt" },
    providers: [
      Passkey({ acceptForeignUserHandles: true }),
      Passwords({
        mail: { send: () => undefined },
        breached: false,
        accept: [betterAuth(), lucia(), bcrypt(), firebaseScrypt(firebase)],
      }),
    ],
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
  })
}

interface Import {
  readonly source: string
  readonly argument: string
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
  readonly options?: ImportOptions
  readonly args?: readonly string[]
}

async function importInto(
  { adapter, config }: TestHost,
  { source, argument, folder, environment = {}, options = {}, args = [] }: Import,
) {
  const providers = new Map([
    ["password", "credentials"],
    ["passkey", "webauthn"],
  ])
  if (!adapter) throw new Error("The host has no adapter")
  const settings = { import: options }
  const target = { name: "auth.ts", adapter, providers, config, settings, close: async () => undefined }
  let output = ""
  const print = (text: string) => {
    output += text
  }
  const code = await importCommand(
    [source, argument, "--yes", "--report", "report.jsonl", ...args],
    { folder, environment, print, printError: print },
    async () => target,
  )
  return { code, output }
}

/** Signs in by password and, if a code is given, by a second factor. */
async function signIn(
  host: TestHost,
  email: string,
  password: string,
  factor?: readonly [string, string],
): Promise<Browser> {
  const browser = host.newBrowser()
  await browser.signIn("password", { email, password })
  if (factor) {
    const [kind, code] = factor
    expect((await browser.session())?.user).toBeUndefined()
    const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), code })
    await browser.fetch(`/auth/second-factor/${kind}`, { method: "POST", body })
  }
  return browser
}

const emailOf = async (browser: Browser) => (await browser.session())?.user?.email

interface Person {
  readonly id: string
  readonly password: string
  readonly totp: string
  readonly codes: readonly string[]
}
interface PasskeyOfAda {
  readonly id: string
  readonly userHandle: string
  readonly rpId: string
  readonly privateKey: JsonWebKey
}
interface BetterAuthFixture extends TableFixture {
  readonly secrets: { readonly v1: string; readonly v2: string }
  readonly known: {
    readonly ada: Person & { readonly passkey: PasskeyOfAda }
    readonly ben: Person
    readonly cleo: Pick<Person, "password">
  }
}

function prepareBetterAuth(): Import & BetterAuthFixture {
  const fixture = readFixture<BetterAuthFixture>("better-auth@1.7.25.json")
  const folder = makeFolder()
  fillSqlite(join(folder, "theirs.db"), fixture)
  const environment = { BETTER_AUTH_SECRETS: `2:${fixture.secrets.v2}`, BETTER_AUTH_SECRET: fixture.secrets.v1 }
  return { ...fixture, source: "better-auth", argument: "sqlite:theirs.db", folder, environment }
}

/** What the browser sends for a passkey whose key is known. */
function assert({ id, userHandle, rpId, privateKey }: PasskeyOfAda, challenge: string): unknown {
  const clientData = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }))
  // Present, verified, eligible for backup and backed up; the fourth use.
  const flags = Buffer.from([0x1d, 0, 0, 0, 4])
  const authData = Buffer.concat([createHash("sha256").update(rpId).digest(), flags])
  const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()])
  const key = createPrivateKey({ key: { ...privateKey }, format: "jwk" })
  expect(createPublicKey(key).asymmetricKeyType).toBe("ec")
  return {
    ...{ id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {} },
    response: {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: sign("sha256", signed, key).toString("base64url"),
      userHandle,
    },
  }
}

describe("users of Better Auth, after latchkey import", () => {
  it("sign in with their password and their authenticator app", async () => {
    const { known, ...source } = prepareBetterAuth()
    const host = openApp()
    const { code, output } = await importInto(host, source)
    expect([code, output]).toEqual([1, expect.stringContaining("6 users imported")])
    const { ada, ben, cleo } = known
    const code1 = await authenticatorApp(ada.totp).code()
    expect(await emailOf(await signIn(host, "Ada@example.com", ada.password, ["totp", code1]))).toBe("ada@example.com")
    const code2 = await authenticatorApp(ben.totp).code()
    expect(await emailOf(await signIn(host, "ben@example.com", ben.password, ["totp", code2]))).toBe("ben@example.com")
    expect(await emailOf(await signIn(host, "cleo@example.com", cleo.password))).toBe("cleo@example.com")
    expect(await emailOf(await signIn(host, "ada@example.com", "another password", undefined))).toBeUndefined()
    for (const secret of [ada.totp, ada.password, ...ada.codes, ...Object.values(source.secrets)])
      expect(output).not.toContain(secret)
  })

  it("sign in with a recovery code as they wrote it down, once", async () => {
    const { known, ...source } = prepareBetterAuth()
    const host = openApp()
    await importInto(host, source)
    const use = async () =>
      emailOf(await signIn(host, "ada@example.com", known.ada.password, ["recovery", known.ada.codes[0] ?? ""]))
    expect([await use(), await use()]).toEqual(["ada@example.com", undefined])
  })

  it("sign in with the passkey that they registered there", async () => {
    const { known, ...source } = prepareBetterAuth()
    const host = openApp()
    await importInto(host, source)
    const browser = host.newBrowser()
    const client = passkeyClient({ browser, device: softwareAuthenticator({ origin }) })
    const { challenge } = await client.request()
    await client.finish("authenticate", assert(known.ada.passkey, challenge))
    expect(await emailOf(browser)).toBe("ada@example.com")
  })

  it("sign in with everything that they had, in a store that generated other ids (--map)", async () => {
    const { known, ...source } = prepareBetterAuth()
    const host = openApp(sqlite(":memory:", { ids: "integer" }))
    const { code } = await importInto(host, { ...source, args: ["--map", "ids.jsonl"] })
    expect([code, await host.adapter?.getUserByEmail?.("ada@example.com")]).toMatchObject([
      1,
      { id: expect.stringMatching(/^\d+$/) },
    ])
    const { password, totp: secret, codes } = known.ada
    const app = await authenticatorApp(secret).code()
    for (const factor of [
      ["totp", app],
      ["recovery", codes[0] ?? ""],
    ] as const)
      expect(await emailOf(await signIn(host, "ada@example.com", password, factor))).toBe("ada@example.com")
    const browser = host.newBrowser()
    const client = passkeyClient({ browser, device: softwareAuthenticator({ origin }) })
    const { challenge } = await client.request()
    await client.finish("authenticate", assert(known.ada.passkey, challenge))
    expect(await emailOf(browser)).toBe("ada@example.com")
  })

  it("are not imported with another secret: nothing is written", async () => {
    const source = prepareBetterAuth()
    const host = openApp()
    const environment = { BETTER_AUTH_SECRET: "a-wrong-secret-0123456789-abcdefghijk" }
    await expect(importInto(host, { ...source, environment })).rejects.toThrow(/opens none of the second factors/)
    expect(await host.adapter?.getUser?.(source.known.ada.id)).toBeNull()
  })
})

describe("users of other libraries, after latchkey import", () => {
  it("of Lucia 2 and 3 sign in with their passwords", async () => {
    type Known = Readonly<Record<string, { readonly password: string }>>
    const fixtures =
      readFixture<Readonly<Record<"two" | "three", TableFixture & { readonly known: Known }>>>("lucia@3.2.2.json")
    for (const fixture of Object.values(fixtures)) {
      const folder = makeFolder()
      fillSqlite(join(folder, "theirs.db"), fixture)
      const host = openApp()
      const options = { providers: { google: null, github: null, discord: null } }
      await importInto(host, { source: "lucia", argument: "sqlite:theirs.db", folder, options })
      for (const [name, { password }] of Object.entries(fixture.known)) {
        if (password === undefined) continue
        const email = `${name}@example.com`
        expect(await emailOf(await signIn(host, email, password))).toBe(email)
      }
    }
  })

  it("of Supabase sign in with their password and their authenticator app", async () => {
    const { known } = readFixture<SupabaseFixture>("supabase.json")
    const host = openApp()
    const argument = join(import.meta.dirname, "fixtures", "supabase-dump.sql")
    const { output } = await importInto(host, { source: "supabase", argument, folder: makeFolder() })
    expect(output).toContain("3 users imported")
    const code = await authenticatorApp(known.ada.totp).code()
    expect(await emailOf(await signIn(host, "ada@example.com", known.ada.password, ["totp", code]))).toBe(
      "ada@example.com",
    )
  })

  it("of Firebase sign in with their password, and MIG-17: broken and doubled ones are refused with their lines", async () => {
    const user = {
      ...{
        localId: "f1",
        email: "ada@example.com",
        emailVerified: true,
        salt: "42xEC+ixf3L2lw==",
        createdAt: "1741064767089",
      },
      passwordHash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
    }
    const broken = [
      JSON.stringify({ ...user, localId: "f2", email: "ADA@Example.com", passwordHash: undefined }),
      '{"localId": "f3" "email": "c@example.com"}',
      JSON.stringify({ ...user, localId: "f4", email: '"quoted name"@example.com', passwordHash: undefined }),
      JSON.stringify({ ...user, localId: "f5", email: "nul\0@example.com", passwordHash: undefined }),
      JSON.stringify({ ...user, localId: "f6", displayName: "x".repeat(10_000_000) }),
      JSON.stringify({ localId: "f7", email: "g@example.com" }),
    ]
    const folder = makeFolder()
    writeFileSync(join(folder, "users.json"), `{"users": [\n${[JSON.stringify(user), ...broken].join(",\n")}\n]}`)
    const host = openApp()
    const { code, output } = await importInto(host, { source: "firebase", argument: "users.json", folder })
    expect([code, output]).toEqual([1, expect.stringContaining("2 users imported")])
    expect(output).not.toContain("quoted name")
    expect(await emailOf(await signIn(host, "ada@example.com", "user1password"))).toBe("ada@example.com")
  })
})
