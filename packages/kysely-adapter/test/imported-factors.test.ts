import { importFactor, importRecoveryCodes, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import type { AuthConfig } from "@latchkey/core/types"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { authenticatorApp, fixedClock, testHost } from "@latchkey/testkit"
import { expect, it } from "vitest"

/** A user whose second factor another system knew, and who is not asked for one here yet. */
async function open() {
  const adapter = sqlite(":memory:")
  const { id } = await adapter.createUser({ id: "u", email: "ada@example.com", emailVerified: null })
  const host = testHost({
    adapter,
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    providers: [
      {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: () => ({ id, email: "ada@example.com" }),
      },
    ],
  })
  const config = host.config as AuthConfig
  const signIn = async () => {
    const browser = host.newBrowser()
    await browser.signIn("cred", { name: "ada" })
    return browser
  }
  return { adapter, id, config, signIn }
}

it("an imported factor of a user in SQLite is stored once, asked for and accepted", async () => {
  using _clock = fixedClock()
  const { adapter, id, config, signIn } = await open()
  expect(await (await signIn()).session()).not.toBeNull()
  const secrets = ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "KZGWIVRWHFGGGWSOGE4DORS2PJYWY5ZZ"]
  const apps = await Promise.all(secrets.map((secret) => importFactor(config, id, { kind: "totp", secret })))
  expect(apps).toEqual([true, false])
  const sets = await Promise.all(["abcde-12345", "ABCDE-54321"].map((code) => importRecoveryCodes(config, id, [code])))
  expect(sets).toEqual([true, false])
  expect(await adapter.listFactors?.(id)).toHaveLength(2)
  const browser = await signIn()
  expect(await browser.session()).toBeNull()
  await browser.submit("form", { code: await authenticatorApp(secrets[0] ?? "").code() })
  expect((await browser.session())?.user?.email).toBe("ada@example.com")
  const lost = await signIn()
  await lost.open("/auth/second-factor?kind=recovery")
  await lost.submit("form", { code: "ABCDE 12345" })
  expect((await lost.session())?.user?.email).toBe("ada@example.com")
})

it("an imported factor of an unknown user in SQLite is refused", async () => {
  const { config } = await open()
  const app = importFactor(config, "nobody", { kind: "totp", secret: "JBSWY3DPEHPK3PXP" })
  await expect(app).rejects.toThrow("userId: there is no user with this id")
})
