import { PGlite } from "@electric-sql/pglite"
import { isUniqueViolation } from "@latchkey/kysely-adapter"
import { pglite } from "@latchkey/kysely-adapter/pglite"
import { describe, expect, it } from "vitest"
import { testDefaultLayout } from "../layouts.suite.js"
import { sampleUser, settle } from "../samples.js"

process.env["TZ"] = "America/St_Johns"

describe("PGlite", () => {
  const instance = new PGlite()
  testDefaultLayout((options) => ({ ...pglite(instance, options), close: async () => undefined }))

  it("recognizes a unique violation", async () => {
    const adapter = pglite(instance)
    const { email } = await adapter.createUser(sampleUser())
    const again = settle(() => adapter.createUser(sampleUser({ email })))
    expect(isUniqueViolation(await again.catch((error: unknown) => error))).toBe(true)
  })

  // The last test, since it closes the instance of the others: to open one takes seconds.
  it("is closed with the adapter", async () => {
    const adapter = pglite(instance, { prefix: "closed_" })
    expect(await adapter.migrate()).toHaveLength(5)
    await adapter.close()
    await adapter.close()
    expect(instance.closed).toBe(true)
  })
})
