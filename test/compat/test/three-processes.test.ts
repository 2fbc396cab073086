import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { hasProgram } from "@latchkey/testkit/servers"
import { describe, expect, it } from "vitest"

const script = join(import.meta.dirname, "..", "three-processes", "main.ts")

describe.skipIf(!(hasProgram("postgres") && hasProgram("redis-server")))("three processes behind one balancer", () => {
  it("sign in every visitor, keep all sessions and consume each code once when one of them is killed", () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, "--short"], { encoding: "utf8" })
    expect({ stdout, stderr, status }).toMatchObject({
      stdout: expect.not.stringContaining("WRONG"),
      stderr: "",
      status: 0,
    })
    expect(stdout).toMatch(/^ok +60 {2}visitors who signed in$/m)
  }, 180_000)
})
