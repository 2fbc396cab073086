/** @jsxImportSource #markup */

import { renderError } from "../../actions/error.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, withQuery } from "../../http/response.js"
import { createTranslator, LinkButton, type PageFrame, renderDocument } from "../../pages/document.js"
import type { Children, JSX } from "../../pages/markup/jsx-runtime.js"
import type { ActionContext, ShownLine } from "../feature.js"
import { FormError, type PageLink, renderFormPage } from "../form-page.js"
import type { FormFault } from "../form-result.js"
import { toConfirmUrl } from "../freshness.js"
import { toPage, unreferred } from "../page.js"
import { ActionButton } from "./parts.js"
import type { Question, Section, SectionPage, Visit } from "./section.js"
import { toAreaFrame } from "./stylesheet.js"
import { translateAccount } from "./translate.js"

/** A section with what it shows. */
interface Shown {
  readonly section: Section
  readonly model: object
}

/** A line of the overview. */
export interface OverviewLine extends ShownLine {
  readonly name: string
}

/** A page that the navigation leads to. */
export type AreaLink = Pick<OverviewLine, "name" | "title">

/** The links of the sections, in the order of the overview. */
export function toLinks(sections: readonly Section[]): readonly AreaLink[] {
  return sections.map(({ name, translate }) => ({ name, title: (frame) => translate("title", frame) ?? "" }))
}

export function toLine({ section, model }: Shown): OverviewLine {
  return {
    name: section.name,
    json: model,
    title: (frame) => section.translate("title", frame) ?? "",
    summarize: (frame) => section.summarize(model, frame),
  }
}

/** The overview: who is signed in, and a line for each section. */
export async function showOverview(lines: readonly OverviewLine[], visit: Visit): Promise<Reply> {
  const { request, context, user } = visit
  const frame = await toAreaFrame(request, context)
  const t = createTranslator(frame)
  const translate = translateAccount(frame)
  const page = renderDocument({
    title: translate("title"),
    frame,
    t,
    navigation: <Navigation links={lines} current="" visit={visit} frame={frame} />,
    children: (
      <>
        <h1 class="heading">{translate("title")}</h1>
        <Person name={user.name} email={user.email} />
        <div class="account-list">
          {lines.map((line) => (
            <a class="account-line" href={context.actionUrl(request, `account/${line.name}`)}>
              <span class="account-title">{line.title(frame)}</span>
              <span class="account-state">{line.summarize(frame)}</span>
            </a>
          ))}
        </div>
        <div class="next-steps">
          {toExits(visit, frame).map(({ url, text }) => (
            <LinkButton url={url} text={text} rank="secondary" />
          ))}
        </div>
      </>
    ),
  })
  return toPage(page, context)
}

/** The links that lead out of the area. */
function toExits({ request, context }: Visit, frame: PageFrame): readonly PageLink[] {
  const t = createTranslator(frame)
  // Else a sign-out would lead back here, and from here to the sign-in page.
  const signOutUrl = withQuery(context.actionUrl(request, "signout"), { callbackUrl: frame.siteUrl })
  return [
    { url: frame.siteUrl, text: t.translate("link.back") },
    { url: signOutUrl, text: t.translate("signOut.button") },
  ]
}

interface NavigationProps {
  readonly links: readonly AreaLink[]
  /** The name of the page's section. Empty on the overview. */
  readonly current: string
  readonly visit: Visit
  readonly frame: PageFrame
}

/** Beside the card on a wide screen. On a narrow one, only the way back to the overview is left, which lists the sections. */
function Navigation({ links, current, visit, frame }: NavigationProps): JSX.Element {
  const { request, context, user } = visit
  const title = translateAccount(frame)("title")
  return (
    <nav class={current === "" ? "account-nav account-nav-home" : "account-nav"} aria-label={title}>
      <Person name={user.name} email={user.email} />
      {[{ name: "", title: () => title }, ...links].map((link) => (
        <a
          class={link.name === "" ? "account-link account-home" : "account-link"}
          href={context.actionUrl(request, link.name === "" ? "account" : `account/${link.name}`)}
          {...(link.name === current && { "aria-current": "page" })}
        >
          {link.title(frame)}
        </a>
      ))}
      {toExits(visit, frame).map(({ url, text }) => (
        <a class="account-link account-exit" href={url}>
          {text}
        </a>
      ))}
    </nav>
  )
}

/** Who is signed in. The image is not loaded: it would tell another site about the visit. */
function Person({ name, email }: { readonly name?: string | null | undefined; readonly email: string }): JSX.Element {
  // Some users have neither.
  const [initial = "?"] = name || email || ""
  return (
    <div class="account-person">
      <span class="account-initial" aria-hidden="true">
        {initial.toUpperCase()}
      </span>
      <span class="account-name">
        <strong>
          <bdi>{name || email}</bdi>
        </strong>
        {name && (
          <span class="quiet">
            <bdi>{email}</bdi>
          </span>
        )}
      </span>
    </div>
  )
}

interface SectionContent extends Shown {
  readonly visit: Visit
  /** The pages that the navigation leads to. */
  readonly links: readonly AreaLink[]
}

/**
 * The page of a section.
 * @param refused What the last form got wrong.
 */
export async function showSection(content: SectionContent, refused?: FormFault): Promise<Reply> {
  const { section, model, visit, links } = content
  const { request, context, isFresh } = visit
  const frame = await toAreaFrame(request, context)
  const t = createTranslator(frame)
  const translate = translateAccount(frame)
  const csrf = await context.csrf.issue(request.cookies)
  const action = context.actionUrl(request, `account/${section.name}`)
  const page: SectionPage = {
    visit,
    frame,
    t,
    action,
    csrfToken: csrf.token,
    isFresh,
    wrongField: refused?.field,
    typed: (field) => (refused || request.isStaleForm ? findField(request, field) : undefined),
    toUrl: (path) => context.actionUrl(request, path),
  }
  const { content: body, hasChanges = true, scriptUrl } = await section.render(model, page)
  const heading = section.translate("title", frame) ?? ""
  const problem =
    refused && (refused.text ?? section.translate(`problem.${refused.word}`, frame) ?? translate("problem.other"))
  const text = renderFormPage(
    {
      heading,
      error: refused && translate("error"),
      content: (
        <>
          {problem && <FormError text={problem} />}
          {!refused && toDoneNotice(content, section.translate(`done.${request.url.searchParams.get("done")}`, frame))}
          {body}
          {hasChanges && !isFresh && (
            <div class="account-lock">
              <p class="quiet">{translate("locked")}</p>
              <LinkButton
                url={toConfirmUrl(request, context, { callbackUrl: action })}
                text={translate("unlock")}
                rank="primary"
              />
            </div>
          )}
        </>
      ),
      navigation: <Navigation links={links} current={section.name} visit={visit} frame={frame} />,
      scriptUrl,
    },
    frame,
  )
  const reply = await toPage(text, context, {
    cookies: csrf.cookies,
    ...(refused && { status: 400 }),
    runsScript: scriptUrl !== undefined,
  })
  // A mailed link.
  return request.url.searchParams.has("token") ? unreferred(reply) : reply
}

/** The page that asks before an action of a section. */
export async function showQuestion(
  { heading, text, fields, button }: Question,
  { section, visit, links }: Omit<SectionContent, "model">,
): Promise<Reply> {
  const { request, context } = visit
  const frame = await toAreaFrame(request, context)
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const action = context.actionUrl(request, `account/${section.name}`)
  const navigation = <Navigation links={links} current={section.name} visit={visit} frame={frame} />
  const content = (
    <>
      <p>{text}</p>
      <ActionButton page={{ action, csrfToken }} fields={fields} text={button} rank="danger" />
    </>
  )
  const exits = [{ url: action, text: translateAccount(frame)("cancel") }]
  return toPage(renderFormPage({ heading, content, navigation, links: exits }, frame), context, { cookies })
}

function toDoneNotice({ visit }: SectionContent, sentence: string | null): Children {
  return sentence !== null && visit.request.method === "GET" ? (
    <div class="notice notice-hint" role="status">
      <p>{sentence}</p>
    </div>
  ) : null
}

/** The page for a section that is not offered, as for any unknown path. */
export async function showNotFound(request: AuthRequest, context: ActionContext): Promise<Reply> {
  return { ...(await renderError("UnknownAction", {}, request, context)), status: 404 }
}
