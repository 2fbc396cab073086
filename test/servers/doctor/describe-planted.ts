import { hasProgram } from "@latchkey/testkit/servers"
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext, vi } from "vitest"
import { runHere } from "../../../packages/cli/test/command.js"
import { notePlanted, takeTime } from "../../../packages/cli/test/doctor/note-planted.js"
import { type AppName, clean, mistakes, type Planted } from "./mistakes.js"
import { proxies, type StartProxy } from "./proxies.js"
import { openStage, type PlantedApp, type Stage, secret } from "./stage.js"

interface Plan {
  readonly app: AppName
  open(): Promise<PlantedApp>
  /** Whether one mistake of each kind is planted, behind nginx alone. Default: false. */
  readonly isShort?: boolean
}

/** More tests behind the same proxy. */
type Others = (getStage: () => Stage, startProxy: StartProxy) => void

/** Plants one mistake after the other in an app behind nginx and Caddy: the doctor names each first. */
export function describePlanted({ app, open, isShort = false }: Plan, describeOthers?: Others): void {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(await open())
    vi.stubEnv("XDG_CONFIG_HOME", stage.folder) // Caddy saves its configuration there.
  })
  afterEach(() => stage.clear())
  afterAll(async () => {
    await stage?.close()
    vi.unstubAllEnvs()
  })
  const chosen = isShort ? mistakes.filter((each) => each.isShort) : mistakes

  describe.each(isShort ? ["nginx" as const] : ["nginx" as const, "caddy" as const])("behind %s", (program) => {
    const isPossible = ({ only }: Planted) => only === undefined || only === app || only === program
    const findAll = async (planted: Planted, test: TestContext) => {
      const { findings, seconds } = await diagnose(stage, planted, proxies[program])
      notePlanted(test, {
        mistake: planted.name,
        place: `${app}, ${program}`,
        found: findings[0]?.code,
        seconds,
      })
      return findings
    }

    describe.skipIf(!hasProgram(program))("latchkey doctor --url", () => {
      it.for(isShort ? clean.slice(0, 1) : clean)("says nothing of mistake $name", async (planted, test) => {
        expect(await findAll(planted, test)).toEqual([])
      })

      it.for(chosen.filter(isPossible))("names mistake $name first, with the line to change", async (planted, test) => {
        const { code, fix } = planted
        const [first] = await findAll(planted, test)
        expect(first).toMatchObject({ code })
        expect(first?.fixes.map(({ text }) => text).join("\n")).toContain(typeof fix === "string" ? fix : fix[app])
      })

      describeOthers?.(() => stage, proxies[program])
    })
  })
}

interface Found {
  readonly code: string
  readonly fixes: readonly { readonly text: string }[]
}

/** The findings of a deployment, as the command prints them, and how long it took. */
async function diagnose(stage: Stage, planted: Planted, startProxy: StartProxy) {
  const origin = await stage.deploy(planted, startProxy)
  const args = ["doctor", "--url", `${origin}${stage.app.basePath}`, "--insecure", "--json"]
  const [{ output, errors }, seconds] = await takeTime(() =>
    runHere(args, { folder: ".", environment: { AUTH_SECRET: secret } }),
  )
  expect(errors).toBe("")
  const { findings }: { readonly findings: readonly Found[] } = JSON.parse(output)
  return { findings, seconds }
}
