// The script of the built-in pages with a key or with recovery codes, served at `<base path>/second-factor/page.js`. The
// build bundles it into @latchkey/core.

/** How long a button shows that the text was copied. */
const copiedMs = 2000

/**
 * Shows the buttons that need a script. `button[data-copy]` copies the text of the element with that id, and then
 * shows `data-copied`; `button[data-print]` prints the page.
 */
export function startCodePage(): void {
  // Absent on http, except on this machine.
  const clipboard = navigator.clipboard as Clipboard | undefined
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    if (!clipboard) continue
    button.hidden = false
    button.addEventListener("click", () => {
      clipboard.writeText(readText(button)).then(
        () => showCopied(button),
        () => undefined,
      )
    })
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-print]")) {
    button.hidden = false
    button.addEventListener("click", () => window.print())
  }
}

/** The lines of a list, or the text without the spaces that make it readable. */
function readText({ dataset }: HTMLButtonElement): string {
  const source = document.getElementById(dataset["copy"] ?? "")
  const items = [...(source?.querySelectorAll("li") ?? [])]
  if (items.length > 0) return items.map(({ textContent }) => textContent).join("\n")
  return (source?.textContent ?? "").replaceAll(" ", "")
}

/** The label is in a live region, so screen readers announce it. */
function showCopied(button: HTMLButtonElement): void {
  const label = button.querySelector("span")
  const { copied } = button.dataset
  if (!label || copied === undefined || label.textContent === copied) return
  const text = label.textContent
  label.textContent = copied
  setTimeout(() => {
    label.textContent = text
  }, copiedMs)
}

startCodePage()
