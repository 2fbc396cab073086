import type { AppAttempt } from "../facts.js"
import { appAddresses, consentPath, toChallenge, tokenPath } from "../native-rules.js"
import type { Person } from "../people.js"
import { ownSessionCookies } from "../session-cookie.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { signInWith, waysOf } from "./honest.js"
import { type Actor, lags, later, type Move, NothingToDo, together } from "./move.js"
import { ownTab, tabOf, victimTab } from "./tabs.js"
import { expose } from "./theft.js"

const isPossible = ({ setting }: World): boolean => setting.hasNativeApps

const isUsed = ({ setting, model }: World): boolean => setting.hasNativeApps && model.native.codes.size > 0

/** What people do with native apps, and the attacker with codes and tokens that they saw. */
export const nativeMoves: readonly Move[] = [
  { name: "sign-in-app", by: "anyone", weight: 10, isPossible, run: signInApp },
  { name: "finish-app", by: "anyone", weight: 4, isPossible: isUsed, run: finishLater },
  { name: "use-app", by: "anyone", weight: 8, isPossible: isUsed, run: useApp },
  { name: "lure-to-consent", by: "attacker", weight: 4, isPossible, run: lureToConsent },
  { name: "answer-for-another", by: "attacker", weight: 4, isPossible, run: answerForAnother },
  { name: "ask-by-script", by: "attacker", weight: 2, isPossible, run: askByScript },
  { name: "bend-app-code", by: "attacker", weight: 8, isPossible: isUsed, run: bendCode },
  {
    name: "steal-app-token",
    by: "attacker",
    weight: 3,
    isPossible: (world) => isUsed(world) && world.setting.isSessionStolen,
    run: stealToken,
  },
  { name: "mix-tokens-and-cookies", by: "attacker", weight: 5, isPossible, run: mixTokens },
]

/** An app begins a sign-in: it makes a state and a verifier. */
function begin({ world, person, choose }: Actor): AppAttempt {
  const { attempts } = world.model.native
  const clientId = choose.pick(Object.keys(appAddresses))
  const name = `${attempts.size}-of-${person.name}`
  const attempt = {
    state: `state-${name}`,
    verifier: `verifier-${name}`.padEnd(50, "-"),
    clientId,
    redirectUri: appAddresses[clientId] ?? "",
    person,
  }
  attempts.set(attempt.state, attempt)
  return attempt
}

/** The page that asks about an app of the actor. */
export function askingUrl(actor: Actor): string {
  return toUrl(begin(actor))
}

/** The page that asks, for an attempt. */
function toUrl({ clientId, redirectUri, state, verifier }: AppAttempt): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: toChallenge(verifier),
    code_challenge_method: "S256",
  })
  return `${consentPath}?${query}`
}

/** Opens the page in the browser, signs in if it asks for that, and presses the button. */
async function consent(
  { world, person }: Pick<Actor, "world" | "person">,
  attempt: AppAttempt,
  tab: VisitorTab,
  way: string,
): Promise<void> {
  await tab.open(toUrl(attempt))
  if (tab.page?.url.pathname !== consentPath) {
    await signInWith({ world, person }, way, tab)
    await tab.open(toUrl(attempt))
  }
  if (tab.page?.url.pathname === consentPath) await press(tab)
}

async function press(tab: VisitorTab): Promise<void> {
  const form = tab.page?.forms().find(({ names }) => names.includes("ticket"))
  if (!form) throw new NothingToDo("The page asks nothing")
  await tab.submit(form)
}

/** The whole way of someone who is signed in to the browser. */
export async function signInAppWith(actor: Actor, tab: VisitorTab): Promise<void> {
  const attempt = begin(actor)
  await consent(actor, attempt, tab, "north")
  await finishNewest(actor, attempt)
}

async function finishNewest(actor: Actor, { state }: AppAttempt): Promise<void> {
  const { arrivals } = actor.world.browserOf(actor.person)
  const href = arrivals.findLast((each) => each.includes(`state=${state}&`))
  if (href !== undefined) await finish(actor, href)
}

/** The app compares the state of its address, and exchanges the code. */
async function finish({ world, person }: Pick<Actor, "world" | "person">, href: string): Promise<void> {
  const { searchParams } = new URL(href)
  const attempt = world.model.native.attempts.get(searchParams.get("state") ?? "")
  const code = searchParams.get("code")
  if (attempt?.person !== person || code === null) throw new NothingToDo("The app did not ask for it")
  await exchange(world, person, { code, ...attempt })
}

type Exchanged = Pick<AppAttempt, "clientId" | "redirectUri" | "verifier"> & { readonly code: string }

async function exchange(
  world: World,
  person: Person,
  { code, clientId, redirectUri, verifier }: Exchanged,
): Promise<void> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const [tab] = world.appOf(person).tabs
  const response = await tab?.fetch(tokenPath, { method: "POST", body })
  const { access_token: token } = response?.status === 200 ? Object(await response.json()) : {}
  if (typeof token === "string") world.tokensOf(person).push(token)
}

async function signInApp(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const attempt = begin(actor)
  const end = choose.pick(["", "", ", which is not answered yet", ", and out of the browser"])
  const lag = choose.pick(lags)
  const way = choose.pick(waysOf(world, person).filter((each) => each !== "mail" && each !== "code"))
  const tab = tabOf(actor)
  actor.say(`${person.name} signs in to the app ${attempt.clientId}${end}.`)
  await consent(actor, attempt, tab, way)
  if (end === "") await finishNewest(actor, attempt)
  if (end.endsWith("browser")) await together([later(lag, tab, () => finishNewest(actor, attempt)), tab.signOut()])
}

/** An app exchanges a code that it got before: late, once more, or twice at once. */
async function finishLater(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const href = choose.pick(world.browserOf(person).arrivals.slice(-3).toReversed())
  const times = choose.pick([1, 2])
  actor.say(`The app of ${person.name} exchanges a code${times > 1 ? ", twice at once" : ""}.`)
  await together(Array.from({ length: times }, () => finish(actor, href)))
}

type AppRequest = Readonly<Record<string, string>> | null

/** A request of an app, with its token in the header. */
async function send(
  world: World,
  person: Person,
  {
    token,
    path,
    form = null,
    cookie,
  }: { readonly token: string; readonly path: string; readonly form?: AppRequest; readonly cookie?: string },
) {
  const [tab] = world.appOf(person).tabs
  const headers = { authorization: `Bearer ${token}`, ...(cookie !== undefined && { cookie }) }
  const body = form && new URLSearchParams(form)
  const response = await tab?.fetch(`/auth/${path}`, { headers, ...(body && { method: "POST", body }) })
  const renewed = response?.headers.get("latchkey-token")
  if (renewed) world.tokensOf(person).push(renewed)
}

async function useApp(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const token = choose.pick(world.tokensOf(person).slice(-3).toReversed())
  const use = choose.pick([
    "reads the session",
    "reads the session",
    "lists the sessions",
    "ends the others",
    "signs out",
  ])
  actor.say(`The app of ${person.name} ${use}.`)
  if (use === "reads the session") await send(world, person, { token, path: "session" })
  else if (use === "signs out") await send(world, person, { token, path: "signout", form: {} })
  else if (use === "lists the sessions") await send(world, person, { token, path: "account/sessions" })
  else await send(world, person, { token, path: "account/sessions", form: { action: "end-others" } })
}

/** Begins a sign-in of the own app, and opens its page in a victim's browser: the page asks, and the victim closes it. */
async function lureToConsent(actor: Actor): Promise<void> {
  const { person } = actor
  const { victim, tab } = victimTab(actor)
  const attempt = begin(actor)
  actor.say(`${person.name}'s link makes ${victim.person.name}'s browser ask about an app of ${person.name}.`)
  await tab.open(toUrl(attempt), { from: "https://evil.test" })
}

/** Opens the page as one user, signs in as another, and answers it then; or posts its answer in a victim's browser. */
async function answerForAnother(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = ownTab(actor)
  const attempt = begin(actor)
  const isForged = choose.pick([false, true])
  actor.say(
    `${person.name} opens the page that asks about an app, and answers it ${isForged ? "in a victim's browser" : "as another user"}.`,
  )
  await tab.open(toUrl(attempt))
  const form = tab.page?.forms().find(({ names }) => names.includes("ticket"))
  if (!form) throw new NothingToDo("The page asks nothing")
  const fields = Object.fromEntries(
    form.names.map((name) => [name, tab.page?.find(`input[name="${name}"]`)?.attribute("value") ?? ""]),
  )
  const body = new URLSearchParams(fields)
  if (isForged) {
    await victimTab(actor).tab.open(consentPath, { method: "POST", body, from: "https://evil.test" })
    return
  }
  const own = world.providerOf("north").identityOf(person)
  world.browserOf(person).identities.set("north", { ...own, sub: `${own.sub}-3`, email: "mallory-2@mail.test" })
  await tab.signIn("north")
  await tab.open(consentPath, { method: "POST", body })
}

/** Script that was injected into a page of the app's site asks, and answers. */
async function askByScript(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const tab = ownTab(actor)
  const attempt = begin(actor)
  const isRead = choose.pick([true, false])
  actor.say(`A script in a page of the app asks about an app of ${person.name}, and answers.`)
  if (isRead) await tab.fetch(toUrl(attempt))
  await tab.open(toUrl(attempt))
  const value = (name: string) => tab.page?.find(`input[name="${name}"]`)?.attribute("value") ?? ""
  const body = new URLSearchParams({ csrfToken: value("csrfToken"), ticket: value("ticket"), choice: "continue" })
  await tab.fetch(consentPath, { method: "POST", body })
}

/** Exchanges a code that leaked, or an own one, with the verifier of an own attempt, as another app, or at another address. */
async function bendCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const own = world.browserOf(person).arrivals.slice(-2)
  const href = choose.pick([...world.knowledge.appCodes.slice(-3), ...own].toReversed())
  const { searchParams } = new URL(href)
  const attempts = world.model.native.attempts
  const attempt = attempts.get(searchParams.get("state") ?? "")
  const mine = [...attempts.values()].findLast((each) => each.person === person) ?? begin(actor)
  const kind = choose.pick(["verifier", "app", "address"])
  // The verifier of someone else's app never leaves its device.
  const base =
    attempt?.person === person
      ? attempt
      : { ...mine, clientId: attempt?.clientId ?? "", redirectUri: attempt?.redirectUri ?? "" }
  const other = base.clientId === "phone" ? "desk" : "phone"
  const bent = {
    verifier: {
      ...base,
      verifier:
        [...attempts.values()].find((each) => each.person === person && each !== attempt)?.verifier ?? mine.verifier,
    },
    app: { ...base, clientId: other },
    address: { ...base, redirectUri: appAddresses[other] ?? "" },
  }
  actor.say(`${person.name} exchanges a code with another ${kind}.`)
  await exchange(world, person, { code: searchParams.get("code") ?? "", ...bent[kind as keyof typeof bent] })
}

async function stealToken(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.victims)
  const token = choose.pick(world.tokensOf(victim).slice(-2).toReversed())
  actor.say(`${person.name} gets a copy of the token of ${victim.name}'s app.`)
  world.knowledge.tokens.push(token)
  const userId = world.model.sessions.get(world.model.native.tokens.get(token) ?? "")?.userId
  expose(world, userId ?? "")
}

/** Sends a token as a cookie, a cookie as a token, or one beside the other. */
async function mixTokens(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { jar, sessionCookie } = world.browserOf(person)
  const [cookie] = ownSessionCookies(sessionCookie, jar.list())
  const tokens = [...world.knowledge.tokens, ...world.tokensOf(person)]
  const token = choose.pick([...tokens.slice(-3).toReversed(), "latchkey_nonsense"])
  const kind = choose.pick(["a cookie beside a token", "a token as a cookie", "a cookie as a token", "a token"])
  actor.say(`${person.name} sends ${kind}.`)
  const pair = `${sessionCookie}=${cookie?.value ?? ""}`
  if (kind === "a token as a cookie") {
    const [tab] = world.scannerOf(person).tabs
    await tab?.fetch("/auth/session", { headers: { cookie: `${sessionCookie}=${token}` } })
  } else if (kind === "a cookie as a token") {
    await send(world, person, { token: `latchkey_${decodeURIComponent(cookie?.value ?? "")}`, path: "session" })
  } else await send(world, person, { token, path: "session", ...(kind !== "a token" && { cookie: pair }) })
}
