/** @jsxImportSource #markup */
import { decideUnlink } from "../../account/unlinking.js"
import { limited } from "../../actions/routes.js"
import { beginSignIn } from "../../actions/signin.js"
import { InvalidRequest } from "../../errors/errors.js"
import type { Reply } from "../../http/response.js"
import type { JSX } from "../../markup/jsx-runtime.js"
import { getMethod } from "../../methods/find-method.js"
import { createTranslator, type PageFrame, ProviderMark, parseProviderLogo } from "../../pages/document.js"
import { listLinkable, listOwnWays, type OwnWay, removeWay } from "./own-ways.js"
import { ActionButton, Item, List } from "./parts.js"
import type { Outcome, Section, SectionPage, Visit } from "./section.js"
import { getText, readText } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** How the user can sign in. */
export interface Ways {
  readonly ways: readonly (OwnWay & {
    /** Whether `action=unlink` removes it: an account that is not the last way which works. */
    readonly canUnlink: boolean
  })[]
  /** The providers at which an account can be added. */
  readonly linkable: readonly { readonly provider: string; readonly name: string }[]
}

/** The accounts at providers, and every other way to sign in. */
export const waysSection: Section<Ways> = {
  name: "ways",
  isOffered: ({ store }) => store?.has("listAccountsByUserId") === true && store.has("unlinkAccount"),
  async show(visit) {
    const ways = await listOwnWays(visit)
    return {
      ways: ways.map((way) => ({
        ...way,
        canUnlink: way.kind === "account" && decideUnlink({ ways, wanted: way }).kind === "unlink",
      })),
      linkable: listLinkable(visit).map(({ id, name }) => ({ provider: id, name })),
    }
  },
  actions: { link, unlink },
  translate: translateSection("ways"),
  summarize: ({ ways }, frame) =>
    [...new Set(ways.filter(({ works }) => works).map((way) => toTitle(way, frame)))].join(" · "),
  async render({ ways, linkable }, page) {
    const { frame, isFresh } = page
    const translate = translateAccount(frame)
    const marks = await Promise.all(linkable.map(({ provider }) => findMark(provider, page)))
    const passkeys = ways.filter(({ kind }) => kind === "passkey")
    const content = (
      <>
        <p class="quiet">{translate("ways.text")}</p>
        <List>
          {ways
            .filter(({ kind }) => kind !== "passkey")
            .map((way) => (
              <WayItem way={way} page={page} />
            ))}
          {passkeys.length > 0 && (
            <Item
              title={translate("passkeys.title")}
              detail={translate("passkeys.count", { count: passkeys.length })}
            />
          )}
        </List>
        {isFresh && linkable.length > 0 && (
          <div class="providers">
            {linkable.map(({ provider, name }, n) => (
              <ActionButton
                page={page}
                fields={{ action: "link", provider }}
                text={translate("ways.add", { provider: name })}
                mark={<span data-provider={provider}>{marks[n]}</span>}
              />
            ))}
          </div>
        )}
      </>
    )
    return { content, hasChanges: linkable.length > 0 || ways.some(({ canUnlink }) => canUnlink) }
  },
}

async function findMark(id: string, { visit, frame, toUrl }: SectionPage): Promise<JSX.Element | null> {
  const provider = visit.context.providers.get(id)
  if (!provider) return null
  const urls = { signinUrl: toUrl(`signin/${id}`), callbackUrl: toUrl(`callback/${id}`), toUrl }
  const model = await getMethod(provider).form(provider, urls)
  if (model.kind !== "redirect") return null
  return <ProviderMark name={model.name} logo={parseProviderLogo(model.logo, frame.siteUrl)} mark={model.mark} />
}

/** What the way is called on pages: a provider of mails, for example, is named after its service. */
function toTitle({ kind, name }: OwnWay, frame: PageFrame): string {
  if (kind === "email") return createTranslator(frame).translate("signIn.email")
  const translate = translateAccount(frame)
  if (kind === "password") return translate("password.title")
  return kind === "passkey" ? translate("passkeys.title") : name
}

interface WayItemProps {
  readonly way: Ways["ways"][number]
  readonly page: SectionPage
}

function WayItem({ way, page }: WayItemProps): JSX.Element {
  const { visit, frame, isFresh } = page
  const { kind, provider, providerAccountId, works, canUnlink } = way
  const title = toTitle(way, frame)
  const translate = translateAccount(frame)
  if (kind === "email") {
    const { email } = visit.user
    return <Item title={title} detail={works ? email : translate("ways.unproved", { email })} />
  }
  if (kind === "password") return <Item title={title} />
  const id = providerAccountId ?? ""
  const detail = works ? (canUnlink ? id : translate("last")) : translate("ways.off")
  return (
    <Item title={title} detail={detail}>
      {isFresh && canUnlink && (
        <ActionButton
          page={page}
          size="small"
          rank="removal"
          fields={{ action: "unlink", provider, id }}
          text={translate("remove")}
          label={translate("removeOne", { name: title })}
        />
      )}
    </Item>
  )
}

/** `action=link` with `provider`: goes to the provider, and from there back to the page, or to `callbackUrl`. */
async function link({ request, context, ...visit }: Visit): Promise<Reply> {
  const id = getText(request, "provider")
  if (!listLinkable({ ...visit, request, context }).some((provider) => provider.id === id)) {
    throw new InvalidRequest("provider: must be the id of an OAuth or OpenID Connect provider")
  }
  const callbackUrl = readText(request, "callbackUrl") ?? context.actionUrl(request, "account/ways?done=linked")
  const begun = { ...request, route: "signin", providerId: id, body: { ...request.body, callbackUrl } } as const
  return limited("signIn", beginSignIn)(begun, context)
}

/** `action=unlink` with `provider` and `id`, the user's id at the provider. */
async function unlink(visit: Visit): Promise<Outcome> {
  const { request } = visit
  const wanted = { provider: getText(request, "provider"), providerAccountId: getText(request, "id") }
  const cookies = await removeWay(wanted, "account", visit)
  // The same for an account of another user as for one that does not exist.
  if (!cookies) return { json: { error: "NotFound" }, status: 404, done: "gone" }
  return { json: { removed: 1 }, done: "removed", cookies }
}
