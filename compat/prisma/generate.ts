import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const folder = import.meta.dirname
const prisma = join(folder, "..", "node_modules", "prisma", "build", "index.js")

/**
 * Makes the clients of the schemas in this folder, in `generated`, before any test runs. Prisma looks for its schema
 * engine, a binary that is downloaded, and does not run it here: any program that there is may stand for it.
 */
export async function setup(): Promise<void> {
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" }
  for (const schema of globSync("*.prisma", { cwd: folder })) {
    await run(process.execPath, [prisma, "generate", "--schema", join(folder, schema)], { env, cwd: folder })
  }
}
