import { describe, expect, it } from "vitest"
import type { AuthConfig } from "../contract/config.js"
import { findMistypedOptions } from "./option-types.js"

/** What a host without types may write. */
function sentencesOf(changes: Readonly<Record<string, unknown>>): readonly string[] {
  const config = { providers: [], ...changes } as AuthConfig // as: its values are not of its types
  return findMistypedOptions(config).map(({ sentence }) => sentence)
}

describe("findMistypedOptions", () => {
  it.each([
    [{ providers: "github" }, "providers: must be a list"],
    [{ adapter: true }, "adapter: must be an object"],
    [{ basePath: [] }, "basePath: must be text"],
    [{ callbacks: { jwt: "sub" } }, "callbacks.jwt: must be a function"],
    [{ events: 1 }, "events: must be an object"],
    [{ cookies: { sessionToken: null } }, "cookies.sessionToken: must be an object"],
    [{ cookies: "lax" }, "cookies: must be an object"],
    [{ session: "jwt" }, "session: must be an object"],
    [{ pages: { error: 404 } }, "pages.error: must be text"],
    [{ theme: { logo: {} } }, "theme.logo: must be text"],
    [{ logger: { warn: true } }, "logger.warn: must be a function"],
    [{ experimental: true }, "experimental: must be an object"],
  ])("names the option in %j", (changes, sentence) => {
    expect(sentencesOf(changes)).toEqual([sentence])
  })

  it("takes what is left out, null included, and what has more than is known of it", () => {
    class Store {
      getUser(): null {
        return null
      }
    }
    const logger = { level: "info", error: () => {} }
    expect(sentencesOf({ session: null, theme: undefined, adapter: new Store(), logger, pages: {} })).toEqual([])
    expect(sentencesOf({ adapter: () => {}, callbacks: { authorized: true }, cookies: { state: {} } })).toEqual([])
  })
})
