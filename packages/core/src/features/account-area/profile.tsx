/** @jsxImportSource #markup */
import { isHttp } from "../../http/origin.js"
import type { AuthRequest } from "../../http/request.js"
import { isolate } from "../../messages/translate.js"
import { Field, HiddenFields, SubmitButton } from "../../pages/form.js"
import { ChangeRefused, type Outcome, type Section, type Visit } from "./section.js"
import { showProfile } from "./session-profile.js"
import { readText, toLine } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** What users can change about themselves. */
export interface Profile {
  readonly name: string | null
  /** An http(s) URL. */
  readonly image: string | null
}

/** Characters. */
const maxNameLength = 100
/** Characters. A longer one is refused: cut off, it would lead elsewhere. */
const maxImageLength = 2048

const translate = translateSection("profile")

/** Name and picture. */
export const profileSection: Section<Profile> = {
  name: "profile",
  isOffered: ({ store }) => store?.has("updateUser") === true,
  show: ({ user: { name, image } }) => ({ name: name || null, image: image || null }),
  actions: { save },
  translate,
  summarize: ({ name }, frame) =>
    name === null ? translateAccount(frame)("profile.none") : isolate(name, frame.locale),
  unproved: ["save"],
  render({ name, image }, { frame, action, csrfToken, wrongField, typed }) {
    const translate = translateAccount(frame)
    const content = (
      <form class="form" action={action} method="post">
        <HiddenFields {...{ csrfToken, action: "save" }} />
        <Field
          formId="profile"
          name="name"
          label={translate("profile.name")}
          attributes={{
            type: "text",
            autocomplete: "name",
            maxlength: maxNameLength,
            value: typed("name") ?? name ?? "",
          }}
          isInvalid={false}
        />
        <Field
          formId="profile"
          name="image"
          label={translate("profile.image")}
          attributes={{
            type: "url",
            inputmode: "url",
            autocomplete: "photo",
            maxlength: maxImageLength,
            value: typed("image") ?? image ?? "",
          }}
          isInvalid={wrongField === "image"}
        />
        <SubmitButton text={translate("save")} isMain={true} />
      </form>
    )
    return { content, hasChanges: false }
  },
}

/** `action=save` with `name` and `image`. One that is left out stays; an empty one is removed. */
async function save({ request, context, store, user }: Visit): Promise<Outcome> {
  const name = readName(request)
  const image = readImage(request)
  const changes = { ...(name !== undefined && { name }), ...(image !== undefined && { image }) }
  const updated = await store.updateUser({ id: user.id, ...changes })
  await context.events.of(request).send("updateUser", { user: updated })
  const profile: Profile = { name: updated.name || null, image: updated.image || null }
  return { json: profile, done: "saved", cookies: await showProfile(profile, request, context) }
}

function readName(request: AuthRequest): string | null | undefined {
  const typed = readText(request, "name")
  return typed === undefined ? undefined : toLine(typed, maxNameLength)
}

function readImage(request: AuthRequest): string | null | undefined {
  const typed = readText(request, "image")?.trim()
  if (typed === undefined || typed === "") return typed === "" ? null : undefined
  const url = URL.parse(typed)
  const isPlain = url && isHttp(url) && url.username === "" && url.password === ""
  if (isPlain && url.href.length <= maxImageLength) return url.href
  throw new ChangeRefused("image: must be an http(s) URL without a password", { code: "image", field: "image" })
}
