import { describe, expect, it } from "vitest"
import { InvalidConfiguration } from "../errors/errors.js"
import type { Feature } from "../features/feature.js"
import { featureFrame } from "../features/slots.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

const adapter = {}
const resolved = resolveConfig(
  {
    providers: [],
    secret: "0123456789-abcdefghijklmn-0123456789",
    trustHost: true,
    adapter,
    session: { strategy: "jwt" },
  },
  { isProduction: true },
)

const sound: Feature = { feature: "sound", frame: featureFrame, validate: () => null }
const unsound = (text: string): Feature => ({
  feature: text,
  frame: featureFrame,
  validate: () => new InvalidConfiguration(text),
})

describe("validateConfig", () => {
  it("reports the first mistake of a feature", () => {
    expect(validateConfig({ ...resolved, features: [sound] })).toBeNull()
    const features = [sound, unsound("session.track: first"), unsound("session.track: second")]
    expect(validateConfig({ ...resolved, features })?.message).toBe("session.track: first")
  })

  it("reports every other mistake before those of features", () => {
    const features = [unsound("session.track: wrong")]
    expect(validateConfig({ ...resolved, features, secrets: [] })).toMatchObject({ type: "MissingSecret" })
  })

  it("shows a feature the resolved configuration, with the adapter", () => {
    const seen: unknown[] = []
    const feature: Feature = {
      feature: "curious",
      frame: featureFrame,
      validate(config) {
        seen.push(config.adapter)
        return null
      },
    }
    validateConfig({ ...resolved, features: [feature] })
    expect(seen).toEqual([adapter])
  })
})
