import { navigateTo, readField, readString } from "../protocol.js"
import { toAbsoluteUrl } from "../service.js"
import type { Act, Connection, FlowOptions, View } from "./flow.js"
import { FlowFailure, toFailure } from "./flow-error.js"
import type { Kept } from "./keeper.js"
import { type Accepted, type Fields, findTarget, type Path, post, read, readProviders, readTexts } from "./requests.js"
import type {
  AfterProofStep,
  DoneStep,
  EnrollStep,
  FactorKind,
  PageStep,
  PasskeyStep,
  RecoveryCodesStep,
  SecondFactorStep,
} from "./steps.js"

// What follows every proof: the steps for a second factor, and the end. The gate of the service decides which: nothing here
// knows who needs one.

/** A flow that comes here. */
export interface Flowing<Step> extends Omit<Connection<Step | AfterProofStep>, "replace"> {
  /** The first step, also for a sign-in that waited too long. */
  readonly first: () => View<Step | AfterProofStep>
  /** Whether there is no step to go back to. Default: false. */
  readonly isAlone?: boolean
}

type Next<Step> = Promise<View<Step | AfterProofStep> | undefined>

/** What a flow keeps while the service waits for a second factor, and while the user saves recovery codes. */
const waiting: Kept = { step: "second-factor" }
const saving: Kept = { step: "recovery-codes" }

/** Goes on after a reload. Undefined for a flow that stood at a step of its own. */
export function resumeProof<Step>(
  kept: Kept | null,
  flow: Flowing<Step>,
): (() => Promise<View<Step | AfterProofStep>>) | undefined {
  if (kept?.step === waiting.step) return () => showFactor(flow)
  // The page of the service shows them again.
  return kept?.step === saving.step ? async () => toPageView(flow, "codes") : undefined
}

/** Goes on after a proof that the service accepted. */
export async function proceed<Step>({ next, url }: Pick<Accepted, "next" | "url">, flow: Flowing<Step>): Next<Step> {
  return next === "second-factor" ? showFactor(flow) : finish(url, flow)
}

/** The end, if the service has a session: an answer alone proves nothing. */
async function finish<Step>(answered: string, { client, options }: Flowing<Step>): Next<Step> {
  const url = toOwnUrl(answered, options)
  const session = await client().updateSession()
  const isFollowed = options.redirect !== false
  if (isFollowed) navigateTo(url)
  if (session) return { create: (): DoneStep => ({ step: "done", url, session }) }
  // The app's `signIn` callback leads elsewhere instead of signing in.
  if (isFollowed) return undefined
  throw new FlowFailure("AccessDenied")
}

/** Where an answer leads: to this origin, or to the one that the app itself has named. */
function toOwnUrl(url: string, { redirectTo }: FlowOptions): string {
  const origins = [location.href, redirectTo ?? ""].map((text) => new URL(text, location.href).origin)
  return origins.includes(new URL(url).origin) ? url : location.origin
}

/** Asks the service what the sign-in waits for. */
export async function showFactor<Step>(flow: Flowing<Step>): Promise<View<Step | AfterProofStep>> {
  return orExpired(flow, async () => {
    const content = await read(flow, ["second-factor"])
    if (readString(content, "step") === "enroll") return toEnrollView(readField(content, "setup"), flow)
    const kinds = readTexts(content, "kinds").filter(isFactorKind)
    const [kind] = kinds
    const hasPasskey = kinds.includes("passkey")
    // The built-in page asks for other ways to sign in.
    const isElsewhere = readTexts(content, "providers").length > (hasPasskey ? 1 : 0)
    if (kind === undefined || isElsewhere) return toPageView(flow)
    const rememberDays = Number(readField(content, "rememberDays") ?? 0) || null
    // Before the click: browsers ask for a passkey only for a short time after it.
    const passkeyId = hasPasskey ? await findPasskeys(flow) : undefined
    return toChoiceView({ kinds, kind, rememberDays, passkeyId }, flow)
  })
}

/** A sign-in that waits no more leads to a step of its own. */
async function orExpired<Step, Result>(flow: Flowing<Step>, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const failure = toFailure(thrown)
    if (failure?.type !== "HeldExpired") throw thrown
    throw new FlowFailure(failure.type, failure.details, { ...flow.first(), error: failure })
  }
}

const isFactorKind = (kind: string): kind is FactorKind => ["totp", "passkey", "recovery"].includes(kind)

interface Choice extends Pick<SecondFactorStep, "kinds" | "rememberDays"> {
  readonly kind: FactorKind
  readonly passkeyId: string | undefined
}

function toChoiceView<Step>(choice: Choice, flow: Flowing<Step>): View<Step | AfterProofStep> {
  const { kinds, kind, rememberDays, passkeyId = "" } = choice
  return {
    kept: waiting,
    create: (act): SecondFactorStep | PasskeyStep => {
      const common = {
        kinds,
        choose: act(async (other: FactorKind) => toChoiceView({ ...choice, kind: other }, flow)),
        ...toBack(act, flow),
      }
      if (kind === "passkey") return { ...common, step: kind, askForPasskey: act(() => askForPasskey(passkeyId, flow)) }
      const submit = act((code: string, { remember }: RememberOption = {}) =>
        give(["second-factor", kind], { code, remember: remember ? "true" : undefined }, flow),
      )
      return { ...common, step: "second-factor", kind, rememberDays: kind === "totp" ? rememberDays : null, submit }
    },
  }
}

interface RememberOption {
  readonly remember?: boolean | undefined
}

const give = <Step>(path: Path, fields: Fields, flow: Flowing<Step>): Next<Step> =>
  orExpired(flow, async () => proceed(await post(flow, path, fields), flow))

function toBack<Step>(
  act: Act<Step | AfterProofStep>,
  { first, isAlone }: Flowing<Step>,
): { back?: () => Promise<void> } {
  return isAlone ? {} : { back: act(async () => first()) }
}

function toPageView<Step>(flow: Flowing<Step>, id?: string): View<Step | AfterProofStep> {
  const openPage = async (): Promise<undefined> => {
    navigateTo(toAbsoluteUrl(flow.service().address("second-factor", id)))
  }
  return {
    kept: id === undefined ? waiting : saving,
    create: (act): PageStep => ({ step: "page", openPage: act(openPage) }),
  }
}

/** The key to set up. Without one, the service is older than this client: its page shows it. */
function toEnrollView<Step>(setup: unknown, flow: Flowing<Step>): View<Step | AfterProofStep> {
  const [ticket, secret, uri, svg] = ["ticket", "secret", "uri", "qr"].map((name) => readString(setup, name))
  if (ticket === undefined || secret === undefined || !uri?.startsWith("otpauth:")) return toPageView(flow)
  // An image runs no scripts, whoever made it.
  const qr = svg === undefined ? null : `data:image/svg+xml,${encodeURIComponent(svg)}`
  return {
    kept: waiting,
    create: (act): EnrollStep => ({
      step: "enroll",
      secret,
      uri,
      qr,
      submit: act((code: string) => enroll({ ticket, code }, flow)),
      ...toBack(act, flow),
    }),
  }
}

async function enroll<Step>(fields: Fields, flow: Flowing<Step>): Next<Step> {
  try {
    return await orExpired(flow, async () => {
      const { url, content } = await post(flow, ["second-factor", "enroll"], fields)
      const codes = readTexts(content, "recoveryCodes")
      // Its session is not announced before they are saved: the page may show something else to users who are signed in.
      return codes.length > 0 ? toCodesView(codes, url, flow) : finish(url, flow)
    })
  } catch (thrown) {
    const failure = toFailure(thrown)
    if (failure?.type !== "InvalidRequest") throw thrown
    // The key is too old: another one is set up.
    return { ...(await showFactor(flow)), error: new FlowFailure("HeldExpired", failure.details) }
  }
}

function toCodesView<Step>(codes: readonly string[], url: string, flow: Flowing<Step>): View<Step | AfterProofStep> {
  return {
    kept: saving,
    create: (act): RecoveryCodesStep => ({
      step: "recovery-codes",
      codes,
      finish: act(async () => {
        // If that fails, the page of the service shows them for a while.
        await post(flow, ["second-factor", "codes"], {}).catch(() => undefined)
        return finish(url, flow)
      }),
    }),
  }
}

/** The browser asks for a passkey, and the service completes the sign-in with it. */
export async function askForPasskey<Step>(providerId: string, flow: Flowing<Step>): Next<Step> {
  const { client, options } = flow
  const response = await client().signIn(providerId, {
    redirect: false,
    action: "authenticate",
    redirectTo: findTarget(options),
  })
  if (response.error !== undefined) throw new FlowFailure(response.error, { reason: response.code })
  return proceed(response, flow)
}

/** The provider of passkeys. Undefined if there is none. */
async function findPasskeys({ service }: Pick<Flowing<unknown>, "service">): Promise<string | undefined> {
  return (await readProviders(service())).find(({ type }) => type === "webauthn")?.id
}
