import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Auth, type AuthConfig } from "@latchkey/core"
import { answerDoctor, createProbe, probeHeader } from "@latchkey/core/doctor"
import { ExpressAuth } from "@latchkey/express"
import express from "express"
import { secret } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, largest, median } from "../report/statistics.ts"
import type { Measurement } from "../scenario.ts"

/** `latchkey doctor` against a local site, and what a wrong probe tells by the time of its answer. */
export const doctor: Measurement = {
  kind: "measurement",
  id: "doctor",
  title: "`latchkey doctor --url`, and probes that are refused",
  async measure({ processes, isShort }) {
    const seconds = await timeCommand(processes)
    return toReport(seconds, await timeProbes(isShort ? 2_000 : 10_000))
  },
}

const silent = { error() {}, warn() {}, debug() {} }
const configOf = (changes: Partial<AuthConfig> = {}): AuthConfig => {
  const password = { id: "password", name: "Password", type: "credentials", authorize: () => null } as const
  return { providers: [password], secret, trustHost: true, basePath: "/auth", logger: silent, ...changes }
}

const main = join(import.meta.dirname, "..", "..", "..", "packages", "cli", "dist", "main.js")

/** Seconds of wall time of the command, its start included. */
async function timeCommand(processes: number): Promise<readonly number[]> {
  const app = express()
  app.use("/auth/*splat", ExpressAuth(configOf({ doctor: answerDoctor() })))
  const server = createServer(app).listen(0, "127.0.0.1")
  try {
    await new Promise((resolve) => server.once("listening", resolve))
    // as: it listens on a port.
    const { port } = server.address() as AddressInfo
    const seconds: number[] = []
    for (let n = 0; n < Math.max(3, processes); n++) seconds.push(await runOnce(`http://localhost:${port}/auth`))
    return seconds
  } finally {
    server.close()
  }
}

async function runOnce(url: string): Promise<number> {
  const begun = performance.now()
  const output = await new Promise<string>((resolve) => {
    const env = { ...process.env, AUTH_SECRET: secret }
    // It exits with 1 if it finds something.
    execFile(process.execPath, [main, "doctor", "--url", url, "--json"], { env }, (_error, stdout) => resolve(stdout))
  })
  const seconds = (performance.now() - begun) / 1000
  const { unchecked }: { readonly unchecked: readonly { readonly code: string }[] } = JSON.parse(output)
  assert.ok(!unchecked.some(({ code }) => code === "trusted-proxies"), `the app did not answer the probe: ${output}`)
  return seconds
}

interface Kind {
  readonly name: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const origin = "https://app.test"
const unknown = "/auth/unknown"

/** The first is what the others are compared with, the second the same once more: their difference is noise. */
async function makeKinds(config: AuthConfig): Promise<readonly Kind[]> {
  const make = async (by = secret, site = origin) => (await createProbe(by, { origin: site, cookieKibibytes: 0 })).value
  const used = await make()
  const first = await Auth(toRequest({ name: "", path: "/auth/doctor", headers: { [probeHeader]: used } }), config)
  assert.equal(first.status, 200)
  const probe = (name: string, value: string): Kind => ({
    name,
    path: "/auth/doctor",
    headers: { [probeHeader]: value },
  })
  return [
    { name: "an unknown path", path: unknown, headers: {} },
    { name: "an unknown path once more", path: unknown, headers: {} },
    { name: "no probe", path: "/auth/doctor", headers: {} },
    probe("not a probe", "x".repeat(110)),
    probe("another secret", await make("x".repeat(40))),
    probe("another site", await make(secret, "https://other.test")),
    probe("too old", await beforeNow(61_000, make)),
    probe("sent before", used),
    { ...probe("a probe at another path", used), path: unknown },
  ]
}

async function beforeNow<T>(ms: number, make: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => now() - ms
  try {
    return await make()
  } finally {
    Date.now = now
  }
}

const toRequest = ({ path, headers }: Kind): Request => new Request(`${origin}${path}`, { method: "POST", headers })

/** Microseconds of each kind. They take turns, so that other work on the machine disturbs all of them. */
async function timeProbes(count: number): Promise<ReadonlyMap<string, number>> {
  const config = configOf({ doctor: answerDoctor() })
  const kinds = await makeKinds(config)
  const times = new Map(kinds.map(({ name }): [string, number[]] => [name, []]))
  for (let n = 0; n < count; n++) {
    // An operation is faster after one of the same kind.
    for (const kind of kinds.toSorted(() => Math.random() - 0.5)) {
      const request = toRequest(kind)
      const begun = performance.now()
      const { status } = await Auth(request, config)
      times.get(kind.name)?.push((performance.now() - begun) * 1000)
      assert.equal(status, 400)
    }
  }
  return new Map([...times].map(([name, own]) => [name, median(own)]))
}

function toReport(seconds: readonly number[], times: ReadonlyMap<string, number>): Report {
  const [plain = Number.NaN, ...others] = times.values()
  const most = largest(others.map((time) => Math.abs(time - plain)))
  const slowest = largest(seconds)
  return {
    id: doctor.id,
    title: doctor.title,
    columns: ["what", "time", "difference"],
    rows: [
      ["`latchkey doctor --url`, the slowest", `${slowest.toFixed(2)} s`, ""],
      ...[...times].map(([name, time]) => [name, `${formatNumber(time)} µs`, `${(time - plain).toFixed(2)} µs`]),
    ],
    verdicts: [
      atMost(3, slowest, { goal: "doctor under 3 s", measured: `${slowest.toFixed(2)} s` }),
      atMost(3, most, { goal: "refused probes within 3 µs of an unknown path", measured: `${most.toFixed(2)} µs` }),
    ],
    notes: [
      "The site is an Express app on this machine with `answerDoctor()` and without OAuth providers. Probes are requests that take turns in one process; the times are medians. Whoever sends one that is too old or was sent before has had a valid probe.",
    ],
  }
}
