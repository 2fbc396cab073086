/** @jsxImportSource #markup */
import { InvalidConfiguration, InvalidRequest } from "../../errors/errors.js"
import { runApp } from "../../host/redact.js"
import { type Fields, toFormFields } from "../../http/body.js"
import { Field, HiddenFields, SubmitButton } from "../../pages/form.js"
import type { Children } from "../../pages/markup/jsx-runtime.js"
import type { PictureOptions } from "./names.js"
import { ActionButton } from "./parts.js"
import { ChangeRefused, type SectionPage, type Visit } from "./section.js"
import { isPictureUrl, maxImageLength } from "./text.js"
import { translateAccount } from "./translate.js"

/** The media types of pictures, each with how its files begin, in hexadecimal. SVG is none of them: it can hold scripts. */
const beginnings: readonly (readonly [type: string, pattern: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["image/avif", /^.{8}66747970617669(?:66|73)/],
]

/** The type by the first bytes. What the client says about the file is ignored. */
async function findType(file: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.slice(0, 12).arrayBuffer())
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return beginnings.find(([, pattern]) => pattern.test(hex))?.[0]
}

/** The form has three fields. A parser takes seconds for tens of thousands, and for as many headers. */
const maxFields = 20
/** Of the headers of a field. The name of a file is one of them. */
const maxHeaderBytes = 2048

/**
 * Reads a form with a file. Anyone can send one, before it is known who they are.
 * @throws InvalidRequest
 */
export async function parseUpload(chunks: readonly Uint8Array[], contentType: string): Promise<Fields> {
  // `slice` copies: a chunk may be a view of memory that is shared, which a blob does not take.
  const body = new Blob(chunks.map((chunk) => chunk.slice()))
  const boundary = findBoundary(contentType)
  if (boundary === null || !isSmall(await body.arrayBuffer(), boundary))
    throw new InvalidRequest("The form has no boundary, or too many or too large fields")
  // Only this boundary: the parser must not find another one in the header.
  const headers = { "content-type": `multipart/form-data; boundary=${toParameter(boundary)}` }
  const parsed = new Response(body, { headers }).formData()
  return toFormFields(
    await parsed.catch(() => {
      throw new InvalidRequest("The body is not what its type says")
    }),
  )
}

/** RFC 2046 section 5.1.1. Null without one. */
function findBoundary(contentType: string): string | null {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'+.-]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

const toParameter = (boundary: string): string => (/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`)

/** Whether a form has few fields, each with short headers. */
function isSmall(body: ArrayBuffer, boundary: string): boolean {
  // One character for each byte.
  const text = new TextDecoder("windows-1252").decode(body)
  const delimiter = `--${boundary}`
  let at = text.indexOf(delimiter)
  for (let fields = 0; at !== -1; fields++) {
    const start = at + delimiter.length
    const end = text.slice(start, start + maxHeaderBytes).search(/^--|\r\n\r\n/)
    if (fields > maxFields || end === -1) return false
    at = text.indexOf(delimiter, start)
  }
  return true
}

/**
 * Gives the file of the form to the app, and returns its URL.
 * @throws ChangeRefused, InvalidRequest
 */
export async function savePicture({ request, settings, user }: Visit): Promise<string> {
  const { picture: options } = settings
  const file = request.body?.["picture"]
  if (!options || !(file instanceof Blob)) throw new InvalidRequest("picture: must be a file of a multipart form")
  const type = await findType(file)
  if (type === undefined || file.size > options.maxBytes) {
    const expected = `a PNG, JPEG, GIF, WebP or AVIF of at most ${options.maxBytes} bytes`
    throw new ChangeRefused(`picture: must be ${expected}`, { code: "picture", field: "picture" })
  }
  // A new file: without the name that the client gave it, and with the type that it has.
  const save = () => options.save(new Blob([file], { type }), user)
  const url = toPictureUrl(await runApp("accountArea.picture.save", save, [user]), request.url.origin)
  if (url !== null) return url
  throw new InvalidConfiguration(
    "accountArea.picture.save: must return an http(s) URL without a password, a path that starts with a slash, or a data: URL of a picture, of at most 2048 characters",
  )
}

const dataUrl = /^data:image\/(?:avif|gif|jpeg|png|webp);base64,[\w+/]+={0,2}$/

function toPictureUrl(given: unknown, origin: string): string | null {
  if (typeof given !== "string" || given.length > maxImageLength) return null
  if (dataUrl.test(given)) return given
  const url = URL.parse(given, /^\/(?![/\\])/.test(given) ? origin : undefined)
  return isPictureUrl(url) ? url.href : null
}

/** The form for a file. It works without scripts. */
export function renderPictureForm(
  image: string | null,
  { maxBytes }: Pick<PictureOptions, "maxBytes">,
  { frame, action, csrfToken, wrongField }: SectionPage,
): Children {
  const translate = translateAccount(frame)
  const { language } = frame.locale
  const megabytes = new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 })
  const hint = "picture-hint"
  return (
    <div class="account-part">
      {image !== null && isShown(image, frame.siteUrl) && (
        <img class="account-picture" src={image} alt="" width={96} height={96} />
      )}
      <form class="form" action={action} method="post" enctype="multipart/form-data">
        <HiddenFields {...{ csrfToken, action: "save-picture" }} />
        <Field
          formId="profile"
          name="picture"
          label={translate("profile.upload")}
          attributes={{
            type: "file",
            accept: beginnings.map(([type]) => type).join(","),
            required: true,
            "aria-describedby": hint,
          }}
          isInvalid={wrongField === "picture"}
        />
        <p class="quiet" id={hint}>
          {translate("profile.uploadHint", { size: megabytes.format(maxBytes / 1_000_000) })}
        </p>
        <SubmitButton text={translate("save")} isMain={false} />
      </form>
      {image !== null && (
        <ActionButton
          page={{ action, csrfToken }}
          fields={{ action: "remove-picture" }}
          text={translate("profile.removePicture")}
        />
      )}
    </div>
  )
}

/** Pictures of other sites are not loaded: they would tell another site about the visit. */
function isShown(image: string, siteUrl: string): boolean {
  return image.startsWith("data:image/") || URL.parse(image)?.origin === siteUrl
}
