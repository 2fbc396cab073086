"use client"

import { usePasswordReset } from "@latchkey/react/flows"
import { AuthField, AuthForm, AuthLink } from "./form"
import { SecondFactor } from "./second-factor"
import { findTexts } from "./texts"

interface ResetPasswordProps {
  /** Where to go afterwards. Default: the `callbackUrl` of the page's address, else this page. */
  readonly redirectTo?: string
  /** Where people go who know their password. */
  readonly signInUrl?: string
  /** The built-in page, such as `/auth/password/forgot`. It gets the form from browsers that run no scripts. */
  readonly action?: string
  /** Such as `de`, if its texts are there. Default: English. */
  readonly language?: string
}

/** Sets a new password, with the code of an email. */
export function ResetPassword({ redirectTo, signInUrl, action, language }: ResetPasswordProps) {
  const flow = usePasswordReset({ redirectTo })
  const texts = findTexts(language)
  const { error, isPending } = flow
  const form = { error, isPending }
  const email = { label: texts.email, name: "email", type: "email", autoComplete: "username" }
  return (
    <section className="auth-card" lang={language}>
      <h1 className="auth-title">{texts.forgot}</h1>
      {flow.step === "identifier" ? (
        <>
          <p>{texts.forgotText}</p>
          <AuthForm {...form} action={action} button={texts.sendEmail} submit={({ email = "" }) => flow.submit(email)}>
            <AuthField {...email} defaultValue={flow.identifier} />
          </AuthForm>
          {signInUrl && <AuthLink href={signInUrl}>{texts.signIn}</AuthLink>}
        </>
      ) : flow.step === "code" ? (
        <>
          <p role="status">{texts.checkEmail(flow.address)}</p>
          <AuthForm
            key="code"
            {...form}
            button={texts.savePassword}
            submit={({ code = "", password = "" }) => flow.submit({ code, password })}
          >
            <AuthField label={texts.code} name="code" autoComplete="one-time-code" autoFocus />
            <AuthField {...email} readOnly value={flow.address} />
            <AuthField label={texts.newPassword} name="password" type="password" autoComplete="new-password" />
          </AuthForm>
          <AuthLink onPress={flow.resend}>{texts.resend}</AuthLink>
          <AuthLink onPress={flow.back}>{texts.back}</AuthLink>
        </>
      ) : (
        <SecondFactor flow={flow} texts={texts} />
      )}
    </section>
  )
}
