import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** What the compiler says of one host file. */
export interface TypeCost {
  readonly instantiations: number
  readonly types: number
  readonly checkMs: number
}

const bench = join(import.meta.dirname, "..", "..")
const compiler = join(bench, "..", "node_modules", "typescript-native", "bin", "tsc")
const options = "--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node"

/** @throws when the file has a type error: then nothing was measured */
export function checkTypes(host: string): TypeCost {
  const file = join(import.meta.dirname, "hosts", `${host}.ts`)
  const args = [compiler, ...options.split(" "), "--extendedDiagnostics", file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: bench, encoding: "utf8" })
  if (status !== 0) throw new Error(`${host}: ${stdout}${stderr}`)
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1])
  return { instantiations: read("Instantiations"), types: read("Types"), checkMs: read("Check time") * 1000 }
}
