#!/usr/bin/env node
import { run } from "./run.js"

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await run(argv.slice(2), {
  folder: process.cwd(),
  environment: env,
  ...(!stdin.isTTY && { input: stdin }),
  terminals: { output: stdout.isTTY === true, errors: stderr.isTTY === true },
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
})
