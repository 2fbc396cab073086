// Attacks on sessions and on the cookies that carry them.
import { copyCookies } from "./app.ts"
import { type Attack, decide, type OpenScene } from "./attack.ts"

const copied = (session: "stateless" | "stored"): Attack["run"] => {
  return async (open) => {
    const app = await open({ session })
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    await app.signInAlice(victim)
    copyCookies(victim, attacker)
    await app.signOut(victim)
    if ((await app.whoIs(victim)) !== null) throw new Error("The sign-out does not sign out")
    return decide((await app.whoIs(attacker)) !== null, "the copy still works")
  }
}

async function runForgedSignOut(open: OpenScene) {
  const app = await open()
  const victim = app.newBrowser()
  await app.signInAlice(victim)
  const { path, fields } = app.forgeSignOut()
  const headers = { origin: "https://evil.test" }
  await victim.fetch(path, { method: "POST", body: new URLSearchParams(fields), headers })
  await victim.fetch(path, { headers: { origin: "https://evil.test" } })
  return decide((await app.whoIs(victim)) === null, "the victim is signed out")
}

export const sessionAttacks: readonly Attack[] = [
  {
    id: "copied-stored",
    group: "Sessions",
    title: "Copied cookie after sign-out, stored session",
    story: "Malware copies the cookies. The victim signs out.",
    source: "OWASP ASVS 5.0, 7.4.1",
    needs: ["stored"],
    run: copied("stored"),
  },
  {
    id: "copied-stateless",
    group: "Sessions",
    title: "Copied cookie after sign-out, stateless session",
    story:
      "An encrypted cookie that no server remembers is valid until it expires. All libraries that offer it say so. Latchkey keeps a record of the session here (`session.track`), and is set to ask for it at each check; by default it asks once a minute.",
    source: "OWASP ASVS 5.0, 7.4.1",
    needs: [],
    run: copied("stateless"),
  },
  {
    id: "leaked-table",
    group: "Sessions",
    title: "Leaked table of sessions",
    story:
      "A backup leaks. The attacker puts a token from the table into their own session cookie. Latchkey stores hashes here (`hashSessionTokens`); by default it stores the tokens, since apps read rows by them.",
    source: "OWASP ASVS 5.0, 7.2",
    needs: ["stored"],
    async run(open) {
      const app = await open()
      await app.signInAlice(app.newBrowser())
      const attacker = app.newBrowser()
      const tokens = app.leakedTokens()
      if (tokens.length === 0) throw new Error("The table of sessions is empty")
      for (const token of tokens) attacker.cookies.set(app.sessionCookie, token)
      return decide((await app.whoIs(attacker)) !== null, "the token of the table is the cookie")
    },
  },
  {
    id: "forged-sign-out",
    group: "Sessions",
    title: "Sign-out by another site",
    story: "The request has the cookies of the victim and the `Origin` of the other site, and no token of the app.",
    source: "CWE-352",
    needs: ["forms"],
    run: runForgedSignOut,
  },
]
