import { readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { readText } from "./app-files.js"

/** Where the frameworks' guides put the configuration, without the extension. The first that exists is the one. */
const places = [
  "auth.config",
  "auth",
  "src/auth.config",
  "src/auth",
  "src/lib/auth",
  "src/lib/server/auth",
  "lib/auth",
  "app/auth.server",
  "app/lib/auth.server",
  "server/auth.config",
  "server/auth",
  "src/server/auth",
  "src/server/auth.config",
  "src/routes/plugin@auth",
  "src/auth/index",
  "src/server/auth/index",
] as const

const extensions = [".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx"] as const

/** Files that start a server. They are loaded only if `--config` names them. */
const starting = /^(?:main|server|app|index|entry[.-].*)\.[cm]?[jt]sx?$/

/** The file of an app that configures the service: it has one of the usual names, and imports one of our packages. */
export function findConfigFile(folder: string): string | undefined {
  const named = places.flatMap((place) => extensions.map((extension) => join(folder, `${place}${extension}`)))
  return [...named, ...listOthers(join(folder, "src/server"))].find(configures)
}

/** `src/server/auth*.ts`. */
function listOthers(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^auth.*\.[cm]?[jt]sx?$/.test(name))
      .toSorted()
      .map((name) => join(folder, name))
  } catch {
    return [] // Most apps have no such folder.
  }
}

function configures(path: string): boolean {
  const isIndex = basename(path).startsWith("index.") && /auth$/.test(dirname(path))
  if (starting.test(basename(path)) && !isIndex) return false
  return /["']@latchkey\//.test(readText(path) ?? "")
}
