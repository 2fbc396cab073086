import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { accountOptions } from "../../../../test/setup/account-options.js"
import { openScreen, type Screen } from "../screen.js"

type Composables = typeof import("../../src/flows/index.js")

let screen: Screen
let composables: Composables
let flow: ReturnType<Composables["useSignIn"]>

beforeEach(async () => {
  screen = await openScreen("/auth", accountOptions())
  composables = await import("../../src/flows/index.js")
})
afterEach(() => {
  screen.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe("useSignIn", () => {
  it("is a ref of the step with its actions, from what a server renders to the session", async () => {
    await screen.mount({
      setup() {
        flow = composables.useSignIn({ identifierField: "username", redirect: false })
        const { step } = flow.value
        return () => screen.vue.h("p", `${step}: ${flow.value.step}, ${flow.value.error?.code}`)
      },
    })
    expect(screen.text()).toBe("identifier: identifier, undefined")
    await screen.act(() => (flow.value.step === "identifier" ? flow.value.submit("ada") : undefined))
    await screen.act(() => (flow.value.step === "password" ? flow.value.submit("wrong") : undefined))
    expect(screen.text()).toBe("identifier: password, wrong-credentials")
    await screen.act(() => (flow.value.step === "password" ? flow.value.submit("correct horse") : undefined))
    expect(flow.value.step === "done" && flow.value.session.user?.name).toBe("ada")
    expect(screen.text()).toBe("identifier: done, undefined")
  })
})

describe("the composables of the other flows", () => {
  it("begin at their first steps", async () => {
    await screen.mount({
      setup() {
        const flows = [composables.useSignUp(), composables.usePasswordReset(), composables.useSecondFactor()]
        return () => screen.vue.h("p", flows.map(({ value }) => value.step).join())
      },
    })
    expect(screen.text()).toBe("identifier,identifier,expired")
  })
})
