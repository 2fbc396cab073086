/** @jsxImportSource #markup */
import type { AuthRequest } from "../../http/request.js"
import { isolate } from "../../messages/translate.js"
import { Field, HiddenFields, SubmitButton } from "../../pages/form.js"
import { ChangeRefused, type Outcome, type Section, type Visit } from "./section.js"
import { showProfile } from "./session-profile.js"
import { isPictureUrl, maxImageLength, readText, toLine } from "./text.js"
import { translateAccount, translateSection } from "./translate.js"

/** What users can change about themselves. */
export interface Profile {
  readonly name: string | null
  /** An http(s) URL. */
  readonly image: string | null
}

/** Characters. */
const maxNameLength = 100

const translate = translateSection("profile")

/** Name and picture. */
export const profileSection: Section<Profile> = {
  name: "profile",
  isOffered: ({ store }) => store?.has("updateUser") === true,
  show: ({ user: { name, image } }) => ({ name: name || null, image: image || null }),
  actions: { save, "save-picture": uploadPicture, "remove-picture": (visit) => change(visit, { image: null }) },
  translate,
  summarize: ({ name }, frame) =>
    name === null ? translateAccount(frame)("profile.none") : isolate(name, frame.locale),
  unproved: ["save", "save-picture", "remove-picture"],
  async render({ name, image }, page) {
    const { visit, frame, action, csrfToken, wrongField, typed } = page
    const { picture } = visit.settings
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
        {!picture && (
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
        )}
        <SubmitButton text={translate("save")} isMain={true} />
      </form>
    )
    if (!picture) return { content, hasChanges: false }
    const { renderPictureForm } = await import("./picture.js")
    return { content: [content, renderPictureForm(image, picture, page)], hasChanges: false }
  },
}

/** `action=save` with `name` and `image`. One that is left out stays; an empty one is removed. */
async function save(visit: Visit): Promise<Outcome> {
  const name = readName(visit.request)
  const image = readImage(visit.request)
  return change(visit, { ...(name !== undefined && { name }), ...(image !== undefined && { image }) })
}

/** `action=save-picture` with the file `picture`, in a multipart form. Only with `accountArea({ picture })`. */
async function uploadPicture(visit: Visit): Promise<Outcome> {
  const { savePicture } = await import("./picture.js")
  return change(visit, { image: await savePicture(visit) })
}

async function change({ request, context, store, user }: Visit, changes: Partial<Profile>): Promise<Outcome> {
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
  if (isPictureUrl(url)) return url.href
  throw new ChangeRefused("image: must be an http(s) URL without a password", { code: "image", field: "image" })
}
