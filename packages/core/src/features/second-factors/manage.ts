import { openService } from "../../open-service.js"
import type { SessionRequest } from "../../session/session.js"
import type { FactorView } from "../feature.js"
import type { HostConfig } from "../functions.js"
import type { TotpSetup } from "./enrollment.js"
import {
  type ConfirmedTotp,
  type OwnFactors,
  ownFactors,
  type TotpConfirmation,
  toConfirmedTotp,
} from "./own-factors.js"

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

interface Opened {
  readonly own: OwnFactors
  readonly visit: SessionRequest
}

async function open(request: Request, config: HostConfig): Promise<Opened> {
  const { context, visit } = await openService(request, config)
  return { own: ownFactors(context), visit }
}
