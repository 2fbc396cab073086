import type { ComponentChildren, JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import { parseLogo } from "./image-source.js"
import type { PageFrame } from "./page-frame.js"
import type { Speech } from "./speech.js"

export interface DocumentProps {
  /** What the page is about, without the site's name. */
  readonly title: string
  readonly frame: PageFrame
  readonly speech: Speech
  /** Address of a script of the service's own. The page must be of use without it. */
  readonly scriptUrl?: string | undefined
  /** The content of the card. It begins with the only `h1`. */
  readonly children: ComponentChildren
}

/** The whole page as text, from the doctype on. */
export function renderDocument(props: DocumentProps): string {
  return `<!DOCTYPE html>${renderToString(<Document {...props} />)}`
}

function Document({ title, frame, speech, scriptUrl, children }: DocumentProps): JSX.Element {
  const scheme = toScheme(frame.theme.colorScheme)
  return (
    <html lang={speech.language} dir={speech.direction}>
      <head>
        <meta charset="utf-8" />
        <title>{speech.say("title.page", { page: title })}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={scheme === "auto" ? "light dark" : scheme} />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={frame.stylesheetUrl} />
        {scriptUrl !== undefined && <script src={scriptUrl} defer />}
      </head>
      <body class={`__next-auth-theme-${scheme}`}>
        <header class="site">
          <a class="site-link" href={frame.siteUrl}>
            <SiteMark frame={frame} />
          </a>
        </header>
        <main class="card">{children}</main>
      </body>
    </html>
  )
}

function SiteMark({ frame }: { readonly frame: PageFrame }): JSX.Element {
  const logo = parseLogo(frame.theme.logo, frame.siteUrl)
  if (logo === undefined) return <>{frame.siteName}</>
  return <img class="site-logo" src={logo} alt={frame.siteName} />
}

/** The type says so already, but a host without types may write anything, and it becomes part of a class name. */
function toScheme(colorScheme: string | undefined): "auto" | "dark" | "light" {
  return colorScheme === "dark" || colorScheme === "light" ? colorScheme : "auto"
}
