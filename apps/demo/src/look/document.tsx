import type { ComponentChildren } from "preact"
import { render } from "preact-render-to-string"
import { iconUrl, stylesheetUrl } from "./stylesheet-routes.js"

export interface DocumentProps {
  /** What the page is. The site's name follows it in the browser's title. */
  readonly title: string
  readonly siteName: string
  readonly scriptUrl?: string | undefined
  readonly body: ComponentChildren
}

/** A whole HTML document in the demo's look. */
export function renderDocument({ title, siteName, scriptUrl, body }: DocumentProps): string {
  const document = (
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} - ${siteName}`}</title>
        <link rel="stylesheet" href={stylesheetUrl} />
        <link rel="icon" href={iconUrl} type="image/svg+xml" />
        {scriptUrl && <script src={scriptUrl} defer />}
      </head>
      <body>{body}</body>
    </html>
  )
  return `<!doctype html>${render(document)}`
}
