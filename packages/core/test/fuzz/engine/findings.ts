import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./target.js"

/** An input that violated a property. */
export interface KeptInput {
  /** Name of the target. */
  readonly target: string
  readonly file: string
  readonly input: Uint8Array
}

/** Writes an input to a file. The regression test replays all of them. */
export function keepFinding(folder: string, { target, input }: Finding): string {
  const name = createHash("sha256").update(input).digest("hex").slice(0, 16)
  mkdirSync(join(folder, target), { recursive: true })
  const file = join(folder, target, `${name}.bin`)
  writeFileSync(file, input)
  return file
}

export function readFindings(folder: string): readonly KeptInput[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: target }) =>
      readdirSync(join(folder, target)).map((file) => ({
        target,
        file,
        input: Uint8Array.from(readFileSync(join(folder, target, file))),
      })),
    )
}
