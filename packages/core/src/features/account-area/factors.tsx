/** @jsxImportSource #markup */

import { InvalidRequest } from "../../errors/errors.js"
import type { Reply } from "../../http/response.js"
import type { PageFrame } from "../../pages/document.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import type { FactorPage, FactorView } from "../feature.js"
import { toFrame } from "../page.js"
import { ActionButton, findReferred, Item, List, QuestionLink, toAgo, toReferences } from "./parts.js"
import { ChangeRefused, type Outcome, type Question, type Section, type SectionPage, type Visit } from "./section.js"
import { getText } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** The JSON of `account/factors` is that of `secondFactors`. */
interface OwnFactorList {
  readonly factors: readonly FactorView[]
}

/** Second factors: authenticator apps and recovery codes. */
export const factorsSection: Section<OwnFactorList> = {
  name: "factors",
  isOffered: (context) => context.slots.factors !== undefined,
  show: async ({ request, context }) => ({
    factors: (await context.slots.factors?.listFactors(request, context)) ?? [],
  }),
  actions: { "begin-totp": answer, "confirm-totp": answer, "create-recovery-codes": answer, remove },
  steps: { "set-up": showSetup, remove: askToRemove, "renew-codes": askToRenewCodes },
  translate: translateSection("factors"),
  summarize: ({ factors }, frame) => translateAccount(frame)(factors.length > 0 ? "factors.on" : "factors.off"),
  async render({ factors }, page) {
    const { frame, isFresh, visit } = page
    const translate = translateAccount(frame)
    const hasStrong = factors.some(({ kind }) => kind === "totp")
    const hasRecovery = factors.some(({ kind }) => kind === "recovery")
    const references = await toReferences(
      factors.map(({ id }) => id),
      visit,
    )
    const offersCodes = hasStrong && visit.context.slots.factors?.offersRecovery === true
    const content = (
      <>
        <p class="quiet">{translate("factors.text")}</p>
        {factors.length > 0 && (
          <List>
            {factors.map((factor) => (
              <FactorItem factor={factor} of={references.get(factor.id) ?? ""} all={factors} page={page} />
            ))}
          </List>
        )}
        {isFresh && (
          <ActionButton
            page={page}
            fields={{ action: "begin-totp" }}
            text={translate("factors.add")}
            {...(!hasStrong && { rank: "main" })}
          />
        )}
        {isFresh && offersCodes && <AddCodes hasRecovery={hasRecovery} page={page} />}
      </>
    )
    return { content }
  },
}

interface AddCodesProps {
  readonly hasRecovery: boolean
  readonly page: SectionPage
}

function AddCodes({ hasRecovery, page }: AddCodesProps): JSX.Element {
  const translate = translateAccount(page.frame)
  return hasRecovery ? (
    <QuestionLink page={page} query={{ step: "renew-codes" }} text={translate("factors.renewCodes")} />
  ) : (
    <ActionButton page={page} fields={{ action: "create-recovery-codes" }} text={translate("factors.addCodes")} />
  )
}

interface FactorItemProps {
  readonly factor: FactorView
  /** Names it in a URL. */
  readonly of: string
  readonly all: readonly FactorView[]
  readonly page: SectionPage
}

function FactorItem({ factor, of, all, page }: FactorItemProps): JSX.Element {
  const { frame, t, isFresh } = page
  const { lastUsedAt, codesLeft } = factor
  const translate = translateAccount(frame)
  const name = toName(factor, frame)
  const used = lastUsedAt ? translate("used", { ago: toAgo(lastUsedAt, t.language) }) : translate("unused")
  return (
    <Item
      title={<bdi>{name}</bdi>}
      detail={
        codesLeft === null
          ? `${toCreated(factor, frame)} · ${used}`
          : translate("factors.codesLeft", { count: codesLeft })
      }
    >
      {isFresh && (
        <QuestionLink
          page={page}
          size="small"
          query={{ step: "remove", of }}
          text={translate("remove")}
          label={translate("removeOne", { name: toUniqueName(factor, all, frame) })}
        />
      )}
    </Item>
  )
}

function toName({ kind, label }: FactorView, frame: PageFrame): string {
  const translate = translateAccount(frame)
  return kind === "recovery" ? translate("factors.recovery") : (label ?? translate("factors.totp"))
}

function toCreated({ createdAt }: FactorView, frame: PageFrame): string {
  return translateAccount(frame)("factors.created", { ago: toAgo(createdAt, frame.locale.language) })
}

/** The apps of two phones often have the same name, and a user who lost one phone has to tell them apart. */
function toUniqueName(factor: FactorView, all: readonly FactorView[], frame: PageFrame): string {
  const name = toName(factor, frame)
  const isUnique = all.every(({ id, ...other }) => id === factor.id || toName({ id, ...other }, frame) !== name)
  return isUnique ? name : `${name} (${toCreated(factor, frame)})`
}

/** `?step=remove` with `of`. Removing the last app also removes the recovery codes. */
async function askToRemove(visit: Visit, frame: PageFrame): Promise<Question | null> {
  const { request, context } = visit
  const factors = (await context.slots.factors?.listFactors(request, context)) ?? []
  const factor = await findReferred(factors, ({ id }) => id, visit)
  if (!factor) return null
  const translate = translateAccount(frame)
  const isLast = factor.kind === "totp" && factors.filter(({ kind }) => kind === "totp").length === 1
  const text = factor.kind === "recovery" ? "factors.ask.codes" : isLast ? "factors.ask.last" : "factors.ask.one"
  return {
    heading: translate("ask.remove", { name: toUniqueName(factor, factors, frame) }),
    text: translate(text),
    fields: { action: "remove", id: factor.id },
    button: translate("remove"),
  }
}

/** `?step=renew-codes`. */
async function askToRenewCodes(_: Visit, frame: PageFrame): Promise<Question> {
  const translate = translateAccount(frame)
  return {
    heading: translate("factors.ask.renew"),
    text: translate("factors.ask.renewText"),
    fields: { action: "create-recovery-codes" },
    button: translate("factors.renewCodes"),
  }
}

/** `?step=set-up`: the page with the key of an authenticator app. */
async function showSetup({ request, context }: Visit, frame: PageFrame): Promise<Reply | null> {
  const page = toFactorPage({ request, context }, frame)
  return (await context.slots.factors?.showFactorSetup(request, context, page)) ?? null
}

/** What leads to the pages with the key and the recovery codes. */
async function answer({ request, context }: Visit): Promise<Reply> {
  const page = toFactorPage({ request, context }, await toFrame(request, context))
  const reply = await context.slots.factors?.answerFactorForm(request, context, page)
  if (reply) return reply
  throw new InvalidRequest("The session ended meanwhile")
}

function toFactorPage({ request, context }: Pick<Visit, "request" | "context">, frame: PageFrame): FactorPage {
  const back = { url: context.actionUrl(request, "account"), text: translateAccount(frame)("back") }
  const url = context.actionUrl(request, "account/factors")
  return { url, setupUrl: `${url}?step=set-up`, back }
}

async function remove({ request, context }: Visit): Promise<Outcome> {
  const id = getText(request, "id")
  try {
    const isRemoved = await context.slots.factors?.removeFactor(request, context, id)
    return { json: { removed: isRemoved ? 1 : 0 }, done: isRemoved ? "removed" : "gone" }
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    throw new ChangeRefused(error.message, { code: "required" })
  }
}
