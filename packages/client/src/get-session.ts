import type { Session } from "@latchkey/types"
import { readJson } from "./answer.js"
import { AuthClientError } from "./auth-client-error.js"
import { type Service, toUnavailable } from "./service.js"

/** `GET /session`: null when nobody is signed in. An answer that is neither is no session. */
export async function getSession(service: Service): Promise<Session | null> {
  return readSession(await service.ask(service.address("session")))
}

/** `POST /session`: hands data to the host's callbacks. */
export async function postSession(service: Service, data: unknown): Promise<Session | null> {
  const csrfToken = await service.requestCsrfToken()
  const body = JSON.stringify({ csrfToken, data })
  const headers = { "content-type": "application/json" }
  const answer = await service.ask(service.address("session"), { method: "POST", body, headers })
  if (answer.status === 400) throw new AuthClientError("refused", "The service refused the update", { status: 400 })
  return readSession(answer)
}

async function readSession(answer: Response): Promise<Session | null> {
  const content = await readJson(answer)
  if (answer.status === 200 && (content === null || isSession(content))) return content
  throw toUnavailable(answer)
}

/** What is in it is the host's. */
function isSession(content: unknown): content is Session {
  return typeof content === "object" && content !== null && !Array.isArray(content) && Object.keys(content).length > 0
}
