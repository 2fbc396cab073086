import {
  type AuthClient,
  createAuthClient,
  type GetSessionParams,
  type PublicProvider,
  type Query,
  reactBasePath,
  type Session,
  type SignInStep,
} from "@latchkey/client"
import { currentClient, signIn as signInHere } from "../auth.js"

/** The result of `signIn`, as in version 4. */
export interface SignInResponse {
  /** Null if the service accepted the form. */
  readonly error: string | null
  /** 401 also for a wrong password. */
  readonly status: number
  /** False also for a wrong password. */
  readonly ok: boolean
  readonly url: string | null
  /** The `code` of the app's `CredentialsSignin` error. */
  readonly code: string | undefined
  /** What is missing to the sign-in. */
  readonly next: SignInStep | null
}

/** Any other option is a field for the provider. */
export interface SignInOptions {
  /** Where to go afterwards. Default: the current page. */
  readonly callbackUrl?: string | undefined
  /** The newer name of `callbackUrl`. */
  readonly redirectTo?: string | undefined
  /** False returns the result and stays on the page. Default: true. */
  readonly redirect?: boolean | undefined
  readonly [field: string]: unknown
}

/**
 * Signs in. A CSRF token among the options is ignored, since the function requests the current one.
 * @typeParam _Provider Has no effect.
 * @returns undefined if the browser was redirected
 * @throws AuthClientError if the request failed
 */
export async function signIn<_Provider = undefined>(
  providerId?: string,
  options: SignInOptions = {},
  authorizationParams?: Query,
): Promise<SignInResponse | undefined> {
  const { csrfToken: _, ...given } = options
  const response = await signInHere(providerId, given, authorizationParams)
  if (!response) return undefined
  const { error, status, ok } = response
  if (error === undefined) return { ...response, error: null }
  return { ...response, error, ok: false, status: ok ? 401 : status }
}

/** A request of the pages router, or the context of `getServerSideProps` or `_app`. */
export interface CtxOrReq {
  readonly req?: ServerRequest | undefined
  readonly res?: ServerResponse | undefined
  readonly ctx?: Pick<CtxOrReq, "req" | "res"> | undefined
}

/** The part of Node's request that is read. */
export interface ServerRequest {
  readonly headers: { readonly cookie?: string | undefined }
}

/** The part of Node's response that is written to. */
export interface ServerResponse {
  readonly headersSent: boolean
  appendHeader(name: string, value: string): unknown
  setHeader(name: string, value: string): unknown
}

/**
 * Requests the session; on a server, with the cookies of the request.
 * @throws AuthClientError if the request failed
 */
export function getSession(params?: CtxOrReq & GetSessionParams): Promise<Session | null> {
  return findClient(params).getSession()
}

/**
 * Requests a CSRF token; on a server, with the cookies of the request. With a response that cookies can still be added to, the
 * token also works in a browser that had none.
 * @throws AuthClientError if the request failed
 */
export function getCsrfToken(params?: CtxOrReq): Promise<string | undefined> {
  return findClient(params).getCsrfToken()
}

/**
 * Lists the providers by id. Never null, unlike in version 4: a failure is thrown.
 * @throws AuthClientError if the request failed
 */
export function getProviders(): Promise<Readonly<Record<string, PublicProvider>> | null> {
  return findClient({}).getProviders()
}

/** In a page the client of the page, and on a server one that calls the service at the address of the environment. */
function findClient({ ctx, req = ctx?.req, res = ctx?.res }: CtxOrReq = {}): AuthClient {
  if (globalThis.location !== undefined) return currentClient()
  const { origin, pathname } = findServiceUrl()
  const basePath = pathname === "/" ? reactBasePath : pathname
  const cookie = req?.headers.cookie
  const send: typeof fetch = async (input, init) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...(cookie !== undefined && { cookie }) }
    const response = await fetch(input, { ...init, headers })
    if (res && !res.headersSent) passOn(response, res)
    return response
  }
  return createAuthClient({ baseUrl: origin, basePath, fetch: send })
}

/** Adds the cookies of the service to the page, which no shared cache may store then. */
function passOn(response: Response, page: ServerResponse): void {
  const cookies = response.headers.getSetCookie()
  for (const cookie of cookies) page.appendHeader("set-cookie", cookie)
  if (cookies.length > 0) page.setHeader("cache-control", "private, no-store")
}

/** The request's own host is not asked: its sender chooses it, and would get the cookies of the request. */
function findServiceUrl(): URL {
  const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined = Reflect.get(
    globalThis,
    "process",
  )
  const { NEXTAUTH_URL_INTERNAL, AUTH_URL, NEXTAUTH_URL, VERCEL_URL } = process?.env ?? {}
  const url = NEXTAUTH_URL_INTERNAL || AUTH_URL || NEXTAUTH_URL || VERCEL_URL || "http://localhost:3000"
  return new URL(/^https?:\/\//.test(url) ? url : `https://${url}`)
}
