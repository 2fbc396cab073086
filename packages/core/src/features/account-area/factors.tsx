/** @jsxImportSource #markup */

import { InvalidRequest } from "../../errors/errors.js"
import type { Reply } from "../../http/response.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import type { FactorView } from "../feature.js"
import { toFrame } from "../page.js"
import { ActionButton, Item, List, toAgo } from "./parts.js"
import { ChangeRefused, type Outcome, type Section, type SectionPage, type Visit } from "./section.js"
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
  translate: translateSection("factors"),
  summarize: ({ factors }, frame) => translateAccount(frame)(factors.length > 0 ? "factors.on" : "factors.off"),
  render({ factors }, page) {
    const { frame, isFresh, visit } = page
    const translate = translateAccount(frame)
    const hasStrong = factors.some(({ kind }) => kind === "totp")
    const hasRecovery = factors.some(({ kind }) => kind === "recovery")
    const offersCodes = hasStrong && visit.context.slots.factors?.offersRecovery === true
    const content = (
      <>
        <p class="quiet">{translate("factors.text")}</p>
        {factors.length > 0 && (
          <List>
            {factors.map((factor) => (
              <FactorItem factor={factor} page={page} />
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
        {isFresh && offersCodes && (
          <ActionButton
            page={page}
            fields={{ action: "create-recovery-codes" }}
            text={translate(hasRecovery ? "factors.renewCodes" : "factors.addCodes")}
          />
        )}
      </>
    )
    return { content }
  },
}

interface FactorItemProps {
  readonly factor: FactorView
  readonly page: SectionPage
}

function FactorItem({ factor, page }: FactorItemProps): JSX.Element {
  const { frame, t, isFresh } = page
  const { id, kind, label, lastUsedAt, codesLeft } = factor
  const translate = translateAccount(frame)
  const name = kind === "recovery" ? translate("factors.recovery") : (label ?? translate("factors.totp"))
  const used = lastUsedAt ? translate("used", { ago: toAgo(new Date(lastUsedAt), t.language) }) : translate("unused")
  return (
    <Item
      title={<bdi>{name}</bdi>}
      detail={codesLeft === null ? used : translate("factors.codesLeft", { count: codesLeft })}
    >
      {isFresh && (
        <ActionButton
          page={page}
          size="small"
          rank="removal"
          fields={{ action: "remove", id }}
          text={translate("remove")}
          label={translate("removeOne", { name })}
        />
      )}
    </Item>
  )
}

/** The pages with the secret and the recovery codes. */
async function answer({ request, context }: Visit): Promise<Reply> {
  const back = {
    url: context.actionUrl(request, "account"),
    text: translateAccount(await toFrame(request, context))("back"),
  }
  const page = { url: context.actionUrl(request, "account/factors"), back }
  const reply = await context.slots.factors?.answerFactorForm(request, context, page)
  if (reply) return reply
  throw new InvalidRequest("The session ended meanwhile")
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
