import type { ComponentChildren, VNode } from "preact"
import { renderDocument } from "./document.js"

export interface SitePage {
  readonly title: string
  /** Path of the page, which is marked in the navigation. */
  readonly path: string
  readonly isSignedIn: boolean
  /** Wide pages hold a list beside a text. Default: false. */
  readonly isWide?: boolean
  /** Address of a script of this site. Default: none. */
  readonly scriptUrl?: string
  readonly content: ComponentChildren
}

const siteName = "Latchkey demo"

/** A page of the app, with the navigation above it. */
export function renderSitePage({ title, path, isSignedIn, isWide = false, scriptUrl, content }: SitePage): string {
  const width = isWide ? "wide" : ""
  const body = (
    <>
      <header class={`bar ${width}`}>
        <div>
          <a class="brand" href="/">
            {siteName}
          </a>
          <nav aria-label="Site">
            <ul>
              <NavigationLink href="/account" text="Account" path={path} />
              <NavigationLink href="/inbox" text="Inbox" path={path} />
              <li>
                {isSignedIn ? (
                  <a href="/auth/signout?callbackUrl=%2F">Sign out</a>
                ) : (
                  <a href={`/auth/signin?callbackUrl=${encodeURIComponent(path)}`}>Sign in</a>
                )}
              </li>
            </ul>
          </nav>
        </div>
      </header>
      <main class={width}>{content}</main>
    </>
  )
  return renderDocument({ title, siteName, scriptUrl, body })
}

interface NavigationLinkProps {
  readonly href: string
  readonly text: string
  readonly path: string
}

function NavigationLink({ href, text, path }: NavigationLinkProps): VNode {
  return (
    <li>
      <a href={href} aria-current={href === path ? "page" : undefined}>
        {text}
      </a>
    </li>
  )
}

/** A page with a single card in the middle: one thing to read, one way on. */
export function renderCardPage(title: string, content: ComponentChildren): string {
  const body = (
    <main class="narrow">
      <p class="site">
        <a href="/">{siteName}</a>
      </p>
      <div class="card">{content}</div>
    </main>
  )
  return renderDocument({ title, siteName, body })
}
