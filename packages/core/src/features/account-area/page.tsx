/** @jsxImportSource #markup */

import { renderError } from "../../actions/error.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, withQuery } from "../../http/response.js"
import { createTranslator, LinkButton, renderDocument } from "../../pages/document.js"
import type { Children, JSX } from "../../pages/markup/jsx-runtime.js"
import type { ActionContext, ShownLine } from "../feature.js"
import { FormError, renderFormPage } from "../form-page.js"
import { toConfirmUrl } from "../freshness.js"
import { toPage, unreferred } from "../page.js"
import type { ChangeRefused, Section, SectionPage, Visit } from "./section.js"
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

export function toLine({ section, model }: Shown): OverviewLine {
  return {
    name: section.name,
    json: model,
    title: (frame) => section.translate("title", frame) ?? "",
    summarize: (frame) => section.summarize(model, frame),
  }
}

/** The overview: who is signed in, and a line for each section. */
export async function showOverview(lines: readonly OverviewLine[], { request, context, user }: Visit): Promise<Reply> {
  const frame = await toAreaFrame(request, context)
  const t = createTranslator(frame)
  const translate = translateAccount(frame)
  const page = renderDocument({
    title: translate("title"),
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{translate("title")}</h1>
        <Person name={user.name} email={user.email} />
        <nav class="account-list" aria-label={translate("title")}>
          {lines.map((line) => (
            <a class="account-line" href={context.actionUrl(request, `account/${line.name}`)}>
              <span class="account-title">{line.title(frame)}</span>
              <span class="account-state">{line.summarize(frame)}</span>
            </a>
          ))}
        </nav>
        <div class="next-steps">
          <LinkButton url={frame.siteUrl} text={t.translate("link.back")} rank="secondary" />
          <LinkButton
            // Else a sign-out would lead back here, and from here to the sign-in page.
            url={withQuery(context.actionUrl(request, "signout"), { callbackUrl: frame.siteUrl })}
            text={t.translate("signOut.button")}
            rank="secondary"
          />
        </div>
      </>
    ),
  })
  return toPage(page, context)
}

/** Who is signed in. The image is not loaded: it would tell another site about the visit. */
function Person({ name, email }: { readonly name?: string | null | undefined; readonly email: string }): JSX.Element {
  const [initial = "?"] = name || email
  return (
    <div class="account-person">
      <span class="account-initial" aria-hidden="true">
        {initial.toUpperCase()}
      </span>
      <span class="account-name">
        <strong>{name || email}</strong>
        {name && <span class="quiet">{email}</span>}
      </span>
    </div>
  )
}

interface SectionContent extends Shown {
  readonly visit: Visit
}

/**
 * The page of a section.
 * @param refused What the last form got wrong.
 */
export async function showSection(content: SectionContent, refused?: ChangeRefused): Promise<Reply> {
  const { section, model, visit } = content
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
    typed: (field) => (refused ? findField(request, field) : undefined),
    toUrl: (path) => context.actionUrl(request, path),
  }
  const { content: body, hasChanges = true, scriptUrl } = await section.render(model, page)
  const heading = section.translate("title", frame) ?? ""
  const problem =
    refused && (refused.reason ?? section.translate(`problem.${refused.code}`, frame) ?? translate("problem.other"))
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
      links: [{ url: context.actionUrl(request, "account"), text: translate("back") }],
      scriptUrl,
    },
    frame,
  )
  const reply = await toPage(text, context, { cookies: csrf.cookies, ...(refused && { status: 400 }) })
  // A mailed link.
  return request.url.searchParams.has("token") ? unreferred(reply) : reply
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
