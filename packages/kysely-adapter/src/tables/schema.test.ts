import { describe, expect, it } from "vitest"
import { resolveSchema } from "./schema.js"

describe("resolveSchema", () => {
  it("rejects a column name for a field that the table does not have", () => {
    expect(() => resolveSchema({ user: { columns: { mail: "e_mail" } } })).toThrow("user.columns.mail")
  })

  it("rejects an extra column for a field that the table already has", () => {
    expect(() => resolveSchema({ account: { extra: { userId: "text" } } })).toThrow("account.extra")
  })

  it("rejects unknown options", () => {
    expect(() => resolveSchema({ users: {} } as never)).toThrow("users: unknown option")
    expect(() => resolveSchema({ user: { table: "people" } } as never)).toThrow("user.table: unknown option")
    expect(() => resolveSchema({ userAccount: { account: "a" } } as never)).toThrow("userAccount.account")
  })

  it("rejects two fields in one column", () => {
    expect(() => resolveSchema({ user: { columns: { name: "email" } } })).toThrow("user.columns")
  })

  it("uses the host's names of tables and columns", () => {
    const { user, session } = resolveSchema({
      user: { name: "people", columns: { email: "e_mail", role: "role_name" }, extra: { role: "text" } },
    })
    expect(user.name).toBe("people")
    expect(user.columns.map((column) => column.name)).toEqual([
      "id",
      "name",
      "e_mail",
      "emailVerified",
      "image",
      "role_name",
    ])
    expect(session.name).toBe("Session")
  })
})
