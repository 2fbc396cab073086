/** @jsxImportSource #markup */

import { decideUnlink } from "../../account/unlinking.js"
import { beginSignIn } from "../../actions/signin.js"
import { InvalidRequest } from "../../errors/errors.js"
import type { Reply } from "../../http/response.js"
import { getMethod } from "../../methods/find-method.js"
import { createTranslator, type PageFrame, ProviderMark, parseProviderLogo } from "../../pages/document.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import { limited } from "../route.js"
import { listLinkable, listOwnSignInMethods, removeSignInMethod, type SignInMethodView } from "./own-sign-in-methods.js"
import { ActionButton, findReferred, Item, List, QuestionLink, toReferences } from "./parts.js"
import type { Outcome, Question, Section, SectionPage, Visit } from "./section.js"
import { getText, readText } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** How the user can sign in, and the providers at which they can add an account. */
export interface SignInMethods {
  readonly methods: readonly (SignInMethodView & {
    /** Whether `action=unlink` removes it: an account that is not the last method that works. */
    readonly canUnlink: boolean
  })[]
  /** The providers at which an account can be added. */
  readonly linkable: readonly { readonly provider: string; readonly name: string }[]
}

/** The accounts at providers, and every other sign-in method. */
export const signInMethodsSection: Section<SignInMethods> = {
  name: "methods",
  isOffered: ({ store }) => store?.has("listAccountsByUserId") === true && store.has("unlinkAccount"),
  async show(visit) {
    const methods = await listOwnSignInMethods(visit)
    return {
      methods: methods.map((method) => ({
        ...method,
        canUnlink: method.kind === "account" && decideUnlink({ methods, wanted: method }).kind === "unlink",
      })),
      linkable: listLinkable(visit).map(({ id, name }) => ({ provider: id, name })),
    }
  },
  actions: { link, unlink },
  steps: { unlink: askToUnlink },
  translate: translateSection("methods"),
  summarize: ({ methods }, frame) =>
    [...new Set(methods.filter(({ works }) => works).map((method) => toTitle(method, frame)))].join(" · "),
  async render({ methods, linkable }, page) {
    const { frame, isFresh } = page
    const translate = translateAccount(frame)
    const marks = await Promise.all(linkable.map(({ provider }) => findMark(provider, page)))
    const references = await toReferences(methods.map(toId), page.visit)
    const passkeys = methods.filter(({ kind }) => kind === "passkey")
    const content = (
      <>
        <p class="quiet">{translate("methods.text")}</p>
        <List>
          {methods
            .filter(({ kind }) => kind !== "passkey")
            .map((method) => (
              <SignInMethodItem method={method} of={references.get(toId(method)) ?? ""} page={page} />
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
                text={translate("methods.add", { provider: name })}
                mark={<span data-provider={provider}>{marks[n]}</span>}
              />
            ))}
          </div>
        )}
      </>
    )
    return { content, hasChanges: linkable.length > 0 || methods.some(({ canUnlink }) => canUnlink) }
  },
}

async function findMark(id: string, { visit, frame, toUrl }: SectionPage): Promise<JSX.Element | null> {
  const provider = await visit.context.findProvider(id)
  if (!provider) return null
  const urls = { signinUrl: toUrl(`signin/${id}`), callbackUrl: toUrl(`callback/${id}`), toUrl }
  const model = await getMethod(provider).form(provider, urls)
  if (model.kind !== "redirect") return null
  return <ProviderMark name={model.name} logo={parseProviderLogo(model.logo, frame.siteUrl)} mark={model.mark} />
}

/** The method's name on pages. An email provider, for example, is named after its service. */
function toTitle({ kind, name }: SignInMethodView, frame: PageFrame): string {
  if (kind === "email") return createTranslator(frame).translate("signIn.email")
  const translate = translateAccount(frame)
  if (kind === "password") return translate("password.title")
  return kind === "passkey" ? translate("passkeys.title") : name
}

/** Identifies an account among those of its user. */
const toId = ({ provider, providerAccountId }: SignInMethodView): string =>
  JSON.stringify([provider, providerAccountId ?? ""])

interface SignInMethodItemProps {
  readonly method: SignInMethods["methods"][number]
  /** Names it in a URL. */
  readonly of: string
  readonly page: SectionPage
}

function SignInMethodItem({ method, of, page }: SignInMethodItemProps): JSX.Element {
  const { visit, frame, isFresh } = page
  const { kind, providerAccountId, works, canUnlink } = method
  const title = toTitle(method, frame)
  const translate = translateAccount(frame)
  if (kind === "email") {
    const { email } = visit.user
    return <Item title={title} detail={works ? <bdi>{email}</bdi> : translate("methods.unproved", { email })} />
  }
  if (kind === "password") return <Item title={title} />
  const id = providerAccountId ?? ""
  const detail = works ? canUnlink ? <bdi>{id}</bdi> : translate("last") : translate("methods.off")
  return (
    <Item title={title} detail={detail}>
      {isFresh && canUnlink && (
        <QuestionLink
          page={page}
          size="small"
          query={{ step: "unlink", of }}
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
  const callbackUrl = readText(request, "callbackUrl") ?? context.actionUrl(request, "account/methods?done=linked")
  const begun = { ...request, route: "signin", providerId: id, body: { ...request.body, callbackUrl } } as const
  return limited("signIn", beginSignIn)(begun, context)
}

/** `?step=unlink` with `of`. */
async function askToUnlink(visit: Visit, frame: PageFrame): Promise<Question | null> {
  const method = await findReferred(await listOwnSignInMethods(visit), toId, visit)
  if (method?.kind !== "account") return null
  const translate = translateAccount(frame)
  return {
    heading: translate("ask.remove", { name: toTitle(method, frame) }),
    text: translate("ask.method"),
    fields: { action: "unlink", provider: method.provider, id: method.providerAccountId ?? "" },
    button: translate("remove"),
  }
}

/** `action=unlink` with `provider` and `id`, the user's id at the provider. */
async function unlink(visit: Visit): Promise<Outcome> {
  const { request } = visit
  const wanted = { provider: getText(request, "provider"), providerAccountId: getText(request, "id") }
  const cookies = await removeSignInMethod(wanted, "account", visit)
  // The same for an account of another user as for one that does not exist.
  if (!cookies) return { json: { error: "NotFound" }, status: 404, done: "gone" }
  return { json: { removed: 1 }, done: "removed", cookies }
}
