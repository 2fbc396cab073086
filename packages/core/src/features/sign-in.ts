import type { Proof } from "../account/proof.js"
import type { CallbackUrls, ResolvedCallbackUrl } from "../checks/callback-url.js"
import { AuthError, toError } from "../errors/auth-error.js"
import { CallbackRouteError } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply, redirect, withQuery } from "../http/response.js"
import type { Proven, ResolvedUser, SignInSteps } from "../methods/steps.js"
import { lazy } from "../runtime/cache.js"
import { all, andThen, isPromiseLike } from "../runtime/promise.js"
import type { Sessions, SignedIn } from "../session/session.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { SignInParams } from "../types/callbacks.js"
import type { ResponseCookie } from "../types/http.js"
import { type ActionContext, type AddedAccount, findGate, type ProvenSignIn, type StartExtras } from "./feature.js"

/**
 * Completes a sign-in that was proven, through the gate of the features. What is thrown has the cookies of the proof.
 * @throws Refusal
 */
export async function finishSignIn(
  proven: Proven,
  steps: Pick<SignInSteps, "resolveUser">,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  try {
    const gate = findGate(context)
    const { permission, callbackUrls, sessions, events, pages } = context
    const reply = await completeSignIn(proven, steps, request, {
      permission,
      callbackUrls,
      sessions,
      events,
      newUserPage: pages.newUser,
      ...findStartHooks(request, context),
      ...(context.features.length > 0 && {
        vetSignIn: (signIn: ProvenSignIn) => vetSignIn(signIn, request, context),
      }),
      noteAccountAdded: (account, user) => tellAboutAccount(account, user, request, context),
      async vetNewUser(user) {
        for (const feature of context.features) await feature.onUserCreated?.(user, request, context)
      },
      ...(gate && {
        admit: (signIn) => gate.admit(signIn, request, context),
        vetAccount: (account, user) => gate.vetAccount(account, user, request, context),
      }),
    })
    return { ...reply, cookies: [...proven.cookies, ...(reply.cookies ?? [])] }
  } catch (error) {
    // Errors of the host's code, such as its `jwt` callback, are logged with the provider's id.
    const { provider } = proven.proof.account
    const failure =
      error instanceof AuthError
        ? error
        : new CallbackRouteError({ err: toError(error), provider, ...because("callback-threw") })
    throw new Refusal(failure, proven.cookies, proven.proof.knownUserId)
  }
}

/** Loaded when an account is added. */
async function tellAboutAccount(
  { type, provider }: AddedAccount,
  { id: userId }: AdapterUser,
  request: AuthRequest,
  context: ActionContext,
): Promise<void> {
  const { notifyUser } = await import("./notices.js")
  await notifyUser(
    { kind: type === "webauthn" ? "passkey-added" : "account-added", userId, provider },
    request,
    context,
  )
}

/** The collaborators of `completeSignIn`. */
export interface CompletionDeps extends StartDeps {
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  /** A reply in place of a session, before `admit` is asked. Default: none. */
  readonly vetSignIn?: (signIn: ProvenSignIn) => Promise<Reply | null>
  /** Starts the session, or holds the sign-in. Default: `startSession`. */
  readonly admit?: (signIn: ProvenSignIn) => Promise<Reply>
  /** Why an account may not be added to the user who is signed in. Default: it may. */
  readonly vetAccount?: (account: AddedAccount, user: AdapterUser) => Promise<Reply | null>
  /** Throws to refuse a user whom the sign-in has just created. Default: accepts all. */
  readonly vetNewUser?: (user: AdapterUser) => Promise<void>
  /** An account or a passkey was added to a user who has others. Default: nothing happens. */
  readonly noteAccountAdded?: (account: AddedAccount, user: AdapterUser) => Promise<void>
  /** The host's page for new users. */
  readonly newUserPage: string | undefined
}

/**
 * Completes every sign-in: asks the host's `signIn` callback, resolves the user, starts the session, sends the events
 * and redirects.
 * @throws AccessDenied if the host refused
 * @internal Exported for its tests.
 */
export async function completeSignIn(
  { proof, callbackUrl, token }: Proven,
  { resolveUser }: Pick<SignInSteps, "resolveUser">,
  request: AuthRequest,
  deps: CompletionDeps,
): Promise<Reply> {
  const { permission, sessions, callbackUrls, newUserPage } = deps
  const events = deps.events.of(request)
  const { admit = (signIn: ProvenSignIn) => startSession(signIn, request, { ...deps, events }) } = deps
  const { account, credentials } = proof
  // Looked up once, so that the user who may link an account is the one whom it is linked to.
  let finding: Awaitable<AdapterUser | null> | undefined
  const findCurrent = () => {
    if (proof.dependsOnSession) finding ??= sessions.findUser(request.cookies)
    return finding ?? null
  }
  const asking = permission.ask(toSignInParams(proof), findCurrent)
  const redirectUrl = isPromiseLike(asking) ? await asking : asking
  const redirectTo = async (url: string) => {
    // The browser remembers where it wanted to go, for the sign-in that follows.
    const { cookies } = await resolveTarget(callbackUrl, request, callbackUrls)
    return redirect(await callbackUrls.check(url, request.url.origin, request), { cookies })
  }
  if (redirectUrl !== null) return redirectTo(redirectUrl)

  const looking = findCurrent()
  const current = isPromiseLike(looking) ? await looking : looking
  // A new account is added to the user who is signed in.
  const refusal = current && proof.knownUserId === undefined && (await deps.vetAccount?.(account, current))
  if (refusal) return refusal
  let isLinked = false
  const watched: Events = {
    ...events,
    send(name, message, about) {
      isLinked ||= name === "linkAccount"
      return events.send(name, message, about)
    },
  }
  const resolving = resolveUser(proof, current, watched)
  const resolved = isPromiseLike(resolving) ? await resolving : resolving
  if ("redirectUrl" in resolved) return redirectTo(resolved.redirectUrl)
  // as: a new user is stored.
  if (resolved.isNewUser) await deps.vetNewUser?.(resolved.user as AdapterUser)
  // as: only a stored user has linked accounts.
  else if (isLinked) await deps.noteAccountAdded?.(account, resolved.user as AdapterUser)
  const choosing = resolveTarget(callbackUrl, request, callbackUrls)
  const target = isPromiseLike(choosing) ? await choosing : choosing
  const listing = credentials ? undefined : listKeys(request, token)
  const keys = isPromiseLike(listing) ? await listing : listing
  const signIn = toProvenSignIn(proof, resolved, { url: target.url, newUserPage, keys })
  const reply = (deps.vetSignIn && (await deps.vetSignIn(signIn))) ?? (await admit(signIn))
  return { ...reply, cookies: [...target.cookies, ...(reply.cookies ?? [])] }
}

function toProvenSignIn(
  { account, profile, achieved, credentials }: Proof,
  resolved: ResolvedUser,
  {
    url,
    newUserPage,
    keys,
  }: { readonly url: string; readonly newUserPage: string | undefined; readonly keys: readonly string[] | undefined },
): ProvenSignIn {
  const isFirst = resolved.isNewUser && newUserPage
  return {
    signedIn: { ...resolved, account, achieved, ...(profile && { profile }) },
    isByCredentials: credentials !== undefined,
    url: isFirst ? withQuery(newUserPage, { callbackUrl: url }) : url,
    ...(keys && { completes: { keys, ...(isFirst && { url }) } }),
  }
}

/** What the host's `signIn` callback is asked about. */
function toSignInParams({ candidate, account, profile, credentials }: Proof): SignInParams {
  return {
    user: candidate,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials: { ...credentials } }),
  }
}

/** Loaded with the first sign-in that cannot be sent again. */
const loadCompleted = lazy(() => import("./completed.js"))

function listKeys(request: AuthRequest, token: string | undefined): Awaitable<readonly string[]> {
  return andThen(loadCompleted(), ({ toCompletionKey }) => {
    const keys = all([toCompletionKey(request), token === undefined ? "" : toCompletionKey(request, token)])
    return andThen(keys, (found) => found.filter(Boolean))
  })
}

type RememberStart = (signedIn: SignedIn, started: readonly ResponseCookie[]) => Promise<StartExtras>

/** The collaborators of `startSession`. */
interface StartDeps {
  readonly sessions: Sessions
  /** Those of the request, so that the sign-in is recorded with it. */
  readonly events: Events
  /** Stores the tokens of the account. Default: stores none. */
  readonly renewTokens?: (signedIn: SignedIn) => Promise<void>
  /** The cookies and headers of the features that keep something about sessions that begin. Default: none. */
  readonly rememberStart?: RememberStart
  /** The cookies that tell that a flow is completed, if it cannot be completed again. Default: none. */
  readonly rememberFlow?: (signIn: ProvenSignIn) => Awaitable<readonly ResponseCookie[]>
}

/** What a feature answers in place of a session. Also asked when a held sign-in goes on: things may have changed meanwhile. */
export async function vetSignIn(
  signIn: ProvenSignIn,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply | null> {
  for (const feature of context.features) {
    const reply = await feature.vetSignIn?.(signIn, request, context)
    if (reply) return reply
  }
  return null
}

/** What a feature or a method does when the session of a request starts. */
export function findStartHooks(
  request: AuthRequest,
  context: ActionContext,
): Pick<StartDeps, "rememberStart"> & Required<Pick<StartDeps, "renewTokens" | "rememberFlow">> {
  const isRemembered = context.features.some(({ onSessionStart }) => onSessionStart)
  return {
    renewTokens: (signedIn) => renewTokens(signedIn, context),
    rememberFlow: (signIn) => andThen(loadCompleted(), ({ markCompleted }) => markCompleted(signIn, context)),
    ...(isRemembered && {
      rememberStart: (...start: Parameters<RememberStart>) => rememberStart(start, request, context),
    }),
  }
}

async function rememberStart(
  start: Parameters<RememberStart>,
  request: AuthRequest,
  context: ActionContext,
): Promise<StartExtras> {
  const [, started] = start
  const added: readonly StartExtras[] = await Promise.all(
    context.features.map((each) => each.onSessionStart?.(...start, request, context) ?? {}),
  )
  const cookies = added.flatMap((extras) => extras.cookies ?? [])
  const headers: Readonly<Record<string, string>> = Object.assign({}, ...added.map((extras) => extras.headers))
  if (!cookies.some((cookie) => "spare" in cookie)) return { cookies, headers }
  const { chooseSpares } = await import("./fit-reply.js")
  return { cookies: await chooseSpares(started, cookies, request, context), headers }
}

/** Stores the tokens of an account that was linked before. Only now: a held sign-in must not replace those of its owner. */
async function renewTokens(signedIn: SignedIn, { findProvider, loadSteps }: ActionContext): Promise<void> {
  const provider = await findProvider(signedIn.account.provider)
  if (provider) await (await loadSteps(provider)).renewTokens?.(signedIn, provider)
}

/** Starts the session of a sign-in that was admitted. The only place where a session begins. */
export async function startSession(
  signIn: ProvenSignIn,
  request: AuthRequest,
  { sessions, events, renewTokens, rememberStart, rememberFlow }: StartDeps,
): Promise<Reply> {
  const { signedIn, isByCredentials, url, completes } = signIn
  if (signedIn.facts) await renewTokens?.(signedIn)
  const starting = sessions.start(signedIn, request)
  const started = isPromiseLike(starting) ? await starting : starting
  const { cookies = [], headers } = rememberStart ? await rememberStart(signedIn, started) : {}
  const { user, account, profile, isNewUser } = signedIn
  const telling = events.send("signIn", {
    user,
    account,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && !isByCredentials && { isNewUser }),
  })
  if (telling) await telling
  const marking = completes && rememberFlow ? rememberFlow(signIn) : []
  const marks = isPromiseLike(marking) ? await marking : marking
  return redirect(url, { cookies: [...started, ...cookies, ...marks], ...(headers && { headers }) })
}

/** Where to redirect. A callback URL that the flow kept is checked again, since the redirect policy may have changed. */
function resolveTarget(
  callbackUrl: string | undefined,
  request: AuthRequest,
  callbackUrls: CallbackUrls,
): Awaitable<ResolvedCallbackUrl> {
  if (callbackUrl === undefined) return callbackUrls.resolve(request)
  return andThen(callbackUrls.check(callbackUrl, request.url.origin, request), (url) => ({ url, cookies: [] }))
}
