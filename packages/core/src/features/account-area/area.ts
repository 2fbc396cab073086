import { isSameAddress } from "../../account/email-trust.js"
import type { AuthMethod } from "../../account/proof.js"
import { areEnough, countFactors, findRecent } from "../../account/session-proofs.js"
import { fillMailer, findMailerMistake, resolveMailer } from "../../config/mailer.js"
import { integer, type Kinds } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import { AccessDenied, UnknownAction } from "../../errors/errors.js"
import type { Uploads } from "../../http/body.js"
import { toSetJar } from "../../http/cookies.js"
import type { AuthRequest } from "../../http/request.js"
import type { Mailer, OwnSender } from "../../mail/own-sender.js"
import { hasAccounts } from "../../methods/reauthentication.js"
import { lazy } from "../../runtime/cache.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterAccount } from "../../types/adapter.js"
import type { AccountArea } from "../../types/config.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, Feature, FeatureRoutes, Gate, Route } from "../feature.js"
import { isLive, refuseAddition } from "../freshness.js"
import { createProofCookie, type ProofCookie } from "../proof-cookie.js"
import { deferred } from "../route.js"
import { findStartHooks, startSession } from "../sign-in.js"
import { featureFrame } from "../slots.js"
import { createTracking, findTrackingMistake } from "../tracked-sessions/track-sessions.js"
import { reserveFormerAddresses, takeBackReserved } from "./former-addresses.js"
import {
  type AccountSection,
  type AccountSettings,
  type DeletionVeto,
  type OwnArea,
  type PictureOptions,
  type PictureStore,
  sectionNames,
  stylesheetPath,
  type UserExport,
  undoPath,
} from "./names.js"
import { updateTokens } from "./session-profile.js"

/** Options of {@link accountArea}. */
export interface AccountAreaOptions {
  /**
   * The sections to show, in this order. Those that the configuration or the store does not support are left out. Default:
   * all.
   */
  readonly sections?: readonly AccountSection[] | undefined
  /**
   * Sends the emails about a changed address or a deletion: one of the email providers that send whole emails, such as
   * `Resend`, or `{ send(mail) }`. Default: what sends the emails of `Passwords`, else such a provider among `providers`.
   * Without any of them the address cannot be changed.
   */
  readonly mail?: Mailer | undefined
  /** Returns your app's data about a user, as JSON. It becomes the member `app` of the file that users download. */
  readonly exportUser?: UserExport | undefined
  /**
   * Called before a user is deleted, and with `deleteAfterDays` also when the user asks for it. Return a sentence to keep the
   * account. The user sees it, such as what the last owner of a team has to do first.
   */
  readonly beforeDelete?: DeletionVeto | undefined
  /**
   * Days between a user's request and the deletion, at most 365. The user is signed out at once, and can keep the account by
   * signing in. Call {@link deleteDueUsers} once a day. Default: 0, deleted at once.
   */
  readonly deleteAfterDays?: number | undefined
  /** Lets users upload a picture, in place of typing its URL. Default: they cannot. */
  readonly picture?: PictureStore | undefined
}

/**
 * Adds pages where users manage their own account, below `<basePath>/account`: the value of `accountArea`. Clients that ask for
 * JSON get it instead. To change anything, users must have signed in during the last ten minutes, or `freshFor`; with
 * `secondFactors`, they can also re-authenticate. Brings `trackSessions()` unless `session.track` is set. The adapter needs
 * its methods. A mistake in the options is reported when the service starts.
 * @example
 * accountArea: accountArea()
 */
export function accountArea(options: AccountAreaOptions = {}): AccountArea {
  const { sections = sectionNames, mail, exportUser, beforeDelete, deleteAfterDays = 0, picture } = options
  const settings: AccountSettings = {
    sections,
    exportUser,
    beforeDelete,
    deleteAfterDays,
    picture: picture && { save: picture.save, maxBytes: picture.maxBytes ?? 4_000_000 },
  }
  let sender: OwnSender | undefined
  const findSender = () => {
    sender ??= mail && resolveMailer(mail)
    return sender
  }
  const own: OwnArea = { beforeDelete, findSender }
  const feature: AccountArea & Feature = {
    feature: "accountArea",
    frame: featureFrame,
    pages: toRoutes(settings),
    validate: (config) =>
      validateFactoryOptions("accountArea", options, kinds) ??
      (mail === undefined ? null : findMailerMistake(mail, "accountArea.mail")) ??
      findTrackingMistake({ option: "accountArea", methods: [] }, config),
    own,
    brings: [createTracking()],
    async titleOf(path, locale) {
      const name = sectionNames.find((each) => path === `account/${each}`)
      if (!name) return undefined
      const { accountMessages } = await import("./messages.js")
      const { translateFrom } = await import("../../messages/translate.js")
      return translateFrom(accountMessages, "account.", locale)(`${name}.title`)
    },
    async sentenceOf(error, { route }, frame) {
      const { ChangeRefused } = await import("./section.js")
      if (!(error instanceof ChangeRefused)) return undefined
      const { translateSection } = await import("./translate.js")
      return error.reason ?? translateSection(route.split("/")[1] ?? "")(`problem.${error.word}`, frame) ?? undefined
    },
    fillNested(fill) {
      const filled = mail && fillMailer(mail, fill)
      return filled && filled !== mail ? accountArea({ ...options, mail: filled }) : feature
    },
    defaultGate: areaGate,
    wrapCallbacks: (callbacks, _, config) => reserveFormerAddresses(updateTokens(callbacks), config),
    onUserCreated: takeBackReserved,
    onSignOut: forgetSignIn,
    async onSessionStart(signedIn, started, request, context) {
      const extras = await rememberSignIn(signedIn, started, request, context)
      if (deleteAfterDays > 0) {
        const { cancelDeletion } = await import("./deletion.js")
        await cancelDeletion(toIdText(signedIn.user.id), request, context)
      }
      return extras
    },
  }
  return Object.freeze(feature)
}

/** The code of the pages is imported with the first request. */
function toRoutes(settings: AccountSettings): FeatureRoutes {
  const load = lazy(async () => (await import("./routes.js")).accountRoutes(settings))
  const route = (path: string, method: AuthRequest["method"]): Route =>
    deferred(async () => (await load())[path]?.[method] ?? unknown)
  const get = (path: string) => [path, { GET: route(path, "GET") }] as const
  const both = (path: string) => [path, { GET: route(path, "GET"), POST: route(path, "POST") }] as const
  return Object.fromEntries([
    get("account"),
    [stylesheetPath, { ...get(stylesheetPath)[1], format: "own" }] as const,
    both(undoPath),
    ...sectionNames.map((name) => both(`account/${name}`)),
    ...(settings.picture
      ? [["account/profile", { ...both("account/profile")[1], uploads: toUploads(settings.picture) }] as const]
      : []),
  ])
}

/** A file that is a little too large gets a sentence on its form, and a larger one is not read. */
function toUploads({ maxBytes }: PictureOptions): Uploads {
  return {
    maxBytes: 2 * maxBytes,
    parse: async (chunks, contentType) => (await import("./picture.js")).parseUpload(chunks, contentType),
  }
}

const unknown: Route = () => {
  throw new UnknownAction("There is no such page in the account area")
}

const kinds: Kinds<AccountAreaOptions> = {
  sections: { words: `a list of ${sectionNames.join(", ")}, each once`, isValid: areSections },
  // `findMailerMistake` says more.
  mail: { words: "an email provider, such as Resend, or { send(mail) }", isValid: () => true },
  exportUser: { words: "a function", isValid: (value) => typeof value === "function" },
  beforeDelete: { words: "a function", isValid: (value) => typeof value === "function" },
  deleteAfterDays: integer(0, 365, "an integer of days from 0 to 365"),
  picture: { words: "{ save(file, user), maxBytes } with at most 16000000 bytes", isValid: isPictureStore },
}

const bytes = integer(1, 16_000_000)

function isPictureStore(value: unknown): boolean {
  const { save, maxBytes = 1 }: { readonly save?: unknown; readonly maxBytes?: unknown } = Object(value)
  return typeof save === "function" && bytes.isValid?.(maxBytes) === true
}

function areSections(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((name, n) => sectionNames.includes(name) && value.indexOf(name) === n)
}

/** Admits every sign-in. The area remembers it beside the session, unless another feature is the gate. */
const areaGate: Gate = {
  async admit(signIn, request, context) {
    const { sessions, events } = context
    return startSession(signIn, request, { sessions, events: events.of(request), ...findStartHooks(request, context) })
  },
  async vetAccount({ provider }, user, request, context) {
    if (await areaGate.isFresh(request, context)) return null
    return refuseAddition({ provider, userId: toIdText(user.id) }, request, context)
  },
  async isFresh(request, context) {
    const userId = toIdText((await context.sessions.findUser(request.cookies))?.id)
    if (userId === "" || !(await isLive(request, context))) return false
    const proofs = await areaGate.readProofs(userId, request, context)
    return areEnough(findRecent(proofs, { maxAgeSeconds: context.config.freshFor }, systemClock()), {})
  },
  readProofs: (userId, { cookies }, context) => openProofCookie(context).read(cookies, userId),
}

const rememberSignIn: NonNullable<Feature["onSessionStart"]> = async (
  { user, account, achieved, isAccountAdded },
  started,
  request,
  context,
) => {
  const userId = toIdText(user.id)
  await assertStillTheirs({ ...account, userId }, started, request, context)
  // An account that was added to the user of a session does not re-authenticate them: a thief can add their own.
  if (!isGate(context) || userId === "" || isAccountAdded) return {}
  const methods = achieved as readonly AuthMethod[] // As the method proved it.
  const proof = { methods, factors: countFactors(methods), time: systemClock(), provider: account.provider }
  return { cookies: [await openProofCookie(context).write(userId, [proof])] }
}

const forgetSignIn: NonNullable<Feature["onSignOut"]> = async (url, { cookies }, context) => ({
  url,
  cookies: isGate(context) ? openProofCookie(context).clear(cookies) : [],
})

type StartedAccount = Pick<AdapterAccount, "type" | "provider" | "providerAccountId" | "userId">

/**
 * Ends a session that began while its account was being removed, or while the address of its mail was being changed, and one
 * of a sign-in that waited meanwhile for a second factor: it began too late for the change to end it.
 * @throws AccessDenied
 */
async function assertStillTheirs(
  account: StartedAccount,
  started: readonly ResponseCookie[],
  request: AuthRequest,
  { sessions, store }: ActionContext,
): Promise<void> {
  if (await isStillTheirs(account, store)) return
  await sessions.end({ ...request, cookies: toSetJar(started) })
  throw new AccessDenied("The account or the address was removed during the sign-in", { provider: account.provider })
}

async function isStillTheirs(
  { type, provider, providerAccountId, userId }: StartedAccount,
  store: ActionContext["store"],
): Promise<boolean> {
  if (hasAccounts({ type })) {
    return isSameId((await store?.getUserByAccount({ provider, providerAccountId }))?.id, userId)
  }
  return type !== "email" || isSameAddress((await store?.getUser(userId))?.email, providerAccountId)
}

function isGate(context: ActionContext): boolean {
  return context.slots.gate === areaGate
}

function openProofCookie({ secrets, cookieRules }: ActionContext): ProofCookie {
  return createProofCookie({ ...cookieRules, secrets })
}
