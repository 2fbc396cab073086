// An Express server with one target; tells its processor time whenever it is asked.
import type { AddressInfo } from "node:net"
import express from "express"
import type { ExpressTargetId } from "./host.ts"
import { hosts } from "./hosts.ts"
import type { Listening, UsedCpu } from "./messages.ts"

// The runner names a target of the table.
const id = process.argv[2] as ExpressTargetId
const app = express()
app.set("trust proxy", true)
app.disable("x-powered-by")
const host = await hosts[id]()
const cookie = await host.mount(app)
const server = app.listen(0, "127.0.0.1", () => {
  // A TCP server's address is no text.
  const listening: Listening = { port: (server.address() as AddressInfo).port, cookie }
  process.send?.(listening)
})
process.on("message", () => {
  const { user, system } = process.cpuUsage()
  const used: UsedCpu = { cpuUs: user + system }
  process.send?.(used)
})
process.on("disconnect", () => process.exit())
