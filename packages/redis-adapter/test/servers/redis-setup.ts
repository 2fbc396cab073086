import type { RedisClient } from "@latchkey/redis-adapter"
import { type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Cluster, Redis } from "ioredis"
import { createClient, createCluster } from "redis"
import { afterAll, beforeAll } from "vitest"

/** Starts a server for the tests of a suite, and passes them a client. */
export function withRedis(use: (client: Redis, server: StoreServer) => void): void {
  let server: StoreServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
    use(client, server)
  }, 30_000)
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })
}

/** A connected client. */
export interface OpenClient {
  readonly client: RedisClient
  close(): Promise<void>
}

export type Connect = (url: string) => Promise<OpenClient>

/** Clients with only the options that the adapter's documentation names. */
export const connections: Readonly<Record<string, Connect>> = {
  async ioredis(url) {
    const client = new Redis(url)
    client.on("error", () => undefined)
    return { client, close: async () => client.disconnect() }
  },
  async redis(url) {
    const client = createClient({ url })
    client.on("error", () => undefined)
    await client.connect()
    return { client, close: async () => client.destroy() }
  },
}

export const clusterConnections: Readonly<Record<string, (urls: readonly string[]) => Promise<OpenClient>>> = {
  async ioredis(urls) {
    const client = new Cluster(urls.map((url) => ({ host: "127.0.0.1", port: Number(new URL(url).port) })))
    return { client, close: async () => client.disconnect() }
  },
  async redis(urls) {
    const client = createCluster({ rootNodes: urls.map((url) => ({ url })) })
    await client.connect()
    return { client, close: async () => client.destroy() }
  },
}
