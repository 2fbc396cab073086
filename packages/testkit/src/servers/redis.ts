import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findFreePort, findProgram, type StoreServer, startProgram } from "./program.js"

export interface RedisServerOptions {
  /** Where it listens on 127.0.0.1: for a server that comes back. Default: a free port. */
  readonly port?: number
  /** Settings of `redis.conf`, by name. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts a Redis that keeps everything in memory, on 127.0.0.1.
 * @throws Error when `redis-server` is not installed or does not start
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<StoreServer> {
  const { port = await findFreePort(), settings = {} } = options
  const folder = await mkdtemp(join(tmpdir(), "latchkey-redis-"))
  const all = { port, bind: "127.0.0.1", save: "", appendonly: "no", dir: folder, ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)])
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const program = await startProgram({ name: "redis-server", args, port })
    return {
      url: `redis://127.0.0.1:${port}`,
      async stop() {
        await program.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Several servers that share the keys out among themselves. */
export interface StoreCluster {
  readonly urls: readonly string[]
  /** Ends all of them. Doing it twice does no harm. */
  stop(): Promise<void>
}

/**
 * Starts a cluster of three Redis servers without replicas, and waits until all of them know that it is complete.
 * @throws Error when `redis-server` or `redis-cli` is not installed, or the cluster does not come about
 */
export async function startRedisCluster(): Promise<StoreCluster> {
  const servers = await Promise.all([startClusterNode(), startClusterNode(), startClusterNode()])
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const urls = servers.map((server) => server.url)
  try {
    const nodes = urls.map((url) => new URL(url).host)
    // It asks every node whether all agree before it ends.
    await promisify(execFile)(findProgram("redis-cli") ?? "redis-cli", [
      "--cluster",
      "create",
      ...nodes,
      "--cluster-yes",
    ])
    return { urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startClusterNode(): Promise<StoreServer> {
  // Without a setting the nodes talk on a port ten thousand higher, which there may not be.
  const settings = { "cluster-enabled": "yes", "cluster-port": String(await findFreePort()) }
  return await startRedis({ settings })
}
