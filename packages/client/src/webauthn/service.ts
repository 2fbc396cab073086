import type { AuthAction } from "@latchkey/types"
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser"
import { describeAnswer, readField, readJson, readText } from "../answer.js"
import { type Completion, findCompletion } from "../completion.js"
import { PasskeyError } from "./passkey-error.js"

/** `register` makes a passkey, `authenticate` signs in with one. */
export type WebAuthnAction = "register" | "authenticate"

/** What the browser shall ask the device for. */
export type OfferedOptions =
  | { readonly action: "register"; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly action: "authenticate"; readonly options: PublicKeyCredentialRequestOptionsJSON }

/** What the device answered. */
export interface CeremonyAnswer {
  readonly action: WebAuthnAction
  readonly credential: RegistrationResponseJSON | AuthenticationResponseJSON
}

export type Fields = Readonly<Record<string, string>>

/** The service's side of a passkey ceremony, over HTTP. */
export interface WebAuthnService {
  /** `GET <base>/webauthn-options/<id>`. @throws PasskeyError */
  requestOptions(providerId: string, query: Fields, signal?: AbortSignal): Promise<OfferedOptions>
  /** `POST <base>/callback/<id>`, with the csrf token fetched unless the fields hold it. @throws PasskeyError */
  complete(providerId: string, answer: CeremonyAnswer, request: CompletionRequest): Promise<Completion>
}

export interface CompletionRequest {
  readonly fields: Fields
  /** The query of the request. */
  readonly parameters: Fields
}

/** Asks for `{"url": ...}` in place of a redirect. */
const headers = { accept: "application/json", "x-auth-return-redirect": "1" } as const

/** @param basePath path or URL below which the service answers, without a trailing slash */
export function webAuthnService(basePath: string): WebAuthnService {
  const address = (action: AuthAction, providerId?: string, query: Fields = {}): string => {
    const path = providerId === undefined ? action : `${action}/${encodeURIComponent(providerId)}`
    const search = new URLSearchParams(query).toString()
    return `${basePath}/${path}${search && `?${search}`}`
  }
  return {
    requestOptions: async (providerId, query, signal) => {
      const response = await ask(address("webauthn-options", providerId, query), { signal: signal ?? null })
      const content = await readJson(response)
      if (isOffer(content)) return content
      // The service's own refusal; any other status is trouble that passes.
      const isRefused = response.status === 400 && query["action"] === "register"
      const cause = new Error(describeAnswer(response))
      throw new PasskeyError(isRefused ? "registration-refused" : "unavailable", { cause })
    },
    complete: async (providerId, { action, credential }, { fields, parameters }) => {
      const csrf = "csrfToken" in fields ? {} : await requestCsrfToken(address("csrf"))
      const body = new URLSearchParams({ ...fields, ...csrf, action, data: JSON.stringify(credential) })
      const response = await ask(address("callback", providerId, parameters), { method: "POST", body })
      return readCompletion(response)
    },
  }
}

/** Nothing to send where the framework protects its forms itself. */
async function requestCsrfToken(address: string): Promise<Fields> {
  const csrfToken = readText(await readJson(await ask(address)), "csrfToken")
  return csrfToken === undefined ? {} : { csrfToken }
}

async function ask(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(address, { cache: "no-store", ...init, headers })
  } catch (cause) {
    throw new PasskeyError(init.signal?.aborted ? "aborted" : "network", { cause })
  }
}

async function readCompletion(answer: Response): Promise<Completion> {
  const completion = findCompletion(answer, await readJson(answer), location.href)
  if (completion) return completion
  throw new PasskeyError("unavailable", { cause: new Error(describeAnswer(answer)) })
}

/** What the shape is made of is checked by the browser, which refuses options that it does not understand. */
function isOffer(content: unknown): content is OfferedOptions {
  const action = readText(content, "action")
  if (action !== "register" && action !== "authenticate") return false
  return readText(readField(content, "options"), "challenge") !== undefined
}
