// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type FakeDevice, fakeDevice } from "../../test/fake-device.js"
import { type FakeService, fakeService } from "../../test/fake-service.js"
import { startPasskeyForms } from "./page.js"

const texts = { cancelled: "Cancelled here.", AccountNotLinked: "Taken.", TooManyRequests: "Wait a moment." }

/** The parts of the built-in sign-in page that the script uses. */
const markup = (autofill = "data-passkey-autofill"): string => `
  <div role="alert" data-passkey-message hidden></div>
  <div data-passkey-texts='${JSON.stringify(texts)}'>
    <form id="in" action="https://app.test/auth/callback/passkey" method="post" data-passkey ${autofill}>
      <input type="hidden" name="csrfToken" value="of-the-page" /><input type="hidden" name="callbackUrl" value="/in" />
      <button name="action" value="authenticate" disabled data-passkey-busy="Waiting">
        <svg></svg><span class="button-text">Sign in</span>
      </button>
    </form>
    <details>
      <form id="up" action="https://app.test/auth/callback/passkey" method="post" data-passkey>
        <input type="hidden" name="csrfToken" value="of-the-page" />
        <input name="email" autocomplete="username webauthn" /><input name="nick" value="" />
        <button name="action" value="register" disabled>Create</button>
      </form>
    </details>
    <p data-passkey-unsupported hidden>No passkeys here.</p>
  </div>`

let device: FakeDevice
let service: FakeService
let assign: ReturnType<typeof vi.spyOn>

const find = <E extends HTMLElement = HTMLElement>(selector: string): E => {
  const element = document.querySelector<E>(selector)
  if (!element) throw new Error(`No element matches ${selector}`)
  return element
}
const button = (value: string): HTMLButtonElement => find(`button[value=${value}]`)
const shown = (): string | null => (find("[role=alert]").hidden ? null : find("[role=alert]").textContent)

function open(html: string): void {
  document.body.innerHTML = html
  startPasskeyForms()
}

beforeEach(() => {
  device = fakeDevice({ hasAutofill: false })
  service = fakeService()
  location.href = "https://app.test/auth/signin"
  assign = vi.spyOn(location, "assign").mockImplementation(() => undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe("the passkey script", () => {
  it("hides the forms and shows the notice if the browser does not support passkeys", () => {
    vi.stubGlobal("PublicKeyCredential", undefined)
    open(markup())
    expect([find("#in").hidden, find("#up").hidden, find("details").hidden]).toEqual([true, true, true])
    expect(find("[data-passkey-unsupported]").hidden).toBe(false)
    expect([button("authenticate").disabled, service.requests.length]).toEqual([true, 0])
  })

  it("does nothing on a page without passkey forms", () => {
    open("<form><button>Other</button></form>")
    expect(service.requests).toEqual([])
  })

  it("enables the buttons", () => {
    open(markup())
    expect([button("authenticate").disabled, button("register").disabled]).toEqual([false, false])
  })

  it("signs in with the fields of the form and navigates to the callback URL", async () => {
    open(markup())
    button("authenticate").click()
    ;(await device.next()).answer()
    await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/in"))
    expect(service.requests[0]?.query).toEqual({ action: "authenticate" })
    expect(service.requests.at(-1)?.form).toMatchObject({ csrfToken: "of-the-page", callbackUrl: "/in" })
    expect(service.count("/auth/csrf")).toBe(0)
  })

  it("registers with the typed fields and returns to the page by default", async () => {
    open(markup())
    find<HTMLInputElement>("[name=email]").value = "ada@app.test"
    button("register").click()
    const request = await device.next()
    expect(request.kind).toBe("create")
    expect(service.requests[0]?.query).toEqual({ action: "register", email: "ada@app.test" })
    request.answer()
    await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/auth/signin"))
  })

  it("shows the busy text on the pressed button, keeps its icon and ignores further presses", async () => {
    open(markup())
    button("authenticate").click()
    const pressed = button("authenticate")
    expect([pressed.getAttribute("aria-busy"), pressed.textContent.trim()]).toEqual(["true", "Waiting"])
    expect(pressed.querySelector("svg")).not.toBeNull()
    pressed.click()
    button("register").click()
    ;(await device.next()).refuse("NotAllowedError")
    await vi.waitFor(() => expect(pressed.hasAttribute("aria-busy")).toBe(false))
    expect([pressed.textContent.trim(), pressed.hasAttribute("aria-disabled")]).toEqual(["Sign in", false])
    expect(device.requests).toHaveLength(1)
  })

  it("shows the page's message for a failure and hides it on the next attempt", async () => {
    open(markup())
    button("authenticate").click()
    ;(await device.next()).refuse("NotAllowedError")
    await vi.waitFor(() => expect(shown()).toBe("Cancelled here."))
    button("authenticate").click()
    expect(shown()).toBeNull()
    ;(await device.next()).answer()
    await vi.waitFor(() => expect(assign).toHaveBeenCalled())
  })

  it("shows a default message if the page has none for the error", async () => {
    open(markup())
    button("authenticate").click()
    ;(await device.next()).refuse("UnknownError")
    await vi.waitFor(() =>
      expect(shown()).toBe("The passkey did not work on this device. Try again, or sign in another way."),
    )
  })

  it("shows the page's message for an error before the prompt, or else navigates where the service leads", async () => {
    let answer = Response.json({ url: "https://app.test/auth/error?error=TooManyRequests" }, { status: 429 })
    service = fakeService({ "/auth/webauthn-options/passkey": () => answer })
    open(markup(""))
    button("register").click()
    await vi.waitFor(() => expect(shown()).toBe("Wait a moment."))
    expect(assign).not.toHaveBeenCalled()
    const url = "https://app.test/auth/confirm?callbackUrl=https%3A%2F%2Fapp.test%2Fauth%2Fsignin"
    answer = Response.json({ error: "FreshnessRequired", url }, { status: 403 })
    button("register").click()
    await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(url))
    expect([shown(), device.requests.length]).toEqual([null, 0])
  })

  it("stays silent if the service refuses the options of the autofill", async () => {
    device = fakeDevice({ hasAutofill: true })
    const url = "https://app.test/auth/error?error=TooManyRequests"
    service = fakeService({ "/auth/webauthn-options/passkey": () => Response.json({ url }, { status: 429 }) })
    open(markup())
    await vi.waitFor(() => expect(service.requests).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve))
    expect([shown(), assign.mock.calls]).toEqual([null, []])
  })

  it("shows the page's message for an error of the service, or else navigates to the error page", async () => {
    let error = "AccountNotLinked"
    service = fakeService({ "/auth/callback/passkey": () => ({ url: `https://app.test/auth/error?error=${error}` }) })
    open(markup())
    button("authenticate").click()
    ;(await device.next()).answer()
    await vi.waitFor(() => expect(shown()).toBe("Taken."))
    expect(assign).not.toHaveBeenCalled()
    error = "AccessDenied"
    button("authenticate").click()
    ;(await device.next()).answer()
    await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(`https://app.test/auth/error?error=${error}`))
  })

  describe("with autofill", () => {
    beforeEach(() => {
      device = fakeDevice()
    })

    it("starts waiting on load and signs in with the chosen passkey", async () => {
      open(markup())
      const request = await device.next()
      expect(request.mediation).toBe("conditional")
      expect(button("authenticate").hasAttribute("aria-busy")).toBe(false)
      request.answer()
      await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/in"))
      expect(button("authenticate").getAttribute("aria-busy")).toBe("true")
    })

    it("does not wait without data-passkey-autofill", async () => {
      open(markup(""))
      await new Promise((resolve) => setTimeout(resolve))
      expect(service.requests).toEqual([])
    })

    it("shows no error before the user has chosen a passkey", async () => {
      service = fakeService({ "/auth/webauthn-options/passkey": () => new Response("", { status: 500 }) })
      open(markup())
      await vi.waitFor(() => expect(service.requests).toHaveLength(1))
      await new Promise((resolve) => setTimeout(resolve))
      expect(shown()).toBeNull()
    })

    it("shows why a chosen passkey failed and does not wait again", async () => {
      service = fakeService({ "/auth/callback/passkey": () => ({ url: "/auth/signin?error=AccountNotLinked" }) })
      open(markup())
      ;(await device.next()).answer()
      await vi.waitFor(() => expect(shown()).toBe("Taken."))
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(device.requests).toHaveLength(1)
    })

    it("is canceled by a button and waits again after its request failed", async () => {
      open(markup())
      await device.next()
      button("register").click()
      const request = await device.next()
      expect([request.kind, request.mediation]).toEqual(["create", undefined])
      request.refuse("NotAllowedError")
      expect((await device.next()).mediation).toBe("conditional")
      expect(shown()).toBe("Cancelled here.")
    })
  })
})
