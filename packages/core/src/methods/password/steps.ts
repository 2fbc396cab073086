import { findAddressOwner } from "../../account/email-trust.js"
import type { CredentialsProof } from "../../account/proof.js"
import { toError } from "../../errors/auth-error.js"
import { CallbackRouteError, CredentialsSignin, MissingAdapter, TooManyRequests } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { normalizeEmailAddress } from "../../host/email-address.js"
import { cleanError } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import { toIdText } from "../../runtime/id.js"
import { toDate } from "../../runtime/merge.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { StoredPassword } from "../../types/adapter-features.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"
import type { SignInSteps } from "../steps.js"
import { isBreached, onlineList } from "./breached.js"
import { PasswordFormatError } from "./format.js"
import type { Verdict } from "./hashing.js"
import { passwordMails } from "./mails.js"
import { type PasswordSettings, passwordChangedAt, passwordId } from "./options.js"
import { getText } from "./reply.js"
import { findPassword, toTime } from "./stored.js"
import { normalizePassword } from "./text.js"

interface StepsDeps extends MethodDeps {
  readonly store: Store
  readonly settings: PasswordSettings
}

/** A right password. */
interface PasswordProof extends CredentialsProof {
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** Sign-in by an address and a password. */
export function passwordSteps(
  deps: MethodDeps,
  settings: PasswordSettings,
): SignInSteps<CredentialsConfig, PasswordProof> {
  const { store } = deps
  if (!store) throw new MissingAdapter("adapter: passwords need one")
  return {
    // The form is on the sign-in page and posts to the callback.
    begin: async (request) => redirect(deps.actionUrl(request, "signin")),
    prove: (request) => prove(request, { ...deps, store, settings }),
    resolveUser: async ({ user, changedAt }) => ({
      user,
      isNewUser: false,
      isSignedInAlready: false,
      ...passwordChangedAt.bring(changedAt),
    }),
  }
}

interface Typed {
  readonly name: string
  readonly password: string
}

async function prove(request: AuthRequest, deps: StepsDeps) {
  const { settings, limits } = deps
  const { name, password } = readFields(request)
  // Before the attempt counts: a busy machine must use up no attempts.
  settings.hashing.assertRoom()
  const provider = { id: passwordId, credentials: { email: {} } }
  // What is looked up counts, whose spellings are many: the address, or the user whom the app finds.
  const address = toAddress(name)
  const foundId = settings.find ? await findByHost(name, settings.find) : undefined
  const attempt = await limits.tryPassword(
    { credentials: { email: address ?? name }, provider, ...(foundId !== undefined && { foundId }) },
    request,
  )
  const findUser =
    foundId === undefined
      ? () => findAddressOwner(address === null ? [] : [name, address], deps.store)
      : () => findById(foundId, deps.store)
  const found = await findByPassword({ findUser, password, isRefused: attempt.isRefused }, request, deps)
  if (!found) throw new CredentialsSignin("The address or the password is wrong", { provider: passwordId })
  const { user } = found
  await attempt.succeed()
  if (attempt.failures >= suspiciousFailures) await tellAbout("guessed", user, request, deps)
  return { proof: toProof(found, name), callbackUrl: undefined, cookies: [] }
}

/** Wrong passwords after which a right one is told to the user: OWASP ASVS 5.0, 6.3.5. */
const suspiciousFailures = 10

/** @throws InvalidRequest for fields that are no text: see `docs/decisions/credentials.md` */
function readFields(request: AuthRequest): Typed {
  return { name: getText(request, "email"), password: getText(request, "password") }
}

function toProof({ user, changedAt }: Found, email: string): PasswordProof {
  const { id = "" } = user
  return {
    candidate: user,
    user,
    account: { providerAccountId: id, type: "credentials", provider: passwordId },
    // Without the password, which no callback of the host needs.
    credentials: { email },
    achieved: ["pwd"],
    knownUserId: id,
    dependsOnSession: false,
    changedAt: toTime({ changedAt }),
  }
}

interface Found extends Pick<StoredPassword, "changedAt"> {
  readonly user: AdapterUser
}

interface Attempted {
  readonly findUser: () => Promise<AdapterUser | null>
  readonly password: string
  readonly isRefused: boolean
}

/** The user with this name and password. The work is the same whether or not the name or its password exists. */
async function findByPassword(
  { findUser, password, isRefused }: Attempted,
  request: AuthRequest,
  deps: StepsDeps,
): Promise<Found | null> {
  const { store } = deps
  const user = await findUser()
  let stored = await findPassword(user, store)
  let verdict = await verify(password, isRefused ? null : (stored?.hash ?? null), request, deps)
  if (!verdict.isRight || !user || !stored) return null
  // A reset may have come in between: a thief who knows the former password must get no session after it.
  const current = await store.getPassword(user.id)
  if (current?.hash !== stored.hash) {
    stored = current
    verdict = await verify(password, stored?.hash ?? null, request, deps)
    if (!verdict.isRight || !stored) return null
  }
  await renew({ user, stored, password }, verdict, request, deps)
  return { user, changedAt: stored.changedAt }
}

async function verify(typed: string, stored: string | null, request: AuthRequest, { settings, log }: StepsDeps) {
  try {
    return await settings.hashing.verify(typed, stored)
  } catch (error) {
    if (!(error instanceof PasswordFormatError)) throw error
    // The visitor learns no more than from a wrong password.
    log.error(error, request)
    return { isRight: false, isOutdated: false, isUnchecked: false } satisfies Verdict
  }
}

/** The user with an id. Without an id, the store is asked as well. */
async function findById(id: string | null, store: Store): Promise<AdapterUser | null> {
  return id === null ? store.lookUpNobody("getUser") : store.getUser(id)
}

async function findByHost(name: string, find: NonNullable<PasswordSettings["find"]>): Promise<string | null> {
  try {
    // Nothing, in place of null, must not look the name up as an address.
    return toIdText(await find(name)) || null
  } catch (error) {
    const about = { provider: passwordId, ...because("callback-threw", { callback: "find" }) }
    throw new CallbackRouteError("find failed", { err: cleanError(toError(error), [name]), ...about })
  }
}

function toAddress(name: string): string | null {
  try {
    return normalizeEmailAddress(name)
  } catch {
    return null
  }
}

/** By compare and set, so that a reset that takes place meanwhile is not undone. */
async function replace({ userId, hash: from, changedAt }: StoredPassword, hash: string, store: Store): Promise<void> {
  await store.setPassword({ userId, hash, changedAt: toDate(changedAt), from })
}

interface Verified {
  readonly user: AdapterUser
  readonly stored: StoredPassword
  readonly password: string
}

/** Replaces an old hash, unless the machine is busy: that can wait for the next sign-in, the visitor cannot. */
async function renew(
  verified: Verified,
  { isOutdated, isUnchecked }: Verdict,
  request: AuthRequest,
  deps: StepsDeps,
): Promise<void> {
  const { stored, password } = verified
  const { settings, store } = deps
  try {
    if (isUnchecked) await lookUpAgain(verified, request, deps)
    else if (isOutdated) await replace(stored, await settings.hashing.hash(normalizePassword(password)), store)
  } catch (error) {
    if (!(error instanceof TooManyRequests)) throw error
  }
}

/** The list could not be asked when the password was chosen. It is right, so that its user signs in and gets a mail. */
async function lookUpAgain({ user, stored, password }: Verified, request: AuthRequest, deps: StepsDeps) {
  const { settings, store, log } = deps
  const { breached, hashing } = settings
  const text = normalizePassword(password)
  const list = breached === "online" ? onlineList : breached
  const found = list === false ? false : await isBreached(text, list, log)
  if (found === null) return
  await replace(stored, await hashing.hash(text), store)
  if (found) await tellAbout("breached", user, request, deps)
}

async function tellAbout(kind: "guessed" | "breached", { email }: AdapterUser, request: AuthRequest, deps: StepsDeps) {
  const { settings, config, log, actionUrl, findLocale } = deps
  const url = actionUrl(request, "password/forgot")
  const visit = { request, context: { theme: config.theme, findLocale, log } }
  await passwordMails.notify({ kind, to: email, url }, settings.sender, visit)
}
