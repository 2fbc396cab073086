// A process of an app: the service over a store, which it shares with other processes. It answers requests that arrive as messages.
import { Auth } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { Redis } from "ioredis"
import type { Asked, Settings } from "./processes.js"

const stores: Readonly<Record<string, (url: string) => Adapter>> = {
  "file:": (url) => sqlite(new URL(url).pathname),
  "postgres:": (url) => postgres(url),
  "mysql:": (url) => mysql(url),
  "redis:": (url) => RedisAdapter(new Redis(url)),
}

const { store, strategy, checkEvery, secret }: Settings = JSON.parse(process.env["LATCHKEY_PROCESS"] ?? "{}")
const adapter = stores[new URL(store).protocol]?.(store)
if (!adapter) throw new Error(`Unknown store: ${store}`)

const config: AuthConfig = {
  adapter,
  basePath: "/auth",
  secret,
  trustHost: true,
  rateLimit: false,
  session: { strategy, track: trackSessions({ checkEvery }) },
  providers: [
    Nodemailer({
      id: "email",
      from: "no-reply@app.test",
      server: {},
      code: true,
      sendVerificationRequest: async ({ url, code }) => void process.send?.({ link: url, code }),
    }),
  ],
}

process.on("message", async ({ id, url, method, headers, body }: Asked) => {
  const answer = await Auth(new Request(url, { method, headers, ...(body !== undefined && { body }) }), config)
  process.send?.({ id, status: answer.status, headers: [...answer.headers], body: await answer.text() })
})
process.once("disconnect", () => process.exit())
process.send?.({ isReady: true })
