import type { AuthRequest } from "../../http/request.js"
import type { ActionContext } from "../feature.js"

/** A native app of yours, such as one for iOS. */
export interface NativeClient {
  /** The client ID that the app sends. It is public. */
  readonly id: string
  /** The name of the app, for the page that asks, and for the list of sessions. */
  readonly name: string
  /**
   * Where the app gets its answers: `com.example.app:/callback` for a scheme that is a domain of yours reversed,
   * `https://app.example/native` for an address that the platform gives to the app, `http://127.0.0.1/callback` or
   * `http://[::1]/callback` for a listener on any port of the device (RFC 8252 section 7).
   */
  readonly redirectUris: readonly string[]
}

/** The clients by id. */
export type NativeClients = ReadonlyMap<string, NativeClient>

/** What the sealed values of the feature are for: each purpose has its own key. */
export const purposes = { consent: "native:consent", code: "native:code" } as const

/** The identifier of the service in its answers, RFC 9207: the URL of its base path. */
export function toIssuer(request: Pick<AuthRequest, "url">, { actionUrl }: Pick<ActionContext, "actionUrl">): string {
  return actionUrl(request, "").replace(/\/$/, "")
}
