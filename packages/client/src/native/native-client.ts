import type { Session } from "@latchkey/types"
import { readJson, readString, trimEnd } from "../protocol.js"

/** Where an app keeps its token: the keychain of the platform, such as `expo-secure-store` or Electron's `safeStorage`. */
export interface TokenStorage {
  /** Returns the token, or null. */
  get(): string | null | Promise<string | null>
  /** Keeps the token in place of any other. */
  set(token: string): unknown
  /** Deletes the token. */
  remove(): unknown
}

/** The user's browser, and the address at which the app gets its answer. */
export interface NativeBrowser {
  /** One of the `redirectUris` of the client; on the loopback interface with the port of the listener. */
  readonly redirectUri: string
  /**
   * Opens a page in the system's browser, never in a view of the app's own (RFC 8252 section 8.12).
   * @returns the URL that the browser came back to; null if the user closed it
   */
  open(url: string): Promise<string | null>
}

/** The cryptography of a platform without the Web's. `import * as Crypto from "expo-crypto"` fits. */
export interface NativeCrypto {
  getRandomValues(bytes: Uint8Array): unknown
  /** @param algorithm `SHA-256` */
  digest(algorithm: never, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
}

/** Options of {@link createNativeClient}. */
export interface NativeClientOptions {
  /** The URL of the service with its base path, such as `https://app.example/auth`. */
  readonly issuer: string
  /** The `id` of the client in `nativeApps()`. */
  readonly clientId: string
  readonly storage: TokenStorage
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Default: the global `crypto`. */
  readonly crypto?: NativeCrypto | undefined
}

/** The sign-in of a native app. */
export interface NativeClient {
  /**
   * Signs in by the user's browser, and keeps the token. The session of a former token ends.
   * @throws NativeSignInError
   */
  signIn(browser: NativeBrowser): Promise<Session | null>
  /**
   * Returns the session, or null when signed out. Renews the token, so call it when the app starts and when it comes back
   * to the foreground.
   * @throws NativeSignInError with `unavailable` if the service does not answer; the token stays
   */
  getSession(): Promise<Session | null>
  /**
   * Like `fetch`, with the token.
   * @throws TypeError for a URL of another origin than the issuer's: the token is not sent there
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Ends the session, and deletes the token, also if the service does not answer. */
  signOut(): Promise<void>
}

/**
 * Why a sign-in failed. New codes may be added, so a `switch` needs a default.
 *
 * - `closed`: the user closed the browser.
 * - `denied`: the user does not want the app to be signed in.
 * - `foreign-answer`: the answer belongs to another sign-in or another service. Nothing was sent.
 * - `refused`: the service refused the request, or the code. Its log says why.
 * - `unavailable`: the service could not be reached, or its answer is an error.
 */
export type NativeSignInErrorCode = "closed" | "denied" | "foreign-answer" | "refused" | "unavailable"

/** Thrown by the functions of a {@link NativeClient}. The message is for the developer, and holds no code or token. */
export class NativeSignInError extends Error {
  override readonly name = "NativeSignInError"
  readonly code: NativeSignInErrorCode

  constructor(code: NativeSignInErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What an app has begun, RFC 7636 section 4. */
interface Flow {
  readonly state: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Creates the sign-in of a native app, RFC 8252. Works without a DOM. */
export function createNativeClient(options: NativeClientOptions): NativeClient {
  const { clientId, storage, crypto = webCrypto } = options
  const issuer = trimEnd(options.issuer)
  const { origin } = new URL(issuer)
  const send = (url: string | URL, init?: RequestInit) => (options.fetch ?? globalThis.fetch)(url, init)

  async function sendToken(url: string | URL, init: RequestInit = {}, token?: string | null): Promise<Response> {
    const target = new URL(url, `${origin}/`)
    if (target.origin !== origin) throw new TypeError(`The token is for ${origin}, not for ${target.origin}`)
    const headers = new Headers(init.headers)
    const sent = token === undefined ? await storage.get() : token
    if (sent !== null) headers.set("authorization", `Bearer ${sent}`)
    // A cookie of the platform's jar would not be looked at.
    return send(target, { credentials: "omit", ...init, headers })
  }

  async function getSession(): Promise<Session | null> {
    const token = await storage.get()
    if (token === null) return null
    const response = await ask(() => sendToken(`${issuer}/session`, stay, token))
    const session = (await readAnswer(response)) as Session | null // The service fixes the shape.
    // The user may have signed out, or in again, meanwhile.
    if ((await storage.get()) !== token) return session
    const renewed = response.headers.get("latchkey-token")
    if (session === null) await storage.remove()
    else if (renewed) await storage.set(renewed)
    return session
  }

  async function exchange(code: string, { verifier, redirectUri }: Flow): Promise<string> {
    const former = await storage.get()
    const body = new URLSearchParams({
      ...(former !== null && { former_token: former }),
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    })
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const request = { ...stay, method: "POST", body: body.toString(), headers, credentials: "omit" } as const
    const response = await ask(() => send(`${issuer}/native/token`, request), [400])
    const token = readString(await readAnswer(response), "access_token")
    if (token === undefined) throw new NativeSignInError("refused", "The service refused the code")
    return token
  }

  return {
    async signIn(browser) {
      const flow = { state: random(crypto), verifier: random(crypto), redirectUri: browser.redirectUri }
      const query = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: flow.redirectUri,
        state: flow.state,
        code_challenge: await toChallenge(flow.verifier, crypto),
        code_challenge_method: "S256",
      })
      const answer = await browser.open(`${issuer}/native?${query}`)
      if (answer === null) throw new NativeSignInError("closed", "The user closed the browser")
      await storage.set(await exchange(readCode(answer, flow, issuer), flow))
      return getSession()
    },
    getSession,
    fetch: (url, init) => sendToken(url, init),
    async signOut() {
      const token = await storage.get()
      await storage.remove()
      if (token === null) return
      const headers = { "content-type": "application/json" }
      const request = { ...stay, method: "POST", body: '{"json":"true"}', headers }
      await ask(() => sendToken(`${issuer}/signout`, request, token))
    },
  }
}

/**
 * The code in the URL that the browser came back to. Its state tells that the answer is for this sign-in, and its issuer
 * that it is from this service (RFC 9207).
 */
function readCode(answer: string, { state, redirectUri }: Flow, issuer: string): string {
  // As text: not every platform parses the URL of a scheme of its own.
  const [address = "", query = ""] = answer.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query.split("#", 1)[0])
  if (address !== redirectUri.split("?", 1)[0] || parameters.get("state") !== state) {
    throw new NativeSignInError("foreign-answer", "The answer belongs to another sign-in")
  }
  if (parameters.get("iss") !== issuer) {
    throw new NativeSignInError("foreign-answer", `The answer is not from ${issuer}, which has to be the public URL`)
  }
  const error = parameters.get("error")
  if (error === "access_denied") throw new NativeSignInError("denied", "The user does not want the app to be signed in")
  const code = parameters.get("code")
  if (error !== null || code === null) throw new NativeSignInError("refused", "The service refused the request")
  return code
}

/** The service redirects none of these requests. After a redirect, code and verifier would be sent again, to another address. */
const stay = { redirect: "error" } as const

/** @param accepted The status of an answer that the caller reads, besides those of success. */
async function ask(request: () => Promise<Response>, accepted: readonly number[] = []): Promise<Response> {
  let response: Response
  try {
    response = await request()
  } catch (cause) {
    throw new NativeSignInError("unavailable", "The service could not be reached", { cause })
  }
  if (response.ok || accepted.includes(response.status)) return response
  throw new NativeSignInError("unavailable", `The service answered ${response.status}`)
}

/** The JSON of an answer. A network with a sign-in page of its own answers every request with that page. */
async function readAnswer(response: Response): Promise<unknown> {
  const content = await readJson(response)
  if (content !== undefined) return content
  throw new NativeSignInError("unavailable", "The service did not answer with JSON")
}

const webCrypto: NativeCrypto = {
  getRandomValues: (bytes) => globalThis.crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  digest: (algorithm, data) => globalThis.crypto.subtle.digest(algorithm, data),
}

/** 256 random bits. */
function random(crypto: NativeCrypto): string {
  const bytes = new Uint8Array(32)
  crypto.getRandomValues(bytes)
  return toBase64url(bytes)
}

async function toChallenge(verifier: string, crypto: NativeCrypto): Promise<string> {
  // as: the types of `expo-crypto` name the algorithm by an enumeration.
  const hash = await crypto.digest("SHA-256" as never, new TextEncoder().encode(verifier))
  return toBase64url(new Uint8Array(hash))
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** RFC 4648 section 5. Not every platform has `btoa`. */
function toBase64url(bytes: Uint8Array): string {
  let text = ""
  for (let n = 0; n < bytes.length; n += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(n, n + 3)
    const group = (a << 16) | (b << 8) | c
    const length = Math.min(bytes.length - n, 3) + 1
    for (let k = 0; k < length; k++) text += alphabet[(group >> (18 - 6 * k)) & 63]
  }
  return text
}
