import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { findProgram, hasProgram, type StoreCluster, startRedisCluster } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clusterConnections } from "./redis-setup.js"

const run = promisify(execFile)
const hasCluster = hasProgram("redis-server") && hasProgram("redis-cli")

describe.skipIf(!hasCluster)("RedisAdapter while slots move between nodes", () => {
  let cluster: StoreCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  }, 60_000)
  afterAll(() => cluster.stop())

  /** Moves slots from each node to the next, as an operator does who rebalances a cluster. */
  async function moveSlots(count: number): Promise<void> {
    const [first = ""] = cluster.urls
    const client = new Redis(first)
    const nodes = String(await client.cluster("NODES"))
      .trim()
      .split("\n")
    client.disconnect()
    const ids = nodes.map((line) => line.split(" ", 1)[0] ?? "")
    const { host } = new URL(first)
    for (const [n, from] of ids.entries()) {
      const to = ids[(n + 1) % ids.length] ?? ""
      const args = ["--cluster", "reshard", host, "--cluster-from", from, "--cluster-to", to]
      await run(findProgram("redis-cli") ?? "", [...args, "--cluster-slots", String(count), "--cluster-yes"])
    }
  }

  for (const [name, connect] of Object.entries(clusterConnections)) {
    it(`keeps every record with ${name}`, async () => {
      const open = await connect(cluster.urls)
      const adapter = RedisAdapter(open.client)
      const expires = new Date(Date.now() + 3_600_000)
      const progress = { isMoving: true, begun: 0, done: 0 }
      async function signIn(n: number): Promise<string> {
        const id = `${name}-${n}`
        const email = `${id.replaceAll(/\W/g, "")}@example.test`
        const user = await adapter.createUser({ id, name: id, email, emailVerified: null })
        await adapter.linkAccount({ userId: user.id, type: "oidc", provider: "idp", providerAccountId: id })
        await adapter.createSession({ sessionToken: id, userId: user.id, expires })
        expect(await adapter.getSessionAndUser(id)).toMatchObject({ user: { email } })
        expect(await adapter.getUserByEmail(email)).toMatchObject({ id: user.id })
        progress.done++
        return id
      }
      async function signInWhileMoving(worker: number): Promise<readonly string[]> {
        const tokens: string[] = []
        while (progress.isMoving) tokens.push(await signIn(worker * 1_000_000 + progress.begun++))
        return tokens
      }
      const workers = [1, 2, 3, 4].map(signInWhileMoving)
      do await moveSlots(300)
      while (progress.done <= 20)
      progress.isMoving = false
      const tokens = (await Promise.all(workers)).flat()
      expect(tokens.length).toBeGreaterThan(20)
      for (const token of tokens) {
        expect(await adapter.getSessionAndUser(token)).toMatchObject({ session: { sessionToken: token } })
        expect(await adapter.deleteUser?.(`${token}`)).toMatchObject({ id: token })
        expect(await adapter.getSessionAndUser(token)).toBeNull()
      }
      await open.close()
    }, 120_000)
  }
})
