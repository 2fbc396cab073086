"use client"

import type { AfterProofStep, FlowState, LoadingStep } from "@latchkey/react/flows"
import { AuthField, AuthForm, AuthLink } from "./form"
import type { Texts } from "./texts"

interface SecondFactorProps {
  readonly flow: FlowState<AfterProofStep | LoadingStep>
  readonly texts: Texts
}

/** What may follow every proof: a second factor, setting one up, and the end. */
export function SecondFactor({ flow, texts }: SecondFactorProps) {
  const { error, isPending } = flow
  const form = { error, isPending }
  switch (flow.step) {
    case "loading":
      if (!error) return <p aria-busy="true">{texts.loading}</p>
      return <AuthForm {...form} button={texts.retry} submit={() => flow.retry()} />
    case "second-factor":
    case "passkey":
      return (
        <>
          <h2 className="auth-subtitle">{texts.secondFactor}</h2>
          {flow.step === "passkey" ? (
            <AuthForm {...form} button={texts.passkey} submit={() => flow.askForPasskey()} />
          ) : (
            <AuthForm
              key={flow.kind}
              {...form}
              button={texts.next}
              submit={({ code = "", remember }) => flow.submit(code, { remember: remember !== undefined })}
            >
              <AuthField
                label={texts[flow.kind]}
                name="code"
                inputMode={flow.kind === "totp" ? "numeric" : "text"}
                autoComplete={flow.kind === "totp" ? "one-time-code" : "off"}
                autoFocus
              />
              {flow.rememberDays !== null && (
                <label className="auth-check">
                  <input type="checkbox" name="remember" /> {texts.remember(flow.rememberDays)}
                </label>
              )}
            </AuthForm>
          )}
          {flow.kinds.map((kind) => {
            const isShown = kind === (flow.step === "passkey" ? "passkey" : flow.kind)
            return isShown ? null : (
              <AuthLink key={kind} onPress={() => flow.choose(kind)}>
                {texts.otherFactor[kind]}
              </AuthLink>
            )
          })}
          {flow.back && <AuthLink onPress={flow.back}>{texts.back}</AuthLink>}
        </>
      )
    case "enroll":
      return (
        <AuthForm {...form} button={texts.next} submit={({ code = "" }) => flow.submit(code)}>
          <p>{texts.enroll}</p>
          {flow.qr && <img className="auth-qr" src={flow.qr} alt="" />}
          <code className="auth-code">{flow.secret}</code>
          <AuthField label={texts.totp} name="code" inputMode="numeric" autoComplete="one-time-code" />
        </AuthForm>
      )
    case "recovery-codes":
      return (
        <AuthForm {...form} button={texts.saved} submit={() => flow.finish()}>
          <p>{texts.saveCodes}</p>
          <pre className="auth-code">{flow.codes.join("\n")}</pre>
        </AuthForm>
      )
    case "page":
      return <AuthForm {...form} button={texts.openPage} submit={() => flow.openPage()} />
    default:
      return <p role="status">{texts.loading}</p>
  }
}
