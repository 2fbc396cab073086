import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import type { PlantedApp } from "./stage.js"

/** The app of `app.ts`, bundled once. */
export async function openExpress(): Promise<PlantedApp> {
  // Within the project, so that the processes find its packages.
  const folder = mkdtempSync(join(import.meta.dirname, "..", "..", "..", "node_modules", ".doctor-"))
  const file = await bundle(folder)
  return {
    name: "Express",
    basePath: "/auth",
    otherPath: "/api/auth",
    async start(_origin, env) {
      const child = fork(file, {
        execArgv: ["--disable-warning=ExperimentalWarning"],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        env: { PATH: process.env["PATH"], ...env },
      })
      const exit = once(child, "exit")
      const ended = exit.then(() => Promise.reject(new Error("The app did not start")))
      await Promise.race([once(child, "message"), ended])
      ended.catch(() => {}) // It ends after the test, too.
      return {
        async stop() {
          child.kill("SIGKILL")
          await exit
        },
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function bundle(folder: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, "app.ts"),
    platform: "node",
    external: ["express", "nodemailer", "@simplewebauthn/server"],
    resolve: { conditionNames: ["@latchkey/source", "node", "import"], extensionAlias: { ".js": [".ts", ".tsx"] } },
  })
  await build.write({ dir: folder, format: "es", entryFileNames: "app.mjs" })
  await build.close()
  return join(folder, "app.mjs")
}
