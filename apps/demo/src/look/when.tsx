import type { VNode } from "preact"

const format = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })

/** An instant in this machine's time zone, which is also that of the reader. */
export function When({ date }: { readonly date: Date }): VNode {
  return <time dateTime={date.toISOString()}>{format.format(date)}</time>
}
