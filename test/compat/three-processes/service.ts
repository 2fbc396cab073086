// One process of a small app: the service with PostgreSQL, and with Redis for consumed values and rate limits. `main.ts` starts
// it, and configures it with environment variables.
import { createServer } from "node:http"
import type { AuthConfig } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import { flexibleStore } from "@latchkey/core/rate-limit"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { toNodeHandler } from "@latchkey/node"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { Redis } from "ioredis"
import { RateLimiterRedis } from "rate-limiter-flexible"

function getEnv(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const prefix = getEnv("PREFIX")
const database = postgres(getEnv("POSTGRES_URL"), { prefix })
const redis = new Redis(getEnv("REDIS_URL"))
redis.on("error", () => undefined)
const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: `${prefix}limits`, points: 1, duration: 60 })

/** All visitors share one address here, so only the limits per account keep their defaults. */
const plenty = { limit: 1_000_000, windowSeconds: 60 }

const config: AuthConfig = {
  adapter: { ...database, consumeOnce: RedisAdapter(redis, { prefix }).consumeOnce },
  session: { strategy: "database" },
  logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
  rateLimit: {
    store: flexibleStore(limiter),
    budgets: {
      signIn: plenty,
      callback: plenty,
      signOut: plenty,
      mailRepeats: plenty,
      mailsPerNetwork: plenty,
      failuresPerNetwork: plenty,
    },
  },
  providers: [
    {
      id: "oidc",
      name: "Demo ID",
      type: "oidc",
      issuer: getEnv("ISSUER"),
      clientId: getEnv("CLIENT_ID"),
      clientSecret: getEnv("CLIENT_SECRET"),
    },
    {
      id: "email",
      name: "Email",
      type: "email",
      from: "no-reply@app.test",
      async sendVerificationRequest({ identifier, url }) {
        await fetch(getEnv("INBOX"), { method: "POST", body: JSON.stringify({ to: identifier, url }) })
      },
    },
    Credentials({
      credentials: { email: {}, password: { type: "password" } },
      authorize: async ({ email, password }) =>
        password === "analytical engine" ? await database.getUserByEmail(String(email)) : null,
    }),
  ],
}

createServer(toNodeHandler(config)).listen(Number(getEnv("PORT")), "127.0.0.1", () => process.send?.("ready"))
