/** @jsxImportSource react */
import { type ReactNode, StrictMode } from "react"
import { renderToString } from "react-dom/server"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { accountOptions } from "../../../test/setup/account-options.js"
import { usePasswordReset, useSecondFactor, useSignIn, useSignUp } from "../src/flows/index.js"
import { SessionProvider, useSession } from "../src/index.js"
import { openScreen, type Screen } from "./screen.js"

let screen: Screen
let flow: ReturnType<typeof useSignIn>

beforeEach(() => {
  screen = openScreen("/auth", accountOptions())
})
afterEach(async () => {
  await screen.close()
  vi.unstubAllGlobals()
})

function Form(): ReactNode {
  flow = useSignIn({ identifierField: "username", redirect: false })
  const { status } = useSession()
  return <p>{`${flow.step}, ${flow.error?.code}, ${flow.isPending}, ${status}`}</p>
}

const app = (
  <StrictMode>
    <SessionProvider basePath="/auth">
      <Form />
    </SessionProvider>
  </StrictMode>
)

/** Runs an action of a step. */
const act = (step: string, work: (flow: ReturnType<typeof useSignIn>) => unknown): Promise<unknown> => {
  expect(flow.step).toBe(step)
  return screen.act(() => work(flow))
}

describe("useSignIn", () => {
  it("shows each step with its actions, and the session at the end", async () => {
    await screen.render(app)
    expect(screen.text()).toBe("identifier, undefined, false, unauthenticated")
    await act("identifier", (at) => at.step === "identifier" && at.submit("ada"))
    await act("password", (at) => at.step === "password" && at.submit("wrong"))
    expect(screen.text()).toBe("password, wrong-credentials, false, unauthenticated")
    await act("password", (at) => at.step === "password" && at.submit("correct horse"))
    expect(screen.text()).toBe("done, undefined, false, authenticated")
    expect(screen.requests.filter((request) => request === "GET /auth/providers")).toHaveLength(1)
  })

  it("hydrates the first step that a server has rendered, and asks for what there is only in the browser", async () => {
    const html = renderToString(app)
    expect(html).toContain("identifier, undefined, false")
    expect(screen.requests).toEqual([])
    await screen.hydrate(app, html)
    expect(screen.onRecoverableError).not.toHaveBeenCalled()
    expect(flow.step === "identifier" && flow.providers).toHaveLength(1)
  })
})

const Others = (): ReactNode => (
  <p>{[useSignUp(), usePasswordReset(), useSecondFactor()].map(({ step }) => step).join()}</p>
)

describe("the hooks of the other flows", () => {
  it("begin at their first steps", async () => {
    expect(renderToString(<Others />)).toContain("identifier,identifier,loading")
    await screen.render(
      <SessionProvider basePath="/auth">
        <Others />
      </SessionProvider>,
    )
    expect(screen.text()).toBe("identifier,identifier,expired")
  })
})
