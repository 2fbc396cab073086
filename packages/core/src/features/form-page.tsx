/** @jsxImportSource #markup */

import { createTranslator, LinkButton, type PageFrame, renderDocument } from "../pages/document.js"
import { noticeId } from "../pages/error-message.js"
import type { Children, JSX } from "../pages/markup/jsx-runtime.js"

/** A page with a heading, a form or a notice, and links to other pages. */
export interface FormPage {
  readonly heading: string
  /** The heading with markup, such as around what must not be broken. Default: the text. */
  readonly markedHeading?: Children
  /** What went wrong, in a word. It comes first in the title because a screen reader reads the title first. */
  readonly error?: string | undefined
  readonly content: Children
  /** Navigation, before the card. */
  readonly navigation?: Children
  readonly links?: readonly PageLink[]
  /** URL of a script of the service. The page must also work without it. */
  readonly scriptUrl?: string | undefined
}

/** A link that looks like a button, below the form. */
export interface PageLink {
  readonly url: string
  readonly text: string
  /** Default: secondary. */
  readonly rank?: "primary" | "secondary"
}

export function renderFormPage(page: FormPage, frame: PageFrame): string {
  const { heading, markedHeading = heading, error, content, navigation, links = [], scriptUrl } = page
  return renderDocument({
    title: error === undefined ? heading : `${error} – ${heading}`,
    frame,
    t: createTranslator(frame),
    scriptUrl,
    navigation,
    children: (
      <>
        <h1 class="heading">{markedHeading}</h1>
        {content}
        {links.length > 0 && <NextSteps links={links} />}
      </>
    ),
  })
}

/** The links below the form. */
export function NextSteps({ links }: { readonly links: readonly PageLink[] }): JSX.Element {
  return (
    <div class="next-steps">
      {links.map(({ url, text, rank = "secondary" }) => (
        <LinkButton url={url} text={text} rank={rank} />
      ))}
    </div>
  )
}

interface FormErrorProps {
  readonly heading?: string
  readonly text: string
}

/** What is wrong with the form below. Its invalid fields refer to it. */
export function FormError({ heading, text }: FormErrorProps): JSX.Element {
  return (
    <div id={noticeId} class="notice" role="alert">
      {heading !== undefined && <p class="notice-heading">{heading}</p>}
      <p>{text}</p>
    </div>
  )
}
