import type { Network } from "../browser/navigation.js"
import { createKeyRing } from "../identity-provider/keys.js"
import { createProviderFetch } from "../identity-provider/provider-config.js"
import {
  discoveryUrl,
  jwksUrl,
  serveAuthorization,
  serveDiscovery,
  serveJwks,
  serveResource,
  serveToken,
  type VendorFlow,
} from "./endpoints.js"
import { Complaint, fill, originAndPath } from "./request-checks.js"
import type { RefusedStage, VendorClient, VendorRules } from "./vendor-rules.js"

/** A vendor's servers in memory, at the vendor's own URLs. */
export interface FakeVendor {
  /** The registered client. */
  readonly client: VendorClient
  /** A `fetch` that reaches only this vendor. */
  readonly fetch: typeof fetch
  /** The authorization page, for a browser's network. */
  readonly network: Network
  /** The rules that requests broke, in words. */
  readonly complaints: readonly string[]
  /** URLs of all requests, without query and fragment. */
  readonly visited: readonly string[]
  /** Secrets that must not appear in logs and responses. */
  readonly secrets: readonly string[]
  /** Makes the vendor refuse every further sign-in at a stage, with its own error response. */
  refuse(stage: RefusedStage): void
}

/**
 * Creates a vendor that follows these rules, and rejects every request that breaks them.
 * @example
 * const vendor = fakeVendor({ authorization: { url: "https://id.harbour.example/ask" }, token: { url: ... }, profile: { id: 1 } })
 * testHost({ network: vendor.network, providers: [Harbour({ ...credentials, [customFetch]: vendor.fetch })] })
 */
export function fakeVendor(rules: VendorRules): FakeVendor {
  const { clientId = `client-${crypto.randomUUID()}` } = rules
  const client = { client_id: clientId, client_secret: `secret/${crypto.randomUUID()}` }
  // Generating a key is slow, so all vendors of a process share one.
  const keys = createKeyRing("https://vendor.test", rules.openId?.alg ?? "RS256")
  const complaints: string[] = []
  const visited: string[] = []
  const secrets: string[] = [client.client_secret]
  let refused: RefusedStage | null = null
  let values: VendorFlow["values"] = {}

  function remember(more: VendorFlow["values"]): void {
    values = { ...values, ...more }
    secrets.push(...["code", "access_token"].flatMap((name) => more[name] || []))
  }

  const flow: VendorFlow = {
    rules,
    client,
    keys,
    remember,
    begin(next) {
      values = {}
      remember(next)
    },
    get refused() {
      return refused
    },
    get values() {
      return values
    },
  }

  async function answer(request: Request): Promise<Response> {
    visited.push(originAndPath(request.url))
    try {
      return await answerAt(request, flow)
    } catch (error) {
      if (!(error instanceof Complaint)) throw error
      complaints.push(error.message)
      return Response.json({ error: "invalid_request" }, { status: 400 })
    }
  }

  const own = new Set(urlsOf(rules).map((url) => new URL(url).origin))
  return {
    client,
    fetch: createProviderFetch({
      isProvider: (url) => own.has(url.origin),
      answer,
      record: ({ url }) => void complaints.push(`no server at ${originAndPath(url)}`),
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
  const place = originAndPath(request.url)
  if (request.url === discoveryUrl(rules)) return serveDiscovery(flow)
  if (request.url === jwksUrl(rules)) return serveJwks(flow)
  if (place === originAndPath(rules.authorization.url)) return serveAuthorization(new URL(request.url), flow)
  if (place === originAndPath(rules.token.url)) return serveToken(request, flow)
  const resource = rules.resources?.find(({ url }) => place === originAndPath(fill(url, flow.values)))
  if (resource) return serveResource(request, resource, flow)
  throw new Complaint(`no endpoint at ${place}`)
}

function urlsOf(rules: VendorRules): readonly string[] {
  const openId = [discoveryUrl(rules), jwksUrl(rules)].filter((address) => address !== null)
  const resources = (rules.resources ?? []).map(({ url }) => url)
  return [rules.authorization.url, rules.token.url, ...openId, ...resources]
}
