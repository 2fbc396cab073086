import type { AuthAction } from "@latchkey/core/types"
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser"
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

/** What came of a sign-in. `url` is null when there is an `error`. */
export interface SignInResponse {
  /** The error type, as the sign-in page has it in its query. */
  readonly error: string | undefined
  readonly code: string | undefined
  readonly status: number
  readonly ok: boolean
  readonly url: string | null
}

export type Fields = Readonly<Record<string, string>>

/** An answer of the service, and where it sends the browser. */
export interface Completion {
  readonly response: SignInResponse
  /** Where the service would redirect: the callback URL, or the page that shows the error. */
  readonly target: string
}

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
      const cause = new Error(describe(response))
      throw new PasskeyError(isRefused ? "registration-refused" : "unavailable", { cause })
    },
    complete: async (providerId, { action, credential }, { fields, parameters }) => {
      const csrf = "csrfToken" in fields ? {} : await requestCsrfToken(address("csrf"))
      const body = new URLSearchParams({ ...fields, ...csrf, action, data: JSON.stringify(credential) })
      const response = await ask(address("callback", providerId, parameters), { method: "POST", body })
      return toCompletion(response, readText(await readJson(response), "url"))
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

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // A page in place of JSON is an answer that nobody can use, which is what the caller says of an empty one.
    return undefined
  }
}

function toCompletion(answer: Response, url: string | undefined): Completion {
  const target = url === undefined ? null : findHttpUrl(url)
  if (!target) throw new PasskeyError("unavailable", { cause: new Error(describe(answer)) })
  const error = target.searchParams.get("error") ?? undefined
  const code = target.searchParams.get("code") ?? undefined
  const { status, ok } = answer
  return { response: { error, code, status, ok, url: error === undefined ? target.href : null }, target: target.href }
}

/** Null for what is no address of a page. `URL.parse` is younger than some browsers that have passkeys. */
function findHttpUrl(text: string): URL | null {
  try {
    const url = new URL(text, location.href)
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}

/** What the shape is made of is checked by the browser, which refuses options that it does not understand. */
function isOffer(content: unknown): content is OfferedOptions {
  const action = readText(content, "action")
  if (action !== "register" && action !== "authenticate") return false
  return readText(readField(content, "options"), "challenge") !== undefined
}

function readField(content: unknown, name: string): unknown {
  return typeof content === "object" && content !== null ? Reflect.get(content, name) : undefined
}

function readText(content: unknown, name: string): string | undefined {
  const value = readField(content, name)
  return typeof value === "string" ? value : undefined
}

function describe({ status, url }: Response): string {
  return `The service answered with status ${status} at ${new URL(url || location.href).pathname}`
}
