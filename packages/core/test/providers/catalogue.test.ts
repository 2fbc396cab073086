import { readdirSync } from "node:fs"
import type { Page, RefusedStage } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { post } from "../setup/requests.js"
import { expectQuiet, pathOfPage } from "../setup/sign-ins.js"
import type { ExpectedUser, ProviderFixture } from "./provider-fixture.js"
import { type Factory, type ProviderForm, type ProviderHost, providerHost } from "./provider-host.js"
import { moduleFiles, moduleUrl } from "./provider-modules.js"

afterEach(() => void vi.unstubAllGlobals())

const fixtures = readdirSync(new URL("fixtures/", import.meta.url)).map((file) => file.replace(".ts", ""))

describe("provider fixtures", () => {
  it("exist for every provider that redirects to a vendor", async () => {
    const providers = await Promise.all(moduleFiles.map(loadModule))
    const redirecting = providers.filter(({ file, type }) => /^(?:oauth|oidc)$/.test(type) && file !== "oidc")
    expect(fixtures.toSorted()).toEqual(redirecting.map(({ file }) => file).toSorted())
  })
})

async function loadModule(name: string): Promise<{ readonly file: string; readonly type: string }> {
  const { default: factory }: { readonly default: Factory } = await import(moduleUrl(name).href)
  return { file: name.replace(".ts", ""), type: factory({ server: "smtp://localhost" }).type }
}

const rows = await Promise.all(fixtures.map(loadRow))

interface Row {
  readonly file: string
  readonly factory: Factory
  readonly fixture: ProviderFixture
}

async function loadRow(file: string): Promise<Row> {
  const { default: factory }: { readonly default: Factory } = await import(`../../src/providers/${file}.ts`)
  const { fixture }: { readonly fixture: ProviderFixture } = await import(`./fixtures/${file}.ts`)
  return { file, factory, fixture }
}

describe.each(rows)("$file", ({ factory, fixture }) => {
  it.each(refusableStages(fixture))("rejects the sign-in if the vendor refuses the request: %s", async (stage) => {
    const host = providerHost(factory, fixture)
    host.vendor.refuse(stage)
    await expectRefusal(host, await walk(host))
    expect(host.vendor.complaints).toEqual([])
  })

  it.each(possibleForms(fixture))("signs in a user, configured as: %s", async (form) => {
    const host = providerHost(factory, fixture, form)
    await assertAuthorizationUrl(host, fixture)
    await walk(host)
    expect(host.vendor.complaints).toEqual([])
    expect(host.logger.errors).toEqual([])
    await expectUser(host, fixture.user)
    expect(host.stored.calls.find(({ method }) => method === "linkAccount")?.args[0]).toMatchObject({
      provider: host.id,
      providerAccountId: fixture.user.id,
      access_token: host.vendor.secrets.at(-1),
      token_type: "bearer",
      ...fixture.account,
    })
  })

  it.for(mistakesOf(fixture))("rejects the options %j", async ([options, message]) => {
    const host = providerHost(factory, { ...fixture, options })
    expect((await host.browser.open("/auth/signin")).status).toBe(500)
    expect(host.logger.texts().join()).toContain(`providers.${host.id}${message}`)
    expect(host.vendor.visited).toEqual([])
  })

  const { others = [] } = fixture
  const users = others.flatMap(({ user, ...other }) => (user === null ? [] : [{ ...other, user }]))
  it.each(users)("signs in a user $who", async ({ rules, user, options }) => {
    const host = providerHost(factory, { ...fixture, ...rules, ...(options && { options }) })
    await walk(host)
    expect(host.vendor.complaints).toEqual([])
    await expectUser(host, user)
  })

  it.each(others.filter(({ user }) => user === null))("rejects a user $who", async ({ rules, options }) => {
    const host = providerHost(factory, { ...fixture, ...rules, ...(options && { options }) })
    const page = await walk(host)
    expect(host.vendor.complaints).toEqual([])
    await expectRefusal(host, page)
  })
})

/** Some vendors have no profile request, or one that may fail. */
function refusableStages({ resources, forgives = [] }: ProviderFixture): readonly RefusedStage[] {
  const stages: readonly RefusedStage[] = resources ? ["authorization", "token", "profile"] : ["authorization", "token"]
  return stages.filter((stage) => !forgives.includes(stage))
}

/** A provider that needs options besides the environment cannot be listed without a call. */
function possibleForms({ env }: ProviderFixture): readonly ProviderForm[] {
  return env === null ? ["called", "plain object"] : ["called", "uncalled", "plain object"]
}

/** Options that the validation rejects: the fixture's own cases, and invalid issuers. */
function mistakesOf({ mistakes = [], env, options }: ProviderFixture): NonNullable<ProviderFixture["mistakes"]> {
  if (!env?.["ISSUER"]) return mistakes
  const broken = ["harbour.example", "https://harbour.example?query", "ftp://harbour.example"]
  return [...mistakes, ...broken.map((issuer) => [{ ...options, issuer }, ".issuer: must be "] as const)]
}

function walk({ browser, id }: ProviderHost): Promise<Page> {
  return browser.signIn(id, { callbackUrl: "/in" })
}

/** The vendor checks the parameters; this checks the parts of the URL that a browser does not send to it. */
async function assertAuthorizationUrl(
  { newBrowser, id }: ProviderHost,
  { authorization }: ProviderFixture,
): Promise<void> {
  const { location } = await post(newBrowser(), `/auth/signin/${id}`, { callbackUrl: "/in" })
  const url = new URL(location ?? "")
  expect(url.origin + url.pathname).toBe(authorization.url)
  expect(url.hash).toBe(authorization.fragment ? `#${authorization.fragment}` : "")
  expect(url.searchParams.get("redirect_uri")).toBe(`https://app.test/auth/callback/${id}`)
  // Several vendors do not decode a plus sign as a space.
  expect(url.search).not.toContain("+")
}

async function expectUser(host: ProviderHost, expected: ExpectedUser): Promise<void> {
  const { browser, stored, id, profiles } = host
  const { id: account, name, email = null, image = null, isEmailVerified } = expected
  expect(browser.page?.url.pathname).toBe("/in")
  const user = await stored.getUserByAccount({ provider: id, providerAccountId: account })
  expect(user).toMatchObject({ name, email })
  const shown = (await browser.session())?.user
  expect(shown).toMatchObject({ name, email })
  expect([user?.image ?? null, shown?.image ?? null]).toEqual([image, image])
  expect(profiles.at(-1)).toMatchObject(isEmailVerified === undefined ? {} : { email_verified: isEmailVerified })
}

async function expectRefusal(host: ProviderHost, page: Page): Promise<void> {
  expect(pathOfPage(page)).toMatch(/^\/auth\/(signin|error)\?error=(OAuthCallbackError|Configuration)/)
  expect(host.logger.errorTypes()).toHaveLength(1)
  await expectQuiet(host, host.browser, host.stored)
}
