import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { ImportOptions, OpenSource } from "../../src/import/records.js"
import { openAuth0 } from "../../src/import/sources/auth0.js"
import { openClerk } from "../../src/import/sources/clerk.js"
import { openFirebase } from "../../src/import/sources/firebase.js"
import { makeFolder, type ReadSource, readSource } from "./source-fixtures.js"

/** Files in the form that the services' documentation describes. */
function read(open: OpenSource, content: unknown, options: ImportOptions = {}, second?: string): Promise<ReadSource> {
  const folder = makeFolder()
  writeFileSync(join(folder, "users"), typeof content === "string" ? content : JSON.stringify(content, null, 2))
  if (second !== undefined) writeFileSync(join(folder, "second"), second)
  const named = second === undefined ? options : { ...options, passwords: "second" }
  return readSource(open, { argument: "users", folder, options: named })
}

const lines = (...records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join("\n")
const subject = "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ"
const objectId = "11111111-2222-3333-4444-555555555555"

describe("import of firebase", () => {
  const user = {
    localId: "f1",
    email: "ada@example.com",
    emailVerified: true,
    passwordHash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
    salt: "42xEC+ixf3L2lw==",
    displayName: "Ada Example",
    photoUrl: "https://p.example/a.png",
    lastSignedInAt: "1741064767089",
    createdAt: "1741064767089",
    phoneNumber: "+15550100",
    customAttributes: '{"role":"admin"}',
    mfaInfo: [{ mfaEnrollmentId: "m", displayName: "Phone", totpInfo: {} }],
    providerUserInfo: [
      { providerId: "google.com", rawId: "108", email: "ada@example.com" },
      { providerId: "microsoft.com", rawId: objectId },
      { providerId: "password", rawId: "ada@example.com" },
    ],
  }

  it("reads users, hashes with their salts, and providers", async () => {
    const { users, survey } = await read(
      openFirebase,
      { users: [user] },
      { fields: { "customAttributes.role": "role" } },
    )
    expect(Object.fromEntries(survey.providers)).toEqual({ "google.com": 1 })
    expect(users).toEqual([
      {
        ...{ id: "f1", name: "Ada Example", email: "ada@example.com", image: "https://p.example/a.png" },
        emailVerified: new Date(1_741_064_767_089),
        fields: { role: "admin" },
        accounts: [{ provider: "google.com", providerAccountId: "108" }],
        password: `$fbscrypt$${user.salt}$${user.passwordHash}`,
        left: [
          expect.stringContaining("Microsoft"),
          expect.stringContaining("phone number"),
          expect.stringContaining("second factors"),
        ],
      },
    ])
  })

  it("refuses disabled and anonymous users, and those with a telephone alone", async () => {
    const users = [
      { ...user, disabled: true },
      { localId: "f2", createdAt: "1" },
      { localId: "f3", phoneNumber: "+1" },
      { email: "x" },
    ]
    const { refused } = await read(openFirebase, { users })
    expect(refused.map(({ reason }) => reason)).toEqual([
      "The user is disabled",
      "The user is anonymous",
      "The user signs in by telephone alone",
      "The record has no ID",
    ])
  })
})

describe("import of auth0", () => {
  const ada = {
    user_id: "auth0|5dea9f9c82dd7c0e76e4ec93",
    email: "ada@example.com",
    email_verified: true,
    name: "Ada Example",
    picture: "https://p.example/a.png",
    created_at: "2025-03-04T05:06:07.089Z",
    app_metadata: { role: "admin" },
    identities: [
      { connection: "Username-Password-Authentication", provider: "auth0", user_id: "5dea9f9c82dd7c0e76e4ec93" },
      { connection: "google-oauth2", provider: "google-oauth2", user_id: "108", isSocial: true },
      { connection: "acme", provider: "oidc", user_id: "acme|00u1" },
    ],
  }
  const hash = `$2b$10$${"a".repeat(53)}`

  it("reads users, and passwords from the second file", async () => {
    const hashes = lines(
      { _id: { $oid: "5dea9f9c82dd7c0e76e4ec93" }, email: "ada@example.com", passwordHash: hash, tenant: "t" },
      { _id: { $oid: "6" }, alt_id: "euclid", passwordHash: `${hash}x` },
    )
    const broken = `${hashes}\n{"_id": 7 "passwordHash": "x"}`
    const euclid = { user_id: "auth0|euclid", email: "euclid@example.com", email_verified: false }
    const { users, survey } = await read(
      openAuth0,
      lines(ada, euclid),
      { fields: { "app_metadata.role": "role" } },
      broken,
    )
    expect(survey.remarks?.join()).toContain("1 records of the file import.passwords cannot be read")
    expect(Object.fromEntries(survey.providers)).toEqual({ auth0: 2, "google-oauth2": 1, acme: 1 })
    expect(users).toMatchObject([
      {
        ...{ id: ada.user_id, name: "Ada Example", image: ada.picture, password: hash, fields: { role: "admin" } },
        emailVerified: new Date(ada.created_at),
        accounts: [
          { provider: "auth0", providerAccountId: ada.user_id },
          { provider: "google-oauth2", providerAccountId: "108" },
          { provider: "acme", providerAccountId: "00u1" },
        ],
      },
      { id: "auth0|euclid", emailVerified: null, password: `${hash}x`, left: [] },
    ])
  })

  it("says where passwords are if their file is missing, and takes IDs without identities apart", async () => {
    const { users, survey } = await read(openAuth0, lines({ user_id: "github|42", email: "b@example.com" }))
    expect(survey.remarks?.join()).toContain("import.passwords")
    expect(users).toMatchObject([
      { accounts: [{ provider: "auth0" }, { provider: "github", providerAccountId: "42" }], password: null },
    ])
    await expect(read(openAuth0, lines(ada), { passwords: "missing" })).rejects.toThrow(/file of password hashes/)
  })

  it("says what an export does not tell that did not ask for it", async () => {
    const toRemarks = async (user: object) => (await read(openAuth0, lines(user, user))).survey.remarks?.join() ?? ""
    const { email_verified: _, ...unknown } = ada
    expect(await toRemarks(unknown)).toMatch(/field blocked:.* get in.*field email_verified:.* not verified/)
    expect(await toRemarks({ ...ada, blocked: false })).not.toMatch(/the field/)
  })

  it("refuses blocked users and those without an address, and leaves accounts of Microsoft and second factors", async () => {
    const { users, refused } = await read(
      openAuth0,
      lines(
        { ...ada, blocked: true },
        { user_id: "sms|1", phone_number: "+1" },
        { user_id: "windowslive|b1c2d3e4f5a6b7c8", email: "c@example.com", multifactor: ["guardian"] },
        { user_id: `waad|${subject}`, email: "d@example.com", mfa_factors: [{ totp: { secret: "JBSWY3DPEHPK3PXP" } }] },
      ),
    )
    expect(refused.map(({ reason }) => reason)).toEqual([
      "The user is blocked",
      "The user signs in by telephone or a user name alone",
    ])
    expect(users[0]).toMatchObject({ accounts: [{ provider: "auth0" }], totp: [] })
    expect(users[0]?.left).toEqual([expect.stringContaining("Microsoft"), expect.stringContaining("Second factors")])
    expect(users[1]).toMatchObject({
      accounts: [{ provider: "auth0" }, { provider: "waad" }],
      totp: [{ secret: "JBSWY3DPEHPK3PXP" }],
      left: [],
    })
  })
})

describe("import of clerk", () => {
  const names = [
    ...["id", "first_name", "last_name", "username", "primary_email_address", "primary_phone_number"],
    ...["verified_email_addresses", "unverified_email_addresses", "verified_phone_numbers", "unverified_phone_numbers"],
    ...["totp_secret", "password_digest", "password_hasher"],
  ].join(",")
  const digest = `$2a$10$${"a".repeat(53)}`
  const csv = [
    names,
    `user_1,Ada,"Example, Ph.D.",ada,ada@example.com,,ada@example.com|a@x.test,,,,JBSWY3DPEHPK3PXP,${digest},bcrypt`,
    `user_2,,,ben,ben@example.com,+15550100,,ben@example.com,+15550100,,,hash$salt$key$Bw==$8$14,scrypt_firebase`,
  ].join("\n")
  const ada = {
    id: "user_1",
    object: "user",
    username: "ada",
    first_name: "Ada",
    last_name: "Example",
    image_url: "https://img.example/a.png",
    has_image: true,
    primary_email_address_id: "idn_2",
    password_enabled: true,
    totp_enabled: true,
    backup_code_enabled: true,
    email_addresses: [
      { id: "idn_1", email_address: "other@example.com", verification: { status: "unverified" } },
      { id: "idn_2", email_address: "ada@example.com", verification: { status: "verified" } },
    ],
    phone_numbers: [],
    external_accounts: [
      {
        object: "external_account",
        provider: "oauth_google",
        provider_user_id: "108",
        verification: { status: "verified" },
      },
      {
        object: "external_account",
        provider: "oauth_github",
        provider_user_id: "9",
        verification: { status: "unverified" },
      },
      { object: "external_account", provider: "oauth_microsoft", provider_user_id: objectId, verification: null },
    ],
    public_metadata: { role: "admin" },
    banned: false,
    created_at: 1_741_064_767_089,
  }

  it("reads the CSV file: passwords, authenticator apps, and which address is proven", async () => {
    const { users, survey } = await read(openClerk, csv)
    expect(survey).toMatchObject({ users: 2, passwords: 2, totp: 1 })
    expect(survey.remarks?.join()).toContain("no accounts at providers, and does not tell who is banned")
    expect(users).toMatchObject([
      {
        ...{ id: "user_1", name: "Ada Example, Ph.D.", email: "ada@example.com", emailVerified: expect.any(Date) },
        ...{ password: digest, totp: [{ secret: "JBSWY3DPEHPK3PXP" }], left: [] },
      },
      {
        ...{
          id: "user_2",
          name: "ben",
          emailVerified: null,
          totp: [],
          left: [expect.stringContaining("phone number")],
        },
        password: "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=key$salt$hash",
      },
    ])
  })

  it("MIG-17: takes no address for proven that stands in the quotes of another one", async () => {
    const field = '"""x|admin@corp.example|y""@evil.example"'
    const text = `id,primary_email_address,verified_email_addresses\nuser_1,admin@corp.example,${field}`
    const { users } = await read(openClerk, text)
    expect(users).toMatchObject([{ email: "admin@corp.example", emailVerified: null }])
  })

  it("reads the JSON of the API, with the CSV file beside it", async () => {
    const options = { fields: { "public_metadata.role": "role" } }
    const { users, survey } = await read(openClerk, [ada], options, csv)
    expect(Object.fromEntries(survey.providers)).toEqual({ oauth_google: 1 })
    expect(users).toEqual([
      {
        ...{
          id: "user_1",
          name: "Ada Example",
          email: "ada@example.com",
          image: ada.image_url,
          fields: { role: "admin" },
        },
        emailVerified: new Date(ada.created_at),
        accounts: [{ provider: "oauth_google", providerAccountId: "108" }],
        password: digest,
        totp: [{ secret: "JBSWY3DPEHPK3PXP" }],
        left: [expect.stringContaining("recovery codes"), expect.stringContaining("Microsoft")],
      },
    ])
    const alone = await read(openClerk, { data: [ada], totalCount: 1 })
    expect(alone.users[0]?.left?.join()).toMatch(/recovery codes.*Microsoft.*password.*authenticator app/)
    expect(alone.survey.remarks?.join()).toContain("name it as import.passwords")
  })

  it("reads camel case, and refuses banned users", async () => {
    const camel = {
      id: "user_3",
      firstName: "Cleo",
      primaryEmailAddressId: "i",
      emailAddresses: [{ id: "i", emailAddress: "cleo@example.com", verification: { status: "verified" } }],
      externalAccounts: [{ provider: "oauth_github", externalId: "7", verification: { status: "verified" } }],
      createdAt: 1_741_064_767_089,
    }
    const { users, refused } = await read(openClerk, [{ ...ada, banned: true }, camel])
    expect(refused).toEqual([{ id: "user_1", line: 2, reason: "The user is banned" }])
    expect(users).toMatchObject([
      {
        ...{ name: "Cleo", email: "cleo@example.com", emailVerified: new Date(1_741_064_767_089) },
        accounts: [{ provider: "oauth_github", providerAccountId: "7" }],
      },
    ])
  })
})
