import { PrismaAdapter, type PrismaClientLike } from "@latchkey/prisma-adapter"
import { describe, expect, it } from "vitest"

const text = { typeName: "String" }
const instant = { typeName: "DateTime" }

/** The fields of the smallest schema that the adapter accepts. */
const schema = {
  user: { id: text, name: text, email: text, emailVerified: instant, image: text },
  account: {
    userId: text,
    type: text,
    provider: text,
    providerAccountId: text,
    refresh_token: text,
    access_token: text,
    expires_at: { typeName: "Int" },
    token_type: text,
    scope: text,
    id_token: text,
    session_state: text,
  },
  session: { sessionToken: text, userId: text, expires: instant },
  verificationToken: { identifier: text, token: text, expires: instant },
}

/** A client with fields and no queries. */
function clientOf(models: Readonly<Record<string, object>>): PrismaClientLike {
  return Object.fromEntries(Object.entries(models).map(([name, fields]) => [name, { fields }])) as never // as: no queries
}

describe("PrismaAdapter", () => {
  it("rejects a timeout that timers do not support", () => {
    for (const timeoutMilliseconds of [0, Number.POSITIVE_INFINITY]) {
      expect(() => PrismaAdapter(clientOf(schema), { timeoutMilliseconds })).toThrow("timeoutMilliseconds: must be")
    }
  })

  it("names a model that the client lacks", () => {
    for (const name of Object.keys(schema)) {
      const rest = Object.fromEntries(Object.entries(schema).filter(([other]) => other !== name))
      expect(() => PrismaAdapter(clientOf(rest))).toThrow(`prisma.${name}: the client has no such model`)
    }
  })

  it("names the model and the field when a field is missing or has another type", () => {
    const { emailVerified, ...user } = schema.user
    expect(emailVerified).toBe(instant)
    expect(() => PrismaAdapter(clientOf({ ...schema, user }))).toThrow(
      "prisma.user: the model has no field emailVerified",
    )
    const session = { ...schema.session, expires: { typeName: "Int" } }
    expect(() => PrismaAdapter(clientOf({ ...schema, session }))).toThrow(
      "prisma.session.expires must be a field for a date; it is one for Int",
    )
    const account = { ...schema.account, expires_at: text }
    expect(() => PrismaAdapter(clientOf({ ...schema, account }))).toThrow("prisma.account.expires_at must be a field")
  })

  it("leaves out the methods whose model or fields are missing", () => {
    const plain = PrismaAdapter(clientOf(schema))
    for (const method of [
      "createAuthenticator",
      "updateAuthenticator",
      "consumeOnce",
      "markEmailVerified",
      "isEmailVerified",
    ]) {
      expect(plain).not.toHaveProperty(method)
    }
    const authenticator = {
      credentialID: text,
      userId: text,
      providerAccountId: text,
      credentialPublicKey: text,
      counter: { typeName: "Int" },
      credentialDeviceType: text,
      credentialBackedUp: { typeName: "Boolean" },
      transports: text,
    }
    const spent = { id: text, expires: instant }
    const more = PrismaAdapter(clientOf({ ...schema, authenticator, spent }))
    expect(more).toHaveProperty("createAuthenticator")
    expect(more).toHaveProperty("consumeOnce")
    expect(more).not.toHaveProperty("updateAuthenticator")
    const named = { ...authenticator, name: text, lastUsedAt: instant }
    expect(PrismaAdapter(clientOf({ ...schema, authenticator: named }))).toHaveProperty("updateAuthenticator")
  })

  it("does not query for an invalid key", async () => {
    const adapter = PrismaAdapter(clientOf({ ...schema, user: { ...schema.user, id: { typeName: "Int" } } }))
    for (const id of ["", "05", "5 ", "1e3", "-1", "4294967296", "'; DROP TABLE users;--"]) {
      expect(await adapter.getUser(id)).toBeNull()
    }
    for (const key of ["\0", "\ud800", null, undefined, { not: "" }, ["a"], 5]) {
      expect(await adapter.getUserByEmail(key as string)).toBeNull()
      expect(await adapter.getSessionAndUser(key as string)).toBeNull()
      expect(await adapter.useVerificationToken({ identifier: "a", token: key as string })).toBeNull()
    }
  })

  it("rejects Prisma operators as values", async () => {
    const adapter = PrismaAdapter(clientOf(schema))
    const changes = [{ name: { set: "Eve" } }, { email: { set: "eve@example.com" } }, { emailVerified: { set: null } }]
    for (const change of changes) {
      const [field = ""] = Object.keys(change)
      await expect(adapter.updateUser({ id: "ada", ...(change as object) })).rejects.toThrow(`${field} must be a`)
    }
  })
})
