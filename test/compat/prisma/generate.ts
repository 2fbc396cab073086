import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const folder = import.meta.dirname
const prisma = join(folder, "..", "node_modules", "prisma", "build", "index.js")

/**
 * Generates the clients of the schemas in this folder before the tests. Prisma checks that its schema engine, a downloaded
 * binary, exists, but does not run it here, so any existing program serves as its path.
 */
export async function setup(): Promise<void> {
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" }
  for (const schema of globSync("*.prisma", { cwd: folder })) {
    await run(process.execPath, [prisma, "generate", "--schema", join(folder, schema)], { env, cwd: folder })
  }
}
