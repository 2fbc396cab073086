"use client"

import { type AccountFailure, useAccount, useSessions } from "@latchkey/react/account"
import { AuthField, AuthForm, AuthLink } from "./form"
import { texts } from "./texts"

interface AccountProps {
  /** The built-in account area, which has everything else: the base path of the service and `/account`. */
  readonly everythingUrl?: string
}

/** Name, and where the user is signed in. Needs a `SessionProvider` around it. */
export function Account({ everythingUrl = "/auth/account" }: AccountProps) {
  const { data: account, error, isPending, saveProfile } = useAccount()
  const profile = account?.sections.profile
  return (
    <section className="auth-card">
      <h1 className="auth-title">{texts.account}</h1>
      <p>{account?.user.email}</p>
      <Problem error={error} />
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
      {account?.sections.sessions && <Sessions />}
      <a className="auth-link" href={everythingUrl}>
        {texts.everything}
      </a>
    </section>
  )
}

function Sessions() {
  const { data: sessions, error, end } = useSessions()
  return (
    <>
      <h2 className="auth-subtitle">{texts.sessions}</h2>
      <Problem error={error} />
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
function Problem({ error }: { readonly error: AccountFailure | null }) {
  if (!error) return null
  return (
    <p className="auth-problem" role="alert">
      {error.code === "confirm" ? <a href={error.confirmUrl}>{texts.confirm}</a> : texts.failed}
    </p>
  )
}
