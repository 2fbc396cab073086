import { describe, expect, it, vi } from "vitest"
import { createFakeProvider, type FakeProvider, oauthProvider, oidcProvider } from "../../test/setup/fake-provider.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { assertDiscoveredUrl, createProviderEndpoints, isPrivateHost, type NamedEndpoint } from "./endpoints.js"

function resolve(
  provider: ResolvedOAuthProvider,
  needed: readonly NamedEndpoint[] = ["authorization"],
  clock = Date.now,
) {
  return createProviderEndpoints({ clock }).resolve(provider, needed)
}

const all: readonly NamedEndpoint[] = ["authorization", "token", "userinfo", "jwks"]

describe("discovery", () => {
  it.each([
    ["another issuer", { issuer: "https://evil.test" }],
    ["another path", { issuer: "https://idp.test/realm" }],
    ["no issuer", { issuer: undefined }],
  ])("OAU-36: rejects a document with %s", async (_, changes) => {
    const fake = await createFakeProvider()
    fake.metadata = { ...fake.metadata, ...changes }
    await expect(resolve(oidcProvider(fake))).rejects.toThrow(/issuer/)
  })

  it.each(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])(
    "OAU-45: rejects a document whose %s is private or not https",
    async (name) => {
      for (const url of [
        "http://127.0.0.1:6379/",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "https://10.0.0.1/",
        5,
      ]) {
        const fake = await createFakeProvider()
        fake.metadata = { ...fake.metadata, [name]: url }
        await expect(resolve(oidcProvider(fake))).rejects.toMatchObject({ code: "address-refused" })
      }
    },
  )

  it("OAU-46: does not call a plain http issuer, except on this machine", async () => {
    const fake = await createFakeProvider("http://idp.test")
    await expect(resolve(oidcProvider(fake))).rejects.toMatchObject({ code: "address-refused" })
    expect(fake.calls).toHaveLength(0)
    expect(await resolve(oidcProvider(await createFakeProvider("http://localhost:4000")))).toBeDefined()
    expect(await resolve(oidcProvider(fake, { advanced: { allowInsecureRequests: true } }))).toBeDefined()
  })

  it.each<[string, () => Response]>([
    ["an error", () => Response.json({ issuer: "https://idp.test" }, { status: 500 })],
    ["HTML", () => new Response("<html>")],
    ["a list", () => Response.json([])],
  ])("rejects %s instead of a document", async (_, answer) => {
    const fake = await createFakeProvider()
    fake.answer("discovery", answer)
    await expect(resolve(oidcProvider(fake))).rejects.toThrow()
  })

  it("names the address of a page of HTML in its place, such as that of a sign-in", async () => {
    const fake = await createFakeProvider()
    fake.answer("discovery", () => new Response("\n<!DOCTYPE html><title>Sign in</title>"))
    await expect(resolve(oidcProvider(fake))).rejects.toThrow(
      `The discovery document at ${fake.issuer}/.well-known/openid-configuration is a page of HTML`,
    )
  })

  it("reports which endpoint is missing", async () => {
    const fake = await createFakeProvider()
    fake.metadata = { issuer: fake.issuer }
    await expect(resolve(oidcProvider(fake), ["token"])).rejects.toThrow(/names the token endpoint/)
    const { issuer: _, ...nameless } = oidcProvider(fake)
    await expect(resolve(nameless, ["token"])).rejects.toThrow(/neither an issuer nor/)
  })

  it("reads the configured document, and accepts its issuer if none is configured", async () => {
    const fake = await createFakeProvider()
    const { issuer: _, ...provider } = oidcProvider(fake, { wellKnown: "https://idp.test/custom/.well-known/x" })
    expect((await resolve(provider)).metadata.issuer).toBe(fake.issuer)
    expect(fake.calls[0]?.url).toBe("https://idp.test/custom/.well-known/x")
  })

  it("finds the document of an issuer with or without a trailing slash", async () => {
    const fake = await createFakeProvider()
    await resolve(oidcProvider(fake, { issuer: "https://idp.test/" }))
    expect(fake.calls[0]?.url).toBe("https://idp.test/.well-known/openid-configuration")
  })

  it("lets the provider's isIssuer hook accept the issuer", async () => {
    const fake = await createFakeProvider()
    fake.metadata = { ...fake.metadata, issuer: "https://idp.test/{tenant}" }
    const isIssuer = (issuer: string) => issuer === "https://idp.test/{tenant}"
    expect((await resolve(oidcProvider(fake, { isIssuer }))).metadata.issuer).toBe("https://idp.test/{tenant}")
    // As never: an async function has the wrong type. Its promise must not count as true.
    for (const refused of [() => false, (async () => false) as never]) {
      await expect(resolve(oidcProvider(fake, { isIssuer: refused }))).rejects.toMatchObject({ code: "wrong-issuer" })
    }
  })
})

describe("configured endpoints", () => {
  it("do not need discovery if none is missing", async () => {
    const fake = await createFakeProvider()
    const { metadata, hasIssuer } = await resolve(oauthProvider(fake), ["authorization", "token", "userinfo"])
    expect(metadata.token_endpoint).toBe("https://idp.test/token")
    expect(hasIssuer).toBe(false)
    expect(fake.calls).toHaveLength(0)
  })

  it("override the document's", async () => {
    const fake = await createFakeProvider()
    const provider = oidcProvider(fake, { token: "https://own.test/token", jwks_endpoint: "https://own.test/jwks" })
    const { metadata } = await resolve(provider, all)
    expect(metadata).toMatchObject({
      token_endpoint: "https://own.test/token",
      jwks_uri: "https://own.test/jwks",
      authorization_endpoint: "https://idp.test/authorize",
    })
  })

  it("must have no user name and no password, RFC 9110 section 4.2.4", async () => {
    const fake = await createFakeProvider()
    for (const url of ["https://idp.test@evil.test/authorize", "https://:secret@idp.test/authorize"]) {
      const refusal = {
        code: "address-refused",
        endpoint: "authorization",
        message: expect.not.stringContaining("secret"),
      }
      await expect(resolve(oauthProvider(fake, { authorization: url }))).rejects.toMatchObject(refusal)
      const found = await createFakeProvider()
      found.metadata = { ...found.metadata, authorization_endpoint: url }
      await expect(resolve(oidcProvider(found))).rejects.toMatchObject(refusal)
    }
  })

  it("OAU-46: must be https too", async () => {
    const fake = await createFakeProvider()
    const provider = oauthProvider(fake, { token: "http://idp.test/token" })
    await expect(resolve(provider)).rejects.toMatchObject({ code: "address-refused", endpoint: "token" })
  })
})

describe("cached documents", () => {
  async function resolveAgain(fake: FakeProvider, clock = Date.now): Promise<void> {
    await resolve(oidcProvider(fake), ["authorization"], clock)
  }

  it("are shared by configurations that are rebuilt", async () => {
    const fake = await createFakeProvider()
    await resolveAgain(fake)
    await resolveAgain(fake)
    expect(fake.hits("discovery")).toBe(1)
  })

  it("are fetched again after an hour", async () => {
    const fake = await createFakeProvider()
    await resolveAgain(fake)
    await resolveAgain(fake, () => Date.now() + 59 * 60 * 1000)
    expect(fake.hits("discovery")).toBe(1)
    await resolveAgain(fake, () => Date.now() + 61 * 60 * 1000)
    expect(fake.hits("discovery")).toBe(2)
  })

  it("are fetched again if the clock was set back since", async () => {
    const fake = await createFakeProvider()
    await resolveAgain(fake, () => Date.now() + 24 * 60 * 60 * 1000)
    await resolveAgain(fake)
    await resolveAgain(fake)
    expect(fake.hits("discovery")).toBe(2)
  })

  it("are fetched once for concurrent requests", async () => {
    const fake = await createFakeProvider()
    await Promise.all(Array.from({ length: 20 }, () => resolveAgain(fake)))
    expect(fake.hits("discovery")).toBe(1)
  })

  it("are not awaited from a request that never ends, as on a worker whose visitor left", async () => {
    const fake = await createFakeProvider()
    fake.answer("discovery", () => new Promise<Response>(() => {}))
    void resolveAgain(fake).catch(() => {})
    await vi.waitFor(() => expect(fake.hits("discovery")).toBe(1))
    fake.answer("discovery", () => Response.json(fake.metadata))
    await resolveAgain(fake)
    expect(fake.hits("discovery")).toBe(2)
  })

  it("are not cached when the fetch fails", async () => {
    const fake = await createFakeProvider()
    fake.answer("discovery", () => new Response(null, { status: 503 }))
    await expect(resolveAgain(fake)).rejects.toThrow()
    fake.answer("discovery", () => Response.json(fake.metadata))
    await resolveAgain(fake)
    expect(fake.hits("discovery")).toBe(2)
  })

  it("are dropped when they are unusable, so that a fixed provider works at once", async () => {
    const fake = await createFakeProvider()
    const { token_endpoint } = fake.metadata
    fake.metadata = { ...fake.metadata, token_endpoint: "http://169.254.169.254/" }
    await expect(resolve(oidcProvider(fake), ["token"])).rejects.toMatchObject({ code: "address-refused" })
    fake.metadata = { ...fake.metadata, token_endpoint }
    expect((await resolve(oidcProvider(fake), ["token"])).metadata.token_endpoint).toBe(token_endpoint)
  })

  it("are not shared between custom fetch functions, nor between issuers", async () => {
    const fake = await createFakeProvider()
    const other = await createFakeProvider()
    await resolveAgain(fake)
    await resolveAgain(other)
    expect([fake.hits("discovery"), other.hits("discovery")]).toEqual([1, 1])
    await expect(
      resolve(
        oidcProvider(fake, {
          issuer: "https://other.test",
          wellKnown: `${fake.issuer}/.well-known/openid-configuration`,
        }),
      ),
    ).rejects.toThrow(/issuer/)
  })
})

const hostOf = (url: string) => new URL(url).hostname

describe("isPrivateHost", () => {
  it.each([
    "http://10.0.0.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://0.0.0.0",
    "http://100.64.1.1",
    "http://169.254.169.254",
    "http://172.16.0.1",
    "http://172.31.255.255",
    "http://192.168.1.1",
    "http://198.18.0.1",
    "http://255.255.255.255",
    "http://[::]",
    "http://[::1]",
    "http://[fd00::1]",
    "http://[fe80::1]",
    "http://[::ffff:10.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[64:ff9b::169.254.169.254]",
    "http://localhost",
    "http://localhost.",
    "http://a.localhost",
    "http://metadata.google.internal",
    "http://vault",
    "http://vault.",
    "http://nas.home.arpa",
    "http://[fec0::1]",
    "http://[64:ff9b:1::a00:1]",
  ])("OAU-45: is true for %s", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(true)
  })

  it.each([
    "https://idp.test",
    "https://8.8.8.8",
    "https://172.32.0.1",
    "https://100.128.0.1",
    "https://192.169.0.1",
    "https://[2001:4860:4860::8888]",
    "https://[::ffff:8.8.8.8]",
    "https://internal.example",
    "https://fd.example",
    "https://home.arpa.example",
    "https://[64:ff9b::808:808]",
  ])("is false for %s", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(false)
  })
})

describe("assertDiscoveredUrl", () => {
  const check = (url: string, from: string, allowInsecureRequests = false) =>
    assertDiscoveredUrl(new URL(url), new URL(from), { endpoint: "token", allowInsecureRequests })

  it.each([
    "http://127.0.0.1:6379/",
    "http://169.254.169.254/",
    "file:///etc/passwd",
    "https://10.0.0.1/",
    "https://[fd00::1]/",
    "https://vault:8200/",
  ])("OAU-45: rejects %s in a document from a public address", (url) => {
    expect(() => check(url, "https://idp.test/")).toThrow(expect.objectContaining({ code: "address-refused" }))
  })

  it("rejects a fragment, RFC 6749 section 3.1", () => {
    for (const url of ["https://idp.test/authorize#x", "https://idp.test/authorize#"]) {
      expect(() => check(url, "https://idp.test/")).toThrow(/fragment/)
    }
  })

  it("rejects plain http in a document that came over https, even if plain http is allowed", () => {
    expect(() => check("http://idp.test/token", "https://idp.test/", true)).toThrow(/plain http/)
  })

  it("accepts private addresses in a document from a private address", () => {
    expect(() => check("http://127.0.0.1:8080/token", "http://localhost:8080/")).not.toThrow()
    expect(() => check("https://10.0.0.2/token", "https://10.0.0.1/")).not.toThrow()
    expect(() => check("http://idp.corp.internal/token", "http://idp.corp.internal/", true)).not.toThrow()
    expect(() => check("https://login.example/token", "https://idp.test/")).not.toThrow()
  })
})
