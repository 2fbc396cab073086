import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { OAuthAccountNotLinked } from "../errors/sign-in.js"
import { createPermission } from "./permission.js"

const params = { user: { id: "1" }, account: null }
const ask = (signIn: () => unknown) => createPermission({ signIn: signIn as () => boolean }).ask(params)
const denied = (message: string) => expect.objectContaining({ type: "AccessDenied", message })

describe("permission", () => {
  it.each([true, 1, {}])("is given when the callback answers %j", async (answer) => {
    expect(await ask(() => answer)).toBeNull()
  })

  it.each([false, null, undefined, 0, ""])("is refused when the callback answers %j", async (answer) => {
    await expect(ask(() => answer)).rejects.toEqual(denied("The signIn callback refused"))
    await expect(ask(async () => answer)).rejects.toEqual(denied("The signIn callback refused"))
  })

  it("is refused when the callback fails, with its error as the cause", async () => {
    const error = new TypeError("the list of members is away")
    const fail = () => {
      throw error
    }
    await expect(ask(fail)).rejects.toMatchObject({
      type: "AccessDenied",
      message: error.message,
      cause: { err: error },
    })
    await expect(ask(() => Promise.reject(error))).rejects.toEqual(denied(error.message))
  })

  it("is refused without repeating what was thrown when it is no error", async () => {
    await expect(ask(() => Promise.reject("hunter2"))).rejects.toEqual(denied("A value of type string was thrown"))
  })

  it("lets an error of the service's own kind through", async () => {
    for (const error of [new OAuthAccountNotLinked("other"), new AuthError("own")]) {
      await expect(ask(() => Promise.reject(error))).rejects.toBe(error)
    }
  })

  it("is given for true", async () => {
    expect(await ask(() => true)).toBeNull()
    expect(await ask(async () => true)).toBeNull()
  })

  it("may send a person elsewhere first", async () => {
    expect(await ask(async () => "/terms")).toBe("/terms")
  })

  it("asks with what is known of the person", async () => {
    const seen: unknown[] = []
    await createPermission({
      signIn: (given) => {
        seen.push(given)
        return true
      },
    }).ask(params)
    expect(seen).toEqual([params])
  })
})
