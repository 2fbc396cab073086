/** @jsxImportSource react */
import { testEmail } from "@latchkey/testkit"
import type { ReactNode } from "react"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type CodeForm, SessionProvider, signIn, useCodeForm, useSession } from "../src/index.js"
import { openScreen, type Screen } from "./screen.js"

let screen: Screen
let form: CodeForm

beforeEach(async () => {
  screen = openScreen("/auth", { providers: [testEmail({ code: true })] })
})
afterEach(async () => {
  await screen.close()
  vi.unstubAllGlobals()
})

function Form({ redirect }: { readonly redirect?: boolean }): ReactNode {
  form = useCodeForm("email", redirect === undefined ? {} : { redirect })
  const { status } = useSession()
  return <p>{`${status}, ${form.isSubmitting ? "busy" : "idle"}, ${form.error}`}</p>
}

async function ask(redirect?: boolean): Promise<void> {
  const props = redirect === undefined ? {} : { redirect }
  await screen.render(
    <SessionProvider basePath="/auth">
      <Form {...props} />
    </SessionProvider>,
  )
  await screen.act(() => signIn("email", { email: "ada@example.com", redirectTo: "/in", redirect: false }))
}

const wrong = () => String((Number(screen.host.mailbox.lastCode()) + 1) % 1_000_000).padStart(6, "0")

describe("useCodeForm", () => {
  it("shows why a code was refused, and stays on the page", async () => {
    await ask()
    await screen.act(() => form.submit(wrong()))
    expect(screen.text()).toBe("unauthenticated, idle, CodeWrong")
    for (let n = 0; n < 4; n++) await screen.act(() => form.submit(wrong()))
    expect(screen.text()).toBe("unauthenticated, idle, Verification")
    expect(screen.assign).not.toHaveBeenCalled()
  })

  it("goes where the sign-in began for after the right code", async () => {
    await ask()
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.assign.mock.calls).toEqual([["https://app.test/in"]])
  })

  it("loads a page whose address differs from the current one only by its fragment", async () => {
    await ask()
    await screen.act(() => signIn("email", { email: "bob@example.com", redirectTo: "/in#done", redirect: false }))
    const { assign } = screen
    const reload = vi.fn()
    vi.stubGlobal("location", Object.assign(new URL("https://app.test/in"), { assign, reload }))
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(assign.mock.calls).toEqual([["https://app.test/in#done"]])
    expect(reload).toHaveBeenCalledOnce()
  })

  it("stays on the page with redirect: false, and the session appears", async () => {
    await ask(false)
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.text()).toBe("authenticated, idle, null")
    expect(screen.assign).not.toHaveBeenCalled()
  })

  it("submits one code at a time, because each counts as a guess", async () => {
    await ask(false)
    await screen.act(() => Promise.all([form.submit(wrong()), form.submit(wrong()), form.submit(wrong())]))
    expect(screen.requests.filter((request) => request === "POST /auth/callback/email")).toHaveLength(1)
  })

  it("names the failure of a request, and can be submitted again", async () => {
    await ask(false)
    const { fetch } = globalThis
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")))
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.text()).toBe("unauthenticated, idle, network")
    vi.stubGlobal("fetch", fetch)
    await screen.act(() => form.submit(screen.host.mailbox.lastCode()))
    expect(screen.text()).toBe("authenticated, idle, null")
  })
})
