/** @jsxImportSource #markup */

import { Divider, LinkButton, type PageFrame, type Translator } from "../../pages/document.js"
import { HiddenFields, type HiddenFieldsProps, HostFields, SubmitButton } from "../../pages/form.js"
import type { FieldsForm } from "../../pages/form-model.js"
import type { JSX } from "../../pages/markup/jsx-runtime.js"
import { FormError } from "../form-page.js"
import type { ConfirmMethod } from "./confirm-methods.js"
import { CodeForm, type Exit, PasskeyMethod, render, type Translate, Wrong } from "./page.js"

export interface ConfirmContent {
  /** The title of the page that needs the proof, if it is one of the service. */
  readonly asked?: string | undefined
  /** The best first. */
  readonly methods: readonly ConfirmMethod[]
  readonly csrfToken: string | undefined
  /** Whether one of two steps is done. */
  readonly isStarted: boolean
  /** This page, where a sign-in comes back to. */
  readonly callbackUrl: string
  /** The target of the form of a code or a password. */
  readonly toAction: (id: string) => string
  readonly email: string
  /** The id of the method that failed: untrusted text. */
  readonly wrong: string | null
  readonly signInUrl: string
  readonly exit: Exit
}

/** Lets a signed-in user re-authenticate. */
export function renderConfirmPage(content: ConfirmContent, frame: PageFrame): string {
  const { asked, methods, isStarted, wrong, signInUrl, exit } = content
  const [script] = methods.flatMap(({ kind, ...method }) =>
    "model" in method && method.model.kind === "passkey" ? [method.model] : [],
  )
  const main = methods.find(({ id }) => id === wrong) ?? methods[0]
  return render(
    frame,
    "confirm.heading",
    (translate, t) => (
      <>
        {asked !== undefined && (
          <p>
            <strong>{asked}</strong>
          </p>
        )}
        <p>{translate(methods.length === 0 ? "confirm.none" : isStarted ? "confirm.next" : "confirm.text")}</p>
        {methods.map((method, n) => (
          <>
            {n > 0 && <Divider t={t} />}
            <MethodForm
              method={method}
              content={content}
              isMain={method === main}
              translate={translate}
              frame={frame}
              t={t}
            />
          </>
        ))}
        <div class="next-steps">
          {methods.length === 0 && <LinkButton url={signInUrl} text={translate("confirm.signIn")} rank="primary" />}
          <LinkButton url={exit.url} text={exit.text(translate)} rank="secondary" />
        </div>
      </>
    ),
    script?.scriptUrl,
  )
}

interface MethodFormProps {
  readonly method: ConfirmMethod
  readonly content: ConfirmContent
  readonly isMain: boolean
  readonly translate: Translate
  readonly frame: PageFrame
  readonly t: Translator
}

function MethodForm({ method, content, isMain, translate, frame, t }: MethodFormProps): JSX.Element {
  const { csrfToken, callbackUrl, toAction, email, wrong } = content
  const isWrong = wrong === method.id
  const hidden: HiddenFieldsProps = { csrfToken, callbackUrl }
  if (method.kind === "code") {
    const isTotp = method.id === "totp"
    const form = { csrfToken, action: toAction(method.id), isWrong }
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
  const { model } = method
  if (model.kind === "passkey") {
    return <PasskeyMethod passkey={{ model, hidden }} frame={frame} t={t} isMain={isMain} hasDivider={false} />
  }
  if (model.kind === "fields") {
    return <FieldsMethod model={model} hidden={hidden} isWrong={isWrong} {...{ content, isMain, translate, frame }} />
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

interface FieldsMethodProps extends Omit<MethodFormProps, "method" | "t"> {
  readonly model: FieldsForm
  readonly hidden: HiddenFieldsProps
  readonly isWrong: boolean
}

/** The password, or the fields of the host. */
function FieldsMethod({ model, hidden, isWrong, content, isMain, translate, frame }: FieldsMethodProps): JSX.Element {
  const { toAction, email } = content
  const texts = model.own?.say(frame.locale, frame.siteName)
  return (
    <form class="form" action={toAction(model.id)} method="post">
      {isWrong && <FormError heading={translate("confirm.wrong")} text={translate("confirm.wrongText")} />}
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
