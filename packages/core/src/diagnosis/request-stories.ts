import type { FailureReason } from "../errors/failure-reason.js"
import type { TellStory } from "./story.js"

/** Reasons that say no more than the type of an error. The message in the log says the rest. */
type RequestReason = Extract<
  FailureReason,
  | `${"access" | "config" | "credentials" | "second"}-${string}`
  | "address-invalid"
  | "input-refused"
  | "logout-token-invalid"
  | "passkey-invalid"
  | "provider-unknown"
  | "reauthentication-needed"
  | "request-invalid"
  | "unexpected"
>

export const requestStories: Readonly<Record<RequestReason, TellStory>> = {
  "access-refused": () => ({
    sentences: ["The user may not do this. The message in the log says what forbids it."],
    fixes: ["If the user should be let in, change what the message names, such as session.track.maxPerUser."],
    guide: ["Errors and logging", "Logging errors"],
  }),
  "access-token-unavailable": () => ({
    sentences: ["There is no access token of the provider for this user that could be used or refreshed."],
    fixes: [
      "The code of the error says why: no account, no stored token, a refresh token that the provider refused, or a session that cannot be written.",
      "Let the user sign in with the provider again if the refresh token is gone.",
    ],
    guide: ["Access tokens of providers"],
  }),
  "address-invalid": () => ({
    sentences: ["What was typed is not an email address that a mail can be sent to."],
    fixes: ["If the address is right, look at normalizeIdentifier of the provider: it may refuse it."],
    guide: ["Sign-in by email"],
  }),
  "config-invalid": () => ({
    sentences: ["The configuration is invalid. The message in the log begins with the option and says what to write."],
    fixes: ["Correct the option that the message names, or the environment variable that sets it."],
    guide: ["Configuration", "Configuration errors"],
  }),
  "credentials-wrong": () => ({
    sentences: ["The password or another field of the form was wrong. The page does not say which."],
    fixes: [
      "Nothing has to be mended for one visitor. If it happens to everyone, look at authorize or at the store of the passwords.",
    ],
    guide: ["Passwords"],
  }),
  "input-refused": () => ({
    sentences: ["A field of a form, or the change that it asks for, was refused. The message in the log says why."],
    fixes: ["Nothing has to be mended for one visitor: the page says what to type. An option sets most of the rules."],
    guide: ["Errors and logging", "Errors as JSON"],
  }),
  "logout-token-invalid": () => ({
    sentences: ["A request of the provider to end sessions was not valid, so no session ended."],
    fixes: ["Compare issuer and clientId of the provider with its logout token, and check the clock of this server."],
    guide: ["Signing out at the provider"],
  }),
  "passkey-invalid": () => ({
    sentences: ["The answer of the passkey was not accepted. The message in the log names the part that is wrong."],
    fixes: [
      "If the passkey is unknown, it was removed, or belongs to another database: the visitor signs in another way and adds a new one.",
      "If it happens to everyone, compare relayingParty.id and relayingParty.origin with the address that visitors use.",
    ],
    guide: ["Passkeys", "Options"],
  }),
  "provider-unknown": () => ({
    sentences: ["The address names a provider that is not configured, or asks a provider for what it cannot do."],
    fixes: [
      "Compare the id in the link with those that GET /providers shows. If the provider was renamed, old links and registered callback URLs have the old id.",
    ],
    guide: ["Providers"],
  }),
  "reauthentication-needed": () => ({
    sentences: ["The action needs a sign-in that is newer than the one of this session."],
    fixes: ["Nothing has to be mended: the visitor signs in again and goes on."],
    guide: ["Account area"],
  }),
  "request-invalid": () => ({
    sentences: ["The request was malformed, or for an address that the service does not have."],
    fixes: [
      "If a link or a form of your app sends it, the message in the log names the part to correct.",
      "If nothing of yours sends it, somebody tries addresses. They are refused.",
    ],
    guide: ["Security details"],
  }),
  "second-factor-wrong": () => ({
    sentences: ["The code of the second factor was wrong, old, or used before."],
    fixes: [
      "Nothing has to be mended for one visitor. If it happens to everyone, the clock of the server is wrong: codes are valid for half a minute.",
    ],
    guide: ["Second factors"],
  }),
  "second-step-expired": () => ({
    sentences: [
      "The sign-in waited for its second factor, and is over: it took too long, had too many wrong codes, or was completed.",
    ],
    fixes: ["Nothing has to be mended for one visitor: signing in again works."],
    guide: ["Second factors"],
  }),
  unexpected: () => ({
    sentences: ["Something failed that the service has no reason for. The message and the cause in the log say what."],
    fixes: ["If the cause leads to code of the app, correct it there. Otherwise report it with both."],
    guide: ["Errors and logging", "Logging errors"],
  }),
}
