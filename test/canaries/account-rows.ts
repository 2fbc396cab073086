import { authenticatorApp, fixedClock, type Span } from "@latchkey/testkit"
import type { Row, Rows } from "./rows.js"
import { codeTo, linkTo } from "./sign-in-rows.js"
import {
  address,
  newPassword,
  otherAddress,
  password,
  person,
  personMark,
  post,
  type Stage,
  type StageOptions,
  secretMark,
  signIn,
} from "./stage.js"

const of =
  (reason: Row["reason"], options?: StageOptions) =>
  (flow: Row["flow"]): Row => ({ reason, flow, ...(options && { options }) })

/** Sends a form of a section, signed in. */
const sending =
  (section: string, fields: Readonly<Record<string, string>>): Row["flow"] =>
  async (stage) =>
    post(await signIn(stage), `/auth/account/${section}`, fields)

/** The same, when the sign-in is too old for it. */
const sendingLate =
  (section: string, fields: Readonly<Record<string, string>>, wait: Span = { hours: 1 }): Row["flow"] =>
  async (stage) => {
    using clock = fixedClock()
    await signIn(stage)
    clock.advance(wait)
    await post(stage.browser, `/auth/account/${section}`, fields)
  }

const stale = of("reauthentication-needed")

/** Where no session is, the answer leads to the sign-in page. */
const signedOut = (section: string, fields: Readonly<Record<string, string>>): Row => ({
  flow: ({ browser }) => post(browser, `/auth/account/${section}`, fields),
  reason: null,
  why: "it leads to the sign-in page",
})

const failing = (what: string) => () => Promise.reject(new Error(`${what} failed`))

/** Sends a file. */
async function upload(stage: Stage, bytes: readonly number[], type = "image/png"): Promise<void> {
  const form = new FormData()
  form.set("csrfToken", await stage.browser.csrfToken())
  form.set("action", "save-picture")
  const file = [...bytes, ...new TextEncoder().encode(`${secretMark} bytes`)]
  form.set("picture", new File([new Uint8Array(file)], `${personMark}.png`, { type }))
  const written = new Response(form)
  const headers = { accept: "application/json", "content-type": written.headers.get("content-type") ?? "" }
  await stage.browser.fetch("/auth/account/profile", {
    method: "POST",
    headers,
    body: new Uint8Array(await written.arrayBuffer()),
  })
}

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
const moved = `${personMark}.moved@visitor.example`

/** Asks for a new address. */
async function move(stage: Stage, to = moved): Promise<Stage> {
  await signIn(stage)
  await post(stage.browser, "/auth/account/email", { action: "send", email: to })
  return stage
}

const give = ({ browser }: Stage, code: string) => post(browser, "/auth/account/email", { action: "confirm", code })
const otherCode = (code: string) => (code === "123456" ? "654321" : "123456")

/** Changes the address, and gets the link that undoes it. */
async function toUndo(stage: Stage): Promise<URL> {
  await move(stage)
  await give(stage, codeTo(stage, moved))
  return linkTo(stage, address)
}

const undo = async (stage: Stage, { pathname, search }: URL) =>
  post(stage.newBrowser(), `${pathname}${search}`, {}, "text/html")

/** Sets up an authenticator app. @returns its key, and the recovery codes */
export async function enroll(stage: Stage): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  const change = (fields: Readonly<Record<string, string>>) => post(stage.browser, "/auth/account/factors", fields)
  await signIn(stage)
  const { ticket, secret, uri } = await (await change({ action: "begin-totp" })).json()
  stage.watch("totp secret", secret)
  stage.watch("totp uri", uri)
  const set = await change({ action: "confirm-totp", ticket, code: await authenticatorApp(secret).code() })
  const { recoveryCodes: codes = [] } = await set.json()
  for (const code of codes) stage.watch("recovery code", code)
  return { secret, codes }
}

/** Whether everybody needs a second factor. */
const demand = { isOn: false }

/** The rows of each section of the account area. */
export const accountRows: Readonly<Record<string, Rows>> = {
  profile: {
    "a picture that is no URL": of("input-refused")(
      sending("profile", { action: "save", name: `${personMark} New`, image: `javascript:${secretMark}` }),
    ),
    "an unknown action": of("request-invalid")(sending("profile", { action: "steal", name: `${personMark} New` })),
    "signed out": signedOut("profile", { action: "save", name: `${personMark} New` }),
    "a file that is no picture": of("input-refused")(async (stage) => {
      await signIn(stage)
      await upload(stage, [1, 2, 3])
    }),
    "a file that cannot be saved": of("callback-threw", {
      area: { picture: { save: failing("the bucket") } },
    })(async (stage) => {
      await signIn(stage)
      await upload(stage, png)
    }),
    "a picture without a URL": of("config-invalid", {
      area: { picture: { save: () => `javascript:${secretMark}` } },
    })(async (stage) => {
      await signIn(stage)
      await upload(stage, png)
    }),
  },
  email: {
    "no address": of("address-invalid")(sending("email", { action: "send", email: `${personMark}@@` })),
    "the same address": of("input-refused")(sending("email", { action: "send", email: address })),
    "after too long": stale(sendingLate("email", { action: "send", email: moved })),
    "signed out": signedOut("email", { action: "send", email: moved }),
    "a mail that cannot be sent": of("mail-rejected", {
      area: { mail: { send: ({ to, text }) => Promise.reject(new Error(`550 ${to} ${text}`)) } },
    })(move),
    "a wrong code": of("code-guesses")(async (stage) => {
      await move(stage)
      await give(stage, otherCode(codeTo(stage, moved)))
    }),
    "a code that is too old": of("link-replaced")(async (stage) => {
      using clock = fixedClock()
      await move(stage)
      clock.advance({ minutes: 9 })
      await signIn(stage)
      clock.advance({ minutes: 9 })
      await signIn(stage)
      clock.advance({ days: 2 })
      await signIn(stage)
      await give(stage, codeTo(stage, moved))
    }),
    "a code that was never sent": of("link-replaced")(async (stage) => {
      await signIn(stage)
      await give(stage, "123456")
    }),
    "an address that was taken meanwhile": of("account-of-another-user")(async (stage) => {
      await move(stage)
      await stage.adapter.createUser({ id: "u-eve", name: "Eve", email: moved, emailVerified: null })
      await give(stage, codeTo(stage, moved))
    }),
    "an undo that was used": of("link-spent")(async (stage) => {
      const link = await toUndo(stage)
      for (let n = 0; n < 2; n++) await undo(stage, link)
    }),
    "an undo with another token": of("link-spent")(async (stage) => {
      const link = await toUndo(stage)
      link.searchParams.set("token", `${secretMark}-token`)
      await undo(stage, link)
    }),
    "an undo that is too late": of("link-spent")(async (stage) => {
      using clock = fixedClock()
      const link = await toUndo(stage)
      clock.advance({ days: 40 })
      await undo(stage, link)
    }),
  },
  methods: {
    "the last one": of("input-refused")(async (stage) => {
      stage.host.idp.signInAs({ sub: "eve-1", name: person.name })
      await stage.browser.signIn("oidc")
      await post(stage.browser, "/auth/account/methods", { action: "unlink", provider: "oidc", id: "eve-1" })
    }),
    "an unknown provider": of("request-invalid")(
      sending("methods", { action: "link", provider: `${secretMark}-provider` }),
    ),
    "after too long": stale(sendingLate("methods", { action: "unlink", provider: "oidc" })),
    "signed out": signedOut("methods", { action: "unlink", provider: "oidc" }),
  },
  passkeys: {
    "an unknown one": of("request-invalid")(sending("passkeys", { action: "rename", label: `${personMark} key` })),
    "after too long": stale(sendingLate("passkeys", { action: "remove", id: `${secretMark}-id` })),
    "signed out": signedOut("passkeys", { action: "remove", id: `${secretMark}-id` }),
  },
  factors: {
    "a wrong code at the setup": of("second-factor-wrong")(async (stage) => {
      await signIn(stage)
      const begun = await post(stage.browser, "/auth/account/factors", { action: "begin-totp" })
      const { ticket, secret } = await begun.json()
      stage.watch("totp secret", secret)
      await post(stage.browser, "/auth/account/factors", { action: "confirm-totp", ticket, code: "000000" })
    }),
    "a ticket that was made up": of("request-invalid")(
      sending("factors", { action: "confirm-totp", ticket: `${secretMark}-ticket`, code: "123456" }),
    ),
    "after too long": stale(sendingLate("factors", { action: "begin-totp" })),
    "recovery codes without a factor": of("request-invalid")(sending("factors", { action: "create-recovery-codes" })),
    "the last one of a user who must have one": of("request-invalid", { factors: { require: () => demand.isOn } })(
      async (stage) => {
        await enroll(stage)
        const factor = (await stage.adapter.listFactors("u-ada")).find(({ kind }) => kind === "totp")
        demand.isOn = true
        await post(stage.browser, "/auth/account/factors", { action: "remove", id: factor?.id ?? "" })
        demand.isOn = false
      },
    ),
    "signed out": signedOut("factors", { action: "begin-totp" }),
  },
  password: {
    "a form of another page": of("request-invalid")(
      sending("password", { action: "change", current: password, password: newPassword }),
    ),
    "signed out": signedOut("password", { action: "change", current: password, password: newPassword }),
  },
  sessions: {
    "an unknown one": of("request-invalid")(sending("sessions", { action: "end" })),
    "all others, after too long": stale(sendingLate("sessions", { action: "end-others" })),
    "signed out": signedOut("sessions", { action: "end-others" }),
  },
  export: {
    "twice in an hour": of("input-refused")(async (stage) => {
      await signIn(stage)
      for (let n = 0; n < 2; n++) await post(stage.browser, "/auth/account/export", { action: "download" })
    }),
    "data that the app cannot read": of("callback-threw", { area: { exportUser: failing("the shop") } })(
      sending("export", { action: "download" }),
    ),
    "after too long": stale(sendingLate("export", { action: "download" })),
    "signed out": signedOut("export", { action: "download" }),
  },
  delete: {
    "another address": of("input-refused")(sending("delete", { action: "delete", confirm: otherAddress })),
    "an account that the app keeps": of("input-refused", { area: { beforeDelete: () => "You own a team." } })(
      sending("delete", { action: "delete", confirm: address }),
    ),
    "an app that fails": of("callback-threw", { area: { beforeDelete: failing("the shop") } })(
      sending("delete", { action: "delete", confirm: address }),
    ),
    "after too long": stale(sendingLate("delete", { action: "delete", confirm: address })),
    "signed out": signedOut("delete", { action: "delete", confirm: address }),
    "a planned one, by an app that fails": of("callback-threw", {
      area: { deleteAfterDays: 7, beforeDelete: failing("the shop") },
    })(sending("delete", { action: "delete", confirm: address })),
  },
}
