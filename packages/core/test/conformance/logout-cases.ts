import type { WrongLogoutTokenName } from "@latchkey/testkit"
import { expect } from "vitest"
import { type LogoutHost, type LogoutHostOptions, openLogoutHost } from "../setup/logout-setup.js"
import { get, post } from "../setup/requests.js"

type Case = () => Promise<void>

const both: LogoutHostOptions["logout"] = { atProvider: true, backchannel: true, frontchannel: true }

/** Signs in, signs out at the provider and comes back, with what the provider does meanwhile. */
async function signOut(
  { host, idp }: LogoutHost,
  meanwhile: (sessionAtProvider: { readonly sid: string; readonly sub: string }) => Promise<void>,
  change: (back: URL) => void = () => {},
): Promise<string | null> {
  const { browser } = host
  await browser.signIn("oidc")
  const idToken = idp.issued.findLast(({ name }) => name === "id token")?.value ?? ""
  const { location } = await post(browser, "/auth/signout", { callbackUrl: "/bye" })
  expect(await browser.session()).toBeNull()
  const page = new Request(location ?? "")
  const request = new URL(page.url).searchParams
  expect(request.get("id_token_hint")).toBe(idToken)
  const answer = await idp.handler(page)
  const { sid, sub } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString())
  await meanwhile({ sid, sub })
  const back = new URL(answer.headers.get("location") ?? "")
  expect([back.origin + back.pathname, back.searchParams.get("state")]).toEqual([
    "https://app.test/auth/signed-out",
    request.get("state"),
  ])
  change(back)
  return (await get(browser, back.pathname + back.search)).location
}

const returned = "https://app.test/bye"

/** The token is refused, and the other session of the user goes on. */
const refusesToken =
  (name: WrongLogoutTokenName): Case =>
  async () => {
    const opened = openLogoutHost("database", { logout: both })
    const other = opened.host.newBrowser()
    await other.signIn("oidc")
    const location = await signOut(opened, async (target) => {
      const { status, headers } = await opened.sendToken(await opened.idp.wrongLogoutToken(name, target))
      expect([status, headers.get("cache-control")]).toEqual([400, expect.stringContaining("no-store")])
    })
    expect(location).toBe(returned)
    expect(await other.session()).not.toBeNull()
  }

const initiated = (name: string) => `oidcc-client-test-rp-init-logout${name}`
const backchannel = (name: string) => `oidcc-client-test-rp-backchannel-rpinitlogout${name}`

export const logoutCases: Readonly<Record<string, Case>> = {
  [initiated("")]: async () => {
    const opened = openLogoutHost("database", { logout: both })
    expect(await signOut(opened, async () => {})).toBe(returned)
    expect(opened.idp.requests.logout[0]?.params.get("state")).toMatch(/./)
  },
  [initiated("-other-state")]: async () => {
    const opened = openLogoutHost("database", { logout: both })
    const change = (back: URL) => back.searchParams.set("state", "of another sign-out")
    expect(await signOut(opened, async () => {}, change)).toBe("https://app.test")
  },
  [initiated("-no-state")]: async () => {
    const opened = openLogoutHost("database", { logout: both, provider: { logout: { params: { state: null } } } })
    expect(await signOut(opened, async () => {})).toBe(returned)
    expect(opened.idp.requests.logout[0]?.params.has("state")).toBe(false)
  },
  [backchannel("")]: async () => {
    const opened = openLogoutHost("database", { logout: both })
    const other = opened.host.newBrowser()
    await other.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const location = await signOut(opened, async ({ sub }) => {
      const { status, headers } = await opened.sendToken(await opened.idp.logoutToken({ claims: { sid, sub } }))
      expect([status, headers.get("cache-control")]).toEqual([200, expect.stringContaining("no-store")])
    })
    expect([location, await other.session()]).toEqual([returned, null])
  },
  [backchannel("-alg-none")]: refusesToken("unsigned"),
  [backchannel("-no-event")]: refusesToken("without events"),
  [backchannel("-with-nonce")]: refusesToken("with a nonce"),
  [backchannel("-wrong-alg")]: refusesToken("signed by HMAC with the public key"),
  [backchannel("-wrong-aud")]: refusesToken("for another client"),
  [backchannel("-wrong-event")]: refusesToken("with another event"),
  [backchannel("-wrong-iss")]: refusesToken("of another issuer"),
  "oidcc-client-test-rp-frontchannel-rpinitlogout": async () => {
    const opened = openLogoutHost("database", { logout: both })
    const other = opened.host.newBrowser()
    await other.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const location = await signOut(opened, async () => {
      const query = new URLSearchParams({ iss: opened.idp.issuer, sid })
      expect((await get(opened.host.newBrowser(), `/auth/frontchannel-logout/oidc?${query}`)).status).toBe(200)
    })
    expect([location, await other.session()]).toEqual([returned, null])
  },
}
