/** An answer with an error, RFC 6749 sections 4.1.2.1 and 5.2. */
export class Refusal extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

export function refuse(code: string, description: string, status = 400): never {
  throw new Refusal(code, description, status)
}

/** The answer of an endpoint that speaks JSON. */
export function jsonAnswer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } })
}

export function toErrorAnswer({ code, message, status }: Refusal): Response {
  const challenge = status === 401 ? { "www-authenticate": `Bearer error="${code}"` } : {}
  return jsonAnswer({ error: code, error_description: message }, status, challenge)
}
