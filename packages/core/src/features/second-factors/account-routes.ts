import { InvalidRequest } from "../../errors/errors.js"
import { type AuthRequest, findField } from "../../http/request.js"
import type { Reply } from "../../http/response.js"
import type { ActionContext, RouteMethods } from "../feature.js"
import { answer, guarded, limited, signedOut } from "../route.js"
import { type OwnFactors, ownFactors, toConfirmedTotp } from "./own-factors.js"

/** `account/factors`: the second factors of the signed-in user as JSON. */
export const accountRoutes: Readonly<Record<"account/factors", RouteMethods>> = {
  "account/factors": {
    format: "json",
    GET: list,
    POST: guarded(limited("callback", change)),
  },
}

/** `GET account/factors`: `{ factors: FactorView[] }`. */
async function list(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const factors = await ownFactors(context).list(request)
  return factors ? answer(200, { factors }) : signedOut
}

type Action = (own: OwnFactors, request: AuthRequest) => Promise<object | null>

const actions: Readonly<Record<string, Action>> = {
  "begin-totp": (own, request) => own.beginTotp(request),
  "confirm-totp": async (own, request) => {
    const [ticket, code] = [getField(request, "ticket"), getField(request, "code")]
    const confirmed = await own.confirmTotp(request, { ticket, code, label: findField(request, "label") })
    return confirmed && toConfirmedTotp(confirmed)
  },
  "create-recovery-codes": async (own, request) => {
    const created = await own.createRecoveryCodes(request)
    return created && { recoveryCodes: created.codes }
  },
  remove: async (own, request) => {
    const isRemoved = await own.remove(request, getField(request, "id"))
    return isRemoved === null ? null : { removed: isRemoved ? 1 : 0 }
  },
}

/** `POST account/factors` with `action` and its fields. */
async function change(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const name = findField(request, "action") ?? ""
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new InvalidRequest(`action: must be one of ${Object.keys(actions).join(", ")}`)
  const own = ownFactors(context)
  const result = await action(own, request)
  if (!result) return signedOut
  return { ...answer(200, result), ...(name === "confirm-totp" && { cookies: await own.noteSetup(request) }) }
}

function getField(request: AuthRequest, name: string): string {
  const value = findField(request, name)
  if (value !== undefined && value !== "") return value
  throw new InvalidRequest(`${name}: missing`)
}
