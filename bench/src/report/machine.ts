import { existsSync, readFileSync } from "node:fs"
import { cpus, loadavg, release, type } from "node:os"
import { join } from "node:path"

const bench = join(import.meta.dirname, "..", "..")
const measured = ["@latchkey/core", "@auth/core", "@auth/express", "better-auth", "iron-session", "express"]

/** Processor, runtime and the versions that were measured, a line each; and how busy the machine was beforehand. */
export function describeMachine(): readonly string[] {
  const processors = cpus()
  const versions = measured.map((name) => `${name} ${readVersion(name)}`)
  return [
    `${processors.length} × ${processors[0]?.model.trim() ?? "unknown processor"}, ${type()} ${release()}`,
    `Node ${process.versions.node}, V8 ${process.versions.v8}, OpenSSL ${process.versions.openssl}`,
    versions.join(", "),
    `${new Date().toISOString().slice(0, 10)}, load average ${loadavg()[0]?.toFixed(1)} before the run`,
  ]
}

/** The version of an installed package, looked for where Node looks for it. */
export function readVersion(name: string): string {
  const places = [bench, join(bench, "..")].map((folder) => join(folder, "node_modules", name, "package.json"))
  const place = places.find((each) => existsSync(each))
  if (place === undefined) throw new Error(`${name} is not installed`)
  // Every installed package has one.
  return (JSON.parse(readFileSync(place, "utf8")) as { version: string }).version
}
