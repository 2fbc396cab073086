import type { VNode } from "preact"

/** The initials of a person in a circle. Says nothing that the text beside it does not say. */
export function PersonMark({ name }: { readonly name: string }): VNode {
  const words = name.split(/\s+/).filter(Boolean)
  const [first = "?"] = [...(words[0] ?? "")]
  const [last = ""] = words.length > 1 ? [...(words.at(-1) ?? "")] : []
  return (
    <span class="initials" aria-hidden="true">
      {(first + last).toUpperCase()}
    </span>
  )
}
