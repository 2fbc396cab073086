import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")
const main = join(import.meta.dirname, "..", "bundle", "main.js")
const anyPorts = { PORT: "0", LATCHKEY_DEMO_IDP_PORT: "0", LATCHKEY_DEMO_SMTP_PORT: "0" }

interface Started {
  readonly child: ChildProcess
  readonly appPort: number
  readonly smtpPort: number
}

describe("the demo as a process", { timeout: 60_000 }, () => {
  let folder: string
  // Two demos for all tests: to start one takes longer than most tests.
  let first: Started
  let second: Started
  const children: ChildProcess[] = []

  beforeAll(async () => {
    // Test the same build that `npm start` runs.
    execFileSync(process.execPath, ["apps/demo/build.mjs"], { cwd: root })
    folder = await mkdtemp(join(tmpdir(), "latchkey-demo-"))
    first = await start(anyPorts)
    second = await start({})
  }, 120_000)
  afterAll(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL")
    await rm(folder, { recursive: true })
  })

  function run(env: Record<string, string>): ChildProcess {
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    children.push(child)
    return child
  }

  async function start(env: Record<string, string>): Promise<Started> {
    const child = run({ LATCHKEY_DEMO_DATA: folder, ...env })
    let output = ""
    for await (const part of child.stdout ?? []) {
      output += String(part)
      const app = output.match(/Open +http:\/\/localhost:(\d+)/)?.[1]
      const smtp = output.match(/127\.0\.0\.1:(\d+) \(SMTP/)?.[1]
      if (app && smtp && output.includes("Ctrl-C")) return { child, appPort: Number(app), smtpPort: Number(smtp) }
    }
    throw new Error(`The demo exited before it was ready: ${output}`)
  }

  it("starts twice on the same folder, on different ports", async () => {
    expect(second.appPort).not.toBe(first.appPort)
    for (const { appPort } of [first, second]) expect((await fetch(`http://localhost:${appPort}/`)).status).toBe(200)
  })

  it.each([
    ["SIGINT", () => first],
    ["SIGTERM", () => second],
  ] as const)("exits on %s despite open connections, and releases its ports", async (signal, running) => {
    const { child, appPort, smtpPort } = running()
    const sockets = await Promise.all([open(appPort), open(smtpPort)])
    sockets[0]?.write(`GET / HTTP/1.1\r\nHost: localhost:${appPort}\r\n\r\n`)
    await Promise.all(sockets.map((socket) => once(socket, "data")))
    child.kill(signal)
    expect(await once(child, "exit")).toEqual([0, null])
    await expect(open(appPort)).rejects.toMatchObject({ code: "ECONNREFUSED" })
    await expect(open(smtpPort)).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })

  it("explains how to fix an unusable data folder", async () => {
    const file = join(folder, "file")
    await writeFile(file, "")
    const child = run({ ...anyPorts, LATCHKEY_DEMO_DATA: join(file, "data") })
    let stderr = ""
    child.stderr?.on("data", (part) => {
      stderr += String(part)
    })
    expect(await once(child, "close")).toEqual([1, null])
    expect(stderr).toContain("Set LATCHKEY_DEMO_DATA to another folder")
  })
})

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  socket.on("error", () => undefined)
  return socket
}
