import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startTarget } from "../rate/remote-target.ts"
import type { RateScenario } from "../scenario.ts"
import { type CpuProfile, findHotFunctions, type HotFunction } from "./hot-functions.ts"

const milliseconds = 3000

/** Where our own time goes in a scenario, after a warm-up that is as long. */
export async function profileScenario({ id, targets }: RateScenario): Promise<readonly HotFunction[]> {
  const [ours] = targets
  if (ours === undefined) return []
  const folder = mkdtempSync(join(tmpdir(), "latchkey-profile-"))
  try {
    const target = await startTarget(id, ours, ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200"])
    for (let turn = 0; turn < 2; turn += 1) await target.run({ inFlight: 1, milliseconds })
    await target.close()
    const [file = ""] = readdirSync(folder)
    // As V8 writes it.
    return findHotFunctions(JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
