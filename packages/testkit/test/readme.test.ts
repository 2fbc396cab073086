import { Auth } from "@latchkey/core"
import { createBrowser, fakeIdentityProvider } from "@latchkey/testkit"
import { expect, it } from "vitest"

it("greets a signed-in user", async () => {
  const idp = fakeIdentityProvider({ person: { sub: "42", name: "Grace", email: "grace@example.com" } })
  const config = { providers: [idp.provider()], secret: "at least thirty-two characters long", trustHost: true }
  const browser = createBrowser({ handler: (request) => Auth(request, config), network: { [idp.origin]: idp.handler } })
  const page = await browser.signIn("oidc", { callbackUrl: "/auth/session" })
  expect(page.json()).toMatchObject({ user: { name: "Grace" } })
})

it("is the example of the README", async () => {
  const { readFile } = await import("node:fs/promises")
  const example = (await readFile(new URL(import.meta.url), "utf8")).split("\nit(")[1] ?? ""
  expect(await readFile(new URL("../README.md", import.meta.url), "utf8")).toContain(example.trimEnd())
})
