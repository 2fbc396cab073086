import { InvalidConfiguration } from "../../errors/errors.js"
import { openService } from "../../open-service.js"
import type { SessionRequest } from "../../session/session.js"
import type { ActionContext, FactorView } from "../feature.js"
import type { HostConfig } from "../functions.js"
import { storeImported, type TotpSetup } from "./enrollment.js"
import {
  type ConfirmedTotp,
  type OwnFactors,
  ownFactors,
  type TotpConfirmation,
  toConfirmedTotp,
} from "./own-factors.js"
import { findRecovery, openTools, type Tools } from "./tools.js"
import { type ImportedTotp, readImportedKey } from "./totp.js"

/**
 * Lists the second factors of the signed-in user. Null when signed out.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @throws AuthError when the configuration is invalid or without `secondFactors`, or the store fails
 */
export async function listFactors(request: Request, config: HostConfig): Promise<readonly FactorView[] | null> {
  const { own, visit } = await open(request, config)
  return own.list(visit)
}

/**
 * Begins to set up an authenticator app for the signed-in user: shows its secret once. Nothing is stored before
 * `confirmTotp`. Null when signed out.
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 */
export async function beginTotp(request: Request, config: HostConfig): Promise<TotpSetup | null> {
  const { own, visit } = await open(request, config)
  return own.beginTotp(visit)
}

/**
 * Stores the authenticator app whose first code is given. From then on the user is asked for a code at each sign-in. Null
 * when signed out.
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 * @throws SecondFactorWrong for a wrong code
 * @throws InvalidRequest for a ticket that is too old, of another user, or used before
 */
export async function confirmTotp(
  request: Request,
  config: HostConfig,
  confirmation: TotpConfirmation,
): Promise<ConfirmedTotp | null> {
  const { own, visit } = await open(request, config)
  const confirmed = await own.confirmTotp(visit, confirmation)
  return confirmed && toConfirmedTotp(confirmed)
}

/**
 * Replaces the recovery codes of the signed-in user. Show them once; the former ones no longer work. Null when signed out.
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 * @throws InvalidRequest for a user without another second factor
 * @throws TooManyRequests for the second time within a minute
 */
export async function createRecoveryCodes(request: Request, config: HostConfig): Promise<readonly string[] | null> {
  const { own, visit } = await open(request, config)
  return (await own.createRecoveryCodes(visit))?.codes ?? null
}

/**
 * Removes a second factor of the signed-in user, and with the last one the recovery codes. With `session.track` the user's
 * other sessions end.
 * @param id From {@link listFactors}.
 * @returns false when signed out, and for an id that is not one of the user's
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 * @throws InvalidRequest for the last factor of a user who must have one
 */
export async function removeFactor(request: Request, config: HostConfig, id: string): Promise<boolean> {
  const { own, visit } = await open(request, config)
  return (await own.remove(visit, id)) ?? false
}

/**
 * Stores an authenticator app that a user has set up in another system. From then on the user is asked for its codes at each
 * sign-in.
 * @returns false, having changed nothing, for a user who has set up a factor here, or whose app was imported before
 * @throws InvalidRequest for an unknown user, and for an app whose codes are not accepted here
 */
export async function importFactor(config: HostConfig, userId: string, factor: ImportedTotp): Promise<boolean> {
  const { context, tools } = await openImport(config)
  const { kind, label = null } = factor
  const isStored = await storeImported({ userId, kind, secret: readImportedKey(factor), label }, tools)
  if (isStored) await context.events.send("factorAdded", { userId, kind })
  return isStored
}

/**
 * Stores recovery codes that a user has from another system. Import the user's other factors first. Spaces, hyphens and case
 * do not matter when such a code is used.
 * @param codes As the user sees them: 1 to 50, each of 8 to 64 characters. Those that were used must not be among them.
 * @returns false, having changed nothing, for a user who has set up a factor here, or whose codes were imported before
 * @throws InvalidRequest for an unknown user or one without another second factor, and for codes that cannot be used here
 */
export async function importRecoveryCodes(
  config: HostConfig,
  userId: string,
  codes: readonly string[],
): Promise<boolean> {
  const { context, tools } = await openImport(config)
  const factor = findRecovery(tools.settings)
  if (!factor) throw new InvalidConfiguration("secondFactors.factors: add recoveryCodes() to the list")
  const { kind } = factor
  const isStored = await storeImported({ userId, kind, secret: await factor.importSet(codes), label: null }, tools)
  if (isStored) await context.events.send("factorAdded", { userId, kind })
  return isStored
}

async function openImport(config: HostConfig): Promise<{ readonly context: ActionContext; readonly tools: Tools }> {
  // Any address will do: the cookies of the request are not read. An import calls this a million times, and a `Request` is large.
  const { context } = await openService({ url: "https://localhost/", headers: new Headers() }, config)
  return { context, tools: openTools(context) }
}

interface Opened {
  readonly own: OwnFactors
  readonly visit: SessionRequest
}

async function open(request: Request, config: HostConfig): Promise<Opened> {
  const { context, visit } = await openService(request, config)
  return { own: ownFactors(context), visit }
}
