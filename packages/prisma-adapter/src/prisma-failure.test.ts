import { describe, expect, it } from "vitest"
import { isUniqueViolation, toPrismaFailure } from "./prisma-failure.js"

const operation = { name: "user.create", hasField: (name: string) => name === "email" }

/** An error as Prisma throws it: the query with all its values, then the message. */
function prismaError(name: string, text: string, code?: string): Error {
  const error = new Error(
    `\nInvalid \`prisma.user.create()\` invocation:\n\n{\n  data: { name: "hunter2" }\n}\n\n${text}`,
  )
  return Object.assign(error, { name, ...(code !== undefined && { code }) })
}

describe("toPrismaFailure", () => {
  it.each([
    ["PrismaClientValidationError", 'Invalid value "hunter2" for `email`.', undefined],
    ["PrismaClientUnknownRequestError", "invalid input syntax: 'hunter2'", undefined],
    ["PrismaClientUnknownRequestError", "odd: 'it's hunter2' `email`", undefined],
    ["PrismaClientKnownRequestError", "Inconsistent column data: found hunter2", "P2023"],
    ["PrismaClientKnownRequestError", 'Raw query failed. Message: invalid "hunter2"', "P2010"],
  ])("LOG-02: contains no value from the message of a %s (%s)", (name, text, code) => {
    const { message, cause } = toPrismaFailure(prismaError(name, text, code), operation)
    expect(message).not.toContain("hunter2")
    expect(message).toContain(`Prisma: ${name}`)
    expect([cause, message.endsWith("in user.create")]).toEqual([undefined, true])
  })

  it.each([
    ["Unique constraint failed on the fields: (`email`)", "P2002", true],
    ["Can't reach database server at 127.0.0.1:5432", "P1001", false],
  ])("contains names of fields and servers (%s)", (text, code, isUnique) => {
    const failure = toPrismaFailure(prismaError("PrismaClientKnownRequestError", text, code), operation)
    expect(failure.message).toBe(`Prisma: ${text} (${code}) in user.create`)
    expect([failure.code, isUniqueViolation(failure), isUniqueViolation({ cause: { err: failure } })]).toEqual([
      code,
      isUnique,
      isUnique,
    ])
  })

  it.each([
    ["The table `main.Spent` does not exist in the current database.", "P2021"],
    ["The column `main.User.image` does not exist in the current database.", "P2022"],
  ])("says how to migrate the database after %s", (text, code) => {
    const { message } = toPrismaFailure(prismaError("PrismaClientKnownRequestError", text, code), operation)
    expect(message).toContain(text)
    expect(message).toContain("run `npx --no prisma migrate deploy`")
  })

  it("names the missing argument", () => {
    const error = prismaError("PrismaClientValidationError", "Argument `email` is missing.")
    expect(toPrismaFailure(error, operation).message).toContain("Argument `email` is missing. in user.create")
  })

  it("finds the code of a wrapped error, and accepts an error without a code", () => {
    expect(toPrismaFailure(new Error("away", { cause: { errorCode: "P1001" } }), operation).code).toBe("P1001")
    expect(toPrismaFailure("hunter2", operation).message).toBe(
      "Prisma: the client failed without an error in user.create",
    )
  })
})
