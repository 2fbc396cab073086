// The service's HTTP protocol, shared by the client and the passkey client: addresses, headers and responses.

/** A query, in any form that `URLSearchParams` accepts. */
export type Query = ConstructorParameters<typeof URLSearchParams>[0]

/** Asks the service for JSON, with `{ "url": ... }` instead of a redirect. */
export const jsonHeaders = { accept: "application/json", "x-auth-return-redirect": "1" } as const

/** @param base the base path without a trailing slash, or the URL of one */
export function toAddress(base: string, action: string, providerId?: string, query?: Query): string {
  const path = providerId === undefined ? action : `${action}/${encodeURIComponent(providerId)}`
  const search = new URLSearchParams(query).toString()
  return `${base}/${path}${search && `?${search}`}`
}

/** The parsed body, or undefined if it is not JSON, such as a proxy's error page. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // Callers reject undefined as an unexpected response.
    return undefined
  }
}

export function readField(content: unknown, name: string): unknown {
  return typeof content === "object" && content !== null ? Reflect.get(content, name) : undefined
}

export function readString(content: unknown, name: string): string | undefined {
  const value = readField(content, name)
  return typeof value === "string" ? value : undefined
}

/** An error message for the developer. */
export function describeUnexpected({ status, url }: Response): string {
  const where = url === "" ? "" : ` at ${new URL(url).pathname}`
  return `Unexpected response with status ${status}${where}${status === 404 ? ". Is basePath right?" : ""}`
}

/**
 * What is missing to a sign-in. New steps may be added, so a `switch` needs a default.
 *
 * - `redirect`: the sign-in continues at `url`, at the provider or on the sign-in page.
 * - `email`: an email was sent. The user opens its link, or types its code for `submitCode`.
 * - `second-factor`: the user has to give a second factor, on the page at `url`.
 */
export type SignInStep = "redirect" | "email" | "second-factor"

/** The result of a form: {@link AcceptedForm} or {@link RefusedForm}, told apart by `error`. */
export type SignInResponse = AcceptedForm | RefusedForm

/** The service accepted a form. */
export interface AcceptedForm extends FormStatus {
  readonly error: undefined
  /** Where the browser is sent without `redirect: false`. */
  readonly url: string
  /** What is missing to the sign-in. Null if nothing is: the user is signed in, or after `signOut`, signed out. */
  readonly next: SignInStep | null
}

/** The service refused a form. */
export interface RefusedForm extends FormStatus {
  /** The error type, as in the query of the sign-in page. */
  readonly error: string
  readonly url: null
  readonly next: null
}

interface FormStatus {
  /** The `code` of the app's `CredentialsSignin` error, such as `credentials`. */
  readonly code: string | undefined
  /** The HTTP status: 200 also for a wrong password. */
  readonly status: number
  /**
   * Whether the HTTP status is a success: also for a wrong password, and while a second factor is missing. `error` and `next` tell
   * them apart.
   */
  readonly ok: boolean
}

/** The service's response to a form, and the page that it leads to. */
export interface Completion {
  readonly response: SignInResponse
  /** The service's redirect target: the callback URL, or the page that shows the error. */
  readonly target: string
}

/**
 * Where to go after a form, without the error that the page shows. It is that of an earlier attempt. Names of errors of the
 * service begin with a capital.
 */
export function withoutError(callbackUrl: string): string {
  const [address = "", ...fragment] = callbackUrl.split("#")
  const [path = "", ...query] = address.split("?")
  const pairs = query.join("?").split("&")
  if (!pairs.some((pair) => /^error=[A-Z]\w*$/.test(pair))) return callbackUrl
  const kept = pairs.filter((pair) => !/^(error|code)=/.test(pair)).join("&")
  return [path + (kept && `?${kept}`), ...fragment].join("#")
}

/** What a form asked for. */
interface Asked {
  /** Where to go afterwards. An app's page may have an `error` of its own in its query. */
  readonly callbackUrl?: string | null | undefined
  /** What is missing to the sign-in after this target. Default: nothing. */
  readonly findStep?: ((target: URL) => SignInStep | null) | undefined
}

/**
 * Reads the response to a form. Null if it does not name an http(s) URL.
 * @param base the URL that a relative target is resolved against
 */
export function readCompletion(
  { status, ok }: Response,
  content: unknown,
  base: string,
  { callbackUrl, findStep = () => null }: Asked = {},
): Completion | null {
  const target = toHttpUrl(readString(content, "url"), base)
  if (!target) return null
  const { href, searchParams } = target
  const read = (name: string): string | undefined => searchParams.get(name) ?? undefined
  const isAccepted = read("error") === undefined || href === toHttpUrl(callbackUrl ?? undefined, base)?.href
  const [error, code] = isAccepted ? [] : [read("error"), read("code")]
  const [url, next] = isAccepted ? [href, findStep(target)] : [null, null]
  // as: the compiler cannot follow that error, url and next depend on one another.
  return { response: { error, code, status, ok, url, next } as SignInResponse, target: href }
}

/** Null for anything else, such as a `javascript:` URL. Some browsers with passkeys lack `URL.parse`. */
export function toHttpUrl(text: string | undefined, base: string): URL | null {
  if (text === undefined) return null
  try {
    const url = new URL(text, base)
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}

/** Whether a target is an address of the service: targets are percent-encoded. */
export function isAt(target: URL, address: string): boolean {
  return target.pathname === new URL(address, target).pathname
}

/** Navigates to the target and returns undefined; with `redirect: false` it returns the response instead. */
export function followCompletion(
  { response, target }: Completion,
  { redirect = true }: { readonly redirect?: boolean | undefined },
): SignInResponse | undefined {
  if (!redirect) return response
  navigateTo(target)
  return undefined
}

/** Loads a URL, even one that differs from the current one only by its fragment. */
export function navigateTo(url: string): void {
  const isSamePage = withoutFragment(url) === withoutFragment(location.href) && url.includes("#")
  location.assign(url)
  if (isSamePage) location.reload()
}

/** Removes the slashes at the end of a base URL or path. A regular expression would take quadratic time for some texts. */
export function trimEnd(path: string): string {
  let length = path.length
  while (path[length - 1] === "/") length -= 1
  return path.slice(0, length)
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url
}
