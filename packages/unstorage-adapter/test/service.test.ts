import { Auth, type AuthConfig } from "@latchkey/core"
import { Nodemailer } from "@latchkey/core/providers/nodemailer"
import { UnstorageAdapter, type UnstorageAdapterOptions } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"
import { describe, expect, it } from "vitest"

async function askForProviders(options?: UnstorageAdapterOptions): Promise<{ status: number; logged: string }> {
  const logged: string[] = []
  const config: AuthConfig = {
    adapter: UnstorageAdapter(createStorage(), options),
    providers: [Nodemailer({ server: "smtp://127.0.0.1:25", from: "noreply@example.com" })],
    secret: "a secret of the test, long enough",
    trustHost: true,
    logger: { error: (error) => logged.push(String(error)), warn: () => undefined, debug: () => undefined },
  }
  const { status } = await Auth(new Request("http://localhost/auth/providers"), config)
  return { status, logged: logged.join("\n") }
}

describe("a service over a key-value store", () => {
  it("ADP-10: refuses email sign-in at the start where a link might work twice, and says what is missing", async () => {
    const { status, logged } = await askForProviders()
    expect(status).toBe(500)
    expect(logged).toContain("useVerificationToken")
  })

  it("offers it where the store can spend a link once, or the host accepts replays", async () => {
    for (const options of [{ consumeOnce: () => true }, { acceptReplays: true }] as const) {
      expect(await askForProviders(options)).toEqual({ status: 200, logged: "" })
    }
  })
})
