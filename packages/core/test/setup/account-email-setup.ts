import { accountArea } from "@latchkey/core/account-area"
import { type Browser, testEmail } from "@latchkey/testkit"
import { expect } from "vitest"
import { openPasswords, pathOf } from "./password-setup.js"
import { type Answer, post } from "./requests.js"

export const [ada, eve] = ["ada@example.com", "eve@example.com"]
/** The new address of Ada. */
export const moved = "ada@new.example"
export const path = "/auth/account/email"
export const html = { headers: { accept: "text/html" } }
export const json = { headers: { accept: "application/json" } }

export const send = (browser: Browser, email: string): Promise<Answer> =>
  post(browser, path, { action: "send", email }, json)

export function confirm(browser: Browser, fields: Readonly<Record<string, string>>, query = ""): Promise<Answer> {
  return post(browser, `${path}${query}`, { action: "confirm", ...fields }, json)
}

export const codeOf = (answer: Answer): unknown => Object(answer.json()).code

/** A host with passwords, mails and the account area. */
export function openAddresses(options: Parameters<typeof openPasswords>[0]) {
  const opened = openPasswords({ accountArea: accountArea(), others: [testEmail()], ...options })
  const { adapter, lastTo, mails } = opened
  const linkTo = (to: string) => pathOf(lastTo(to).link)
  return {
    ...opened,
    linkTo,
    addressOf: async (id: string) => (await adapter.getUser(id))?.email,
    idOf: async (email: string) => (await adapter.getUserByEmail(email))?.id ?? "",
    mailsTo: (to: string) => mails.filter((mail) => mail.to === to).map(({ subject }) => subject),
    /** Asks for a new address and confirms it by code. */
    async move(browser: Browser, to: string) {
      expect((await send(browser, to)).status).toBe(200)
      expect((await confirm(browser, { code: lastTo(to).code })).status).toBe(200)
      return linkTo
    },
  }
}
