import { gzipSync } from "node:zlib"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { actionSetup, oidc } from "../../test/setup/action-setup.js"
import { createStylesheet } from "../features/page.js"
import { waitScriptVersion } from "../pages/generated/wait-script-version.js"
import { WebAuthn } from "../providers/webauthn.js"
import type { AuthConfig } from "../types/config.js"
import type { WebAuthnConfig } from "../types/providers.js"

const key: WebAuthnConfig = WebAuthn({ id: "key", name: "a key", enableConditionalUI: false })

const withKeys = () =>
  actionSetup({
    providers: [oidc, key],
    adapter: memoryAdapter(),
    session: { strategy: "jwt" },
  })

const desk = {
  id: "desk",
  name: "Desk",
  type: "credentials",
  credentials: { username: {}, pin: { type: "password" } },
  authorize: () => null,
} as const

const withPasswords = (...others: readonly AuthConfig["providers"][number][]) =>
  actionSetup({ providers: [desk, ...others], session: { strategy: "jwt" } })

describe("GET /style.css", () => {
  it("is immutable at its versioned URL only", async () => {
    const { act, context } = actionSetup()
    const { text, version } = await context.stylesheet()
    const body = { kind: "css", text: await text() }
    const forGood = { "cache-control": "public, max-age=31536000, immutable" }
    expect(await act(`/auth/style.css?v=${version}`)).toEqual({ body, headers: forGood })
    for (const query of ["", "?v=", "?v=other"]) {
      expect(await act(`/auth/style.css${query}`)).toEqual({ body, headers: { "cache-control": "no-cache" } })
    }
  })

  it("is linked from the pages", async () => {
    const { act, context } = actionSetup()
    const { body } = await act("/auth/signin")
    const { version } = await context.stylesheet()
    expect(body?.kind === "html" && body.text).toContain(`https://app.test/auth/style.css?v=${version}`)
  })
})

describe("createStylesheet", () => {
  it("has rules for what the sign-in page shows, and every rule for the pages of features", async () => {
    const { context } = withPasswords()
    const { text, version } = await context.stylesheet()
    const [usual, whole] = [await text(), await text("whole")]
    const parts = [".reveal{", ".mark{", ".passkey{", ".more-summary{", "--mark:"]
    expect(parts.map((part) => usual.includes(part))).toEqual([true, false, false, false, false])
    expect(parts.every((part) => whole.includes(part))).toBe(true)
    const both = await withPasswords(oidc).context.stylesheet()
    expect(await both.text()).toContain(".mark{")
    const keys = await withKeys().context.stylesheet()
    const withAll = await keys.text()
    expect(parts.map((part) => withAll.includes(part))).toEqual([false, true, true, true, true])
    expect(new Set([version, both.version, keys.version]).size).toBe(3)
  })

  it("shows a button to find more than fit, so its rules are there with more than six providers", async () => {
    const many = Array.from({ length: 7 }, (_, n) => ({ ...oidc, id: `many-${n}` }))
    const read = async (count: number) =>
      (await actionSetup({ providers: many.slice(0, count) }).context.stylesheet()).text()
    expect([(await read(6)).includes(".more-summary{"), (await read(7)).includes(".more-summary{")]).toEqual([
      false,
      true,
    ])
  })

  it("has one version for each theme", async () => {
    const plain = await createStylesheet({}, [])
    expect(plain.version).toMatch(/^[0-9a-f]{20}$/)
    expect((await createStylesheet({}, [])).version).toBe(plain.version)
    expect((await createStylesheet({ brandColor: "#123456" }, [])).version).not.toBe(plain.version)
  })

  it("includes valid colors of providers and ignores invalid ones", async () => {
    const { context } = actionSetup({ providers: [{ ...oidc, style: { brandColor: "#135790" } }] })
    expect(await (await context.stylesheet()).text()).toContain("#135790")
    for (const style of [undefined, null, 7, "red", { brandColor: 7 }, { brandColor: "};a{b:url(//evil.test)}" }]) {
      const provider = { id: "odd", name: "Odd", type: "email", sendVerificationRequest: () => undefined, style }
      const { text } = await createStylesheet({}, [provider as never])
      expect(await text()).not.toContain("evil.test")
    }
  })
})

describe("the first visit of the sign-in page", () => {
  it.each([
    ["with a password, its button that shows it and its hint about Caps Lock", withPasswords, 3100],
    ["with a provider", () => actionSetup({ providers: [oidc] }), 2700],
    ["with both", () => withPasswords(oidc), 3450],
  ])("loads few bytes %s", async (_what, setUp, most) => {
    const { act } = setUp()
    const load = async (url: string): Promise<string> => {
      const { body } = await act(url)
      return body !== undefined && "text" in body ? body.text : ""
    }
    const page = await load("/auth/signin")
    const urls = Array.from(
      page.matchAll(/(?:src|href)="https:\/\/app\.test(\/auth\/\w+\.(?:css|js)[^"]*)"/g),
      ([, url]) => url,
    )
    const files = await Promise.all(urls.map((url = "") => load(url)))
    expect(files.every((text) => text.length > 0)).toBe(true)
    const bytes = [page, ...files].reduce((sum, text) => sum + gzipSync(text).length, 0)
    expect(bytes).toBeLessThanOrEqual(most)
  })
})

describe("GET /password.js", () => {
  it("is named, with its texts, by every page with a password field, and by no other", async () => {
    const { act } = withPasswords()
    const page = await act("/auth/signin")
    const html = page.body?.kind === "html" ? page.body.text : ""
    const [, version] =
      /<script src="[^"]*\/password\.js\?v=([0-9a-f]{12})" defer data-show="Show password"/.exec(html) ?? []
    expect(html).toContain('data-caps-lock="Caps Lock is on"')
    const { headers, body } = await act(`/auth/password.js?v=${version}`)
    expect(headers).toEqual({ "cache-control": "public, max-age=31536000, immutable", etag: `"${version}"` })
    expect(() => new Function(body?.kind === "js" ? body.text : "(")).not.toThrow()
    expect(page.headers?.["content-security-policy"]).toMatch(/; script-src 'self';/)
    expect(page.headers?.["content-security-policy"]).not.toMatch(/connect-src|unsafe/)
    const other = await act("/auth/signout")
    expect(other.body?.kind === "html" && other.body.text).not.toContain("<script")
  })
})

describe("GET /wait.js", () => {
  it("is a script that can be parsed and cached", async () => {
    const { act } = withPasswords()
    const { headers, body } = await act(`/auth/wait.js?v=${waitScriptVersion}`)
    expect(headers).toEqual({ "cache-control": "public, max-age=31536000, immutable", etag: `"${waitScriptVersion}"` })
    expect(() => new Function(body?.kind === "js" ? body.text : "(")).not.toThrow()
  })
})

describe("GET /webauthn.js", () => {
  it("is an unknown action without a provider that needs it", async () => {
    const { act, logger } = actionSetup({ providers: [oidc] })
    expect(await act("/auth/webauthn.js")).toMatchObject({ status: 400, body: { kind: "json", value: "Bad request." } })
    expect(logger.errors.map(({ name }) => name)).toEqual(["UnknownAction"])
  })

  it("is immutable at its versioned URL only", async () => {
    const { act } = withKeys()
    const page = await act("/auth/signin")
    const [, version] = (page.body?.kind === "html" && /webauthn\.js\?v=([0-9a-f]{12})"/.exec(page.body.text)) || []
    const current = await act(`/auth/webauthn.js?v=${version}`)
    const etag = `"${version}"`
    expect(current.headers).toEqual({ "cache-control": "public, max-age=31536000, immutable", etag })
    for (const query of ["", "?v=", "?v=other"]) {
      expect((await act(`/auth/webauthn.js${query}`)).headers).toEqual({ "cache-control": "no-cache", etag })
    }
  })

  it("is answered with 304 if the browser has the current version", async () => {
    const { act } = withKeys()
    const etag = (await act("/auth/webauthn.js")).headers?.["etag"] ?? ""
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await act("/auth/webauthn.js", { headers: { "if-none-match": known } })
      expect([answer.status, answer.body]).toEqual([304, undefined])
    }
    const other = await act("/auth/webauthn.js", { headers: { "if-none-match": '"other"' } })
    expect([other.status, other.body?.kind]).toEqual([undefined, "js"])
  })

  it("imports nothing, and includes its library's license", async () => {
    const { body } = await withKeys().act("/auth/webauthn.js")
    const text = body?.kind === "js" ? body.text : ""
    expect(text).toContain("Permission is hereby granted, free of charge")
    expect(text).not.toMatch(/\bimport\b|\brequire\(|sourceMappingURL|node:/)
    // The engine can parse it, so it is complete.
    expect(() => new Function(text)).not.toThrow()
  })

  it("is allowed by the Content-Security-Policy of pages with passkeys", async () => {
    const policyOf = async (setup: ReturnType<typeof actionSetup>): Promise<string> =>
      (await setup.act("/auth/signin")).headers?.["content-security-policy"] ?? ""
    expect(await policyOf(withKeys())).toMatch(/; script-src 'self'; connect-src 'self';/)
    expect(await policyOf(actionSetup({ providers: [oidc] }))).not.toMatch(/script-src|connect-src|unsafe/)
  })
})
