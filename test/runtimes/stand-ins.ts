import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { sendWebResponse, toWebRequest } from "@latchkey/node"
import { type FakeIdentityProvider, fakeIdentityProvider, type SigningAlg } from "@latchkey/testkit"
import type { ProviderSettings } from "./app/settings.ts"

export const algorithms = [
  "RS256",
  "PS256",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const satisfies readonly SigningAlg[]

/** The providers and the mail service of one run, on a port of this machine. */
export interface StandIns {
  readonly origin: string
  readonly mailUrl: string
  readonly providers: readonly ProviderSettings[]
  provider(id: string): FakeIdentityProvider
  /** The link of the newest mail to an address. */
  linkFor(address: string): string
  /**
   * Answers the next request for a path only when the caller releases it.
   * @returns a promise of the moment when the request has arrived
   */
  stallNext(path: string): Promise<void>
  close(): Promise<void>
}

export async function openStandIns(): Promise<StandIns> {
  const mails: { to: string; url: string }[] = []
  const stalls = new Map<string, () => void>()
  const stalled: ServerResponse[] = []
  const fakes = new Map<string, FakeIdentityProvider>()
  const server = createServer((incoming, response) => void answer(incoming, response))

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = toWebRequest(incoming, { response })
    const { pathname } = new URL(request.url)
    const arrived = stalls.get(pathname)
    if (arrived) {
      stalls.delete(pathname)
      stalled.push(response)
      return arrived()
    }
    if (pathname === "/mail") {
      mails.push(await request.json())
      return sendWebResponse(new Response(null, { status: 204 }), response)
    }
    const fake = fakes.get(pathname.split("/")[1] ?? "")
    const found = fake ? await fake.handler(request) : new Response("not found", { status: 404 })
    await sendWebResponse(found, response)
  }

  const origin = await listen(server)
  for (const alg of algorithms) fakes.set(alg, fakeIdentityProvider({ issuer: `${origin}/${alg}`, signingAlg: alg }))
  fakes.set("slow", fakeIdentityProvider({ issuer: `${origin}/slow`, signingAlg: "ES256" }))
  fakes.set("slow-keys", fakeIdentityProvider({ issuer: `${origin}/slow-keys`, signingAlg: "ES256" }))
  fakes.set("oauth", fakeIdentityProvider({ issuer: `${origin}/oauth` }))

  return {
    origin,
    mailUrl: `${origin}/mail`,
    providers: [...fakes].map(([id, fake]) => toSettings(id, fake)),
    provider(id) {
      const fake = fakes.get(id)
      if (!fake) throw new Error(`There is no provider ${id}`)
      return fake
    },
    linkFor(address) {
      const mail = mails.findLast(({ to }) => to === address)
      if (!mail) throw new Error(`No mail to ${address} arrived`)
      return mail.url
    },
    stallNext: (path) => new Promise((resolve) => stalls.set(path, resolve)),
    async close() {
      for (const response of stalled) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toSettings(id: string, { issuer, clients: [client] }: FakeIdentityProvider): ProviderSettings {
  if (!client) throw new Error(`The provider ${id} has no client`)
  const alg = id === "oauth" ? "" : id.startsWith("slow") ? "ES256" : id
  const type = id === "oauth" ? "oauth" : "oidc"
  return { id, type, issuer, alg, clientId: client.client_id, clientSecret: client.client_secret }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}
