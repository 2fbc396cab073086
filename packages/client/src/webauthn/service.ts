import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser"
import {
  type Completion,
  describeUnexpected,
  jsonHeaders,
  readCompletion,
  readField,
  readJson,
  readString,
  toAddress,
} from "../protocol.js"
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
  readonly parameters: Fields
}

/** @param base the base path or URL of the service, without a trailing slash */
export function webAuthnService(base: string): WebAuthnService {
  return {
    requestOptions: async (providerId, query, signal) => {
      const response = await send(toAddress(base, "webauthn-options", providerId, query), { signal: signal ?? null })
      const content = await readJson(response)
      if (isCeremonyOptions(content)) return content
      // The service refuses with 400; any other status is a temporary failure.
      if (response.status === 400 && query["action"] === "register") throw unexpected(response, "registration-refused")
      const completion = readCompletion(response, content, location.href)
      throw completion ? new OptionsRefused(response, completion) : unexpected(response, "unavailable")
    },
    complete: async (providerId, { action, credential }, { fields, parameters }) => {
      const csrf = "csrfToken" in fields ? {} : await requestCsrfToken(toAddress(base, "csrf"))
      const body = new URLSearchParams({ ...fields, ...csrf, action, data: JSON.stringify(credential) })
      const response = await send(toAddress(base, "callback", providerId, parameters), { method: "POST", body })
      const completion = readCompletion(response, await readJson(response), location.href)
      if (!completion) throw unexpected(response, "unavailable")
      return completion
    },
  }
}

/** The service sends no options, and names a page: of its error, or where users prove again who they are. */
export class OptionsRefused extends PasskeyError {
  readonly completion: Completion

  constructor(response: Response, completion: Completion) {
    super("unavailable", { cause: new Error(describeUnexpected(response)) })
    this.completion = completion
  }
}

/** Without a token where the framework protects its forms itself. */
async function requestCsrfToken(address: string): Promise<Fields> {
  const csrfToken = readString(await readJson(await send(address)), "csrfToken")
  return csrfToken === undefined ? {} : { csrfToken }
}

async function send(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(address, { cache: "no-store", ...init, headers: jsonHeaders })
  } catch (cause) {
    throw new PasskeyError(init.signal?.aborted ? "aborted" : "network", { cause })
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
