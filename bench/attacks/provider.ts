// Attacks by a provider, or on the way between it and the app.
import type { FaultName } from "@latchkey/testkit"
import type { Scene } from "./app.ts"
import { type Attack, decide, getsIn, type OpenScene, refused } from "./attack.ts"

/** An app in which an honest sign-in has succeeded, so that a mistake of ours does not look like a refusal. */
async function openHonest(open: OpenScene): Promise<Scene> {
  const app = await open()
  const browser = app.newBrowser()
  await app.signInAlice(browser)
  await app.signOut(browser)
  return app
}

/** A complete sign-in at a provider with one fault of the testkit's catalog. */
const faulty = (fault: FaultName, words: Pick<Attack, "id" | "title" | "story" | "source">): Attack => ({
  ...words,
  group: "Provider",
  needs: ["provider"],
  async run(open) {
    const app = await openHonest(open)
    app.idp.faults.turnOn(fault)
    const browser = app.newBrowser()
    await app.signIn(browser, app.alice)
    return decide((await app.whoIs(browser)) !== null, "signed in")
  },
})

const tlsOnly =
  "OpenID Connect Core lets a client skip this check when the token comes directly from the token endpoint over TLS. Then a proxy that opens TLS, or an answer from a cache, decides who signs in."

const sixtyMegabytes = 60 * 1024 * 1024

const largeAnswer: Attack = {
  id: "large-answer",
  group: "Provider",
  title: "Answer of 60 MB",
  story: "The token endpoint sends 60 MB. The body is sent in chunks, without a length. A safe app stops reading.",
  source: "CWE-770",
  needs: ["provider"],
  async run(open) {
    const app = await openHonest(open)
    let sent = 0
    app.idp.faults.turnOn({
      response(response, { endpoint }) {
        if (endpoint !== "token") return response
        const body = new ReadableStream({
          pull(controller) {
            sent += 65_536
            controller.enqueue(new Uint8Array(65_536).fill(32))
            if (sent >= sixtyMegabytes) controller.close()
          },
        })
        return new Response(body, { headers: response.headers })
      },
    })
    await app.signIn(app.newBrowser(), app.alice)
    const megabytes = sent / 1024 / 1024
    return decide(megabytes > 30, `reads ${megabytes.toFixed(0)} MB`, `stops after ${megabytes.toFixed(1)} MB`)
  },
}

/** Longer than the deadline of ours, which is 10 s. */
const patienceMs = 12_000

const silentProvider: Attack = {
  id: "silent-provider",
  group: "Provider",
  title: "Provider that never answers",
  story: `The token endpoint accepts the request and sends nothing. The row says whether the app gives up within ${patienceMs / 1000} seconds. Requests that wait pile up.`,
  source: "CWE-400",
  needs: ["provider"],
  async run(open) {
    const app = await openHonest(open)
    app.idp.faults.turnOn("token-hangs")
    const startedAt = Date.now()
    const answer = app.signIn(app.newBrowser(), app.alice).then(
      () => true,
      () => true,
    )
    const waited = new Promise<boolean>((resolve) => setTimeout(resolve, patienceMs, false))
    const didAnswer = await Promise.race([answer, waited])
    if (!didAnswer) return getsIn(`waits for more than ${patienceMs / 1000} s`)
    return refused(`gives up after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
  },
}

const strangeMembers: Attack = {
  id: "prototype-members",
  group: "Provider",
  title: "Members such as `__proto__`",
  story:
    "The provider's answer has members such as `__proto__` and `constructor`. The row says whether the prototype of all objects changes.",
  source: "CWE-1321",
  needs: ["provider"],
  async run(open) {
    const app = await openHonest(open)
    app.idp.faults.turnOn({
      async response(response, { endpoint }) {
        if (endpoint !== "token") return response
        const text = (await response.text()).replace(
          "{",
          '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
        )
        return new Response(text, { headers: { "content-type": "application/json" } })
      },
    })
    await app.signIn(app.newBrowser(), app.alice)
    return decide("polluted" in {}, "every object has the attacker's member")
  },
}

export const providerAttacks: readonly Attack[] = [
  faulty("id-token-signed-by-a-stranger", {
    id: "forged-id-token",
    title: "ID token with a forged signature",
    story: tlsOnly,
    source: "OpenID Connect Core 1.0, section 3.1.3.7",
  }),
  faulty("id-token-unsigned", {
    id: "unsigned-id-token",
    title: "ID token with `alg: none`",
    story: tlsOnly,
    source: "RFC 8725, section 3.2",
  }),
  faulty("id-token-aud-wrong", {
    id: "foreign-id-token",
    title: "ID token for another app",
    story: "The audience names another client of the same provider.",
    source: "OpenID Connect Core 1.0, section 3.1.3.7",
  }),
  faulty("id-token-nonce-wrong", {
    id: "replayed-id-token",
    title: "ID token of another sign-in",
    story: "The nonce is that of another request.",
    source: "OpenID Connect Core 1.0, section 15.5.2",
  }),
  faulty("answer-iss-wrong", {
    id: "mix-up",
    title: "Response that names another issuer",
    story:
      "Mix-up: a malicious provider passes on the response of another one. The provider announces that it sends `iss`.",
    source: "RFC 9207",
  }),
  largeAnswer,
  silentProvider,
  strangeMembers,
]
