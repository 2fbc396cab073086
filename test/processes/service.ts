// A process of an app: the service over a store, which it shares with other processes. It answers requests that arrive as messages.
import { Auth } from "@latchkey/core"
import { AccessTokenUnavailable, accessTokens, getAccessToken } from "@latchkey/core/access-tokens"
import type { Adapter } from "@latchkey/core/adapters"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { RedisAdapter, RedisTokenStore } from "@latchkey/redis-adapter"
import { Redis } from "ioredis"
import { holdClock } from "./held-clock.js"
import type { Asked, Held, Settings, StopPoint } from "./processes.js"

const stores: Readonly<Record<string, (url: string) => Adapter>> = {
  "file:": (url) => sqlite(new URL(url).pathname),
  "postgres:": (url) => postgres(url),
  "mysql:": (url) => mysql(url),
  "redis:": (url) => RedisAdapter(new Redis(url)),
}

const {
  store,
  strategy,
  checkEvery,
  secret,
  provider,
  keep = "account",
  stopAt,
}: Settings = JSON.parse(process.env["LATCHKEY_PROCESS"] ?? "{}")
const adapter = keep === "account" ? connect() : undefined

function connect(): Adapter {
  const connected = stores[new URL(store).protocol]?.(store)
  if (!connected) throw new Error(`Unknown store: ${store}`)
  return stopAt ? stopping(connected, stopAt) : connected
}

/** The adapter, one of whose calls never ends, also within a transaction. */
function stopping(whole: Adapter, { method, call, moment }: StopPoint): Adapter {
  let count = 0
  const wrap = (adapter: Adapter): Adapter => {
    const perform: unknown = Reflect.get(adapter, method)
    if (typeof perform !== "function") throw new Error(`The store has no ${method}`)
    async function stop(...values: unknown[]): Promise<unknown> {
      count += 1
      if (count !== call) return Reflect.apply(Object(perform), adapter, values)
      if (moment === "after") await Reflect.apply(Object(perform), adapter, values)
      process.send?.({ isStopped: true })
      return new Promise(() => {})
    }
    return { ...adapter, [method]: stop }
  }
  const { transaction } = whole
  return { ...wrap(whole), ...(transaction && { transaction: (work) => transaction((within) => work(wrap(within))) }) }
}

/** Tells the test what the mail has. */
function report({ text }: AddressedMail): void {
  const [link = ""] = /https:[/][/]\S+/.exec(text) ?? []
  const [code = ""] = /^\d{6}$/m.exec(text) ?? []
  process.send?.({ link, code })
}

const mail = Nodemailer({
  id: "email",
  from: "no-reply@app.test",
  server: {},
  code: true,
  sendVerificationRequest: async ({ url, code }) => void process.send?.({ link: url, code }),
})

const config: AuthConfig = {
  ...(adapter && { adapter }),
  basePath: "/auth",
  secret,
  trustHost: true,
  rateLimit: false,
  session: { strategy, ...(adapter && { track: trackSessions({ checkEvery }) }) },
  ...(provider && {
    accessTokens: accessTokens({ keep: keep === "redis" ? RedisTokenStore(new Redis(store)) : keep }),
  }),
  providers: [
    ...(adapter ? [mail, Passwords({ mail: { send: report }, breached: false })] : []),
    ...(provider ? [{ ...provider, id: "rotating", name: "Rotating", type: "oidc" } as const] : []),
  ],
}

/** Answers a page of the app that calls an API of the provider. */
async function answerToken(request: Request): Promise<Response> {
  const headers = new Headers()
  try {
    const token = await getAccessToken(request, config, { provider: "rotating", headers })
    headers.set("content-type", "application/json")
    return new Response(JSON.stringify(token), { headers })
  } catch (error) {
    if (error instanceof AccessTokenUnavailable) return Response.json({ reason: error.reason }, { status: 503 })
    throw error
  }
}

process.on("message", (message: Asked | Held) => {
  if ("clockMs" in message) holdClock(message.clockMs)
  else void answer(message)
})

async function answer({ id, url, method, headers, body }: Asked): Promise<void> {
  const request = new Request(url, { method, headers, ...(body !== undefined && { body }) })
  const isToken = new URL(url).pathname === "/token"
  const reply = isToken ? await answerToken(request) : await Auth(request, config)
  process.send?.({ id, status: reply.status, headers: [...reply.headers], body: await reply.text() })
}

process.once("disconnect", () => process.exit())
process.send?.({ isReady: true })
