import { Auth, type AuthConfig } from "@latchkey/core"
import { Nodemailer } from "@latchkey/core/providers/nodemailer"
import { UnstorageAdapter, type UnstorageAdapterOptions } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"
import { describe, expect, it } from "vitest"

async function requestProviders(options?: UnstorageAdapterOptions): Promise<{ status: number; logged: string }> {
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

describe("a service with UnstorageAdapter", () => {
  it("ADP-10: rejects email sign-in without consumeOnce and names the missing method", async () => {
    const { status, logged } = await requestProviders()
    expect(status).toBe(500)
    expect(logged).toContain("useVerificationToken")
  })

  it("allows email sign-in with consumeOnce or acceptReplays", async () => {
    for (const options of [{ consumeOnce: () => true }, { acceptReplays: true }] as const) {
      expect(await requestProviders(options)).toEqual({ status: 200, logged: "" })
    }
  })
})
