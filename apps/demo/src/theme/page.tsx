import type { ComponentChildren, VNode } from "preact"
import { render } from "preact-render-to-string"
import { iconUrl, stylesheetUrl } from "./stylesheet.js"

const appName = "Latchkey demo"

export interface SitePage {
  readonly title: string
  /** Path of the page, which is marked as current in the navigation. */
  readonly path: string
  readonly isSignedIn: boolean
  /** For a list beside a text. Default: false. */
  readonly isWide?: boolean
  readonly content: ComponentChildren
}

/** A page of the app, below the navigation. */
export function renderSitePage({ title, path, isSignedIn, isWide = false, content }: SitePage): string {
  const width = isWide ? "wide" : ""
  const body = (
    <>
      <header class={`bar ${width}`}>
        <div>
          <a class="brand" href="/">
            {appName}
          </a>
          <nav aria-label="Site">
            <ul>
              <NavigationLink href="/auth/account" text="Account" path={path} />
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
  return renderDocument({ title, siteName: appName, body })
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

/** A page of the app with a single centered card and no navigation. */
export function renderCardPage(title: string, content: ComponentChildren): string {
  const body = (
    <main class="narrow">
      <p class="site">
        <a href="/">{appName}</a>
      </p>
      <div class="card">{content}</div>
    </main>
  )
  return renderDocument({ title, siteName: appName, body })
}

export interface DocumentProps {
  /** Followed by the site's name in the browser's title. */
  readonly title: string
  readonly siteName: string
  readonly body: ComponentChildren
}

/** An HTML document with the demo's stylesheet. */
export function renderDocument({ title, siteName, body }: DocumentProps): string {
  const document = (
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} - ${siteName}`}</title>
        <link rel="stylesheet" href={stylesheetUrl} />
        <link rel="icon" href={iconUrl} type="image/svg+xml" />
      </head>
      <body>{body}</body>
    </html>
  )
  return `<!doctype html>${render(document)}`
}

/** The initials of a name in a circle. Decorative: the name is always beside it. */
export function Initials({ name }: { readonly name: string }): VNode {
  const parts = name.split(/\s+/).filter(Boolean)
  const [first = "?"] = [...(parts[0] ?? "")]
  const [last = ""] = parts.length > 1 ? [...(parts.at(-1) ?? "")] : []
  return (
    <span class="initials" aria-hidden="true">
      {(first + last).toUpperCase()}
    </span>
  )
}

const dateTimeFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })

/** A date and time in the time zone of this machine, which is also the reader's. */
export function DateTime({ date }: { readonly date: Date }): VNode {
  return <time dateTime={date.toISOString()}>{dateTimeFormat.format(date)}</time>
}
