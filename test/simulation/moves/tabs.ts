import type { VisitorBrowser, VisitorTab } from "../visitor-browser.js"
import type { Actor } from "./move.js"

/** A tab of the person who moves: one of those that are open, or a new one. */
export function tabOf({ world, person, choose }: Actor): VisitorTab {
  const browser = world.browserOf(person)
  const tabs = browser.tabs.length < 3 ? [...browser.tabs, null] : browser.tabs
  return choose.pick(tabs) ?? browser.newTab()
}

/** The attacker's tab. */
export function ownTab({ world, person }: Pick<Actor, "world" | "person">): VisitorTab {
  const browser = world.browserOf(person)
  return browser.tabs[0] ?? browser.newTab()
}

/** A tab of a victim, in which the attacker makes something happen. */
export function victimTab({ world, choose }: Actor): { readonly victim: VisitorBrowser; readonly tab: VisitorTab } {
  const victim = world.browserOf(choose.pick(world.victims))
  return { victim, tab: choose.pick(victim.tabs) }
}

export type Fields = Readonly<Record<string, string>>

/** The headers of a script that asks the service for JSON. */
export const jsonHeaders = { accept: "application/json" } as const

/** Reads JSON of the service, as a script does. */
export async function readJson(tab: VisitorTab, path: string): Promise<unknown> {
  return (await tab.fetch(path, { headers: jsonHeaders })).json()
}

/** Sends a form of the service, as a script does. */
export async function postForm(tab: VisitorTab, path: string, fields: Fields): Promise<Response> {
  const body = new URLSearchParams({ ...fields, csrfToken: await tab.csrfToken() })
  return tab.fetch(`/auth/${path}`, { method: "POST", body, headers: jsonHeaders })
}
