import { readText } from "./answer.js"

/** What came of a form. `url` is null when there is an `error`. */
export interface SignInResponse {
  /** The error type, as the sign-in page has it in its query. */
  readonly error: string | undefined
  /** What the host's `CredentialsSignin` says, such as `credentials`. */
  readonly code: string | undefined
  readonly status: number
  readonly ok: boolean
  readonly url: string | null
}

/** An answer of the service, and where it sends the browser. */
export interface Completion {
  readonly response: SignInResponse
  /** Where the service would redirect: the callback URL, or the page that shows the error. */
  readonly target: string
}

/**
 * What a form was answered with, null when that leads nowhere.
 * @param asked the address that was asked, against which the answer's address is read
 */
export function findCompletion({ status, ok }: Response, content: unknown, asked: string): Completion | null {
  const target = findHttpUrl(readText(content, "url"), asked)
  if (!target) return null
  const error = target.searchParams.get("error") ?? undefined
  const code = target.searchParams.get("code") ?? undefined
  return { response: { error, code, status, ok, url: error === undefined ? target.href : null }, target: target.href }
}

/** Null for what is no address of a page. `URL.parse` is younger than some browsers that have passkeys. */
function findHttpUrl(text: string | undefined, base: string): URL | null {
  if (text === undefined) return null
  try {
    const url = new URL(text, base)
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}
