import type { Network } from "../browser/navigation.js"
import { createKeyRing } from "../identity-provider/keys.js"
import { createProviderFetch } from "../identity-provider/provider-config.js"
import {
  answerVendorAuthorization,
  answerVendorDiscovery,
  answerVendorKeys,
  answerVendorResource,
  answerVendorToken,
  discoveryAddress,
  jwksAddress,
  type VendorFlow,
} from "./endpoints.js"
import { Complaint, fill, placeOf } from "./request-checks.js"
import type { RefusedStage, VendorClient, VendorRules } from "./vendor-rules.js"

/** A vendor's servers in memory, at the vendor's own addresses. */
export interface FakeVendor {
  readonly client: VendorClient
  /** Reaches this vendor and nobody else. */
  readonly fetch: typeof fetch
  /** The vendor's pages, for a browser. */
  readonly network: Network
  /** What was wrong with the requests that came. */
  readonly complaints: readonly string[]
  /** Where the requests went, without their queries. */
  readonly visited: readonly string[]
  /** What must not be seen in logs and answers. */
  readonly secrets: readonly string[]
  /** From now on the vendor refuses there, in its own words. */
  refuse(stage: RefusedStage): void
}

/**
 * Plays the part of a vendor who works by these rules, and refuses every request that does not keep them.
 * @example
 * const vendor = fakeVendor({ authorization: { url: "https://id.harbour.example/ask" }, token: { url: ... }, profile: { id: 1 } })
 * testHost({ network: vendor.network, providers: [Harbour({ ...credentials, [customFetch]: vendor.fetch })] })
 */
export function fakeVendor(rules: VendorRules): FakeVendor {
  const { clientId = `client-${crypto.randomUUID()}` } = rules
  const client = { client_id: clientId, client_secret: `secret/${crypto.randomUUID()}` }
  // One key for all vendors of a process: making one takes longer than everything else here.
  const keys = createKeyRing("https://vendor.test", rules.openId?.alg ?? "RS256")
  const complaints: string[] = []
  const visited: string[] = []
  const secrets: string[] = [client.client_secret]
  let refused: RefusedStage | null = null
  let values: VendorFlow["values"] = {}

  function keep(more: VendorFlow["values"]): void {
    values = { ...values, ...more }
    secrets.push(...["code", "access_token"].flatMap((name) => more[name] || []))
  }

  const flow: VendorFlow = {
    rules,
    client,
    keys,
    keep,
    begin(next) {
      values = {}
      keep(next)
    },
    get refused() {
      return refused
    },
    get values() {
      return values
    },
  }

  async function answer(request: Request): Promise<Response> {
    visited.push(placeOf(request.url))
    try {
      return await answerAt(request, flow)
    } catch (error) {
      if (!(error instanceof Complaint)) throw error
      complaints.push(error.message)
      return Response.json({ error: "invalid_request" }, { status: 400 })
    }
  }

  const own = new Set(addressesOf(rules).map((address) => new URL(address).origin))
  return {
    client,
    fetch: createProviderFetch({
      isOwn: (url) => own.has(url.origin),
      answer,
      record: ({ url }) => void complaints.push(`nobody answers at ${placeOf(url)}`),
    }),
    network: { [new URL(rules.authorization.url).origin]: answer },
    complaints,
    visited,
    secrets,
    refuse(stage) {
      refused = stage
    },
  }
}

async function answerAt(request: Request, flow: VendorFlow): Promise<Response> {
  const { rules } = flow
  const place = placeOf(request.url)
  if (request.url === discoveryAddress(rules)) return answerVendorDiscovery(flow)
  if (request.url === jwksAddress(rules)) return answerVendorKeys(flow)
  if (place === placeOf(rules.authorization.url)) return answerVendorAuthorization(new URL(request.url), flow)
  if (place === placeOf(rules.token.url)) return answerVendorToken(request, flow)
  const resource = rules.resources?.find(({ url }) => place === placeOf(fill(url, flow.values)))
  if (resource) return answerVendorResource(request, resource, flow)
  throw new Complaint(`there is nothing at ${place}`)
}

function addressesOf(rules: VendorRules): readonly string[] {
  const openId = [discoveryAddress(rules), jwksAddress(rules)].filter((address) => address !== null)
  const resources = (rules.resources ?? []).map(({ url }) => url)
  return [rules.authorization.url, rules.token.url, ...openId, ...resources]
}
