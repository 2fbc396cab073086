// The script of the built-in pages that have a password field, served at `<base path>/password.js`. The build bundles it
// into @latchkey/core, whose stylesheet has the rules of what is added here. Pages load it first of all: keep it short.

// The texts of the page, in its language.
const { show = "", capsLock = "" } = document.currentScript?.dataset ?? {}

// Gives each password field a button that shows what was typed, and a hint while Caps Lock is on.
for (const input of document.querySelectorAll<HTMLInputElement>("[type=password]")) {
  const hint = document.createElement("span")
  const button = document.createElement("button")
  const showText = (isShown: boolean): void => {
    input.type = isShown ? "text" : "password"
    button.ariaPressed = `${isShown}`
  }
  const update = (event: Event): void => {
    hint.textContent = event instanceof KeyboardEvent && event.getModifierState("CapsLock") ? capsLock : ""
  }
  showText(false)
  button.type = "button"
  button.className = "reveal"
  // Also the name that screen readers say, and the tooltip of a button without a text. The stylesheet draws its eye.
  button.title = show
  button.onclick = () => showText(input.type === "password")
  hint.role = "status"
  input.onkeydown = input.onkeyup = input.onblur = update
  input.after(button, hint)
  // Password managers save the fields of this type, and browsers suggest later what was typed into others.
  input.form?.addEventListener("submit", () => showText(false))
}
