import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Auth, type AuthConfig, setEnvDefaults } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import type { AuthContext } from "@latchkey/core/types"
import { onTestFinished } from "vitest"
import type { CommandContext } from "../../src/config.js"
import type { DoctorInput, Examination } from "../../src/doctor/finding.js"
import { examinePublicRoutes } from "../../src/doctor/public-routes.js"
import type { SiteOptions } from "../../src/doctor/site.js"

/** Starts a server on 127.0.0.1 until the test ends, and returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`
}

/** How an app finds its own origin. Default: the Host header. */
export type FindOrigin = (request: IncomingMessage) => string

const ofHost: FindOrigin = ({ headers: { host = "" } }) => `http://${host}`

const logger = { error: () => {}, warn: () => {} }

interface AppOptions {
  readonly findOrigin?: FindOrigin
  readonly environment?: Record<string, string>
  readonly connection?: AuthContext
  /** What a proxy makes of the bodies of forms. */
  readonly changeBody?: ((body: string) => string) | undefined
}

/** A handler of an app in production. */
export function createApp(
  config: Partial<AuthConfig>,
  { findOrigin = ofHost, environment = {}, connection, changeBody = (body) => body }: AppOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const full: AuthConfig = {
    secret: "only-for-the-tests-of-the-doctor-0",
    basePath: "/auth",
    logger,
    providers: [],
    ...config,
  }
  setEnvDefaults({ NODE_ENV: "production", AUTH_TRUST_HOST: "true", ...environment }, full)
  return async (request, response) => {
    const { method = "GET", url = "/", headers } = request
    if (!url.startsWith("/auth/")) return void response.writeHead(404).end()
    const body = method === "POST" ? changeBody(await text(request)) : null
    const init = { method, headers: toHeaders(headers), body }
    const answer = await Auth(new Request(`${findOrigin(request)}${url}`, init), full, connection)
    response.writeHead(answer.status, toNodeHeaders(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  }
}

function toHeaders(headers: IncomingMessage["headers"]): Headers {
  return new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]))
}

function toNodeHeaders(headers: Headers): Record<string, string | string[]> {
  return { ...Object.fromEntries(headers), ...(headers.has("set-cookie") && { "set-cookie": headers.getSetCookie() }) }
}

/** A command in no terminal. */
export const context: CommandContext = { folder: ".", environment: {}, print: () => {}, printError: () => {} }

/** Asks the public routes of a site in this process. */
export function look(origin: string, options: Partial<SiteOptions & DoctorInput> = {}): Promise<Examination> {
  const { insecure = false, url = new URL("/auth", origin), ...others } = options
  const input = { url, insecure, context, progress: { step: () => {}, clear: () => {} } }
  return examinePublicRoutes(input, others)
}

export const codesOf = ({ findings }: Examination): readonly string[] => findings.map(({ code }) => code)

/** The sign-in method of the tested apps. */
export const providers = [Credentials({ credentials: { username: {} }, authorize: () => ({ id: "1" }) })]

/** An app, or a proxy in front of it. */
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** A mistake in an app, or in a proxy in front of it. */
export interface Planted {
  readonly config?: Partial<AuthConfig>
  readonly environment?: Record<string, string>
  /** The origin that the app believes it has. */
  readonly origin?: string | ((request: IncomingMessage, origin: string) => string)
  /** The proxy in front of the app. */
  readonly proxy?: ((app: Listener, request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  readonly changeBody?: (body: string) => string
  readonly connection?: AuthContext
  /** Whether the framework answers unknown paths below the base path itself. Default: false. */
  readonly hasOwnNotFound?: boolean
}

/** Serves an app with a mistake. */
export async function plant(planted: Planted = {}): Promise<string> {
  const { config, environment, origin: found, proxy, changeBody, connection, hasOwnNotFound } = planted
  const own = await serve((request, response) => {
    if (hasOwnNotFound && request.url?.startsWith("/auth/latchkey-doctor")) return response.writeHead(404).end()
    return proxy ? proxy(app, request, response) : app(request, response)
  })
  const findOrigin = (request: IncomingMessage) => (typeof found === "function" ? found(request, own) : (found ?? own))
  const options = { findOrigin, changeBody, ...(environment && { environment }), ...(connection && { connection }) }
  const app = createApp({ providers, ...config }, options)
  return own
}
