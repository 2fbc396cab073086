import { setEnvDefaults } from "@latchkey/core"
import type { AuthConfig, Provider } from "@latchkey/core/types"
import { type FakeVendor, fakeVendor, type MemoryAdapter, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { vi } from "vitest"
import { customFetch } from "../../src/types/basics.js"
import { openHost } from "../setup/hosts.js"
import type { ProviderFixture } from "./provider-fixture.js"

/** How the host configures the provider. */
export type ProviderForm = "called" | "uncalled" | "plain object"

type Options = Readonly<Record<PropertyKey, unknown>>
/** A factory as an untyped host sees it. */
export type Factory = (options: Options) => Exclude<Provider, (options: never) => unknown>

export interface ProviderHost extends TestHost {
  readonly id: string
  readonly vendor: FakeVendor
  readonly stored: MemoryAdapter
  /** The profiles that the host's `signIn` callback received. */
  readonly profiles: readonly unknown[]
}

/** A host with one provider, connected to a fake vendor with the fixture's rules. */
export function providerHost(factory: Factory, fixture: ProviderFixture, form: ProviderForm = "called"): ProviderHost {
  const vendor = fakeVendor(fixture)
  const { provider, env } = listings[form](factory, fixture, vendor)
  const config: AuthConfig = { providers: [provider], trustHost: true, basePath: "/auth" }
  setEnvDefaults(env, config)
  const stored = memoryAdapter()
  const profiles: unknown[] = []
  const callbacks = { signIn: ({ profile }: { readonly profile?: unknown }) => profiles.push(profile) > 0 }
  const host = openHost({ providers: config.providers, adapter: stored, network: vendor.network, callbacks })
  host.canaries.watch("the client secret", vendor.client.client_secret)
  return { ...host, id: fixture.id ?? idOf(config), vendor, stored, profiles }
}

type Listing = (
  factory: Factory,
  fixture: ProviderFixture,
  vendor: FakeVendor,
) => { readonly provider: Provider; readonly env: Readonly<Record<string, string>> }

const listings: Readonly<Record<ProviderForm, Listing>> = {
  called: (factory, fixture, vendor) => ({
    provider: factory({ ...fixture.options, ...credentialsOf(vendor), [customFetch]: vendor.fetch }),
    env: {},
  }),
  uncalled: (factory, fixture, { client, fetch }) => {
    vi.stubGlobal("fetch", fetch)
    const prefix = `AUTH_${factory({}).id.toUpperCase().replaceAll("-", "_")}_`
    const variables = { ID: client.client_id, SECRET: client.client_secret, ...fixture.env }
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [prefix + name, value]))
    // The factory's own options are narrower than those of an untyped host.
    return { provider: factory as Provider, env }
  },
  "plain object": (factory, fixture, vendor) => {
    const { options, ...facts } = factory({ ...fixture.options })
    // Options become fields of the provider.
    const given = { ...fixture.options, ...credentialsOf(vendor), [customFetch]: vendor.fetch }
    return { provider: { ...facts, ...given } as Provider, env: {} }
  },
}

function credentialsOf({ client }: FakeVendor): Options {
  return { clientId: client.client_id, clientSecret: client.client_secret }
}

function idOf({ providers }: AuthConfig): string {
  const [provider] = providers
  if (typeof provider === "object") return provider.id
  throw new TypeError("setEnvDefaults did not call the factory")
}
