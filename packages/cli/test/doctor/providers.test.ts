import { customFetch } from "@latchkey/core"
import { examine } from "@latchkey/core/diagnosis"
import type { Provider } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import { checkProviders } from "../../src/doctor/providers.js"
import { liveOf } from "./live.js"

/** What is found with a provider that refuses the client in these words. */
async function findingsOf(description: string | undefined) {
  const refuse = async () => Response.json({ error: "invalid_client", error_description: description }, { status: 401 })
  const provider: Provider = {
    id: "demo",
    name: "Demo",
    type: "oauth",
    clientId: "rp",
    clientSecret: "a-secret-of-the-client",
    authorization: "https://idp.example/authorize",
    token: "https://idp.example/token",
    userinfo: "https://idp.example/userinfo",
    profile: ({ sub }) => ({ id: String(sub) }),
    [customFetch]: refuse,
  }
  const { config } = await examine({ providers: [provider], secret: "x".repeat(40) }, {})
  const { findings } = await checkProviders(liveOf({ providers: config?.providers ?? [] }))
  return findings.map(({ code, sentence, fixes }) => ({
    code,
    isEither: sentence.endsWith("The provider does not say which of them is wrong."),
    options: fixes.map(({ text }) => text.split(":", 1)[0]),
  }))
}

const clientId = { code: "client-id", isEither: false, options: ["clientId"] }
const secret = { code: "client-secret", isEither: false, options: ["clientSecret"] }
const either = { code: "client-secret", isEither: true, options: ["clientSecret", "clientId"] }

describe("checkProviders", () => {
  it.each([
    ["Google", "The OAuth client was not found.", clientId],
    [
      "Microsoft, an unknown client",
      "AADSTS700016: Application with identifier 'rp' was not found in the directory",
      clientId,
    ],
    ["Microsoft, a wrong secret", "AADSTS7000215: Invalid client secret provided.", secret],
    ["Microsoft, an expired secret", "AADSTS7000222: The provided client secret keys are expired.", secret],
    ["Keycloak", "Invalid client or Invalid client credentials", either],
    ["Okta", "Client authentication failed. Either the client or the client credentials are invalid.", either],
    ["oidc-provider", "client authentication failed", either],
    ["a provider without a text", undefined, either],
  ])("tells an unknown client ID and a wrong secret apart where the provider does: %s", async (_, said, expected) => {
    expect(await findingsOf(said)).toEqual([expected])
  })
})
