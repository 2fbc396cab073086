import { Auth } from "@latchkey/core"
import { createBrowser, createCanaries, findLeaks, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

/** Signs in with every method, with and without success. Returns every secret that a browser received. */
async function useEverything(host: TestHost): Promise<Map<string, string>> {
  const secrets = new Map<string, string>()
  const { browser, idp, mailbox } = host
  const note = () => {
    for (const { name, value } of browser.cookies.list()) {
      // References are meant for readers of the log.
      if (/session-token|csrf|state|nonce|pkce/.test(name) && value !== "")
        secrets.set(`${name} ${secrets.size}`, value)
    }
  }
  const noteFlow = async () => {
    const { location } = await post(browser, "/auth/signin/oidc")
    const { searchParams } = new URL(location ?? "")
    for (const name of ["state", "nonce"]) secrets.set(`${name} ${secrets.size}`, searchParams.get(name) ?? "")
    note()
    const back = (await idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
    await browser.open(back)
    note()
    const verifier = idp.requests.token.at(-1)?.params.get("code_verifier")
    if (verifier) secrets.set("code verifier", verifier)
  }
  secrets.set("csrf token", await browser.csrfToken())
  await noteFlow()
  for (const fault of ["id-token-signature-changed", "token-error", "state-changed", "access-denied"] as const) {
    idp.faults.turnOn(fault)
    await browser.signIn("oidc")
    note()
    idp.faults.clear()
  }
  await browser.signIn("email", { email: "v@corp.test" })
  secrets.set("mail token", mailbox.messages[0]?.token ?? "")
  await browser.open(mailbox.lastLink())
  await browser.open(mailbox.lastLink())
  note()
  await browser.signIn("cred", { u: "v", p: "hunter2hunter2" })
  secrets.set("password", "hunter2hunter2")
  await get(browser, "/auth/session")
  await browser.signOut()
  return secrets
}

describe("the log", () => {
  it.each(["jwt", "database"] as const)(
    "LOG-02, LOG-03, KEY-06: holds no secret at debug level, with %s sessions",
    async (strategy) => {
      const host = openHost({
        debug: true,
        adapter: memoryAdapter(),
        session: { strategy },
        providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
      })
      const canaries = createCanaries()
      for (const [name, value] of await useEverything(host)) canaries.watch(name, value)
      expect(canaries.all.length).toBeGreaterThan(10)
      expect(host.logger.errors.length).toBeGreaterThan(4)
      expect(findLeaks(host.logger.texts(), canaries.all)).toEqual([])
    },
  )

  it("LOG-03: shows the arguments of adapter calls, each field by its name", async () => {
    const host = openHost({ debug: true, adapter: memoryAdapter() })
    await host.browser.signIn("oidc")
    const calls = new Map(host.logger.debugs.map(({ message, metadata }) => [message, metadata]))
    const userId = expect.stringMatching(/./)
    const withheld = "[withheld]"
    expect(calls.get("adapter.createSession")).toEqual([{ sessionToken: withheld, userId, expires: expect.any(Date) }])
    expect(calls.get("adapter.getUserByEmail")).toEqual([withheld])
    expect(calls.get("adapter.linkAccount")).toMatchObject([
      {
        userId,
        provider: "oidc",
        type: "oidc",
        access_token: withheld,
        id_token: withheld,
        providerAccountId: withheld,
      },
    ])
  })

  it("LOG-02: withholds values that a database error quotes", async () => {
    const token = "d1c6a1f0-a-session-token-of-the-host"
    const createSession = async ({ sessionToken }: { sessionToken: string }) => {
      const text = `E11000 duplicate key: { sessionToken: "${sessionToken}" }`
      throw Object.assign(new Error(text), { code: 11000, keyValue: { sessionToken } })
    }
    const createUser = async ({ email }: { email: string }) => {
      throw new Error(`Failed query: insert into users params: ${email}`)
    }
    const session = { generateSessionToken: () => token }
    const first = openHost({ adapter: { ...memoryAdapter(), createSession }, session })
    const second = openHost({ adapter: { ...memoryAdapter(), createUser }, session })
    for (const { browser } of [first, second]) await browser.signIn("oidc")
    const causes = [first, second].map(({ logger }) => Reflect.get(Object(logger.errors[0]?.cause), "err"))
    expect(causes).toMatchObject([
      { message: 'E11000 duplicate key: { sessionToken: "[withheld]" }', code: 11000 },
      { message: "Failed query: insert into users params: [withheld]" },
    ])
    const told = [...first.logger.texts(), ...second.logger.texts()].join()
    expect([told.includes(token), told.includes("ada@example.com")]).toEqual([false, false])
  })

  it("LOG-02, CRED-05: withholds a password that authorize quotes, and a link that a mail service quotes", async () => {
    const host = openHost({
      providers: [
        passwordProvider({
          authorize: ({ p }) => {
            throw new Error(`ldap bind failed with ${p}`)
          },
        }),
        {
          ...testEmail(),
          sendVerificationRequest: ({ url, identifier, token }) => {
            throw new Error(`cannot send ${url} (${token}) to ${identifier}`)
          },
        },
      ],
    })
    await host.browser.signIn("cred", { u: "v", p: "hunter2hunter2" })
    await post(host.browser, "/auth/signin/email", { email: "grace@corp.test" })
    const causes = host.logger.errors.map((error) => Reflect.get(Object(error.cause), "err"))
    expect(causes).toMatchObject([
      { message: "ldap bind failed with [withheld]" },
      { message: "cannot send [withheld] ([withheld]) to [withheld]" },
    ])
    expect(host.logger.texts().join()).not.toMatch(/hunter2|grace/)
  })

  it("LOG-07: handles any thrown value, and writes lines of limited length", async () => {
    const lines: string[] = []
    const write = vi.spyOn(console, "error").mockImplementation((...parts) => void lines.push(parts.join(" ")))
    const endless = new Error(`\n[auth] fake line ${"a".repeat(1_000_000)}`)
    endless.cause = { err: endless, [`field\n${"b".repeat(1_000_000)}`]: "c".repeat(1_000_000) }
    const { logger: _, ...config } = openHost({
      providers: [
        passwordProvider({
          authorize: () => {
            throw endless
          },
        }),
      ],
    }).config
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin: "https://app.test" })
    await browser.signIn("cred", { u: "v", p: "right" })
    write.mockRestore()
    expect(lines[0]).toMatch(/^\[auth\]\[error\] CallbackRouteError: authorize failed/)
    expect(lines.join("\n").length).toBeLessThan(20_000)
    expect(lines.join("\n")).not.toMatch(/^\[auth\] fake/m)
  })

  it("calls the logger's debug function without config.debug", async () => {
    const host = openHost({ adapter: memoryAdapter() })
    await host.browser.signIn("oidc")
    expect(host.logger.debugs.length).toBeGreaterThan(0)
  })
})
