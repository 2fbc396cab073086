import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuthConfig } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { bcrypt } from "@latchkey/core/passwords"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import Resend from "@latchkey/core/providers/resend"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { expect } from "vitest"
import type { LatchkeyConfig } from "../../src/config.js"
import { importCommand } from "../../src/import/import.js"
import type { Target } from "../../src/import/target.js"
import type { Outcome } from "../command.js"

/** Of the password `correct horse`, made by bcryptjs with ten rounds. */
export const hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

/** Other hashes in the same format. */
export const hashOf = (index: number): string => `$2b$10$${String(index).padStart(22, "A")}${hash.slice(29)}`

const root = mkdtempSync(join(tmpdir(), "latchkey-import-"))

/** Removes all files. Call it when the tests of a file are over. The folder stays: other test files may share this module. */
export const removeFiles = (): void => {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true })
}

/** Writes a file of lines, and returns its path. */
export function writeLines(lines: readonly (object | string | Buffer)[], name = "users.jsonl"): string {
  const path = join(mkdtempSync(join(root, "file-")), name)
  const toBytes = (line: object | string | Buffer) =>
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === "string" ? line : JSON.stringify(line))
  writeFileSync(path, Buffer.concat(lines.flatMap((line) => [toBytes(line), Buffer.from("\n")])))
  return path
}

/** The lines of a report. */
export function readReport(path: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** An app with a store. */
export interface App {
  readonly adapter: Adapter
  readonly target: Target
  /** Runs `latchkey import json` with `--yes`. */
  run(path: string, ...args: readonly string[]): Promise<Outcome>
}

/** The configuration of an app with passwords and second factors. */
function createConfig(adapter: Adapter): AuthConfig {
  return {
    adapter,
    secret: "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1",
    trustHost: true,
    providers: [
      GitHub({ clientId: "id", clientSecret: "secret" }),
      Google({ clientId: "id", clientSecret: "secret" }),
      Passkey({ acceptForeignUserHandles: true }),
      Passwords({ mail: Resend({ apiKey: "key", from: "a@app.example" }), accept: [bcrypt()] }),
    ],
    session: { strategy: "jwt" },
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
  }
}

export function createApp(adapter: Adapter = sqlite(":memory:"), settings: LatchkeyConfig = {}): App {
  const config = createConfig(adapter)
  const providers = new Map([
    ["github", "oauth"],
    ["google", "oidc"],
    ["passwords", "credentials"],
    ["passkey", "webauthn"],
  ])
  const target: Target = { name: "auth.ts", adapter, providers, config, settings, close: async () => undefined }
  return {
    adapter,
    target,
    async run(path, ...args) {
      const texts = { output: "", errors: "" }
      const print = (text: string) => {
        texts.output += text
      }
      const printError = (text: string) => {
        texts.errors += text
      }
      const context = { folder: root, environment: {}, print, printError }
      try {
        const code = await importCommand(["json", path, "--yes", ...args], context, async () => target)
        return { code, ...texts }
      } catch (error) {
        texts.errors += error instanceof Error ? error.message : String(error)
        return { code: 2, ...texts }
      }
    },
  }
}

/** A path for a report. */
export const newPath = (name = "report.jsonl"): string => join(mkdtempSync(join(root, "out-")), name)

/** A user with what most have. */
export const toUser = (index: number) => ({
  id: `u${index}`,
  email: `U${index}@Example.com`,
  emailVerified: "2024-01-01T00:00:00Z",
  accounts: [{ provider: "github", providerAccountId: String(index), expires_at: 1_700_000_000 }],
  password: hashOf(index),
})
const users = Array.from({ length: 60 }, (_, index) => ({
  ...toUser(index),
  totp: index % 10 === 0 ? [{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", label: "Phone" }] : [],
}))
const lines = [...users, { id: "double", email: "u7@EXAMPLE.com" }, "{"]

/** Imports twice at once, and once more, and expects all users to be there, whole. */
export async function expectSame(adapter: Adapter): Promise<void> {
  const path = writeLines(lines)
  const report = newPath()
  const app = createApp(adapter)
  await Promise.all([app.run(path, "--batch", "8"), app.run(path, "--batch", "13")])
  expect(await app.run(path, "--report", report)).toMatchObject({
    code: 1,
    output: expect.stringContaining("60 are here already"),
  })
  expect(readReport(report).map(({ line }) => line)).toEqual([61, 62])
  for (const [index, { id, password, totp }] of users.entries()) {
    const email = `u${index}@example.com`
    expect(await adapter.getUser?.(id)).toMatchObject({ email, emailVerified: new Date("2024-01-01T00:00:00Z") })
    expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: String(index) })).toMatchObject({
      id,
    })
    expect(await adapter.getPassword?.(id)).toMatchObject({ hash: password })
    expect(await adapter.listFactors?.(id)).toHaveLength(totp.length)
    expect(await adapter.isEmailVerified?.({ id, email })).toBe(true)
  }
}

/** Imports two sources at once that share ids and addresses, and expects each user to be there once, whole, of one source. */
export async function expectOneSource(adapter: Adapter): Promise<void> {
  const count = 40
  const toLine = (index: number, source: "old" | "new") => ({
    // Half of the users have another id in the other source.
    id: index % 2 === 0 ? `both${index}` : `${source}${index}`,
    name: source,
    email: `both${index}@example.com`,
    emailVerified: "2024-01-01T00:00:00Z",
    accounts: [{ provider: source === "old" ? "github" : "google", providerAccountId: `both${index}` }],
    password: hashOf(5000 + index + (source === "old" ? 0 : count)),
  })
  const indexes = Array.from({ length: count }, (_, index) => index)
  const old = indexes.map((index) => toLine(index, "old"))
  const other = indexes.toReversed().map((index) => toLine(index, "new"))
  const app = createApp(adapter)
  const ended = await Promise.all([
    app.run(writeLines(old), "--batch", "9"),
    app.run(writeLines(other), "--batch", "7"),
  ])
  for (const { code, errors } of ended) expect([code, errors]).not.toEqual([2, expect.anything()])
  for (const index of indexes) {
    const user = await adapter.getUserByEmail?.(`both${index}@example.com`)
    const source = user?.name === "old" ? "old" : "new"
    const line = toLine(index, source)
    expect(user).toMatchObject({ id: line.id, name: source })
    const accounts = await adapter.listAccountsByUserId?.(line.id)
    expect(accounts?.map(({ provider }) => provider)).toEqual([line.accounts[0]?.provider])
    expect(await adapter.getPassword?.(line.id)).toMatchObject({ hash: line.password })
  }
}
