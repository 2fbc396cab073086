import { storeNewUser, type WayIn } from "../../account/new-user.js"
import type { Proof } from "../../account/proof.js"
import { randomUUID } from "../../crypto/random.js"
import { Verification } from "../../errors/errors.js"
import type { ActionContext } from "../../features/feature.js"
import { answer } from "../../features/route.js"
import { finishSignIn } from "../../features/sign-in.js"
import { normalizeEmailAddress } from "../../host/email-address.js"
import type { Events } from "../../host/events.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import type { MailFlow } from "../../mail/flow.js"
import {
  consumeSecret,
  findFlowOf,
  findLiveFlow,
  type GivenSecret,
  type MailRequest,
  mailSecret,
  readLink,
  takeSecret,
} from "../../mail/mailed-secret.js"
import { isPrefetch } from "../../mail/secret.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ResolvedUser } from "../steps.js"
import { passwordMails, signUpPurpose } from "./mails.js"
import { hashNewPassword } from "./new-password.js"
import { passwordId } from "./options.js"
import type { PageError } from "./page.js"
import { findAddress, getText, isOver, openPage, orShow, type PageDraft, showPage, toFormAgain } from "./reply.js"
import { readAnswers, reviveAnswers, type SignUpAnswers, termsName, toShownFields } from "./sign-up-fields.js"
import { findHolder, findOwner, finishUser, type Owner } from "./stored.js"
import { openTools, type Visit } from "./tools.js"

const path = "password/sign-up"

/**
 * What must not change until the code is typed: that there is no user with the address, or an unfinished one. Null if the
 * address has an account.
 */
function toState(owner: Owner | null): string | null {
  if (owner === null) return ""
  return owner.isUnfinished ? `unfinished:${toIdText(owner.user.id)}` : null
}

const findOwnerOf = (address: string, { context, tools }: Visit) => findOwner(address, tools.store, context)

/** `GET password/sign-up`: the form, the form for the code, or what a link leads to. */
export async function showSignUp(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { visit, error: fault } = await openPage(request, context)
  return orShow(
    () => followOrShow(fault, visit),
    (error) => show({ isLink: false, isFresh: true }, error, visit),
    visit,
  )
}

async function followOrShow(fault: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request } = visit
  const link = readLink(request, signUpPurpose)
  const flow = link ? await findFlowOf(signUpPurpose, link, visit) : undefined
  // Browsers retry after 503.
  if (flow && isPrefetch(request)) return { status: 503, headers: { "cache-control": "no-store" } }
  // The browser that chose the password: its address is proved now.
  if (flow) return create(await takeSignUpSecret(visit), visit)
  return show({ isLink: link !== null, isFresh: fault !== undefined && isOver(fault) }, fault, visit)
}

function takeSignUpSecret(visit: Visit): Promise<GivenSecret> {
  return takeSecret(signUpPurpose, async (address) => toState(await findOwnerOf(address, visit)), visit)
}

interface Shown {
  /** Whether the page is that of a link that was opened elsewhere. */
  readonly isLink: boolean
  /** Whether to show the first form, although a code could be typed. */
  readonly isFresh?: boolean
}

async function show({ isLink, isFresh }: Shown, error: PageError | undefined, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const isCode = !isLink && !isFresh && (request.url.searchParams.get("step") === "code" || isCodeForm(request))
  const flow = isCode ? await findLiveFlow(signUpPurpose, visit) : undefined
  const step = isLink ? "choose" : flow ? "code" : "form"
  if (!isPage(request)) return answer(200, { step, ...(flow && { address: flow.identifier, flow: flow.id }) })
  if (step === "choose") return showPage(choosePage(visit), error, visit)
  if (flow) return showPage(codePage(flow, request, context), error, visit)
  return showPage(await firstPage(visit), error, visit)
}

const isCodeForm = ({ body }: AuthRequest): boolean => body?.["code"] !== undefined

const isAgainForm = ({ body }: AuthRequest): boolean => body?.["again"] !== undefined && body["flow"] !== undefined

/** What the app asks for, with what was typed before. */
function toQuestions({ request, tools }: Visit): Pick<NonNullable<PageDraft["form"]>, "own" | "terms"> {
  const { questions } = tools.settings
  return {
    own: toShownFields(questions, (name) => findField(request, name)),
    ...(questions.termsField !== undefined && { terms: { isChecked: request.body?.[termsName] === "on" } }),
  }
}

async function firstPage(visit: Visit): Promise<PageDraft> {
  const { request, context } = visit
  const { url: callbackUrl } = await context.callbackUrls.resolve(request)
  const flow = await findLiveFlow(signUpPurpose, visit)
  return {
    heading: "signUp.heading",
    form: {
      action: context.actionUrl(request, path),
      hidden: { callbackUrl },
      fields: ["email", "name", "first-password"],
      ...toQuestions(visit),
      button: "signUp.button",
    },
    address: await findAddress(flow, request, context),
    name: findField(request, "name"),
    links: [{ url: context.actionUrl(request, "signin"), text: "signUp.known" }],
  }
}

function codePage(flow: MailFlow, request: AuthRequest, context: ActionContext): PageDraft {
  const { id, identifier } = flow
  const action = context.actionUrl(request, path)
  return {
    heading: "signUp.codeHeading",
    texts: ["signUp.code", "code.missing"],
    form: { action, hidden: { flow: id }, fields: ["code"], button: "signUp.button" },
    address: identifier,
    resend: { action, hidden: { flow: id }, flow, otherUrl: `${action}?again` },
    links: [],
  }
}

/** The form has no action, so it is sent to the link itself and the page holds no secret. */
function choosePage(visit: Visit): PageDraft {
  return {
    heading: "signUp.chooseHeading",
    texts: ["signUp.choose"],
    form: { hidden: {}, fields: ["account", "first-password"], button: "signUp.button", ...toQuestions(visit) },
    address: readLink(visit.request, signUpPurpose)?.address,
    links: [],
  }
}

/** `POST password/sign-up`: begins with `email` and `password`; ends with `code`, or with a link's `token` and `password`. */
export async function submitSignUp(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit: Visit = { request, context, tools: openTools(context) }
  const isLink = findField(request, "token") !== undefined || request.url.searchParams.has("token")
  const submit = async () => {
    if (!isLink && isAgainForm(request)) return sendAgain(visit)
    if (!isLink && !isCodeForm(request)) return begin(visit)
    return create(await takeSignUpSecret(visit), visit)
  }
  const page = context.actionUrl(request, path)
  const showAgain = (error: PageError) => {
    if (isOver(error)) return toFormAgain(error, { url: page }, visit)
    if (request.url.searchParams.has("token")) return toFormAgain(error, {}, visit)
    return toFormAgain(error, { url: isCodeForm(request) ? `${page}?step=code` : page }, visit)
  }
  return orShow(submit, showAgain, visit)
}

/** The work and the answer are the same for an address that has an account; only the mail differs. */
async function begin(visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const address = normalizeEmailAddress(getText(request, "email"))
  const name = [
    ...getText(request, "name")
      .replace(/\p{Cc}+/gu, " ")
      .trim()
      .toWellFormed(),
  ]
    .slice(0, maxNameLength)
    .join("")
  const answers = await readAnswers(request, tools.settings.questions, systemClock())
  const hash = await hashNewPassword(getText(request, "password"), address, tools, { ...context, url: request.url })
  const state = toState(await findOwnerOf(address, visit))
  const { url: target, cookies } = await context.callbackUrls.resolve(request)
  return send({ address, state, target, data: JSON.stringify({ hash, name, answers }) }, cookies, visit)
}

/** The email once more: what was chosen is in the cookie of this browser. */
async function sendAgain(visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const flows = await tools.flows.find(request.cookies, signUpPurpose.flows)
  const flow = flows.find(({ id }) => id === findField(request, "flow"))
  // The cookie is gone or was opened elsewhere: what was chosen is typed again.
  if (flow?.data === undefined) return redirect(context.actionUrl(request, path))
  const { identifier: address, data, target = request.url.origin } = flow
  return send({ address, state: toState(await findOwnerOf(address, visit)), target, data }, [], visit)
}

type SignUpMail = Required<Pick<MailRequest, "address" | "state" | "target" | "data">>

async function send(mail: SignUpMail, cookies: readonly ResponseCookie[], visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const { address, state } = mail
  const flowCookies = await mailSecret(
    {
      ...mail,
      purpose: signUpPurpose,
      url: context.actionUrl(request, path),
      send: ({ url, code }) =>
        passwordMails.send(
          state === null
            ? { kind: "known", to: address, url: context.actionUrl(request, "signin") }
            : { kind: "sign-up", to: address, url, code },
          tools.settings.sender,
          visit,
        ),
    },
    visit,
  )
  return redirect(context.actionUrl(request, `${path}?step=code`), { cookies: [...cookies, ...flowCookies] })
}

const maxNameLength = 100

interface Chosen {
  readonly hash: string
  readonly name: string
  /** To the questions of the app. */
  readonly answers: SignUpAnswers
}

/** What the browser of the sign-up has kept. In another one, everything is asked again: anyone may have answered first. */
async function readChosen({ address, flow }: GivenSecret, { request, context, tools }: Visit): Promise<Chosen> {
  const { questions } = tools.settings
  const sealed = parseJson(flow?.data ?? "")
  if (isRecord(sealed)) {
    const answers = reviveAnswers(sealed["answers"], questions)
    return { hash: String(sealed["hash"]), name: String(sealed["name"]), answers }
  }
  const answers = await readAnswers(request, questions, systemClock())
  const hash = await hashNewPassword(getText(request, "password"), address, tools, { ...context, url: request.url })
  return { hash, name: "", answers }
}

/** Creates the account: its address is proved. In another browser a password is chosen again, since anyone may have chosen the first. */
async function create(secret: GivenSecret, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const { address, flow } = secret
  const chosen = await readChosen(secret, visit)
  const owner = await findOwnerOf(address, visit)
  await consumeSecret(secret, signUpPurpose, toState(owner) ?? "", visit)
  await secret.succeed()
  if (owner && !owner.isUnfinished) throw taken()
  const profile = { ...chosen.answers, ...(chosen.name !== "" && { name: chosen.name }) }
  const candidate = owner?.user ?? { ...profile, id: randomUUID(), email: address, emailVerified: null }
  const proof: Proof = {
    candidate,
    account: { providerAccountId: address, type: "credentials", provider: passwordId },
    achieved: ["email"],
    knownUserId: owner?.user.id,
    dependsOnSession: false,
  }
  const resolveUser = async (_: Proof, __: AdapterUser | null, events: Events): Promise<ResolvedUser> => {
    const user = owner
      ? await finish({ ...profile, id: owner.user.id }, chosen, visit, events)
      : await store(candidate, chosen, visit, events)
    warnAboutLost(chosen.answers, user, context)
    await events.send("passwordSet", { userId: user.id })
    return { user, isNewUser: owner === null, isSignedInAlready: false }
  }
  return finishSignIn({ proof, callbackUrl: flow?.target, cookies: [] }, { resolveUser }, request, context)
}

/** Some adapters drop what they have no column for, and the app would learn it when it asks for a consent. */
function warnAboutLost(answers: SignUpAnswers, user: AdapterUser, { log }: Visit["context"]): void {
  const lost = Object.keys(answers).filter((name) => (Reflect.get(user, name) ?? null) === null)
  if (lost.length > 0) log.warnOnce("user-field-lost", `The user has no ${lost.join(", ")}`)
}

const taken = () => new Verification("The address got an account meanwhile", { provider: passwordId })

/** @throws Verification if an account with the address was created meanwhile */
async function store(candidate: AdapterUser, { hash }: Chosen, { tools }: Visit, events: Events): Promise<AdapterUser> {
  const { store } = tools
  if (await findHolder(candidate.email, store)) throw taken()
  const now = new Date()
  // Without transactions, the address counts as verified last: until then, the owner of the mailbox can start again.
  const isAtOnce = store.has("transaction")
  const wayIn: WayIn = {
    async add({ id: userId }, within) {
      const isStored = await within.setPassword({ userId, hash, changedAt: now, from: null })
      if (!isStored) throw new Error("The new user has a password already")
    },
    isAdded: async ({ id }) => (await store.getPassword(id))?.hash === hash,
  }
  try {
    const user = await storeNewUser({ ...candidate, emailVerified: isAtOnce ? now : null }, wayIn, { store, events })
    return isAtOnce ? user : await store.updateUser({ id: user.id, emailVerified: now })
  } catch (error) {
    const holder = await findHolder(candidate.email, store)
    if (holder && !isSameId(holder.user.id, candidate.id)) throw taken()
    throw error
  }
}

/** @throws Verification if someone else finished the user, or stored a way to sign in, meanwhile */
async function finish(
  changes: Pick<AdapterUser, "id"> & Partial<AdapterUser>,
  { hash }: Chosen,
  { tools }: Visit,
  events: Events,
): Promise<AdapterUser> {
  const { store } = tools
  const { id: userId } = changes
  if (!(await store.setPassword({ userId, hash, changedAt: new Date(), from: null }))) throw taken()
  const user = await finishUser(changes, { store, events })
  if (!user) throw taken()
  return user
}
