import { authenticateClient } from "./client-authentication.js"
import type { Establishment } from "./establishment.js"
import { findRepeated, type Incoming } from "./incoming.js"
import { pushedRequestSeconds } from "./pushed-requests.js"
import { jsonAnswer, refuse } from "./refusal.js"

const ofTheApp = ["client_secret", "client_assertion", "client_assertion_type"]

/** The endpoint for pushed authorization requests, RFC 9126 section 2. */
export async function answerPushedRequest(incoming: Incoming, establishment: Establishment): Promise<Response> {
  const { method, url } = incoming
  if (method !== "POST") refuse("invalid_request", "Only POST is allowed", 405)
  if (url.search !== "") refuse("invalid_request", "Parameters belong in the body")
  const repeated = findRepeated(incoming.params)
  if (repeated) refuse("invalid_request", `The parameter ${repeated} comes twice`)
  const client = await authenticateClient(incoming, establishment.clients, establishment.issuer)
  const params = new URLSearchParams([...incoming.params].filter(([name]) => !ofTheApp.includes(name)))
  if (params.has("request_uri")) refuse("invalid_request", "A pushed request refers to no other one")
  if (params.get("client_id") !== client.client_id) refuse("invalid_request", "The client_id is another app's")
  return jsonAnswer({ request_uri: establishment.pushed.keep(client, params), expires_in: pushedRequestSeconds }, 201)
}
