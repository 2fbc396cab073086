import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuthConfig } from "@latchkey/core/types"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findFreePort, hasProgram, type RunningProgram, startProgram } from "../servers/program.js"
import { openConnection, type RawRequest } from "./raw-connection.js"
import { integrationConfig, type RunningServer } from "./server-under-test.js"

/** A server and the path of the service, such as `/auth`. */
export interface BodyTarget {
  readonly port: number
  readonly basePath: string
}

/** The limit of the service. */
const limit = 64 * 1024
const mebibyte = 1024 * 1024

const framings: readonly Pick<RawRequest, "isChunked" | "isExpecting">[] = [
  {},
  { isExpecting: true },
  { isChunked: true },
  { isChunked: true, isExpecting: true },
]

const sizes: readonly (readonly [name: string, bytes: number])[] = [
  ["one byte over the limit", limit + 1],
  ["0.5 MiB", mebibyte / 2],
  ["1 MiB", mebibyte],
  ["2 MiB", 2 * mebibyte],
]

const form = "Content-Type: application/x-www-form-urlencoded"
const text = "Content-Type: text/plain"

/**
 * Registers tests that send a body that the service refuses or does not read, and then the request of another visitor on the
 * same connection, as proxies do.
 */
export function testRefusedBodies(target: () => BodyTarget): void {
  it.each(sizes)("LIM-10: answers the next request after a refused body of %s", async (_, bytes) => {
    for (const way of framings) await expectNextAnswer(target(), { ...way, bytes, headers: [form] }, [413])
  })

  it("LIM-10: closes the connection of a refused body of 30 MiB, or answers the next request", async () => {
    const request = { bytes: 30 * mebibyte, headers: [form], mayClose: true }
    await expectNextAnswer(target(), request, [413])
  })

  it("LIM-10: answers the next request after a body that it does not read", async () => {
    const statuses = [302, 400, 403, 413, 415]
    for (const way of framings) await expectNextAnswer(target(), { ...way, bytes: mebibyte, headers: [text] }, statuses)
  })
}

/**
 * Registers the same tests through nginx, which keeps its connections to the app.
 * @param start Starts an app with the service at `/auth` on 127.0.0.1.
 */
export function testRefusedBodiesBehindNginx(start: (config: AuthConfig) => Promise<RunningServer>): void {
  describe.skipIf(!hasProgram("nginx"))("behind nginx that keeps its connections", () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-bodies-"))
    let app: RunningServer | undefined
    let nginx: RunningProgram | undefined
    let port = 0

    beforeAll(async () => {
      app = await start(integrationConfig())
      port = await findFreePort()
      const file = join(folder, "nginx.conf")
      writeFileSync(file, nginxConfig({ folder, port, app: new URL(app.origin).host }))
      const args = ["-c", file, "-e", "stderr", "-g", "daemon off; master_process off;"]
      nginx = await startProgram({ name: "nginx", args, port })
    })

    afterAll(async () => {
      await nginx?.stop()
      await app?.close()
      rmSync(folder, { recursive: true })
    })

    testRefusedBodies(() => ({ port, basePath: "/auth" }))
  })
}

interface NginxOptions {
  readonly folder: string
  readonly port: number
  /** Host and port of the app. */
  readonly app: string
}

/** One connection to the app, so that the next request uses that of the refused body. */
function nginxConfig({ folder, port, app }: NginxOptions): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`)
  return `pid ${folder}/pid;
events {}
http {
  access_log off;
  ${temporary.join("\n  ")}
  client_max_body_size 0;
  upstream app {
    server ${app};
    keepalive 1;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
    }
  }
}
`
}

interface RefusedRequest extends Omit<RawRequest, "method" | "path"> {
  /** Servers such as Hono's give a client half a second for the rest. Default: false. */
  readonly mayClose?: boolean
}

async function expectNextAnswer(
  { port, basePath }: BodyTarget,
  { mayClose = false, ...request }: RefusedRequest,
  statuses: readonly number[],
): Promise<void> {
  const connection = await openConnection(port)
  try {
    const refused = await connection.send({ ...request, method: "POST", path: `${basePath}/callback/credentials` })
    expect(statuses, refused.head).toContain(refused.status)
    // The client was told to open another connection.
    if (/^connection: *close/im.test(refused.head)) return
    const asked = connection.send({ method: "GET", path: `${basePath}/session` })
    const next = await (mayClose ? asked.catch(() => null) : asked)
    if (next) expect([next.status, next.body.includes("null")]).toEqual([200, true])
  } finally {
    connection.close()
  }
}
