import type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
import { type TellStory, textOf } from "./story.js"

/** Reasons that lie with a provider, or with what is registered there. */
type ProviderReason = Extract<
  FailureReason,
  | `${"denied" | "token"}-${string}`
  | `provider-${"unreachable" | "answer"}`
  | "profile-invalid"
  | `${"client" | "code" | "redirect-uri" | "scope"}-rejected`
>

const client = ["OAuth and OpenID Connect", "Client authentication"] as const
const registered = ["Errors and logging", "A provider that shows its own error page"] as const

/** "The token endpoint answered with status 401 and the error invalid_client." */
function tellAnswer(facts: FailureFacts): string {
  const endpoint = facts["endpoint"] === undefined ? "The provider" : `The ${textOf(facts, "endpoint", "")} endpoint`
  const status = facts["status"] === undefined ? "" : ` with status ${textOf(facts, "status", "")}`
  const error =
    facts["error"] === undefined ? "" : `${status === "" ? " with" : " and"} the error ${textOf(facts, "error", "")}`
  return `${endpoint} answered${status}${error}.`
}

export const providerStories: Readonly<Record<ProviderReason, TellStory>> = {
  "denied-by-user": () => ({
    sentences: ["The visitor canceled the sign-in at the provider, or declined what it asked for."],
    fixes: [
      "Nothing has to be mended, unless it happens to everyone: then the app is not approved for these users at the provider.",
    ],
    guide: ["Errors and logging", "Errors on the sign-in page"],
  }),
  "denied-by-provider": (facts) => ({
    sentences: [`The provider sent the visitor back with the error ${textOf(facts, "error", "that the log names")}.`],
    fixes: [
      "Look the error up in the provider's documentation: it is about the app, the account or the provider itself.",
    ],
    guide: registered,
  }),
  "client-rejected": (facts) => ({
    sentences: [tellAnswer(facts), "It does not accept the client ID with this client secret."],
    fixes: [
      "Compare clientId and clientSecret with what the provider shows. A secret may have expired, or end with a line break.",
      'If both are right, the provider may expect the secret in the body: client: { token_endpoint_auth_method: "client_secret_post" }.',
    ],
    guide: client,
  }),
  "code-rejected": (facts) => ({
    sentences: [
      tellAnswer(facts),
      "The code was used already, is too old, or belongs to another client or redirect URI.",
    ],
    fixes: [
      "If it happens at every sign-in, the redirect URI differs from the registered one, or a proxy repeats requests.",
      "If it happens now and then, visitors reloaded the callback. Nothing has to be mended.",
    ],
    guide: registered,
  }),
  "redirect-uri-rejected": (facts) => ({
    sentences: [tellAnswer(facts), "The redirect URI is not registered at the provider."],
    fixes: [
      "Register the callbackUrl that GET /providers shows, with the same scheme, host, port and path. If its host is wrong, set AUTH_URL.",
    ],
    guide: registered,
  }),
  "scope-rejected": (facts) => ({
    sentences: [tellAnswer(facts), "It does not know a scope, or the app may not ask for it."],
    fixes: ["Correct authorization.params.scope of the provider, or allow the scope at the provider."],
    guide: ["Providers", "Your own provider"],
  }),
  "token-clock": () => ({
    sentences: ["A token of the provider is not valid at this time, according to the clock of this server."],
    fixes: [
      "Synchronize the server's clock (NTP).",
      "advanced.clockToleranceSeconds of the provider allows up to 60 seconds.",
    ],
    guide: client,
  }),
  "token-audience": () => ({
    sentences: ["A token of the provider is for another client."],
    fixes: ["Set clientId of the provider to the client that the provider issues tokens for."],
    guide: client,
  }),
  "token-issuer": () => ({
    sentences: ["A token, a response or the discovery document names another issuer than the one that is configured."],
    fixes: [
      "Write the issuer exactly as its discovery document does: a slash at the end, the tenant and the realm count.",
    ],
    guide: ["Providers", "Your own provider"],
  }),
  "token-signature": () => ({
    sentences: ["A token of the provider has no valid signature of a key that the provider publishes."],
    fixes: [
      "If the provider has just changed its keys, wait a minute: they are fetched again.",
      "Check id_token_signed_response_alg of the client, and whether the issuer is the right one.",
    ],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "provider-unreachable": (facts) => ({
    sentences: [`The ${textOf(facts, "endpoint", "provider's")} endpoint could not be reached from this server.`],
    fixes: [
      "Try the address with curl from the same machine or container. A firewall or a missing outbound proxy is the usual cause.",
      "If that works, the provider was down for a moment.",
    ],
    guide: ["Outbound proxies"],
  }),
  "provider-answer": (facts) => ({
    sentences: [tellAnswer(facts), "That is not an answer of the protocol."],
    fixes: [
      ...(facts["endpoint"] === "discovery"
        ? [
            "Compare the issuer of the provider with what it shows: without /.well-known/openid-configuration at its end.",
          ]
        : []),
      "The message in the log says what is wrong with it. If the provider deviates from the standard, its conform hooks can repair the answer.",
    ],
    guide: ["Providers", "Hooks"],
  }),
  "profile-invalid": () => ({
    sentences: ["The profile of the provider has no id, or the profile callback failed or returned no user."],
    fixes: ["Look at the profile callback of the provider: it must return an object with an id."],
    guide: ["Providers", "Your own provider"],
  }),
}
