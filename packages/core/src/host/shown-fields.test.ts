import { describe, expect, it } from "vitest"
import { listWithheldTexts, showArguments, withhold } from "./shown-fields.js"

describe("showArguments", () => {
  it("LOG-03: shows what tells of nobody, and withholds the rest by the name of its field", () => {
    const expires = new Date(0)
    expect(showArguments([{ sessionToken: "hunter2hunter2", userId: "u-v", expires }])).toEqual([
      { sessionToken: "[withheld]", userId: "u-v", expires },
    ])
    const account = { provider: "oidc", type: "oidc", userId: "u-v", providerAccountId: "s", access_token: "t", own: 1 }
    expect(showArguments([account])).toEqual([
      {
        provider: "oidc",
        type: "oidc",
        userId: "u-v",
        providerAccountId: "[withheld]",
        access_token: "[withheld]",
        own: "[withheld]",
      },
    ])
  })

  it("LOG-03: withholds what has no name", () => {
    expect(showArguments(["token", 5, null, ["token"], new Date(0)])).toEqual(Array(5).fill("[withheld]"))
  })
})

it("listWithheldTexts gives the texts that showArguments hides", () => {
  expect(listWithheldTexts(["token", { id: "u-v", email: "v@corp.test", count: 5 }, 7])).toEqual([
    "token",
    "v@corp.test",
  ])
})

it("withhold takes out every occurrence, and nothing that only looks like a pattern", () => {
  expect(withhold("a.b axb a.b $&", ["a.b", "$&"])).toBe("[withheld] axb [withheld] [withheld]")
})
