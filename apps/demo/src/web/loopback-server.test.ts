import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { afterEach, describe, expect, it } from "vitest"
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.js"

const open: LoopbackServer[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function listen(port: number): Promise<LoopbackServer> {
  const server = await listenOnLoopback(port)
  open.push(server)
  server.serve((_request, response) => response.end(`port ${server.port}`))
  return server
}

describe("listenOnLoopback", () => {
  it("cannot be reached from the network", async () => {
    const { port } = await listen(0)
    const addresses = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
    for (const { address } of addresses) expect(await canConnect(address, port)).toBe(false)
    expect(await canConnect("127.0.0.1", port)).toBe(true)
  })

  it("answers at localhost and at 127.0.0.1", async () => {
    const { origin, port } = await listen(0)
    expect(origin).toBe(`http://localhost:${port}`)
    expect(await (await fetch(origin)).text()).toBe(`port ${port}`)
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe(`port ${port}`)
  })

  it("uses another port when the wanted one is in use", async () => {
    const first = await listen(0)
    const second = await listen(first.port)
    expect(second.port).not.toBe(first.port)
    expect(await (await fetch(second.origin)).text()).toBe(`port ${second.port}`)
    expect(await (await fetch(first.origin)).text()).toBe(`port ${first.port}`)
  })

  it("ends open connections and releases the port on close", async () => {
    const { port, close } = await listen(0)
    const socket = connect(port, "127.0.0.1")
    await new Promise((resolve) => socket.once("connect", resolve))
    const ended = new Promise((resolve) => socket.once("close", resolve))
    socket.on("error", () => undefined)
    await close()
    await ended
    expect((await listen(port)).port).toBe(port)
  })
})

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 })
    const answer = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once("connect", () => answer(true))
    socket.once("error", () => answer(false))
    socket.once("timeout", () => answer(false))
  })
}
