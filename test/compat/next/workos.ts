import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { address } from "../test/sessions/former.js"

/** Stands in for the API of WorkOS: everybody is Ada. */
export async function openWorkos(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { privateKey, publicKey } = await generateKeyPair("RS256")
  const keys = [{ ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: "k1" }]
  const user = {
    object: "user",
    id: "user_01H",
    email: address,
    email_verified: true,
    first_name: "Ada",
    last_name: "Lovelace",
  }
  const toToken = () =>
    new SignJWT({ sid: `session_${crypto.randomUUID()}` })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setSubject(user.id)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey)

  function showLogin(url: URL): string {
    const target = new URL(url.searchParams.get("redirect_uri") ?? "")
    target.search = String(new URLSearchParams({ code: "a-code", state: url.searchParams.get("state") ?? "" }))
    return `<!doctype html><title>Login</title><a href="${target.href.replaceAll("&", "&amp;")}">Continue</a>`
  }
  async function answer(request: IncomingMessage): Promise<object | string | null> {
    const url = new URL(request.url ?? "", "http://localhost")
    if (url.pathname === "/user_management/authorize") return showLogin(url)
    if (url.pathname.startsWith("/sso/jwks/")) return { keys }
    if (url.pathname !== "/user_management/authenticate") return null
    return { user, access_token: await toToken(), refresh_token: "a-token", authentication_method: "Password" }
  }

  const server = createServer(async (request, response) => {
    const body = await answer(request)
    const type = typeof body === "string" ? "text/html" : "application/json"
    response.writeHead(body === null ? 404 : 200, { "content-type": type })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  server.listen(0, "localhost")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // as: a server on a TCP port has an AddressInfo
  return {
    port,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
