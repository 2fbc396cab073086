import { describe, expect, it } from "vitest"
import { type FieldCodec, matchFields, RecordFields } from "./record-fields.js"
import { recordModels } from "./record-models.js"

const missing = (field: string) => new TypeError(`no column for ${field}`)

/** Stores text only. */
const codec: FieldCodec<string> = {
  write: (value) => (typeof value === "string" ? value : undefined),
  describe: ({ column }) => `a value for ${column}`,
}

function sessionFields(): RecordFields<string> {
  const columns = ["sessionToken", "userId", "expires", "device"].map((name) => [name, `the_${name}`] as const)
  return new RecordFields(recordModels.session.key, matchFields(recordModels.session, columns, missing), codec)
}

describe("matchFields", () => {
  it("rejects a table that lacks a column", () => {
    expect(() => matchFields(recordModels.session, [["sessionToken", "token"]], missing)).toThrow(
      "no column for userId",
    )
  })

  it("accepts a table that lacks columns of a later release", () => {
    const first = Object.keys(recordModels.authenticator.fields).filter((name) => name !== "name")
    const fields = matchFields(
      recordModels.authenticator,
      first.map((name) => [name, name] as const),
      missing,
    )
    expect(fields.map(({ field }) => field)).toEqual(first)
  })

  it("pairs the host's additional columns as its own", () => {
    expect(sessionFields().get("device")).toEqual({
      field: "device",
      column: "the_device",
      kind: "own",
      presence: "nullable",
    })
  })
})

describe("RecordFields", () => {
  it("writes only fields that have a column and a value", () => {
    const record = { sessionToken: "t", userId: undefined, expires: null, "x = 1": "1", device: "phone" }
    expect(sessionFields().toValues(record)).toEqual({ sessionToken: "t", expires: null, device: "phone" })
  })

  it("names the field of a value that its column cannot store, and not the value", () => {
    expect(() => sessionFields().toValues({ userId: { secret: 1 } })).toThrow(/^userId must be a value for the_userId$/)
  })

  it.each([[null], [undefined], [7], [{ not: "" }], [["t"]]])("finds no row by the key %j", (sessionToken) => {
    expect(sessionFields().toKeyValues({ sessionToken })).toBeNull()
  })

  it("reads null for nullable fields, and leaves out optional ones", () => {
    const columns = Object.keys(recordModels.account.fields).map((name) => [name, name] as const)
    const { key } = recordModels.account
    const account = new RecordFields(key, matchFields(recordModels.account, columns, missing), codec)
    const row = { userId: 7n, type: "oidc", provider: "p", providerAccountId: 1, expires_at: "9", scope: null }
    expect(account.read(row)).toEqual({
      userId: "7",
      type: "oidc",
      provider: "p",
      providerAccountId: "1",
      expires_at: 9,
    })
    expect(sessionFields().read({ sessionToken: "t", userId: "u", expires: new Date(1) })).toEqual({
      sessionToken: "t",
      userId: "u",
      expires: new Date(1),
      device: null,
    })
  })

  it("reads no key that was rounded, since it may be the id of another user", () => {
    const read = (userId: unknown) => sessionFields().read({ sessionToken: "t", userId, expires: new Date(1) })
    for (const userId of [2 ** 53, -(2 ** 60), 1.5])
      expect(() => read(userId)).toThrow("userId contains an integer that a number cannot hold")
    for (const userId of [2n ** 53n + 1n, 2 ** 53 - 1, 0])
      expect(read(userId)).toMatchObject({ userId: String(userId) })
  })

  it("names the field of an invalid date", () => {
    expect(() => sessionFields().read({ expires: "soon" })).toThrow("expires contains no valid date")
  })
})
