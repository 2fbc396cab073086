import type { PublicProvider } from "@latchkey/types"
import {
  type AcceptedForm,
  isAt,
  readCompletion,
  readField,
  readJson,
  type SignInStep,
  withoutError,
} from "../protocol.js"
import { requestProviders, type Service, type ServiceAction, toAbsoluteUrl } from "../service.js"
import type { FlowOptions } from "./flow.js"
import { readFailure } from "./flow-error.js"

// What the flows ask the service. Nothing in an answer is trusted: the service decides about each step again.

/** What a flow sends its requests with. */
export interface Requests {
  readonly options: FlowOptions
  readonly service: () => Service
}

/** A path of the service. */
export type Path = readonly [action: ServiceAction, id?: string]

/** The fields of a form. Those that are undefined are left out. */
export type Fields = Readonly<Record<string, string | undefined>>

/** An accepted form, and the rest of its answer. */
export interface Accepted extends Pick<AcceptedForm, "url" | "next"> {
  readonly content: unknown
}

/** Posts a form with a CSRF token. @throws FlowFailure */
export async function post(
  { options, service: findService }: Requests,
  [action, id]: Path,
  fields: Fields,
): Promise<Accepted> {
  const service = findService()
  const form = new URLSearchParams()
  const csrfToken = await service.requestCsrfToken()
  const callbackUrl = findTarget(options)
  const all = { ...fields, callbackUrl, csrfToken }
  for (const [name, value] of Object.entries(all)) if (value !== undefined) form.set(name, value)
  const address = service.address(action, id)
  const response = await service.request(address, { method: "POST", body: form })
  const content = await readJson(response)
  const completion = readCompletion(response, content, response.url || toAbsoluteUrl(address), {
    callbackUrl,
    findStep: (target) => toNext(target, service, id),
  })
  if (!completion) throw readFailure(response, content)
  const { error, code, url, next } = completion.response
  // A redirect that names the error, as the routes of the contract answer.
  if (error !== undefined) throw readFailure(response, { error, code })
  if (!response.ok) throw readFailure(response, content)
  return { url, next, content }
}

function toNext(target: URL, service: Service, providerId?: string): SignInStep | null {
  if (isAt(target, service.address("second-factor"))) return "second-factor"
  const { searchParams } = target
  return searchParams.get("type") === "email" && searchParams.get("provider") === providerId ? "email" : null
}

/** Reads where a page of the service stands. @throws FlowFailure */
export async function read(
  { service: findService }: Requests,
  [action, id]: Path,
  query?: Readonly<Record<string, string>>,
): Promise<unknown> {
  const service = findService()
  const response = await service.request(service.address(action, id, query))
  const content = await readJson(response)
  if (!response.ok || typeof content !== "object" || content === null) throw readFailure(response, content)
  return content
}

/** The texts in a list that came from the service. */
export function readTexts(content: unknown, name: string): readonly string[] {
  const list = readField(content, name)
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : []
}

/** The providers, in the order of the configuration. */
export async function readProviders(service: Service): Promise<readonly PublicProvider[]> {
  return Object.values(await requestProviders(service))
}

/** Where to go after the sign-in. The service checks it. */
export function findTarget({ redirectTo }: FlowOptions): string {
  return withoutError(redirectTo ?? new URLSearchParams(location.search).get("callbackUrl") ?? location.href)
}
