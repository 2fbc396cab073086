import type { JSX } from "preact"
import { HiddenFields, type HiddenFieldsProps } from "./hidden-fields.js"
import { parseProviderLogo } from "./image-source.js"
import type { OAuthChoice } from "./sign-in-choice.js"
import type { Speech } from "./speech.js"

/** How many buttons stand in the open. */
const openButtons = 6

export interface ProviderButtonsProps {
  readonly choices: readonly OAuthChoice[]
  readonly hidden: HiddenFieldsProps
  readonly siteUrl: string
  readonly speech: Speech
}

/** A button for each provider; the rest of a long list waits behind a fold. */
export function ProviderButtons({ choices, hidden, siteUrl, speech }: ProviderButtonsProps): JSX.Element {
  const toButton = (choice: OAuthChoice): JSX.Element => (
    <ProviderButton choice={choice} hidden={hidden} siteUrl={siteUrl} speech={speech} />
  )
  return (
    <div class="providers">
      {choices.slice(0, openButtons).map(toButton)}
      {choices.length > openButtons && (
        <details class="more">
          <summary class="more-summary">{speech.say("signIn.more")}</summary>
          <div class="providers">{choices.slice(openButtons).map(toButton)}</div>
        </details>
      )}
    </div>
  )
}

interface ProviderButtonProps {
  readonly choice: OAuthChoice
  readonly hidden: HiddenFieldsProps
  readonly siteUrl: string
  readonly speech: Speech
}

function ProviderButton({ choice, hidden, siteUrl, speech }: ProviderButtonProps): JSX.Element {
  return (
    <form action={choice.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <button type="submit" class="button button-provider" data-provider={choice.id}>
        <ProviderMark name={choice.name} logo={parseProviderLogo(choice.logo, siteUrl)} mark={choice.mark} />
        <span class="button-text">{speech.say("signIn.with", { provider: choice.name })}</span>
      </button>
    </form>
  )
}

interface ProviderMarkProps {
  readonly name: string
  readonly logo: string | undefined
  readonly mark: string | undefined
}

/** The name stands beside it, so the mark says nothing to those who listen, and is no part of the button's text. */
function ProviderMark({ name, logo, mark }: ProviderMarkProps): JSX.Element {
  if (logo !== undefined) return <img class="mark" src={logo} alt="" width={24} height={24} />
  if (mark !== undefined) return <DrawnMark path={mark} />
  return <span class="mark mark-letter" data-letter={firstLetter(name)} aria-hidden="true" />
}

/** In one colour, which the stylesheet says: the pages' policy allows no style in the markup. */
function DrawnMark({ path }: { readonly path: string }): JSX.Element {
  return (
    <svg class="mark mark-drawn" viewBox="0 0 24 24" aria-hidden="true">
      <path fill="currentColor" d={path} />
    </svg>
  )
}

function firstLetter(name: string): string {
  const [letter = ""] = name.trim()
  return letter.toUpperCase()
}
