"use client"

import { type FlowState, type SignInFlowStep, useSignIn } from "@latchkey/react/flows"
import { AuthField, AuthForm, AuthLink } from "./form"
import { SecondFactor } from "./second-factor"
import { findTexts, type Texts } from "./texts"

interface SignInProps {
  /** Where to go afterwards. Default: the `callbackUrl` of the page's address, else this page. */
  readonly redirectTo?: string
  /** Where people without an account go, and those without their password. */
  readonly signUpUrl?: string
  readonly forgotUrl?: string
  /** A page with a form that works without scripts. It gets this one from browsers that run none. */
  readonly action?: string
  /** Such as `de`, if its texts are there. Default: English. */
  readonly language?: string
}

/** Signs in with a password, a mailed code, a passkey or a provider, then asks for a second factor if there is one. */
export function SignIn({ redirectTo, signUpUrl, forgotUrl, action, language }: SignInProps) {
  const flow = useSignIn({ redirectTo })
  const texts = findTexts(language)
  return (
    <section className="auth-card" lang={language}>
      <h1 className="auth-title">{texts.signIn}</h1>
      <Step key={flow.step} {...{ flow, texts, action }} />
      {flow.step === "identifier" && signUpUrl && <AuthLink href={signUpUrl}>{texts.signUp}</AuthLink>}
      {flow.step === "password" && forgotUrl && <AuthLink href={forgotUrl}>{texts.forgot}</AuthLink>}
    </section>
  )
}

interface StepProps {
  readonly flow: FlowState<SignInFlowStep>
  readonly texts: Texts
  readonly action: string | undefined
}

function Step({ flow, texts, action }: StepProps) {
  const { error, isPending } = flow
  const form = { error, isPending }
  const email = { label: texts.email, name: "email", type: "email", autoComplete: "username" }
  switch (flow.step) {
    case "identifier":
      return (
        <>
          <AuthForm {...form} action={action} button={texts.next} submit={({ email = "" }) => flow.submit(email)}>
            <AuthField {...email} defaultValue={flow.identifier} />
          </AuthForm>
          {flow.askForPasskey && <AuthLink onPress={flow.askForPasskey}>{texts.passkey}</AuthLink>}
          {flow.providers.map(({ id, name }) => (
            <button key={id} className="auth-provider" type="button" onClick={() => void flow.openProvider(id)}>
              {texts.provider(name)}
            </button>
          ))}
        </>
      )
    case "password":
      return (
        <>
          <AuthForm {...form} button={texts.signIn} submit={({ password = "" }) => flow.submit(password)}>
            <AuthField {...email} readOnly value={flow.identifier} />
            <AuthField
              label={texts.password}
              name="password"
              type="password"
              autoComplete="current-password"
              autoFocus
            />
          </AuthForm>
          {flow.sendCode && <AuthLink onPress={flow.sendCode}>{texts.mailCode}</AuthLink>}
          {flow.askForPasskey && <AuthLink onPress={flow.askForPasskey}>{texts.passkey}</AuthLink>}
          <AuthLink onPress={flow.back}>{texts.back}</AuthLink>
        </>
      )
    case "code":
      return (
        <>
          <p role="status">{texts.checkEmail(flow.address)}</p>
          {!flow.hasCode && <p>{texts.openLink}</p>}
          {flow.hasCode && (
            <AuthForm {...form} button={texts.signIn} submit={({ code = "" }) => flow.submit(code)}>
              <AuthField label={texts.code} name="code" autoComplete="one-time-code" autoFocus />
            </AuthForm>
          )}
          <AuthLink onPress={flow.resend}>{texts.resend}</AuthLink>
          <AuthLink onPress={flow.back}>{texts.back}</AuthLink>
        </>
      )
    default:
      return <SecondFactor flow={flow} texts={texts} />
  }
}
