"use client"

import { useSignUp } from "@latchkey/react/flows"
import { AuthField, AuthForm, AuthLink } from "./form"
import { SecondFactor } from "./second-factor"
import { findTexts } from "./texts"

interface SignUpProps {
  /** Where to go afterwards. Default: the `callbackUrl` of the page's address, else this page. */
  readonly redirectTo?: string
  /** Where people with an account go. */
  readonly signInUrl?: string
  /** The terms of service, if the service asks for the consent to them. */
  readonly termsUrl?: string
  /** The built-in page, such as `/auth/password/sign-up`. It gets the form from browsers that run no scripts. */
  readonly action?: string
  /** Such as `de`, if its texts are there. Default: English. */
  readonly language?: string
}

/** Creates an account with a password, once the code of an email was typed. */
export function SignUp({ redirectTo, signInUrl, termsUrl, action, language }: SignUpProps) {
  const flow = useSignUp({ redirectTo })
  const texts = findTexts(language)
  const { error, isPending } = flow
  const form = { error, isPending, button: texts.createAccount }
  return (
    <section className="auth-card" lang={language}>
      <h1 className="auth-title">{texts.signUp}</h1>
      {flow.step === "identifier" ? (
        <>
          <AuthForm
            {...form}
            action={action}
            submit={({ email = "", password = "", ...others }) => flow.submit({ ...others, email, password })}
          >
            <AuthField
              label={texts.email}
              name="email"
              type="email"
              autoComplete="email"
              defaultValue={flow.identifier}
            />
            <AuthField label={texts.fullName} name="name" autoComplete="name" required={false} />
            <AuthField label={texts.password} name="password" type="password" autoComplete="new-password" />
            {termsUrl && (
              <label className="auth-check">
                <input type="checkbox" name="terms" required />{" "}
                <a className="auth-terms" href={termsUrl} target="_blank" rel="noopener">
                  {texts.agree}
                </a>
              </label>
            )}
          </AuthForm>
          {signInUrl && <AuthLink href={signInUrl}>{texts.hasAccount}</AuthLink>}
        </>
      ) : flow.step === "code" ? (
        <>
          <p role="status">{texts.checkEmail(flow.address)}</p>
          <AuthForm key="code" {...form} submit={({ code = "" }) => flow.submit(code)}>
            <AuthField label={texts.code} name="code" autoComplete="one-time-code" autoFocus />
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
