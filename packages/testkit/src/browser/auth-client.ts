import type { Session } from "@latchkey/core/types"
import { createPage, type Page } from "./page.js"
import type { Tab } from "./tab.js"

/** Form fields of a sign-in besides the CSRF token, such as `email`, or `username` and `password`. */
export interface SignInFields {
  /** Where to go after the sign-in. Default: the app page that the tab shows, or the app's start page. */
  readonly callbackUrl?: string | undefined
  readonly [field: string]: string | undefined
}

/** Form fields of a sign-out besides the CSRF token. */
export interface SignOutFields extends Pick<SignInFields, "callbackUrl"> {
  /** Whether to sign out at the provider too. Default: left out. */
  readonly atProvider?: "true" | "false" | undefined
}

/** The browser side of the Auth.js contract, as client libraries implement it. */
export interface AuthClient {
  /** Fetches a CSRF token, with its cookie. */
  csrfToken(): Promise<string>
  /** Fetches the current session. Null for an anonymous visitor. */
  session(): Promise<Session | null>
  /**
   * Signs in and follows the redirects: to the provider and back, to the verify-request page, or to a page with an
   * error. If the response has no URL to go to, it is returned and the tab stays where it is.
   * @param providerId Id of the provider. `/providers` tells whether it is a credentials provider.
   * @param parameters Query of the request: parameters for the provider's authorization endpoint, such as `prompt`.
   */
  signIn(providerId: string, fields?: SignInFields, parameters?: Readonly<Record<string, string>>): Promise<Page>
  /** Signs out and follows the redirect. */
  signOut(fields?: SignOutFields): Promise<Page>
}

interface AuthLocation {
  /** Any URL of the app; only its origin counts. */
  readonly app: URL
  readonly basePath: string
}

/** Creates the client of the service at a base path. */
export function createAuthClient(tab: Tab, { app, basePath }: AuthLocation): AuthClient {
  const base = new URL(app.origin + basePath.replace(/(?<!\/)\/+$/, ""))
  const fetchJson = async (path: string): Promise<unknown> => (await tab.fetch(base.href + path)).json()

  async function csrfToken(): Promise<string> {
    return toText(readField(await fetchJson("/csrf"), "csrfToken"))
  }

  async function post(path: string, fields: SignInFields): Promise<Page> {
    const csrf = fields["csrfToken"] ?? (await csrfToken())
    const body = toForm({ callbackUrl: defaultCallbackUrl(tab.page, base), ...fields, csrfToken: csrf })
    const response = await tab.fetch(base.href + path, {
      method: "POST",
      body,
      headers: { "x-auth-return-redirect": "1" },
    })
    const target = await readRedirectUrl(response)
    if (target !== "") return tab.open(target, { from: app })
    return createPage({ url: new URL(base.href + path), response, hops: [] })
  }

  async function isCredentials(providerId: string): Promise<boolean> {
    return readField(readField(await fetchJson("/providers"), providerId), "type") === "credentials"
  }

  return {
    csrfToken,
    // The shape that the contract defines for this action.
    session: async () => (await fetchJson("/session")) as Session | null,
    async signIn(providerId, fields = {}, parameters = {}) {
      const action = (await isCredentials(providerId)) ? "callback" : "signin"
      const query = new URLSearchParams(parameters).toString()
      return post(`/${action}/${encodeURIComponent(providerId)}${query && `?${query}`}`, fields)
    },
    signOut: (fields = {}) => post("/signout", { ...fields }),
  }
}

function defaultCallbackUrl(page: Page | null, base: URL): string {
  const isAppPage = page?.url.origin === base.origin && !page.url.pathname.startsWith(base.pathname)
  return isAppPage ? page.url.href : `${base.origin}/`
}

function toForm(fields: SignInFields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

async function readRedirectUrl(response: Response): Promise<string> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false
  return isJson ? toText(readField(await response.clone().json(), "url")) : ""
}

function readField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : ""
}
