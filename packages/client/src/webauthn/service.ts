import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser"
import {
  type Completion,
  describeUnexpected,
  type Query,
  readCompletion,
  readField,
  readJson,
  readString,
} from "../protocol.js"
import { AuthClientError, type Service } from "../service.js"
import { PasskeyError } from "./passkey-error.js"

/** `register` creates a passkey, `authenticate` signs in with one. */
export type WebAuthnAction = "register" | "authenticate"

/** The options that the service sends for the browser's WebAuthn call. */
export type CeremonyOptions =
  | { readonly action: "register"; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly action: "authenticate"; readonly options: PublicKeyCredentialRequestOptionsJSON }

/** The result of the browser's WebAuthn call. */
export interface CeremonyResult {
  readonly action: WebAuthnAction
  readonly credential: RegistrationResponseJSON | AuthenticationResponseJSON
}

/** Fields of a form or a query, by name. */
export type Fields = Readonly<Record<string, string>>

/** The service's side of a WebAuthn ceremony, over HTTP. */
export interface WebAuthnService {
  /** `GET <base>/webauthn-options/<id>`. @throws PasskeyError */
  requestOptions(providerId: string, query: Fields, signal?: AbortSignal): Promise<CeremonyOptions>
  /** `POST <base>/callback/<id>`. Fetches a CSRF token unless the fields contain one. @throws PasskeyError */
  complete(providerId: string, result: CeremonyResult, request: CompletionRequest): Promise<Completion>
}

interface CompletionRequest {
  readonly fields: Fields
  /** The query of the request. */
  readonly query: Query
}

export function webAuthnService({ address, request, requestCsrfToken, submit }: Service): WebAuthnService {
  return {
    requestOptions: async (providerId, query, signal) => {
      const target = address("webauthn-options", providerId, query)
      const response = await orPasskeyError(request(target, signal && { signal }), signal)
      const content = await readJson(response)
      if (isCeremonyOptions(content)) return content
      // The service refuses with 400; any other status is a temporary failure.
      if (response.status === 400 && query["action"] === "register") throw unexpected(response, "registration-refused")
      const completion = readCompletion(response, content, location.href)
      throw completion ? new OptionsRefused(response, completion) : unexpected(response, "unavailable")
    },
    complete: async (providerId, { action, credential }, { fields: { csrfToken: given, ...fields }, query }) => {
      const csrfToken = given ?? (await orPasskeyError(requestCsrfToken()))
      const body = new URLSearchParams({ ...fields, action, data: JSON.stringify(credential) })
      if (csrfToken !== undefined) body.set("csrfToken", csrfToken)
      return orPasskeyError(submit(address("callback", providerId, query), body))
    },
  }
}

async function orPasskeyError<Answer>(attempt: Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  try {
    return await attempt
  } catch (cause) {
    const isNetwork = cause instanceof AuthClientError && cause.code === "network"
    throw new PasskeyError(signal?.aborted ? "aborted" : isNetwork ? "network" : "unavailable", { cause })
  }
}

/** The service sends no options, and names a page: of its error, or where users re-authenticate. */
export class OptionsRefused extends PasskeyError {
  readonly completion: Completion

  constructor(response: Response, completion: Completion) {
    super("unavailable", { cause: new Error(describeUnexpected(response)) })
    this.completion = completion
  }
}

function unexpected(response: Response, code: "registration-refused" | "unavailable"): PasskeyError {
  return new PasskeyError(code, { cause: new Error(describeUnexpected(response)) })
}

/** The browser validates the rest of the options. */
function isCeremonyOptions(content: unknown): content is CeremonyOptions {
  const action = readString(content, "action")
  if (action !== "register" && action !== "authenticate") return false
  return readString(readField(content, "options"), "challenge") !== undefined
}
