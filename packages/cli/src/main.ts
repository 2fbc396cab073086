#!/usr/bin/env node
import { createInterface } from "node:readline/promises"
import { run } from "./run.js"

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await run(argv.slice(2), {
  folder: process.cwd(),
  environment: env,
  ...(!stdin.isTTY && { input: stdin }),
  terminals: { output: stdout.isTTY === true, errors: stderr.isTTY === true },
  ...(stdin.isTTY && stdout.isTTY && { ask }),
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
})
// A configuration may leave connections open that nobody needs any more.
if (argv[2] === "import") setTimeout(() => process.exit(), 500).unref()

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
