/** @jsxImportSource #markup */

import { decideUnlink } from "../../account/unlinking.js"
import { getMethod } from "../../methods/find-method.js"
import { isPasskeyProvider } from "../../methods/reauthentication.js"
import type { PageFrame } from "../../pages/document.js"
import { Field, HiddenFields, SubmitButton } from "../../pages/form.js"
import type { PasskeyForm } from "../../pages/form-model.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import { toDate } from "../../runtime/merge.js"
import type { AdapterAuthenticator } from "../../types/adapter.js"
import { listOwnSignInMethods, removeSignInMethod, type SignInMethodView } from "./own-sign-in-methods.js"
import { findReferred, Item, List, QuestionLink, toAgo, toReferences } from "./parts.js"
import { ChangeRefused, type Outcome, type Question, type Section, type SectionPage, type Visit } from "./section.js"
import { getText, readText, toLine } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** A passkey as its user may see it. */
export interface PasskeyView {
  readonly id: string
  /** The name of its authenticator or browser, or the one that the user gave it. */
  readonly name: string | null
  /** Whether it is synced to other devices of the user. */
  readonly isSynced: boolean
  /** Whether it is on a key that is plugged in or held to the device. */
  readonly isSecurityKey: boolean
  /** Null if it was not used yet, or the store does not keep that. */
  readonly lastUsedAt: Date | null
  /** Whether `action=remove` removes it: it is not the last sign-in method that works. */
  readonly canRemove: boolean
}

interface OwnPasskeys {
  readonly passkeys: readonly PasskeyView[]
  /** Whether the store keeps names. */
  readonly canRename: boolean
}

/** Characters; the rest is cut off. */
const maxNameLength = 60

/** The passkeys of the user. */
export const passkeysSection: Section<OwnPasskeys> = {
  name: "passkeys",
  isOffered: ({ providers, store }) =>
    store?.has("listAuthenticatorsByUserId") === true && [...providers.values()].some(isPasskeyProvider),
  async show(visit) {
    const { store, userId } = visit
    const [keys, methods] = await Promise.all([store.listAuthenticatorsByUserId(userId), listOwnSignInMethods(visit)])
    const canUnlink = store.has("unlinkAccount")
    return {
      passkeys: keys.map((key) => toView(key, canUnlink && mayGo(key, methods))),
      canRename: store.has("updateAuthenticator"),
    }
  },
  actions: { rename, remove },
  unproved: ["rename"],
  steps: { remove: askToRemove },
  translate: translateSection("passkeys"),
  summarize: ({ passkeys }, frame) =>
    translateAccount(frame)(passkeys.length > 0 ? "passkeys.count" : "passkeys.none", { count: passkeys.length }),
  async render({ passkeys, canRename }, page) {
    const { frame, t, csrfToken, isFresh, toUrl } = page
    const translate = translateAccount(frame)
    const model = isFresh ? await findForm(page) : undefined
    const hidden = { csrfToken, callbackUrl: `${toUrl("account/passkeys")}?done=added` }
    const references = await toReferences(
      passkeys.map(({ id }) => id),
      page.visit,
    )
    const adding = {
      button: translate("passkeys.add"),
      needsScript: translate("passkeys.needsScript"),
    }
    const content = (
      <>
        <p class="quiet">{translate("passkeys.text")}</p>
        <div class="notice" role="alert" data-passkey-message hidden />
        {passkeys.length > 0 && (
          <List>
            {passkeys.map((passkey) => (
              <PasskeyItem passkey={passkey} of={references.get(passkey.id) ?? ""} canRename={canRename} page={page} />
            ))}
          </List>
        )}
        {model?.render(model, {
          hidden,
          frame,
          t,
          providers: [],
          isMain: passkeys.length === 0,
          isSignUpShown: false,
          adding,
        })}
      </>
    )
    return { content, scriptUrl: model?.scriptUrl }
  },
}

async function findForm({ visit, toUrl }: SectionPage): Promise<PasskeyForm | undefined> {
  const provider = [...visit.context.providers.values()].find(isPasskeyProvider)
  if (!provider) return undefined
  const urls = { signinUrl: toUrl(`signin/${provider.id}`), callbackUrl: toUrl(`callback/${provider.id}`), toUrl }
  const model = await getMethod(provider).form(provider, urls)
  return model.kind === "passkey" ? model : undefined
}

/** A passkey without an account cannot sign anyone in, so it can always be removed. */
function mayGo({ credentialID }: AdapterAuthenticator, methods: readonly SignInMethodView[]): boolean {
  const method = findMethod(credentialID, methods)
  return !method || decideUnlink({ methods, wanted: method }).kind === "unlink"
}

function findMethod(id: string, methods: readonly SignInMethodView[]): SignInMethodView | undefined {
  return methods.find(({ kind, providerAccountId }) => kind === "passkey" && providerAccountId === id)
}

function toView(key: AdapterAuthenticator, canRemove: boolean): PasskeyView {
  const transports = key.transports?.split(",") ?? []
  return {
    id: key.credentialID,
    name: key.name || null,
    isSynced: key.credentialBackedUp,
    isSecurityKey: transports.some((transport) => transport === "usb" || transport === "nfc"),
    lastUsedAt: key.lastUsedAt ? toDate(key.lastUsedAt) : null,
    canRemove,
  }
}

interface PasskeyItemProps {
  readonly passkey: PasskeyView
  /** Names it in a URL. */
  readonly of: string
  readonly canRename: boolean
  readonly page: SectionPage
}

function PasskeyItem({ passkey, of, canRename, page }: PasskeyItemProps): JSX.Element {
  const { frame, t, isFresh } = page
  const { lastUsedAt, isSynced, isSecurityKey, canRemove } = passkey
  const translate = translateAccount(frame)
  const name = passkey.name ?? translate("passkeys.unnamed")
  const place = translate(isSecurityKey ? "passkeys.key" : isSynced ? "passkeys.synced" : "passkeys.device")
  const used = lastUsedAt ? translate("used", { ago: toAgo(lastUsedAt, t.language) }) : translate("unused")
  return (
    <Item
      title={<bdi>{name}</bdi>}
      detail={`${place} · ${canRemove ? used : translate("last")}`}
      below={canRename && <RenameForm passkey={passkey} page={page} />}
    >
      {isFresh && canRemove && (
        <QuestionLink
          page={page}
          size="small"
          query={{ step: "remove", of }}
          text={translate("remove")}
          label={translate("removeOne", { name })}
        />
      )}
    </Item>
  )
}

function RenameForm({ passkey: { id, name }, page }: Omit<PasskeyItemProps, "canRename" | "of">): JSX.Element {
  const { frame, action, csrfToken } = page
  const translate = translateAccount(frame)
  return (
    <details class="more">
      <summary class="more-summary">{translate("passkeys.rename")}</summary>
      <form class="form" action={action} method="post">
        <HiddenFields {...{ csrfToken, action: "rename", id }} />
        <Field
          formId={`passkey-${id}`}
          name="name"
          label={translate("passkeys.name")}
          attributes={{ type: "text", autocomplete: "off", maxlength: maxNameLength, value: name ?? "" }}
          isInvalid={false}
        />
        <SubmitButton text={translate("save")} isMain={false} />
      </form>
    </details>
  )
}

const gone: Outcome = { json: { error: "NotFound" }, status: 404, done: "gone" }

/** The same for the passkey of another user as for one that does not exist. */
async function findOwn({ request, store, userId }: Visit): Promise<AdapterAuthenticator | undefined> {
  const id = getText(request, "id")
  return (await store.listAuthenticatorsByUserId(userId)).find(({ credentialID }) => credentialID === id)
}

/** `?step=remove` with `of`. */
async function askToRemove(visit: Visit, frame: PageFrame): Promise<Question | null> {
  const { store, userId } = visit
  const keys = await store.listAuthenticatorsByUserId(userId)
  const key = await findReferred(keys, ({ credentialID }) => credentialID, visit)
  if (!key) return null
  const translate = translateAccount(frame)
  return {
    heading: translate("ask.remove", { name: key.name || translate("passkeys.unnamed") }),
    text: translate("ask.method"),
    fields: { action: "remove", id: key.credentialID },
    button: translate("remove"),
  }
}

/** `action=rename` with `id` and `name`; an empty one is removed. */
async function rename(visit: Visit): Promise<Outcome> {
  const { request, store } = visit
  const key = await findOwn(visit)
  if (!key || !store.has("updateAuthenticator")) return gone
  const name = toLine(readText(request, "name") ?? "", maxNameLength)
  await store.updateAuthenticator({ credentialID: key.credentialID, name })
  return { json: { name }, done: "renamed" }
}

/** `action=remove` with `id`. */
async function remove(visit: Visit): Promise<Outcome> {
  const { request, context, store, user } = visit
  const key = await findOwn(visit)
  if (!key || !store.has("unlinkAccount")) return gone
  const factors = context.slots.factors
  const finish = await factors?.guardPasskey(user, request, context)
  if (finish === null) {
    throw new ChangeRefused("The user must have a second factor, and this is the last one", { code: "required" })
  }
  const method = findMethod(key.credentialID, await listOwnSignInMethods(visit))
  const cookies = method ? await removeSignInMethod(method, "passkey", visit) : []
  if (store.has("deleteAuthenticator")) await store.deleteAuthenticator(key.credentialID)
  await finish?.()
  return { json: { removed: 1 }, done: "removed", cookies: cookies ?? [] }
}
