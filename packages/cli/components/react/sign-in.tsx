"use client"

import { type FlowState, type SignInFlowStep, useSignIn } from "@latchkey/react/flows"
import { AuthField, AuthForm, AuthLink } from "./form"
import { SecondFactor } from "./second-factor"
import { texts } from "./texts"

interface SignInProps {
  /** Where to go afterwards. Default: the `callbackUrl` of the page's address, else this page. */
  readonly redirectTo?: string
  /** Where people without an account go, and those without their password. */
  readonly signUpUrl?: string
  readonly forgotUrl?: string
}

/** Signs in with a password, a mailed code, a passkey or a provider, then asks for a second factor if there is one. */
export function SignIn({ redirectTo, signUpUrl, forgotUrl }: SignInProps) {
  const flow = useSignIn({ redirectTo })
  return (
    <section className="auth-card">
      <h1 className="auth-title">{texts.signIn}</h1>
      <Step key={flow.step} flow={flow} />
      {flow.step === "identifier" && signUpUrl && <a className="auth-link" href={signUpUrl} children={texts.signUp} />}
      {flow.step === "password" && forgotUrl && <a className="auth-link" href={forgotUrl} children={texts.forgot} />}
    </section>
  )
}

function Step({ flow }: { readonly flow: FlowState<SignInFlowStep> }) {
  const { error, isPending } = flow
  switch (flow.step) {
    case "identifier":
      return (
        <>
          <AuthForm {...{ error, isPending }} button={texts.next} submit={({ email = "" }) => flow.submit(email)}>
            <AuthField
              label={texts.email}
              name="email"
              type="email"
              autoComplete="username"
              defaultValue={flow.identifier}
            />
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
          <AuthForm
            {...{ error, isPending }}
            button={texts.signIn}
            submit={({ password = "" }) => flow.submit(password)}
          >
            <AuthField label={texts.email} name="email" readOnly autoComplete="username" value={flow.identifier} />
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
            <AuthForm {...{ error, isPending }} button={texts.signIn} submit={({ code = "" }) => flow.submit(code)}>
              <AuthField label={texts.code} name="code" autoComplete="one-time-code" autoFocus />
            </AuthForm>
          )}
          <AuthLink onPress={flow.resend}>{texts.resend}</AuthLink>
          <AuthLink onPress={flow.back}>{texts.back}</AuthLink>
        </>
      )
    default:
      return <SecondFactor flow={flow} />
  }
}
