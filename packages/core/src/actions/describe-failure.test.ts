import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { tellStory } from "../diagnosis/stories.js"
import { AuthError } from "../errors/auth-error.js"
import { AccessDenied, CallbackRouteError, InvalidCheck } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { describeFailure } from "./describe-failure.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("describeFailure", () => {
  it("lists each cause once", async () => {
    const inner = new Error("connection refused", { cause: new Error("ECONNREFUSED") })
    const error = new AccessDenied("the store is away", { err: new AuthError("no answer", inner) })
    expect(await describeFailure(error)).toMatchObject({
      type: "AccessDenied",
      message: "the store is away",
      causes: ["no answer", "connection refused", "ECONNREFUSED"],
    })
    expect((await describeFailure(new AccessDenied(new Error("same")))).causes).toEqual([])
  })

  it("stops at circular causes", async () => {
    const circle = new Error("round")
    circle.cause = circle
    expect((await describeFailure(new AccessDenied("no", circle))).causes).toEqual(["round"])
  })

  it("tells the story of the innermost reason, as explain does", async () => {
    const inner = new InvalidCheck("state", because("flow-other-host", { host: "www.app.test", ageSeconds: 4 }))
    const { story } = await describeFailure(new CallbackRouteError("x", inner))
    const { sentences, fixes } = tellStory("flow-other-host", { host: "www.app.test", ageSeconds: 4 })
    expect(story).toEqual({
      type: "flow-other-host",
      message: sentences.join(" "),
      causes: [...fixes, 'Guide: "Proxies", section "If it does not work"'],
    })
  })

  it("tells what the type of an error says if it has no reason", async () => {
    expect((await describeFailure(new AccessDenied("no"))).story).toMatchObject({ type: "access-refused" })
    class OfTheApp extends AuthError {
      static override readonly type = "OfTheApp"
    }
    expect((await describeFailure(new OfTheApp("no"))).story).toBeUndefined()
  })

  it("tells none on workers and in bundles for production", async () => {
    const { describeStory } = await import("../diagnosis/no-stories.js")
    expect(describeStory()).toBeUndefined()
    const { imports } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))
    const { default: told, types: _, "@latchkey/source": __, ...others } = imports["#stories"]
    expect(told).toMatch(/\/stories\.js$/)
    expect(Object.keys(others)).toEqual(["workerd", "worker", "edge-light", "browser", "production"])
    for (const path of Object.values(others)) expect(path).toMatch(/\/no-stories\.js$/)
    vi.stubEnv("NODE_ENV", "production")
    expect((await describeFailure(new AccessDenied("no"))).story).toBeUndefined()
  })
})
