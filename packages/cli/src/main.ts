#!/usr/bin/env node
import { fork } from "node:child_process"
import { read } from "node:fs"
import { createInterface } from "node:readline/promises"
import { isatty } from "node:tty"
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import { run } from "./run.js"

const { argv, env, execArgv, stdout, stderr } = process

// A reader such as `head` may have seen enough. The command goes on, because what it writes elsewhere must be complete.
stderr.on("error", () => {})
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return
  if (process.exitCode !== 1) stderr.write(`The output could not be written: ${error.message}\n`)
  process.exitCode = 1
})

/**
 * Keeps the garbage of an import small: a million users pass through the memory. V8 takes this only when it starts, so the command
 * runs in a process of its own.
 */
const importMemory = "--max-semi-space-size=4"
const isImport = argv[2] === "import" && !("bun" in process.versions)

if (isImport && !execArgv.includes(importMemory)) {
  const child = fork(argv[1] ?? "", argv.slice(2), { execArgv: [...execArgv, importMemory], stdio: "inherit" })
  child.once("error", (error) => stderr.write(`${error.message}\n`))
  // The child decides. A terminal interrupts both, and others the first one alone.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
  child.once("exit", (code) => {
    process.exitCode = code ?? 2
  })
} else {
  // Ends with the process that began it.
  if (isImport) process.once("disconnect", endEarly)
  const code = await runCommand()
  process.exitCode = code || process.exitCode
  if (isImport) {
    process.off("disconnect", endEarly)
    if (process.connected) process.disconnect()
    // The configuration may have opened connections, which would keep the process running.
    setTimeout(() => process.exit(), 500).unref()
  }
}

function endEarly(): void {
  process.exit(2)
}

function runCommand(): Promise<number> {
  const isTerminal = isatty(0)
  if (argv[2] === "explain") keepHeapSmall()
  return run(argv.slice(2), {
    folder: process.cwd(),
    environment: env,
    ...(!isTerminal && { input: readInput() }),
    terminals: { output: stdout.isTTY === true, errors: stderr.isTTY === true },
    ...(isTerminal && stdout.isTTY && { ask }),
    print: (text) => stdout.write(text),
    printError: (text) => stderr.write(text),
  })
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/**
 * Reads the standard input in parts of one buffer: each is valid until the next. A stream makes a new buffer for every 64 KiB,
 * and a large log fills the memory with them before they are freed.
 */
async function* readInput(): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  const readPart = promisify(read)
  try {
    for (;;) {
      const { bytesRead } = await readPart(0, buffer, 0, buffer.length, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    // A pipe that does not block has nothing to read yet. On Windows, the end of a pipe is an error.
    if (code === "EAGAIN") yield* process.stdin
    else if (code !== "EOF") throw error
  }
}

/** Each line of a log makes new objects, for which V8 would take 60 MB more before it frees any. */
function keepHeapSmall(): void {
  try {
    setFlagsFromString("--semi-space-growth-factor=1")
  } catch {
    // Bun and Deno do not have it.
  }
}
