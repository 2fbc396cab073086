"use client"

import { type AccountFailure, useAccount, useSessions } from "@latchkey/react/account"
import { AuthField, AuthForm, AuthLink } from "./form"
import { findTexts, type Texts } from "./texts"

interface AccountProps {
  /** The built-in account area, which has everything else: the base path of the service and `/account`. */
  readonly everythingUrl?: string
  /** Such as `de`, if its texts are there. Default: English. */
  readonly language?: string
}

/** Name, and where the user is signed in. Needs a `SessionProvider` around it. */
export function Account({ everythingUrl = "/auth/account", language }: AccountProps) {
  const texts = findTexts(language)
  const { data: account, error, isPending, saveProfile } = useAccount()
  const profile = account?.sections.profile
  return (
    <section className="auth-card" lang={language}>
      <h1 className="auth-title">{texts.account}</h1>
      <p>{account?.user.email}</p>
      <Problem error={error} texts={texts} />
      {profile && (
        <AuthForm
          key={profile.name}
          button={texts.save}
          error={null}
          isPending={isPending}
          submit={({ name = "" }) => saveProfile({ name })}
        >
          <AuthField label={texts.name} name="name" autoComplete="name" defaultValue={profile.name ?? ""} />
        </AuthForm>
      )}
      {account?.sections.sessions && <Sessions texts={texts} />}
      <a className="auth-link" href={everythingUrl}>
        {texts.everything}
      </a>
    </section>
  )
}

function Sessions({ texts }: { readonly texts: Texts }) {
  const { data: sessions, error, end } = useSessions()
  return (
    <>
      <h2 className="auth-subtitle">{texts.sessions}</h2>
      <Problem error={error} texts={texts} />
      <ul className="auth-list">
        {sessions?.map(({ id, isCurrent, label, device, network }) => (
          <li key={id}>
            {label ?? device ?? network ?? texts.unknownDevice}{" "}
            {isCurrent ? `(${texts.thisBrowser})` : <AuthLink onPress={() => end(id)}>{texts.end}</AuthLink>}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The service asks who it is before it changes what protects an account. */
function Problem({ error, texts }: { readonly error: AccountFailure | null; readonly texts: Texts }) {
  if (!error) return null
  return (
    <p className="auth-problem" role="alert">
      {error.code === "confirm" ? <a href={error.confirmUrl}>{texts.confirm}</a> : texts.failed}
    </p>
  )
}
