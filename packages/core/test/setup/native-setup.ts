import { createHash, randomBytes } from "node:crypto"
import { nativeApps } from "@latchkey/core/native-apps"
import type { Browser, Page } from "@latchkey/testkit"
import { type Answer, ask, type TestRequestOptions } from "./requests.js"
import { openTracked, type Strategy, type TrackedHost, type TrackedOptions } from "./tracked-setup.js"

export const iosUri = "com.example.app:/callback"
export const desktopUri = "http://127.0.0.1:51004/callback"

export const clients = [
  { id: "ios", name: "Example for iOS", redirectUris: [iosUri] },
  {
    id: "desktop",
    name: "Example for desktops",
    redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback", "https://app.example/native"],
  },
]

/** A host with native apps, whose sessions are tracked. */
export function openNative(strategy: Strategy = "jwt", options: TrackedOptions = {}, tracking = {}): TrackedHost {
  return openTracked(strategy, tracking, { nativeApps: nativeApps({ clients }), ...options })
}

/** The same without records of the sessions. */
export function openUntracked(strategy: Strategy, options: TrackedOptions = {}): TrackedHost {
  return openTracked(strategy, null, { nativeApps: nativeApps({ clients }), ...options })
}

/** What an app has begun. */
export interface Flow {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly verifier: string
  /** Path and query of the page that the browser opens. */
  readonly path: string
}

/** Begins a flow as an app does. Null leaves a parameter out. */
export function begin(changes: Readonly<Record<string, string | null>> = {}): Flow {
  const verifier = randomBytes(32).toString("base64url")
  const given: Record<string, string | null> = {
    response_type: "code",
    client_id: "ios",
    redirect_uri: iosUri,
    state: randomBytes(12).toString("base64url"),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== null) query.append(name, value)
  return {
    clientId: given["client_id"] ?? "",
    redirectUri: given["redirect_uri"] ?? "",
    state: given["state"] ?? "",
    verifier,
    path: `/auth/native?${query}`,
  }
}

/** Opens the page that asks in a browser, and answers it. Returns the address that the app gets. */
export async function consent(
  browser: Browser,
  { path }: Pick<Flow, "path">,
  choice: "continue" | "cancel" = "continue",
): Promise<URL> {
  const page = await browser.open(path)
  const form = page.forms().find(({ fields }) => fields["choice"] === choice)
  if (!form) throw new Error(`The page ${page.url.pathname} does not ask: ${page.status} ${page.text()}`)
  return (await browser.submit(form)).url
}

/** The parameters of the answer that an app got. */
export function read({ searchParams }: URL): Readonly<Record<string, string>> {
  return Object.fromEntries(searchParams)
}

/** Exchanges a code as an app does. Null leaves a field out. */
export function exchange(
  { host }: Pick<TrackedHost, "host">,
  { clientId, redirectUri, verifier }: Pick<Flow, "clientId" | "redirectUri" | "verifier">,
  code: string | undefined,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  const given: Record<string, string | null | undefined> = {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
    ...changes,
  }
  const form: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) if (typeof value === "string") form[name] = value
  const headers = { "user-agent": "Example/1.0 (iPhone)" }
  return ask(host, "/auth/native/token", { form, headers })
}

/** Signs an app in, in a browser with a session. Returns its token. */
export async function signInApp(native: TrackedHost, browser: Browser, flow: Flow = begin()): Promise<string> {
  const { code } = read(await consent(browser, flow))
  const answer = await exchange(native, flow, code)
  const { access_token: token } = answer.json() as { access_token?: string }
  if (!token) throw new Error(`No token: ${answer.status} ${answer.text}`)
  return token
}

/** A request of an app with its token. */
export function call(
  { host }: Pick<TrackedHost, "host">,
  token: string,
  path = "/auth/session",
  options: TestRequestOptions = {},
): Promise<Answer> {
  return ask(host, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } })
}

/** The email address of a token's session. Null if it signs no one in. */
export async function userOf(native: Pick<TrackedHost, "host">, token: string): Promise<string | null> {
  const session = (await call(native, token)).json() as { user?: { email?: string } } | null
  return session?.user?.email ?? null
}

/** The page that asks, in a browser with a session. */
export function openConsent(browser: Browser, flow: Flow = begin()): Promise<Page> {
  return browser.open(flow.path)
}
