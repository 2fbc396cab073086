import type { Handler } from "../browser/network.js"

/** An answer as it left the app. */
export interface RecordedAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Without `Set-Cookie`, which stands in `cookies`. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly body: string
}

export interface RecordingHandler {
  readonly handler: (request: Request) => Promise<Response>
  readonly answers: readonly RecordedAnswer[]
}

/** Keeps a copy of every answer, so that all of them can be searched when a test is done. */
export function recordingHandler(handler: Handler): RecordingHandler {
  const answers: RecordedAnswer[] = []
  return {
    answers,
    async handler(request) {
      const { method, url } = request
      const response = await handler(request)
      const { "set-cookie": _, ...headers } = Object.fromEntries(response.headers)
      const body = await response.clone().text()
      answers.push({ method, url, status: response.status, headers, cookies: response.headers.getSetCookie(), body })
      return response
    },
  }
}
