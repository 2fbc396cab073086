import { isObject, type Kinds } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { findAdapterMistake } from "../../host/adapter-mistakes.js"
import type { NativeAccess } from "../../types/config.js"
import type { Feature } from "../feature.js"
import { guarded, limited } from "../route.js"
import { featureFrame } from "../slots.js"
import { answerConsent, askConsent } from "./authorize.js"
import type { NativeClient, NativeClients } from "./clients.js"
import { exchangeCode } from "./code.js"
import { isRedirectUri } from "./redirect-uri.js"
import { createBearer } from "./session-token.js"

/** Options of {@link nativeApps}. */
export interface NativeAppsOptions {
  /** Your native apps: each with its own client ID. Without one of them, the sessions of its app end. */
  readonly clients: readonly NativeClient[]
}

/**
 * Signs users in to native apps in their browser, and their requests by `Authorization: Bearer`: the value of `nativeApps`. The
 * adapter needs `keepTemporary` and `takeTemporary`. A mistake in the options is reported when the service starts.
 * @example
 * nativeApps: nativeApps({ clients: [{ id: "ios", name: "Example for iOS", redirectUris: ["com.example.app:/callback"] }] })
 */
export function nativeApps(options: NativeAppsOptions): NativeAccess {
  const list = Array.isArray(options?.clients) ? (options.clients as readonly NativeClient[]) : []
  const clients: NativeClients = new Map(list.map((client) => [client?.id, client]))
  const feature: NativeAccess & Feature = {
    feature: "nativeApps",
    frame: featureFrame,
    bearer: createBearer(clients),
    routes: {
      native: { GET: askConsent(clients), POST: guarded(limited("signIn", answerConsent(clients))) },
      "native/token": { format: "json", POST: limited("callback", exchangeCode(clients)) },
    },
    validate: (config) => findMistake(options) ?? findAdapterMistake(needs, config.adapter),
  }
  return Object.freeze(feature)
}

const needs = { option: "nativeApps", methods: ["keepTemporary", "takeTemporary"] } as const

const kinds: Kinds<NativeAppsOptions> = {
  clients: {
    words: "a list of clients, each with an id, a name and redirectUris",
    isValid: (value) => Array.isArray(value) && value.length > 0,
    isRequired: true,
  },
}

const clientKinds: Kinds<NativeClient> = {
  id: {
    words: "up to 64 letters, digits, dots, dashes and underscores",
    isValid: (value) => typeof value === "string" && /^[\w.-]{1,64}$/.test(value),
    isRequired: true,
  },
  name: {
    words: "the name of the app, up to 64 characters",
    isValid: (value) => typeof value === "string" && value.trim() !== "" && value.length <= 64,
    isRequired: true,
  },
  redirectUris: {
    words: "a list of at least one address",
    isValid: (value) => Array.isArray(value) && value.length > 0,
    isRequired: true,
  },
}

const uriWords =
  "must be com.example.app:/path with your domain reversed, http://127.0.0.1/path, http://[::1]/path, or an https URL"

function findMistake(options: NativeAppsOptions): AuthError | null {
  const mistake = validateFactoryOptions("nativeApps", options, kinds)
  if (mistake) return mistake
  for (const [n, client] of options.clients.entries()) {
    const path = `nativeApps.clients[${n}]`
    const wrong = isObject(client)
      ? validateFactoryOptions(path, client, clientKinds)
      : new InvalidConfiguration(`${path}: must be an object with an id, a name and redirectUris`)
    if (wrong) return wrong
    if (options.clients.findIndex(({ id }) => id === client.id) !== n) {
      return new InvalidConfiguration(`${path}.id: is the id of another client`)
    }
    const odd = client.redirectUris.findIndex((uri) => !isRedirectUri(uri))
    if (odd !== -1) return new InvalidConfiguration(`${path}.redirectUris[${odd}]: ${uriWords}`)
  }
  return null
}
