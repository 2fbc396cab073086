import { fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../auth.js"
import type { AuthConfig } from "../../types/config.js"
import type { LogoutEndpoint } from "../../types/oauth-provider.js"
import { trackSessions } from "../tracked-sessions/track-sessions.js"
import { type ProviderLogoutOptions, providerLogout } from "./provider-logout.js"

const secret = "a secret of at least thirty-two characters"
const idp = fakeIdentityProvider()

const findMistake = (options: ProviderLogoutOptions, config: Partial<AuthConfig> = {}) =>
  getService({
    providers: [idp.provider()],
    secret,
    trustHost: true,
    providerLogout: providerLogout(options),
    ...config,
  }).mistake?.message ?? null

const track = { session: { track: trackSessions() } }

describe("providerLogout", () => {
  it("needs neither an adapter nor records of the sessions to sign out at the provider", () => {
    for (const atProvider of [true, false, "ask"] as const) expect(findMistake({ atProvider })).toBeNull()
    expect(findMistake({})).toBeNull()
  })

  it.each(["backchannel", "frontchannel"] as const)(
    "is refused at the start if %s has no records of the sessions",
    (channel) => {
      expect(findMistake({ [channel]: true }, { adapter: memoryAdapter() })).toBe(
        `providerLogout.${channel}: needs records of the sessions. Write session: { track: trackSessions() }`,
      )
      expect(findMistake({ [channel]: true }, { adapter: memoryAdapter(), ...track })).toBeNull()
    },
  )

  it.each(["backchannel", "frontchannel"] as const)(
    "is refused at the start if the adapter cannot end sessions for %s",
    (channel) => {
      const { endSessions: _, ...published } = memoryAdapter()
      const config = { adapter: published, ...track }
      expect(findMistake({ [channel]: true }, config)).toMatch(/the adapter lacks endSessions\. Use @latchkey\//)
      expect(findMistake({ [channel]: true }, track)).toMatch(/needs an adapter\. Use/)
    },
  )

  it.each([
    [{ atProvider: "always" }, 'providerLogout.atProvider: must be true, false or "ask"'],
    [{ backchannel: "true" }, "providerLogout.backchannel: must be true or false"],
    [{ frontchannel: 1 }, "providerLogout.frontchannel: must be true or false"],
    [{ laxTyp: null }, "providerLogout.laxTyp: must be true or false"],
    [
      { backChannel: true },
      /^providerLogout\.backChannel: unknown option\. Use atProvider, backchannel, frontchannel, laxTyp$/,
    ],
  ])("refuses %j at the start", (options, sentence) => {
    expect(findMistake(options as ProviderLogoutOptions)).toMatch(sentence)
  })

  it.each([
    ["/logout", "providers.oidc.logout.url: must be an absolute http(s) URL"],
    [{ url: "javascript:alert(1)" }, "providers.oidc.logout.url: must be an absolute http(s) URL"],
    [
      { params: { returnTo: "{post_logout_uri}" } },
      /^providers\.oidc\.logout\.params\.returnTo: must be text, null, or one/,
    ],
    [{ params: { returnTo: 1 } }, /^providers\.oidc\.logout\.params\.returnTo: must be text/],
  ])("refuses a provider whose logout is %j at the start", (logout, sentence) => {
    expect(findMistake({}, { providers: [idp.provider({ logout: logout as LogoutEndpoint })] })).toMatch(sentence)
  })

  it.each([true, {}, "all"])("is the only value of the option: %j is refused", (logout) => {
    expect(findMistake({}, { providerLogout: logout as never })).toBe(
      "providerLogout: must be the result of providerLogout()",
    )
  })
})
