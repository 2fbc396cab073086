import type { HTMLElement } from "node-html-parser"

type Entry = readonly [name: string, value: string]

const submitTypes: readonly string[] = ["submit", "image"]
const silentTypes: readonly string[] = ["button", "reset", "file", ...submitTypes]

export function hasName(control: HTMLElement): boolean {
  return (control.getAttribute("name") ?? "") !== ""
}

export function isDisabled(control: HTMLElement): boolean {
  return control.hasAttribute("disabled") || control.closest("fieldset[disabled]") !== null
}

export function isSubmitButton(control: HTMLElement): boolean {
  const tag = control.localName.toLowerCase()
  if (tag === "button") return typeOf(control, "submit") === "submit"
  return tag === "input" && submitTypes.includes(typeOf(control, "text"))
}

/** What a control adds to the form, HTML section "Constructing the entry list". */
export function readControl(control: HTMLElement): readonly Entry[] {
  const name = control.getAttribute("name") ?? ""
  const values = readers[control.localName.toLowerCase()]?.(control) ?? []
  return values.map((value) => [name, value] as const)
}

const readers: Readonly<Record<string, (control: HTMLElement) => readonly string[]>> = {
  input: readInput,
  select: readSelect,
  textarea: (control) => [control.text.replace(/^\r?\n/, "")],
}

function readInput(control: HTMLElement): readonly string[] {
  const type = typeOf(control, "text")
  if (silentTypes.includes(type)) return []
  if (type === "checkbox" || type === "radio")
    return control.hasAttribute("checked") ? [control.getAttribute("value") ?? "on"] : []
  return [control.getAttribute("value") ?? ""]
}

function readSelect(control: HTMLElement): readonly string[] {
  const options = control.querySelectorAll("option").filter((option) => !option.hasAttribute("disabled"))
  const selected = options.filter((option) => option.hasAttribute("selected"))
  if (control.hasAttribute("multiple")) return selected.map(optionValue)
  return [selected.at(-1) ?? options[0]].filter((option) => option !== undefined).map(optionValue)
}

function optionValue(option: HTMLElement): string {
  return option.getAttribute("value") ?? option.text.replace(/\s+/g, " ").trim()
}

function typeOf(control: HTMLElement, missing: string): string {
  return (control.getAttribute("type") || missing).toLowerCase()
}
