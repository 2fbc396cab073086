import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atLeast, atMost, type Report } from "../speed/report/report.ts"
import type { Measurement } from "../speed/scenario.ts"
import { peakKilobytes } from "./peak-memory.ts"

/** `latchkey explain` over a log that is made while it is read. */
export const explain: Measurement = {
  kind: "measurement",
  id: "explain",
  title: "`latchkey explain`: a log of 1 GB",
  async measure({ isShort }) {
    const bytes = isShort ? 100e6 : 1e9
    const runs: Run[] = []
    for (const log of logs) runs.push(await runCommand(log, bytes))
    return toReport(runs, bytes)
  },
}

interface Log {
  readonly name: string
  /** How many requests there are for each that fails. */
  readonly every: number
  /** Without one the command counts the reasons. */
  readonly reference?: string
  /** Whether the log is the standard input. Default: a pipe that is read as a file. */
  readonly isInput?: boolean
}

const reference = "VHMJ-TD"
const logs: readonly Log[] = [
  { name: "1 of 100 requests failed, one reference", every: 100, reference },
  { name: "1 of 100 requests failed, all reasons", every: 100 },
  { name: "every request failed, one reference", every: 1, reference },
  { name: "every request failed, all reasons", every: 1 },
  { name: "every request failed, one reference, standard input", every: 1, reference, isInput: true },
  { name: "every request failed, all reasons, standard input", every: 1, isInput: true },
]

interface Run extends Log {
  /** Of its processor time. */
  readonly seconds: number
  readonly maxMegabytes: number
}

const main = join(import.meta.dirname, "..", "..", "packages", "cli", "dist", "main.js")
/** Runs in the process of the command. */
const tellUsage = [
  'process.on("exit", () => {',
  "  const { userCPUTime, systemCPUTime } = process.resourceUsage()",
  `  console.error("usage", userCPUTime + systemCPUTime, ${peakKilobytes})`,
  "})",
].join("\n")

async function runCommand(log: Log, bytes: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-log-"))
  const pipe = join(folder, "log")
  execFileSync("mkfifo", [pipe])
  const hook = ["--import", `data:text/javascript,${encodeURIComponent(tellUsage)}`]
  const args = [...hook, main, "explain", ...(log.isInput ? [] : ["--file", pipe])]
  const child = spawn(process.execPath, [...args, ...(log.reference ? [log.reference] : [])])
  const texts = { output: "", errors: "" }
  child.stdout.on("data", (chunk) => {
    texts.output += String(chunk)
  })
  child.stderr.on("data", (chunk) => {
    texts.errors += String(chunk)
  })
  const closed = once(child, "close")
  // It ended before it read everything: said below.
  const input = log.isInput ? child.stdin : createWriteStream(pipe)
  input.on("error", () => {})
  const block = toBlock(log)
  const target = Buffer.from(`${toFailure(0, reference)}\n`)
  for (let sent = 0; sent < bytes; sent += block.length) {
    const isPlace = sent <= bytes * 0.9 && sent + block.length > bytes * 0.9
    if (isPlace) input.write(target)
    if (!input.write(block)) await Promise.race([once(input, "drain").catch(() => closed), closed])
  }
  input.end()
  await closed
  rmSync(folder, { recursive: true })
  if (!texts.output.includes("flow-other-host")) throw new Error(`explain printed: ${texts.output}${texts.errors}`)
  const [, microseconds = "", kilobytes = ""] = /usage (\d+) (\d+)/.exec(texts.errors) ?? []
  return { ...log, seconds: Number(microseconds) / 1e6, maxMegabytes: (Number(kilobytes) * 1024) / 1e6 }
}

/** Eight megabytes of whole lines. */
function toBlock({ every }: Log): Buffer {
  const lines: string[] = []
  for (let size = 0; size < 8e6; size += lines.at(-1)?.length ?? 0) {
    const n = lines.length
    lines.push(n % every === 0 ? toFailure(n, toReference(n)) : toRequest(n))
  }
  return Buffer.from(`${lines.join("\n")}\n`)
}

/** A line of pino. */
function toRequest(n: number): string {
  const req = { method: "GET", url: `/items/${n}`, headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" } }
  return JSON.stringify({ level: 30, time: 1_795_853_706_123 + n, pid: 1, req, res: { statusCode: 200 }, msg: "done" })
}

/** A line of `logger.record`. */
function toFailure(n: number, ownReference: string): string {
  const facts = { ageSeconds: 4, otherFlows: 3, host: "www.app.example" }
  const error = { kind: "check", error: "InvalidCheck", reference: ownReference, reason: "flow-other-host", facts }
  const time = "2026-11-28T08:15:06.123Z"
  return JSON.stringify({ time, requestId: `0af76519${n}`, providerId: "demo", outcome: "failure", ...error })
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

function toReference(n: number): string {
  const text = Array.from({ length: 6 }, (_, place) => alphabet[Math.floor(n / 32 ** place) % 32]).join("")
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

function toReport(runs: readonly Run[], bytes: number): Report {
  const rateOf = ({ seconds }: Run) => bytes / 1e6 / seconds
  const slowest = Math.min(...runs.map(rateOf))
  const largest = Math.max(...runs.map(({ maxMegabytes }) => maxMegabytes))
  return {
    id: explain.id,
    title: explain.title,
    columns: ["log", "MB in a second", "most MB of memory"],
    rows: runs.map((run) => [run.name, rateOf(run).toFixed(0), run.maxMegabytes.toFixed(0)]),
    verdicts: [
      atLeast(50, slowest, { goal: "at least 50 MB in a second", measured: `${slowest.toFixed(0)} MB` }),
      atMost(150, largest, { goal: "under 150 MB of memory", measured: `${largest.toFixed(0)} MB` }),
    ],
    notes: [
      `Lines of pino and of logger.record through a pipe that is read as a file or as the standard input, ${bytes / 1e6} MB in all; the reference is at nine tenths. Seconds are processor time of the whole process, its start included.`,
    ],
  }
}
