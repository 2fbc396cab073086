import type { WebAuthnAction } from "../service.js"

/** Shows on a form's buttons that the device is being asked. */
export interface BusyState {
  isBusy(): boolean
  begin(action: WebAuthnAction): void
  end(): void
}

/** Each button keeps the focus and its place; the pressed one says what is waited for, with its `data-passkey-busy`. */
export function createBusyState(buttons: readonly HTMLButtonElement[]): BusyState {
  let pressed: HTMLButtonElement | undefined
  let usualText = ""
  return {
    isBusy: () => pressed !== undefined,
    begin: (action) => {
      pressed = buttons.find(({ value }) => value === action) ?? buttons[0]
      if (!pressed) return
      const text = textOf(pressed)
      usualText = text.textContent
      text.textContent = pressed.getAttribute("data-passkey-busy") ?? usualText
      pressed.setAttribute("aria-busy", "true")
      for (const button of buttons) button.setAttribute("aria-disabled", "true")
    },
    end: () => {
      if (!pressed) return
      textOf(pressed).textContent = usualText
      pressed.removeAttribute("aria-busy")
      for (const button of buttons) button.removeAttribute("aria-disabled")
      pressed = undefined
    },
  }
}

/** A button's mark stays as it is. */
function textOf(button: HTMLButtonElement): Element {
  return button.querySelector(".button-text") ?? button
}
