import { expect, it } from "vitest"
import { clearedCookie } from "./cleared-cookie.js"

it("clearedCookie keeps name and attributes, and takes value and time to live away", () => {
  const options = { path: "/a", domain: "app.test", secure: true, maxAge: 900, expires: new Date(0) } as const
  expect(clearedCookie({ name: "__Secure-a", options })).toStrictEqual({
    name: "__Secure-a",
    value: "",
    options: { path: "/a", domain: "app.test", secure: true, maxAge: 0 },
  })
  expect(options.maxAge).toBe(900)
})
