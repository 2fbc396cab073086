/** @jsxImportSource #markup */
import type { JSX } from "../../markup/jsx-runtime.js"
import { Divider, LinkButton, type PageFrame, type Translator } from "../../pages/document.js"
import { noticeId } from "../../pages/error-message.js"
import { HiddenFields, type HiddenFieldsProps, HostFields, SubmitButton } from "../../pages/form.js"
import type { FieldsForm } from "../../pages/form-model.js"
import { CodeForm, PasskeyWay, render, type Translate, Wrong } from "./page.js"
import type { Way } from "./ways.js"

export interface ConfirmContent {
  /** The best first. */
  readonly ways: readonly Way[]
  readonly csrfToken: string | undefined
  /** Whether one of two steps is done. */
  readonly isStarted: boolean
  /** This page, where a sign-in comes back to. */
  readonly callbackUrl: string
  /** The target of the form of a code or a password. */
  readonly toAction: (id: string) => string
  readonly email: string
  /** The id of the way that failed: untrusted text. */
  readonly wrong: string | null
  readonly signInUrl: string
  readonly backUrl: string
}

/** Asks a signed-in user again who they are. */
export function renderConfirmPage(content: ConfirmContent, frame: PageFrame): string {
  const { ways, isStarted, wrong, signInUrl, backUrl } = content
  const [script] = ways.flatMap(({ kind, ...way }) =>
    "model" in way && way.model.kind === "passkey" ? [way.model] : [],
  )
  const main = ways.find(({ id }) => id === wrong) ?? ways[0]
  return render(
    frame,
    "confirm.heading",
    (translate, t) => (
      <>
        <p>{translate(ways.length === 0 ? "confirm.none" : isStarted ? "confirm.next" : "confirm.text")}</p>
        {ways.map((way, n) => (
          <>
            {n > 0 && <Divider t={t} />}
            <WayForm way={way} content={content} isMain={way === main} translate={translate} frame={frame} t={t} />
          </>
        ))}
        <div class="next-steps">
          {ways.length === 0 && <LinkButton url={signInUrl} text={translate("confirm.signIn")} rank="primary" />}
          <LinkButton url={backUrl} text={translate("confirm.back")} rank="secondary" />
        </div>
      </>
    ),
    script?.scriptUrl,
  )
}

interface WayFormProps {
  readonly way: Way
  readonly content: ConfirmContent
  readonly isMain: boolean
  readonly translate: Translate
  readonly frame: PageFrame
  readonly t: Translator
}

function WayForm({ way, content, isMain, translate, frame, t }: WayFormProps): JSX.Element {
  const { csrfToken, callbackUrl, toAction, email, wrong } = content
  const isWrong = wrong === way.id
  const hidden: HiddenFieldsProps = { csrfToken, callbackUrl }
  if (way.kind === "code") {
    const isTotp = way.id === "totp"
    const form = { csrfToken, action: toAction(way.id), isWrong }
    return (
      <>
        {isWrong && <Wrong text={translate(isTotp ? "wrong.text" : "wrong.recovery")} translate={translate} />}
        <CodeForm
          content={form}
          label={translate(isTotp ? "code.appLabel" : "recovery.label")}
          isTotp={isTotp}
          isMain={isMain}
          translate={translate}
        />
      </>
    )
  }
  const { model } = way
  if (model.kind === "passkey") {
    return <PasskeyWay passkey={{ model, hidden }} frame={frame} t={t} isMain={isMain} hasDivider={false} />
  }
  if (model.kind === "fields") {
    return <FieldsWay model={model} hidden={hidden} isWrong={isWrong} {...{ content, isMain, translate, frame }} />
  }
  const isEmail = model.kind === "email"
  return (
    <form class="form" action={model.signinUrl} method="post">
      <HiddenFields {...hidden} />
      {isEmail && <input type="hidden" name="email" value={email} />}
      <SubmitButton
        text={isEmail ? translate("confirm.email") : translate("confirm.provider", { provider: model.name })}
        isMain={isMain}
      />
    </form>
  )
}

interface FieldsWayProps extends Omit<WayFormProps, "way" | "t"> {
  readonly model: FieldsForm
  readonly hidden: HiddenFieldsProps
  readonly isWrong: boolean
}

/** The password, or the fields of the host. */
function FieldsWay({ model, hidden, isWrong, content, isMain, translate, frame }: FieldsWayProps): JSX.Element {
  const { toAction, email } = content
  const texts = model.own?.say(frame.locale, frame.siteName)
  return (
    <form class="form" action={toAction(model.id)} method="post">
      {isWrong && (
        <div id={noticeId} class="notice" role="alert">
          <p class="notice-heading">{translate("confirm.wrong")}</p>
          <p>{translate("confirm.wrongText")}</p>
        </div>
      )}
      <HiddenFields {...hidden} />
      <HostFields
        formId={model.id}
        fields={model.fields}
        isInvalid={isWrong}
        {...(texts && { labels: texts.labels })}
        {...("email" in model.fields && { typed: { email } })}
      />
      <SubmitButton
        text={texts ? translate("confirm.withPassword") : translate("confirm.password", { provider: model.name })}
        isMain={isMain}
      />
    </form>
  )
}
