/** @jsxImportSource #markup */

import { macHex } from "../../crypto/hash.js"
import { withQuery } from "../../http/response.js"
import { HiddenFields } from "../../pages/form.js"
import type { Children, JSX } from "../../pages/markup/jsx-runtime.js"
import { systemClock } from "../../runtime/promise.js"
import type { SectionPage, Visit } from "./section.js"

interface ItemProps {
  readonly title: Children
  /** Quiet text below the title. */
  readonly detail?: Children
  /** What can be done with it. */
  readonly children?: Children
  /** A folded form, below all of it. */
  readonly below?: Children
}

/** An entry of a list. */
export function Item({ title, detail, children, below }: ItemProps): JSX.Element {
  return (
    <li class="account-item">
      <span class="account-item-text">
        <span class="account-title">{title}</span>
        {detail && <span class="account-state">{detail}</span>}
      </span>
      {children}
      {below && <div class="account-below">{below}</div>}
    </li>
  )
}

export function List({ children }: { readonly children: Children }): JSX.Element {
  return <ul class="account-items">{children}</ul>
}

interface ActionButtonProps {
  readonly page: Pick<SectionPage, "action" | "csrfToken">
  /** The field `action` and others. */
  readonly fields: Readonly<Record<string, string>>
  readonly text: string
  /** What a screen reader says, where several buttons have the same text. */
  readonly label?: string
  /** `small`: beside an entry of a list. Default: as wide as the card. */
  readonly size?: "small"
  readonly mark?: Children
  /** Whether it is the page's main button, or takes something away for good. Default: neither. */
  readonly rank?: "main" | "danger"
}

/** The classes of the ranks. */
const rankClasses = { main: "button button-primary", danger: "button button-danger" } as const

/** A form with one button. */
export function ActionButton({ page, fields, text, label, size, mark, rank }: ActionButtonProps): JSX.Element {
  const { action, csrfToken } = page
  return (
    <form class={size === "small" ? "account-small" : "form"} action={action} method="post">
      <HiddenFields {...{ csrfToken, ...fields }} />
      <button
        type="submit"
        class={rank ? rankClasses[rank] : mark ? "button button-provider" : "button"}
        aria-label={label}
      >
        {mark}
        <span class="button-text">{text}</span>
      </button>
    </form>
  )
}

/** Names a thing of the user in a URL. Its own id would be in histories, logs and the referrer. */
async function toReference(id: string, { userId, context }: Pick<Visit, "userId" | "context">): Promise<string> {
  const [secret = ""] = context.secrets
  return (await macHex(secret, "account reference", JSON.stringify([userId, id]))).slice(0, 32)
}

/** The references of several things, by their ids. */
export async function toReferences(
  ids: readonly string[],
  visit: Pick<Visit, "userId" | "context">,
): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(ids.map(async (id) => [id, await toReference(id, visit)] as const)))
}

/** The thing that the parameter `of` names. */
export async function findReferred<Thing>(
  things: readonly Thing[],
  toId: (thing: Thing) => string,
  visit: Visit,
): Promise<Thing | undefined> {
  const of = visit.request.url.searchParams.get("of")
  const references = await toReferences(things.map(toId), visit)
  return things.find((thing) => references.get(toId(thing)) === of)
}

interface QuestionLinkProps extends Pick<ActionButtonProps, "text" | "label"> {
  readonly page: Pick<SectionPage, "action">
  /** The parameter `step`, and others that name the thing. */
  readonly query: Readonly<Record<string, string>>
  /** Default: as wide as the card. */
  readonly size?: "small"
}

/** Leads to the page that asks before something is done. */
export function QuestionLink({ page, query, text, label, size }: QuestionLinkProps): JSX.Element {
  return (
    <div class={size === "small" ? "account-small" : "form"}>
      <a
        class={size === "small" ? "button button-removal" : "button"}
        href={withQuery(page.action, query)}
        aria-label={label}
      >
        <span class="button-text">{text}</span>
      </a>
    </div>
  )
}

/** How long ago something was, in words. The time zone of the visitor is unknown, so an hour of the day would be wrong. */
export function Ago({ date, language }: { readonly date: Date; readonly language: string }): JSX.Element {
  return <time datetime={date.toISOString()}>{toAgo(date, language)}</time>
}

/** From the largest: the first one that fits at least once. */
const units = [
  ["year", 365 * 24 * 60 * 60],
  ["month", 30 * 24 * 60 * 60],
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const

/** Such as `2 hours ago`. */
export function toAgo(date: Date, language: string): string {
  const seconds = Math.max(0, (systemClock() - date.valueOf()) / 1000)
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" })
  const found = units.find(([, size]) => seconds >= size)
  return found ? format.format(-Math.floor(seconds / found[1]), found[0]) : format.format(0, "second")
}
