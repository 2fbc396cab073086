"use client"

import { SignedIn, SignedOut, signIn, signOut, useSession } from "@latchkey/react"
import "./auth.css"
import { findTexts } from "./texts"

interface UserButtonProps {
  readonly accountUrl?: string
  /** Such as `de`, if its texts are there. Default: English. */
  readonly language?: string
}

/** The user's picture with a menu, or a button to sign in. Needs a `SessionProvider` around it. */
export function UserButton({ accountUrl = "/account", language }: UserButtonProps) {
  const texts = findTexts(language)
  const { data } = useSession()
  const { name, email, image } = data?.user ?? {}
  const title = name || email || texts.account
  return (
    <>
      <SignedOut>
        <button className="auth-button" type="button" onClick={() => void signIn()}>
          {texts.signIn}
        </button>
      </SignedOut>
      <SignedIn>
        <details className="auth-menu">
          <summary className="auth-avatar" aria-label={title}>
            {image ? <img src={image} alt="" referrerPolicy="no-referrer" /> : title.slice(0, 1).toUpperCase()}
          </summary>
          <div className="auth-menu-items">
            <p className="auth-menu-name">{title}</p>
            <a className="auth-menu-item" href={accountUrl}>
              {texts.account}
            </a>
            <button className="auth-menu-item" type="button" onClick={() => void signOut()}>
              {texts.signOut}
            </button>
          </div>
        </details>
      </SignedIn>
    </>
  )
}
