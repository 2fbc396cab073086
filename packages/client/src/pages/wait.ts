// The script of the built-in pages that wait until an email can be sent again, served at `<base path>/wait.js`. The build bundles
// it into @latchkey/core.

const secondMs = 1000

/** Counts down the seconds of `[data-wait]`, in the sentence `data-text`. Meanwhile the button of its form cannot be pressed. */
for (const line of document.querySelectorAll<HTMLElement>("[data-wait]")) {
  const button = line.closest("form")?.querySelector("button")
  // A clock that is set meanwhile does not matter.
  if (button) countDown(line, button, performance.now() + Number(line.dataset["wait"]) * secondMs)
}

function countDown(line: HTMLElement, button: HTMLButtonElement, endMs: number): void {
  const seconds = Math.ceil((endMs - performance.now()) / secondMs)
  button.disabled = seconds > 0
  line.hidden = seconds <= 0
  if (seconds <= 0) return
  const unit = { style: "unit", unit: "second", unitDisplay: "long" } as const
  const duration = new Intl.NumberFormat(document.documentElement.lang, unit).format(seconds)
  line.textContent = (line.dataset["text"] ?? "").replace("{duration}", duration)
  setTimeout(() => countDown(line, button, endMs), secondMs)
}
