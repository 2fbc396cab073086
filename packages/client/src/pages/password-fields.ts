// The script of the built-in pages that have a password field, served at `<base path>/password.js`. The build bundles it
// into @latchkey/core.

/** The texts of the page, in its language. */
interface FieldTexts {
  readonly show: string
  readonly capsLock: string
}

// Set here and not in the stylesheet: pages without a password field need none of it. Directions are logical.
const buttonStyle =
  "position:absolute;inset-block-end:0;inset-inline-end:0;display:grid;place-items:center;width:2.75rem;height:2.75rem;" +
  "padding:0;border:0;border-radius:var(--radius);background:none;color:var(--quiet);cursor:pointer"
/** Between this field and the next, so that nothing moves. */
const hintStyle = "position:absolute;inset-block-start:100%;font-size:.75rem;line-height:1rem"

const eye =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
  '<path d="M2 12q10-14 20 0-10 14-20 0"/><circle cx="12" cy="12" r="3"/><path d="m4 4 16 16"/></svg>'

/** Gives each password field a button that shows what was typed, and a hint while Caps Lock is on. */
export function startPasswordFields({ show, capsLock }: FieldTexts): void {
  for (const input of document.querySelectorAll<HTMLInputElement>("input[type=password]")) {
    addButton(input, show)
    addHint(input, capsLock)
    if (input.parentElement) input.parentElement.style.position = "relative"
  }
}

function addButton(input: HTMLInputElement, label: string): void {
  const button = document.createElement("button")
  button.type = "button"
  // Also the name that screen readers say, and the tooltip of a button without a text.
  button.title = label
  button.style.cssText = buttonStyle
  button.innerHTML = eye
  const line = button.querySelector<SVGElement>("path:last-child")
  const showText = (isShown: boolean): void => {
    input.type = isShown ? "text" : "password"
    button.ariaPressed = String(isShown)
    if (line) line.style.display = isShown ? "" : "none"
  }
  showText(false)
  button.addEventListener("click", () => showText(input.type === "password"))
  // Password managers save the fields of this type, and browsers suggest later what was typed into others.
  input.form?.addEventListener("submit", () => showText(false))
  input.style.paddingInlineEnd = "2.75rem"
  // Hides the button that Edge adds by itself.
  input.classList.add("revealed")
  input.after(button)
}

function addHint(input: HTMLInputElement, text: string): void {
  const hint = document.createElement("span")
  hint.role = "status"
  hint.className = "quiet"
  hint.style.cssText = hintStyle
  const update = (event: Event): void => {
    hint.textContent = event instanceof KeyboardEvent && event.getModifierState("CapsLock") ? text : ""
  }
  for (const type of ["keydown", "keyup", "blur"]) input.addEventListener(type, update)
  input.after(hint)
}

const { show = "", capsLock = "" } = document.currentScript?.dataset ?? {}
startPasswordFields({ show, capsLock })
