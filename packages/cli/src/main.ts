#!/usr/bin/env node
import { read } from "node:fs"
import { createInterface } from "node:readline/promises"
import { isatty } from "node:tty"
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import { run } from "./run.js"

const { argv, env, stdout, stderr } = process
const isTerminal = isatty(0)
if (argv[2] === "explain") keepHeapSmall()
process.exitCode = await run(argv.slice(2), {
  folder: process.cwd(),
  environment: env,
  ...(!isTerminal && { input: readInput() }),
  terminals: { output: stdout.isTTY === true, errors: stderr.isTTY === true },
  ...(isTerminal && stdout.isTTY && { ask }),
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
})
// A configuration may leave connections open that nobody needs any more.
if (argv[2] === "import") setTimeout(() => process.exit(), 500).unref()

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
