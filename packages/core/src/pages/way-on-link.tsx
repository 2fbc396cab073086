import type { JSX } from "preact"

export interface WayOnLinkProps {
  readonly url: string
  readonly text: string
  /** The first way on looks like the page's main button. */
  readonly rank: "first" | "second"
}

/** A link that looks like a button: where to go from here. */
export function WayOnLink({ url, text, rank }: WayOnLinkProps): JSX.Element {
  return (
    <a class={rank === "first" ? "button button-primary" : "button button-second"} href={url}>
      <span class="button-text">{text}</span>
    </a>
  )
}
