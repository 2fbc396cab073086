import { expect } from "vitest"
import type { ImportOptions } from "../../src/import/records.js"
import type { ReadSource } from "./source-fixtures.js"

export interface SupabaseFixture {
  readonly known: { readonly ada: { readonly id: string; readonly password: string; readonly totp: string } }
  /** What makes the database. */
  readonly statements: readonly string[]
}

/** What a dump and a live database have to give. */
export async function expectSupabaseUsers(read: (options: ImportOptions) => Promise<ReadSource>): Promise<void> {
  const fields = { "raw_user_meta_data.company": "company", "raw_app_meta_data.role": "role" }
  const { survey, users, refused } = await read({ fields })
  expect(survey).toMatchObject({ users: 8, passwords: 1, totp: 2 })
  expect(Object.fromEntries(survey.providers)).toEqual({ google: 1, azure: 1 })
  expect(refused.map(({ reason }) => reason)).toEqual([
    "The user signs in by telephone alone",
    "The user is anonymous",
    "The user is banned",
    "The user is deleted",
    "The user is banned",
  ])
  const [ada, ben, finn, ...others] = users
  expect(others).toEqual([])
  expect(ada).toMatchObject({
    name: 'Ada Lovelace \\ "Example"',
    email: "ada@example.com",
    emailVerified: new Date("2025-01-02T03:05:06.789Z"),
    image: "https://p.example/a.png",
    fields: { company: "Engines\tLtd", role: "admin" },
    accounts: [],
    password: expect.stringMatching(/^\$2b\$04\$/),
    totp: [
      {
        secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        label: "Ada's phone",
        createdAt: new Date("2025-02-03T04:05:06.789Z"),
      },
    ],
    left: [],
  })
  const accounts = [...(ben?.accounts ?? [])].sort((one, other) => other.provider.localeCompare(one.provider))
  expect(accounts).toEqual([
    { provider: "google", providerAccountId: "1084" },
    { provider: "azure", providerAccountId: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ" },
  ])
  expect(ben).toMatchObject({ name: "Ben", image: "https://p.example/b.png", password: null, totp: [] })
  expect(ben?.left).toEqual([expect.stringContaining("phone number"), expect.stringContaining("A second factor")])
  expect(finn).toMatchObject({ email: "finn@example.com", emailVerified: null })
}
