import type { AuthError, AuthErrorType } from "../errors/auth-error.js"
import { type FailureFacts, type FailureReason, findReason } from "../errors/failure-reason.js"
import { appStories } from "./app-stories.js"
import { flowStories } from "./flow-stories.js"
import { providerStories } from "./provider-stories.js"
import { requestStories } from "./request-stories.js"
import type { Story, TellStory } from "./story.js"

/** The story of each reason. A new reason does not compile without one. */
const stories: Readonly<Record<FailureReason, TellStory>> = {
  ...flowStories,
  ...providerStories,
  ...appStories,
  ...requestStories,
}

/** All reasons, in the order of the guide. */
export const failureReasons: readonly FailureReason[] = Object.keys(stories).filter(isFailureReason)

/** Whether a text is one of the reasons that `logger.record` and the console write. */
export function isFailureReason(text: string): text is FailureReason {
  return Object.hasOwn(stories, text)
}

/**
 * What happened, and what to change, for an operator. Shows facts as they are: escape them where the log may be forged.
 * @param facts Those of the log record. Default: none, for a general story.
 */
export function tellStory(reason: FailureReason, facts: FailureFacts = {}): Story {
  return stories[reason](facts)
}

/** Whether a reason says no more than the type of an error, so that its message has to be told, too. */
export function isGeneralReason(reason: FailureReason): boolean {
  return Object.hasOwn(requestStories, reason)
}

/** The reason of errors that state none. A new type does not compile without one. */
const reasonsOfTypes: Readonly<Record<AuthErrorType, FailureReason>> = {
  AccessDenied: "access-refused",
  AccessTokenUnavailable: "access-token-unavailable",
  AccountNotLinked: "account-of-another-user",
  AdapterError: "adapter-failed",
  AuthError: "unexpected",
  CallbackRouteError: "unexpected",
  CodeSpent: "link-spent",
  CodeWrong: "code-guesses",
  CredentialsSignin: "credentials-wrong",
  DuplicateConditionalUI: "config-invalid",
  EmailSignInError: "address-invalid",
  ErrorPageLoop: "config-invalid",
  EventError: "callback-threw",
  ExperimentalFeatureNotEnabled: "config-invalid",
  FreshnessRequired: "reauthentication-needed",
  HeldExpired: "second-step-expired",
  HeldTooLarge: "session-too-large",
  InvalidCallbackUrl: "request-invalid",
  InvalidCheck: "flow-cookies-missing",
  InvalidConfiguration: "config-invalid",
  InvalidEndpoints: "config-invalid",
  InvalidProvider: "provider-unknown",
  InvalidRequest: "request-invalid",
  JWTSessionError: "session-altered",
  LogoutTokenInvalid: "logout-token-invalid",
  MissingAdapter: "config-invalid",
  MissingAdapterMethods: "config-invalid",
  MissingAuthorize: "config-invalid",
  MissingCSRF: "form-token-missing",
  MissingSecret: "config-invalid",
  MissingWebAuthnAutocomplete: "config-invalid",
  OAuthAccountNotLinked: "account-of-another-user",
  OAuthCallbackError: "denied-by-provider",
  OAuthProfileParseError: "profile-invalid",
  OAuthSignInError: "provider-answer",
  SecondFactorWrong: "second-factor-wrong",
  SessionTokenError: "unexpected",
  SignOutError: "unexpected",
  TooManyRequests: "rate-limited",
  UnknownAction: "request-invalid",
  UnsupportedStrategy: "config-invalid",
  UntrustedHost: "host-untrusted",
  Verification: "link-spent",
  WebAuthnVerificationError: "passkey-invalid",
}

/** The reason of an error that states none, by its type; null for a type of the app. */
export function findReasonOfType(type: string): FailureReason | null {
  // as: a type of ours.
  return Object.hasOwn(reasonsOfTypes, type) ? reasonsOfTypes[type as AuthErrorType] : null
}

/** The story of an error as a note on the error page of a developer. */
export function describeStory(
  error: AuthError,
): { readonly type: string; readonly message: string; readonly causes: readonly string[] } | undefined {
  const { reason, facts } = findReason(error) ?? { reason: findReasonOfType(error.type), facts: {} }
  if (reason === null) return undefined
  const { sentences, fixes, guide } = tellStory(reason, facts)
  const [title, section] = guide
  const place = section === undefined ? "" : `, section "${section.replaceAll("`", "")}"`
  return { type: reason, message: sentences.join(" "), causes: [...fixes, `Guide: "${title}"${place}`] }
}
