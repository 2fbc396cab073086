import { InvalidConfiguration } from "../../errors/errors.js"
import { appendCookies } from "../../http/caching.js"
import type { AuthRequest } from "../../http/request.js"
import { openService } from "../../open-service.js"
import { lazy } from "../../runtime/cache.js"
import { findGate } from "../feature.js"
import type { HostConfig } from "../functions.js"
import { type AccountSection, defaultSettings } from "./names.js"
import type { PasskeyView } from "./passkeys.js"
import type { Profile } from "./profile.js"
import type { Section, Visit } from "./section.js"
import type { SignInMethods } from "./sign-in-methods.js"

/** The response to the request. */
export interface ChangeOptions {
  /** Its headers. A stateless session shows a new name only with them, and tokens in cookies are removed only with them. */
  readonly headers?: Headers | undefined
}

/**
 * Changes name and picture of the signed-in user. A field that is left out stays; null removes it.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @returns the changed profile; null when signed out
 * @throws ChangeRefused with the code `image` for a picture that is not an http(s) URL
 * @throws AuthError when the configuration is invalid or without `accountArea`, or the store fails
 */
export async function updateProfile(
  request: Request,
  config: HostConfig,
  { name, image, headers }: Partial<Profile> & ChangeOptions,
): Promise<Profile | null> {
  const fields = {
    action: "save",
    ...(name !== undefined && { name: name ?? "" }),
    ...(image !== undefined && { image: image ?? "" }),
  }
  const done = await change(await loadProfile(), fields, { request, config, headers })
  return done as Profile | null // As its action answers.
}

/**
 * Lists the sign-in methods of the signed-in user, and the providers at which they can add an account. Null when signed out.
 * @throws AuthError when the configuration is invalid or without `accountArea`, or the store fails
 */
export async function listSignInMethods(request: Request, config: HostConfig): Promise<SignInMethods | null> {
  const section = await loadSignInMethods()
  const visit = await open(section, {}, { request, config })
  return visit && section.show(visit)
}

/**
 * Removes an account at a provider from the signed-in user, with its tokens and the sessions that began with it.
 * @param account From {@link listSignInMethods}.
 * @returns false when signed out, and for an account that is not one of the user's
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 * @throws ChangeRefused with the code `last-sign-in-method` for the only one that works
 */
export async function unlinkAccount(
  request: Request,
  config: HostConfig,
  account: { readonly provider: string; readonly providerAccountId: string } & ChangeOptions,
): Promise<boolean> {
  const { provider, providerAccountId: id, headers } = account
  return isDone(
    await change(await loadSignInMethods(), { action: "unlink", provider, id }, { request, config, headers }),
  )
}

/**
 * Lists the passkeys of the signed-in user. Null when signed out.
 * @throws AuthError when the configuration is invalid or without `accountArea`, or the store fails
 */
export async function listPasskeys(request: Request, config: HostConfig): Promise<readonly PasskeyView[] | null> {
  const section = await loadPasskeys()
  const visit = await open(section, {}, { request, config })
  return visit && (await section.show(visit)).passkeys
}

/**
 * Names a passkey of the signed-in user; an empty name is removed.
 * @returns false when signed out, and for an id that is not one of the user's
 */
export async function renamePasskey(
  request: Request,
  config: HostConfig,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<boolean> {
  return isDone(await change(await loadPasskeys(), { action: "rename", id, name }, { request, config }))
}

/**
 * Removes a passkey of the signed-in user, and ends the sessions that began with it.
 * @returns false when signed out, and for an id that is not one of the user's
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 * @throws ChangeRefused with the code `last-sign-in-method` for the only one that works, and with `required` for the
 *   last second factor of a user who must have one
 */
export async function removePasskey(request: Request, config: HostConfig, id: string): Promise<boolean> {
  return isDone(await change(await loadPasskeys(), { action: "remove", id }, { request, config }))
}

/** The code of the pages is imported with the first call, as with the first request. */
const loadSignInMethods = lazy(async () => (await import("./sign-in-methods.js")).signInMethodsSection)
const loadPasskeys = lazy(async () => (await import("./passkeys.js")).passkeysSection)
const loadProfile = lazy(async () => (await import("./profile.js")).profileSection)
const loadRoutes = lazy(() => import("./routes.js"))

interface Call {
  readonly request: Request
  readonly config: HostConfig
  readonly headers?: Headers | undefined
}

/** A signed-in user's visit to a section, as a form would make it. Null when signed out. */
async function open(
  section: Pick<Section, "name" | "isOffered">,
  fields: Readonly<Record<string, string>>,
  { request: given, config }: Call,
): Promise<Visit | null> {
  const { context, visit } = await openService(given, config)
  const settings = defaultSettings
  if (!findGate(context) || !config.accountArea || !section.isOffered(context, settings)) {
    throw new InvalidConfiguration(
      `accountArea: the section ${section.name} is not offered. Write accountArea: accountArea()`,
    )
  }
  const route = `account/${section.name satisfies AccountSection}` as const
  const url = visit.url ?? new URL(given.url)
  const request: AuthRequest = {
    headers: given.headers,
    url,
    cookies: visit.cookies,
    method: "POST",
    route,
    providerId: undefined,
    body: fields,
    context: {},
  }
  return (await loadRoutes()).openAreaVisit(request, context, settings)
}

/** Does what the section's form does. What it answers, or null for what does not exist. */
async function change(
  section: Section,
  fields: { readonly action: string } & Readonly<Record<string, string>>,
  call: Call,
): Promise<object | null> {
  const visit = await open(section, fields, call)
  const outcome = visit && (await (await loadRoutes()).act(section, visit))
  if (!outcome || !("done" in outcome)) return null
  if (call.headers && outcome.cookies) appendCookies(call.headers, outcome.cookies)
  return outcome.status === 404 ? null : outcome.json
}

const isDone = (answer: object | null): boolean => answer !== null
