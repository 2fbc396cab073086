import type { AuthMethod } from "../../account/proof.js"
import { areEnough, countFactors, type FreshnessRequirement, type SessionProof } from "../../account/session-proofs.js"
import type { AuthRequest } from "../../http/request.js"
import { getMethod } from "../../methods/find-method.js"
import { canReturn, methodsOf } from "../../methods/reauthentication.js"
import type { FormModel } from "../../pages/form-model.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResolvedProvider } from "../../types/resolved.js"
import type { ActionContext } from "../feature.js"
import { listKinds, type SecondFactorKind, type Tools } from "./tools.js"

/** How users can re-authenticate: by a code, or by the form of a provider. */
export type ConfirmMethod =
  | { readonly kind: "code"; readonly id: "totp" | "recovery" }
  | { readonly kind: "form"; readonly id: string; readonly model: FormModel }

/** The user of a session, and what they have proved recently. */
export interface Confirming {
  readonly user: AdapterUser
  readonly userId: string
  /** All proofs of the session. */
  readonly proofs: readonly SessionProof[]
  /** Those that are recent enough. */
  readonly recent: readonly SessionProof[]
  readonly requirement: FreshnessRequirement
}

/** The methods that bring a user closer to what is required, best first. */
export async function listConfirmMethods(
  confirming: Confirming,
  request: AuthRequest,
  context: ActionContext,
  tools: Tools,
): Promise<readonly ConfirmMethod[]> {
  const { userId, recent } = confirming
  const proven = recent.flatMap(({ methods }) => methods)
  const helps = (methods: readonly AuthMethod[]) =>
    countFactors([...proven, ...methods]) > countFactors(proven) && mayFit(methods, confirming)
  const kinds = await listKinds(userId, tools)
  const codes = kinds.filter((kind): kind is CodeKind => kind !== "passkey" && helps([kind === "totp" ? "otp" : "rcv"]))
  const providers = [...context.providers.values()].filter((provider) => helps(methodsOf(provider)))
  const returning = { ...confirming, provedBy: new Set(confirming.proofs.map(({ provider }) => provider)) }
  const isUsable = await Promise.all(providers.map((provider) => canReturn(provider, returning, tools.store)))
  const forms = await Promise.all(
    providers
      .filter((_, n) => isUsable[n])
      .map(async (provider): Promise<ConfirmMethod> => {
        const model = await toForm(provider, confirming, request, context)
        return { kind: "form", id: provider.id, model }
      }),
  )
  const methods = [...codes.map((id): ConfirmMethod => ({ kind: "code", id })), ...forms]
  return rank(methods)
}

/** The best first. */
export function rank(methods: readonly ConfirmMethod[]): readonly ConfirmMethod[] {
  return methods.toSorted((one, other) => toRank(one) - toRank(other))
}

/** Without a mail or another site first. Recovery codes last: there are few of them. */
const ranks: Readonly<Record<FormModel["kind"] | CodeKind, number>> = {
  passkey: 1,
  totp: 2,
  fields: 3,
  redirect: 4,
  email: 5,
  recovery: 6,
}

const toRank = (method: ConfirmMethod): number => ranks[method.kind === "code" ? method.id : method.model.kind]

type CodeKind = Exclude<SecondFactorKind["kind"], "passkey">

/** Where a passkey is required, nothing else is of use before it: with its owner verified, it is two factors. */
function mayFit(methods: readonly AuthMethod[], { recent, requirement }: Confirming): boolean {
  return !requirement.phishingResistant || methods.includes("swk") || areEnough(recent, { phishingResistant: true })
}

/** The form of the sign-in page. A password is checked here; the other forms sign in again. */
export async function toForm(
  provider: ResolvedProvider,
  { user }: { readonly user: Pick<AdapterUser, "email"> },
  request: AuthRequest,
  { actionUrl }: ActionContext,
): Promise<FormModel> {
  const toUrl = (path: string) => actionUrl(request, path)
  const urls = { signinUrl: toUrl(`signin/${provider.id}`), callbackUrl: toUrl(`callback/${provider.id}`), toUrl }
  return toOwnForm(await getMethod(provider).form(provider, urls), user)
}

/** A passkey form for a user who is known; other forms as they are. */
function toOwnForm<Model extends FormModel>(model: Model, { email }: Pick<AdapterUser, "email">): Model {
  if (model.kind !== "passkey") return model
  // Keys that are not discoverable are found by the address.
  const fields = { email: { type: "hidden", value: email } }
  return { ...model, canSignUp: false, hasAutofill: false, ...(!model.isDiscoverable && email && { fields }) }
}
