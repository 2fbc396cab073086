import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { fromNodeHeaders, sendWebResponse } from "@latchkey/node"
import { fakeIdentityProvider } from "@latchkey/testkit"
import { findFreePort } from "@latchkey/testkit/servers"

/** An identity provider and an email service, each on its own port. */
export interface Surroundings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly inbox: string
  /** The newest link that was emailed to an address. */
  linkTo(email: string): string | undefined
  stop(): void
}

export async function openSurroundings(): Promise<Surroundings> {
  const provider = await openProvider()
  const inbox = await openInbox()
  return {
    ...provider,
    ...inbox,
    stop() {
      provider.server.close()
      inbox.server.close()
    },
  }
}

async function openProvider(): Promise<
  Pick<Surroundings, "issuer" | "clientId" | "clientSecret"> & { server: Server }
> {
  const port = await findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const idp = fakeIdentityProvider({ issuer })
  let last: Promise<unknown> = Promise.resolve()
  /** The `login_hint` names the user. One request at a time, because the provider has one current user. */
  const authorize = (request: Request, hint: string): Promise<Response> => {
    const answer = last.then(() => {
      idp.signInAs({ sub: hint, name: hint, email: `${hint}@corp.test`, email_verified: true })
      return idp.handler(request)
    })
    last = answer.catch(() => undefined)
    return answer
  }
  const given = new Map<string, string>()
  /** Accepts a code repeatedly, as some providers do: the service must use it once. */
  const giveTokens = async (request: Request): Promise<Response> => {
    const code = new URLSearchParams(await request.clone().text()).get("code") ?? ""
    const before = given.get(code)
    if (before !== undefined) return new Response(before, { headers: { "content-type": "application/json" } })
    const response = await idp.handler(request)
    if (response.ok) given.set(code, await response.clone().text())
    return response
  }
  const server = await listen(port, (request) => {
    const hint = new URL(request.url).searchParams.get("login_hint")
    if (request.method === "POST") return giveTokens(request)
    return hint === null ? idp.handler(request) : authorize(request, hint)
  })
  const [client] = idp.clients
  if (!client) throw new Error("The provider has no client")
  return { issuer, clientId: client.client_id, clientSecret: client.client_secret, server }
}

async function openInbox(): Promise<Pick<Surroundings, "inbox" | "linkTo"> & { server: Server }> {
  const port = await findFreePort()
  const links = new Map<string, string>()
  const server = await listen(port, async (request) => {
    const mail: unknown = await request.json()
    if (isMail(mail)) links.set(mail.to, mail.url)
    return new Response(null, { status: 204 })
  })
  return { inbox: `http://127.0.0.1:${port}`, linkTo: (email) => links.get(email), server }
}

function isMail(value: unknown): value is { to: string; url: string } {
  return typeof value === "object" && value !== null && "to" in value && "url" in value
}

async function listen(port: number, handler: (request: Request) => Promise<Response>): Promise<Server> {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/", headers } = incoming
    const body = method === "GET" ? null : await text(incoming)
    const request = new Request(`http://127.0.0.1:${port}${url}`, { method, headers: fromNodeHeaders(headers), body })
    await sendWebResponse(await handler(request), outgoing)
  }
  // The client may be killed in the middle of a request.
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => outgoing.destroy()))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return server
}
