import type { Theme } from "../contract/theme.js"

/** What all built-in pages have in common. */
export interface PageFrame {
  readonly theme: Theme
  /** The host people know, such as `app.example`. */
  readonly siteName: string
  /** The site's origin, where "back" leads. */
  readonly siteUrl: string
  /** Address of the stylesheet that `renderStylesheet` made, with its hash in the query. */
  readonly stylesheetUrl: string
  /** A language tag. One that has no words is answered in English. */
  readonly language: string
}

/** What the operator's log says of a failure. For the developer's own browser only: the caller decides when. */
export interface DeveloperDetails {
  /** The error's type. */
  readonly type: string
  readonly message: string
  /** Messages of the errors that led to it, the nearest first. */
  readonly causes: readonly string[]
}
