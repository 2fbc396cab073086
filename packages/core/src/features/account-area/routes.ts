import { FreshnessRequired, InvalidRequest, UnknownAction } from "../../errors/errors.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { Refusal, type Reply, redirect, withQuery } from "../../http/response.js"
import { toFailure } from "../failure.js"
import type { ActionContext, Route, RouteMethods } from "../feature.js"
import { findFormResult, readTyped, toResultPage, withTyped } from "../form-result.js"
import { isFresh, toConfirmUrl } from "../freshness.js"
import { answer, guarded, limited } from "../route.js"
import { askToSignIn, openVisit } from "../visit.js"
import { deleteSection } from "./delete.js"
import { emailSection } from "./email.js"
import { exportSection } from "./export.js"
import { factorsSection } from "./factors.js"
import { type AccountSettings, stylesheetPath } from "./names.js"
import {
  type AreaLink,
  type OverviewLine,
  showNotFound,
  showOverview,
  showQuestion,
  showSection,
  toLine,
  toLinks,
} from "./page.js"
import { passkeysSection } from "./passkeys.js"
import { passwordSection } from "./password.js"
import { profileSection } from "./profile.js"
import { ChangeRefused, type Outcome, type Section, type Visit } from "./section.js"
import { sessionsSection } from "./sessions.js"
import { signInMethodsSection } from "./sign-in-methods.js"
import { showStylesheet, toAreaFrame } from "./stylesheet.js"

/** Every section, in the order of the overview. */
const sections: readonly Section[] = [
  profileSection,
  emailSection,
  signInMethodsSection,
  passkeysSection,
  factorsSection,
  passwordSection,
  sessionsSection,
  exportSection,
  deleteSection,
]

/** The overview, and the page and the JSON of each section. */
export function accountRoutes(settings: AccountSettings): Readonly<Record<string, RouteMethods>> {
  const routes = sections.map((section): readonly [string, RouteMethods] => [
    `account/${section.name}`,
    { GET: offered(section, settings, show), POST: offered(section, settings, submit) },
  ])
  return {
    account: { GET: overview(settings) },
    [stylesheetPath]: { GET: showStylesheet },
    ...Object.assign({}, ...sections.map((section) => section.routes)),
    ...Object.fromEntries(routes),
  }
}

/** The sections that this configuration and this store can do. */
function listOffered(context: ActionContext, settings: AccountSettings): readonly Section[] {
  return settings.sections.flatMap((name) => {
    const section = sections.find((each) => each.name === name)
    return section?.isOffered(context, settings) ? [section] : []
  })
}

type SectionRoute = (section: Section, settings: AccountSettings) => Route

/** JSON of another feature at the same path is answered by it. A section that is not offered does not exist. */
function offered(section: Section, settings: AccountSettings, route: SectionRoute): Route {
  const own = route(section, settings)
  return (request, context) => {
    const other = isPage(request) ? undefined : findOther(request, context)
    if (other) return other(request, context)
    if (listOffered(context, settings).includes(section)) return own(request, context)
    if (!isPage(request)) return answer(404, { error: "NotFound" })
    context.log.errorOnce(new UnknownAction("This part of the account area is not offered"), request)
    return showNotFound(request, context)
  }
}

function findOther({ route, method }: AuthRequest, { features }: ActionContext): Route | undefined {
  for (const feature of features) {
    const methods = feature.routes?.[route]
    if (methods) return methods[method]
  }
  return undefined
}

/** A visit to the area. Null when signed out. */
export async function openAreaVisit(
  request: AuthRequest,
  context: ActionContext,
  settings: AccountSettings,
): Promise<Visit | null> {
  const { store } = context
  const visit = store && (await openVisit(request, context))
  return visit && { ...visit, settings, store, isFresh: await isFresh(request, context) }
}

/** `GET account`: `{ user, isFresh, sections }` with what each section shows, or the overview. */
function overview(settings: AccountSettings): Route {
  return async (request, context) => {
    const visit = await openAreaVisit(request, context, settings)
    if (!visit) return askToSignIn(request, context, context.actionUrl(request, request.route))
    const shown = await Promise.all(
      listOffered(context, settings).map(async (section) => ({ section, model: await section.show(visit) })),
    )
    const added = await listAdded(visit)
    if (isPage(request)) return showOverview([...shown.map(toLine), ...added], visit)
    const { name = null, email, image = null } = visit.user
    return answer(200, {
      user: { id: visit.userId, name, email, image },
      isFresh: visit.isFresh,
      sections: Object.fromEntries([
        ...shown.map(({ section, model }) => [section.name, model]),
        ...added.map(({ name, json }) => [name, json]),
      ]),
    })
  }
}

/** The lines of other features, after our own. */
function listAdded({ user, context }: Visit): Promise<readonly OverviewLine[]> {
  const lines = context.features.flatMap(({ accountLines = [] }) => accountLines)
  return Promise.all(lines.map(async ({ name, show: showLine }) => ({ name, ...(await showLine(user, context)) })))
}

/** The pages that the navigation leads to. */
async function listLinks(visit: Visit): Promise<readonly AreaLink[]> {
  return [...toLinks(listOffered(visit.context, visit.settings)), ...(await listAdded(visit))]
}

/** `GET account/<name>`: what the section shows. */
function show(section: Section, settings: AccountSettings): Route {
  return async (request, context) => {
    const end = isPage(request) ? await section.showEnd?.(request, context) : undefined
    if (end) return end
    const visit = await openAreaVisit(request, context, settings)
    if (!visit) return askToSignIn(request, context, context.actionUrl(request, request.route))
    const step = isPage(request) ? request.url.searchParams.get("step") : null
    if (step !== null) return showStep(step, section, visit)
    if (!isPage(request)) return answer(200, await section.show(visit))
    const result = await findFormResult(request, context, toOwner(visit))
    const shown = { ...visit, request: withTyped(request, result) }
    const model = await section.show(shown)
    return showSection({ section, model, visit: shown, links: await listLinks(visit) }, result?.fault)
  }
}

/** `GET account/<name>?step=<step>`: a page on the way to an action. */
async function showStep(name: string, section: Section, visit: Visit): Promise<Reply> {
  const { request, context, isFresh } = visit
  const page = context.actionUrl(request, `account/${section.name}`)
  const { steps = {} } = section
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (!step) return redirect(page)
  if (!isFresh) return redirect(toConfirmUrl(request, context, { callbackUrl: `${page}${request.url.search}` }))
  const shown = await step(visit, await toAreaFrame(request, context))
  if (!shown) return redirect(withQuery(page, { done: "gone" }))
  if (!("heading" in shown)) return shown
  return showQuestion(shown, { section, visit, links: await listLinks(visit) })
}

/** `POST account/<name>` with `action` and its fields. */
function submit(section: Section, settings: AccountSettings): Route {
  return guarded(
    limited("callback", async (request, context) => {
      const visit = await openAreaVisit(request, context, settings)
      if (!visit) return askToSignIn(request, context, context.actionUrl(request, request.route))
      try {
        const outcome = await act(section, visit)
        return "done" in outcome ? toReply(outcome, section, visit) : outcome
      } catch (thrown) {
        return refuse(thrown, section, visit)
      }
    }),
  )
}

/** @throws FreshnessRequired, InvalidRequest, ChangeRefused */
export async function act({ actions, unproved = [] }: Section, visit: Visit): Promise<Outcome | Reply> {
  const name = findField(visit.request, "action") ?? ""
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new InvalidRequest(`action: must be one of ${Object.keys(actions).join(", ")}`)
  if (!visit.isFresh && !unproved.includes(name)) {
    throw new FreshnessRequired("The user must re-authenticate to change the account")
  }
  return action(visit)
}

function toReply(
  { json, done, status = undefined, cookies = [], headers, url }: Outcome,
  section: Section,
  visit: Visit,
): Reply {
  const { request, context } = visit
  if (!isPage(request)) {
    const reply = answer(status ?? 200, json)
    return { ...reply, cookies, headers: { ...reply.headers, ...headers } }
  }
  const page = context.actionUrl(request, `account/${section.name}`)
  return redirect(url ?? withQuery(page, { done }), { cookies, ...(headers && { headers }) })
}

/** A form that was refused is shown again to its user alone, and in the session that sent it. */
const toOwner = ({ userId, sessions }: Visit): string => `${userId} ${sessions?.[0]?.id ?? ""}`

/** On a page, leads back to the form. Other errors are thrown on. */
async function refuse(thrown: unknown, section: Section, visit: Visit): Promise<Reply> {
  const { request, context, userId } = visit
  const { error, cookies } = toFailure(thrown)
  if (!(error instanceof ChangeRefused) || !isPage(request)) throw new Refusal(error, cookies, userId)
  context.log.errorOnce(error, { ...request, userId })
  const { word, field, reason: text } = error
  const result = { fault: { word, field, text }, typed: readTyped(request, ["name", "image", "email"]) }
  const url = context.actionUrl(request, `account/${section.name}`)
  return toResultPage(result, { url, owner: toOwner(visit), cookies }, request, context)
}
