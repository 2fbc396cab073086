import { hash } from "node:crypto"
import { future, type OpenStore, type StoreKind, tokenOf } from "./store.ts"

export const inRedis: StoreKind = {
  name: "Redis",
  programs: ["redis-server"],
  async start() {
    const { startRedis } = await import("@latchkey/testkit/servers")
    const server = await startRedis()
    return {
      // Databases of one server have their own tables of keys.
      open: (database) => openRedis(`${server.url}/${database === "growing" ? 0 : 1}`),
      stop: () => server.stop(),
    }
  },
}

/** Copies records under keys with new digests, for users with new ids. */
const copyRecords = `
  local count = #ARGV / (#KEYS + 1)
  for index, source in ipairs(KEYS) do
    local record = redis.call("hgetall", source)
    local kind = string.match(source, "^(.-){")
    for n = 1, count do
      for field = 1, #record, 2 do
        if record[field] == ".userId" or (record[field] == ".id" and string.match(kind, ":user:$")) then
          record[field + 1] = '"' .. ARGV[n] .. '"'
        end
      end
      redis.call("hset", kind .. "{" .. ARGV[index * count + n] .. "}", unpack(record))
    end
  end`
const copiesInOneCall = 2_000

/** As the adapter computes digests. */
const digestOf = (...parts: readonly string[]) => hash("sha256", JSON.stringify(parts), "base64url")

/** The digests in the keys of the records of the n-th user. */
const digestsOf: readonly ((n: number) => string)[] = [
  (n) => digestOf(`user-${n}`),
  (n) => digestOf(`user${n}@example.test`),
  (n) => digestOf("filler", `subject-${n}`),
  (n) => digestOf(tokenOf(n)),
]
const kindsOfKeys = ["user", "email", "account", "session"]

async function openRedis(url: string): Promise<OpenStore> {
  const { RedisAdapter } = await import("@latchkey/redis-adapter")
  const { Redis } = await import("ioredis")
  const client = new Redis(url)
  const adapter = RedisAdapter(client)
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1])
  const emptyBytes = await usedBytes()
  const keyOf = (kind: number, n: number) => `latchkey:${kindsOfKeys[kind]}:{${digestsOf[kind]?.(n)}}`
  await adapter.createUser({ id: "user-1", name: "User 1", email: "user1@example.test", emailVerified: null })
  await adapter.linkAccount({ userId: "user-1", type: "oidc", provider: "filler", providerAccountId: "subject-1" })
  await adapter.createSession({ sessionToken: tokenOf(1), userId: "user-1", expires: new Date(future) })
  const samples = kindsOfKeys.map((_, kind) => keyOf(kind, 1))
  let filled = 1
  return {
    adapter,
    expiredRows: 0,
    async read(n) {
      const session = await client.hgetall(keyOf(3, n))
      const user = await client.hgetall(keyOf(0, n))
      return session[".userId"] === user[".id"] ? user[".id"] : null
    },
    async fill(count) {
      for (; filled < count; filled = Math.min(count, filled + copiesInOneCall)) {
        const length = Math.min(count - filled, copiesInOneCall)
        const numbers = Array.from({ length }, (_, index) => filled + 1 + index)
        const values = [(n: number) => `user-${n}`, ...digestsOf].flatMap((toValue) => numbers.map(toValue))
        await client.eval(copyRecords, samples.length, ...samples, ...values)
      }
    },
    // Redis deletes what expires itself.
    addExpired: async () => {},
    bytesOfUser: async () => ((await usedBytes()) - emptyBytes) / filled,
    close: async () => client.disconnect(),
  }
}
