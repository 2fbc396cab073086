import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findFreePort, findProgram, type StoreServer, startProgram } from "./program.js"

/** Options of {@link startRedis}. */
export interface RedisServerOptions {
  /** The port of 127.0.0.1, to restart a server at the same URL. Default: a free port. */
  readonly port?: number | undefined
  /** Settings of `redis.conf`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/**
 * Starts an in-memory Redis server on 127.0.0.1.
 * @throws Error if `redis-server` is not installed or does not start
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

/** A cluster of Redis servers. */
export interface StoreCluster {
  /** The URL of each node. */
  readonly urls: readonly string[]
  /** Stops all nodes. Can be called again. */
  stop(): Promise<void>
}

/**
 * Starts a cluster of three Redis servers without replicas, and waits until all nodes agree on it.
 * @throws Error if `redis-server` or `redis-cli` is not installed, or the cluster cannot be created
 */
export async function startRedisCluster(): Promise<StoreCluster> {
  const servers = await Promise.all([startClusterNode(), startClusterNode(), startClusterNode()])
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const urls = servers.map((server) => server.url)
  try {
    const nodes = urls.map((url) => new URL(url).host)
    // redis-cli waits until all nodes agree.
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
  // The default cluster port is the port plus 10000, which can exceed 65535.
  const settings = { "cluster-enabled": "yes", "cluster-port": String(await findFreePort()) }
  return await startRedis({ settings })
}
