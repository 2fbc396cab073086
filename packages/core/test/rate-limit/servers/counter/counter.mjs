// A separate process that sends requests on command, concurrently with other such processes.
import { Auth } from "@latchkey/core"
import { flexibleStore } from "@latchkey/core/rate-limit"
import { Redis } from "ioredis"
import { RateLimiterRedis } from "rate-limiter-flexible"

const [url, limit] = process.argv.slice(2)
const redis = new Redis(url)
const config = {
  providers: [{ id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" }],
  secret: "a secret that both of the processes share",
  trustHost: true,
  rateLimit: {
    store: flexibleStore(new RateLimiterRedis({ storeClient: redis, points: 1, duration: 1 })),
    budgets: { callback: { limit: Number(limit), windowSeconds: 60 } },
  },
  logger: { error: () => {}, warn: () => {} },
}

const ask = async (clientAddress) => {
  const headers = { "x-auth-return-redirect": "1" }
  const request = new Request("https://app.test/auth/callback/oidc?code=c&state=s", { headers })
  return (await Auth(request, config, { clientAddress })).status
}

process.on("message", async ({ clientAddress, times }) => {
  process.send({ statuses: await Promise.all(Array.from({ length: times }, () => ask(clientAddress))) })
})
process.on("disconnect", () => redis.disconnect())
process.send("ready")
