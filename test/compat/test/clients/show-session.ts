import { createElement, type ReactNode } from "react"
import { createRoot } from "react-dom/client"

/** The common API of the published React clients and ours, as far as the pages use it. */
interface ReactClient {
  readonly SessionProvider: (props: { readonly children?: ReactNode; readonly basePath?: string }) => ReactNode
  readonly useSession: (options?: { readonly required: boolean }) => {
    readonly data: { readonly user?: { readonly name?: string | null } } | null
    readonly status: string
    readonly update: unknown
  }
}

interface Opened {
  update?: unknown
  readonly [name: string]: unknown
}

interface WhoProps extends Pick<ReactClient, "useSession"> {
  readonly opened: Opened
}

/** A page with `?required` requires a session. */
function Who({ useSession, opened }: WhoProps): ReactNode {
  const isRequired = location.search === "?required"
  const { data, status, update } = useSession(isRequired ? { required: true } : undefined)
  opened.update = update
  return createElement("p", null, `${status}: ${data?.user?.name ?? "nobody"}`)
}

/** Shows the current session, and exposes the functions of the client to the test. */
export function showSession(client: unknown): void {
  const { SessionProvider, useSession, ...functions } = client as ReactClient // Each client has its own types.
  const opened: Opened = { ...functions }
  Object.assign(window, { client: opened })
  const root = document.body.appendChild(document.createElement("main"))
  const who = createElement(Who, { useSession, opened })
  createRoot(root).render(createElement(SessionProvider, { basePath: "/api/auth" }, who))
}
