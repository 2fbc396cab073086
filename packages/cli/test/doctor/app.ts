import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Finding, Unchecked } from "../../src/doctor/finding.js"
import { runHere } from "../command.js"

const repository = join(import.meta.dirname, "..", "..", "..", "..")
const hooks = join(repository, "packages", "kysely-adapter", "test", "racer", "typescript-sources.mjs")

/** Lets the process that loads a configuration run the TypeScript sources. */
const sources = {
  PATH: process.env["PATH"],
  NODE_OPTIONS: `--conditions=@latchkey/source --disable-warning=ExperimentalWarning --import=${pathToFileURL(hooks).href}`,
}

/** The variables of an app that has no mistake. */
export const production = {
  ...sources,
  AUTH_SECRET: "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1",
  AUTH_URL: "https://app.example",
}

const root = mkdtempSync(join(tmpdir(), "latchkey-doctor-"))

/** Removes all apps. Call it when the tests of a file are over. */
export const removeApps = (): void => rmSync(root, { recursive: true, force: true })

/** Writes the files of an app into a folder of its own, where all packages of the repository are installed. */
export function writeApp(files: Readonly<Record<string, string>>): string {
  mkdirSync(root, { recursive: true })
  const folder = mkdtempSync(join(root, "app-"))
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"))
  for (const [name, text] of Object.entries({ "package.json": "{}", ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** What `latchkey doctor --json` prints. */
export interface Diagnosis {
  readonly code: number | null
  readonly findings: readonly Finding[]
  readonly unchecked: readonly Unchecked[]
  readonly text: string
}

/** Runs `latchkey doctor` on an app. */
export async function diagnose(
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = production,
  args: readonly string[] = ["--config", "auth.ts"],
): Promise<Diagnosis> {
  const { code, output, errors } = await runHere(["doctor", "--json", ...args], {
    folder,
    environment,
    loadMilliseconds: 120_000,
  })
  const { findings = [], unchecked = [] } = output === "" ? {} : JSON.parse(output)
  return { code, findings, unchecked, text: output + errors }
}
