import type { Session } from "@latchkey/core/types"
import { createPage, type Page } from "./page.js"
import type { Tab } from "./tab.js"

/** What is sent with a sign-in besides the CSRF token, such as `email`, or `username` and `password`. */
export interface SignInFields {
  /** Where to go afterwards. Default: the page of the app that the tab shows, else the app's start page. */
  readonly callbackUrl?: string
  readonly [field: string]: string | undefined
}

/** The browser side of the service's contract, as client libraries do it. */
export interface AuthClient {
  csrfToken(): Promise<string>
  /** Null when nobody is signed in. */
  session(): Promise<Session | null>
  /**
   * Signs in and goes wherever that leads: to the provider and back, to the verify-request page, or to a page with an
   * error. Where the service answers without an address, that answer is returned and the tab stays where it is.
   * @param providerId Credentials providers are told apart by what the service lists of them.
   * @param parameters Query of the request: parameters for the provider's authorization endpoint.
   */
  signIn(providerId: string, fields?: SignInFields, parameters?: Readonly<Record<string, string>>): Promise<Page>
  signOut(fields?: Pick<SignInFields, "callbackUrl">): Promise<Page>
}

/** Where the app stands, and below which path the service. */
interface AuthPlace {
  readonly app: URL
  readonly basePath: string
}

export function createAuthClient(tab: Tab, { app, basePath }: AuthPlace): AuthClient {
  const base = new URL(app.origin + basePath.replace(/\/+$/, ""))
  const ask = async (path: string): Promise<unknown> => (await tab.fetch(base.href + path)).json()

  async function csrfToken(): Promise<string> {
    return toText(readField(await ask("/csrf"), "csrfToken"))
  }

  async function post(path: string, fields: SignInFields): Promise<Page> {
    const csrf = fields["csrfToken"] ?? (await csrfToken())
    const body = toForm({ callbackUrl: findReturnUrl(tab.page, base), ...fields, csrfToken: csrf })
    const response = await tab.fetch(base.href + path, {
      method: "POST",
      body,
      headers: { "x-auth-return-redirect": "1" },
    })
    const target = await readTarget(response)
    if (target !== "") return tab.open(target, { from: app })
    return createPage({ url: new URL(base.href + path), response, hops: [] })
  }

  async function isCredentials(providerId: string): Promise<boolean> {
    return readField(readField(await ask("/providers"), providerId), "type") === "credentials"
  }

  return {
    csrfToken,
    // The contract says what this action answers.
    session: async () => (await ask("/session")) as Session | null,
    async signIn(providerId, fields = {}, parameters = {}) {
      const action = (await isCredentials(providerId)) ? "callback" : "signin"
      const query = new URLSearchParams(parameters).toString()
      return post(`/${action}/${encodeURIComponent(providerId)}${query && `?${query}`}`, fields)
    },
    signOut: (fields = {}) => post("/signout", fields),
  }
}

function findReturnUrl(page: Page | null, base: URL): string {
  const isOfApp = page?.url.origin === base.origin && !page.url.pathname.startsWith(base.pathname)
  return isOfApp ? page.url.href : `${base.origin}/`
}

function toForm(fields: SignInFields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

async function readTarget(response: Response): Promise<string> {
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
