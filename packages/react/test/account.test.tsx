/** @jsxImportSource react */
import { type ReactNode, StrictMode } from "react"
import { renderToString } from "react-dom/server"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { accountOptions } from "../../../test/setup/account-options.js"
import { adaFields, validLogin } from "../../../test/setup/browser-page.js"
import { useAccount, useFactors, useSessions } from "../src/account/index.js"
import { SessionProvider, signIn, signOut } from "../src/index.js"
import { openScreen, type Screen } from "./screen.js"

const paths = ["/auth/account", "/auth/account/sessions", "/auth/account/factors"]

let screen: Screen
let sessions: ReturnType<typeof useSessions>
let account: ReturnType<typeof useAccount>

beforeEach(() => {
  screen = openScreen("/auth", accountOptions())
})
afterEach(async () => {
  await screen.close()
  vi.unstubAllGlobals()
})

function Parts(): ReactNode {
  account = useAccount()
  sessions = useSessions()
  const factors = useFactors()
  const name = account.data?.user.name ?? "no name"
  return <p>{`${account.status}, ${name}, ${sessions.data?.length} sessions, ${factors.data?.length} factors;`}</p>
}

const App = ({ count = 1 }: { readonly count?: number }): ReactNode => (
  <SessionProvider basePath="/auth">
    {Array.from({ length: count }, (_, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change.
      <Parts key={n} />
    ))}
  </SessionProvider>
)

const sent = () => screen.requests.filter((request) => request.includes("/account"))

describe("the hooks of the account", () => {
  it("request nothing while no one is signed in, and everything once someone is", async () => {
    await screen.render(<App />)
    expect(screen.text()).toBe("unauthenticated, no name, undefined sessions, undefined factors;")
    expect(sent()).toEqual([])
    await screen.act(() => signIn("credentials", validLogin))
    await vi.waitFor(() => expect(screen.text()).toBe("ready, ada, 1 sessions, 0 factors;"))
    await screen.act(() => signOut({ redirect: false }))
    expect(screen.text()).toBe("unauthenticated, no name, undefined sessions, undefined factors;")
  })

  it("share one request among all components, in strict mode too", async () => {
    await screen.host.browser.signIn("credentials", adaFields)
    await screen.render(
      <StrictMode>
        <App count={2} />
      </StrictMode>,
    )
    const text = "ready, ada, 1 sessions, 0 factors;"
    await vi.waitFor(() => expect(screen.text()).toBe(text + text))
    expect(sent().toSorted()).toEqual(paths.map((path) => `GET ${path}`).toSorted())
  })

  it("act, and show the result and the error in all components", async () => {
    const other = screen.host.newBrowser()
    for (const browser of [screen.host.browser, other]) await browser.signIn("credentials", adaFields)
    await screen.render(<App />)
    await vi.waitFor(() => expect(screen.text()).toContain("ada, 2 sessions"))
    await screen.act(() => sessions.end("unknown"))
    expect(sessions.error).toMatchObject({ code: "gone" })
    await screen.act(() => sessions.endOthers())
    expect([sessions.error, screen.text().includes("1 sessions")]).toEqual([null, true])
    expect(await other.session()).toBeNull()
    await screen.act(() => account.saveProfile({ name: "Ada King" }))
    expect(screen.text()).toContain("Ada King")
  })

  it("render on a server without a request", () => {
    expect(renderToString(<App />)).toContain("loading, no name, undefined sessions")
    expect(screen.requests).toEqual([])
  })

  it("are not loading on a server that has read that no one is signed in", () => {
    const page = (
      <SessionProvider session={null}>
        <Parts />
      </SessionProvider>
    )
    expect(renderToString(page)).toContain("unauthenticated, no name, undefined sessions, undefined factors;")
  })

  it("throw outside a SessionProvider", () => {
    expect(() => renderToString(<Parts />)).toThrow("inside <SessionProvider>")
  })
})
