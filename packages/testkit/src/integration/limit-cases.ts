import { expect, it } from "vitest"

/** Where a server under test answers. */
export interface LimitSubject {
  readonly basePath: string
  readonly passesOn: boolean
  origin(): string
}

const form = { "content-type": "application/x-www-form-urlencoded" }
const mebi = 1024 * 1024

/**
 * Registers tests of what is too large, or asked for in a way that is not answered. Each ends with a request as ever.
 */
export function testLimits({ basePath, passesOn, origin }: LimitSubject): void {
  const address = (path: string) => `${origin()}${basePath}/${path}`

  async function expectToGoOn(): Promise<void> {
    const response = await fetch(address("session"))
    expect([response.status, await response.json()]).toEqual([200, null])
  }

  it.each(["callback/credentials", "signin/credentials", "signout", "session"])(
    "LIM-01: refuses thirty megabytes to POST %s",
    async (path) => {
      const body = new Uint8Array(30 * mebi).fill(97)
      const response = await fetch(address(path), { method: "POST", headers: form, body })
      // A body parser of the app answers before the service does.
      expect(response.status).toBe(413)
      await response.text()
      await expectToGoOn()
    },
  )

  it("LIM-01: refuses as many of which nobody said how many they are", async () => {
    const piece = new Uint8Array(mebi).fill(97)
    const body = new Blob(Array.from({ length: 30 }, () => piece)).stream()
    // `duplex` is what Node asks for with a stream; browsers' types do not know it yet.
    const init = { method: "POST", headers: form, body, duplex: "half" } as RequestInit
    const response = await fetch(address("callback/credentials"), init)
    expect(response.status).toBe(413)
    await response.text()
    await expectToGoOn()
  })

  it("LIM-05: refuses 64 KiB of cookies, and of query", async () => {
    const large = "a".repeat(64 * 1024)
    const answers = await Promise.all([
      fetch(address("session"), { headers: { cookie: `x=${large}` } }),
      fetch(address(`session?x=${large}`)),
      fetch(address(`session?${"a=1&".repeat(10_000)}`)),
    ])
    // A server of its own limit answers before the service does.
    for (const answer of answers) expect([400, 413, 414, 431]).toContain(answer.status)
    await Promise.all(answers.map((answer) => answer.text()))
    await expectToGoOn()
  })

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("LIM-04: does not answer %s", async (method) => {
    for (const path of ["session", "signout", "csrf", "callback/credentials"]) {
      const response = await fetch(address(path), { method })
      const status = passesOn && response.status === 404 ? 400 : response.status
      expect([path, status, response.headers.getSetCookie()]).toEqual([path, 400, []])
      await response.text()
    }
    await expectToGoOn()
  })
}
