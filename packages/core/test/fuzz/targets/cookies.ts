import { encodeCookieValue, mostSessionChunks, readCookies } from "../../../src/http/cookies.js"
import { readSessionCookies, writeSessionCookies } from "../../../src/session/cookies.js"
import { type FuzzTarget, fromLatin1, promise, toLatin1 } from "../engine/target.js"

const session = "__Secure-authjs.session-token"
const maxCandidates = 5
const maxCookies = 41

const seeds = [
  `${session}=abc; __Host-authjs.csrf-token=${"0".repeat(64)}%7C${"a".repeat(64)}`,
  `${session}.0=abc; ${session}.1=def; ${session}.10=x`,
  `a=1;b="q%20q";;=x; y ; z=%E0%A4%A; __proto__=1; constructor=2`,
]

/** A `Cookie` header: names, values, and a session that may be split over several cookies. */
export const cookies: FuzzTarget = {
  name: "cookies",
  seeds: () => seeds.map(fromLatin1),
  dictionary: [
    session,
    `${session}.`,
    ".0=",
    ".1=",
    ".20=",
    "; ",
    "=",
    '"',
    "%",
    "%C3%28",
    "__proto__",
    "__Host-",
    "\t",
  ],
  work: { perByte: 60, perInput: 3_000 },
  check(input) {
    const header = toLatin1(input)
    const jar = readCookies(header)
    const names = jar.namesStarting("")
    promise(names.length <= header.split(";").length, "no more cookies than pairs")
    for (const name of names) {
      promise(header.includes(name), "each name is in the header")
      promise(jar.get(name) === jar.values(name)[0], "the first value of a name wins")
    }
    for (const name of ["__proto__", "constructor", "toString"]) {
      promise(jar.get(name) === undefined || header.includes(name), "inherited names are not found")
    }
    promise(readSessionCookies(jar, session).length <= maxCandidates, "the number of session candidates is bounded")
    for (const candidate of readSessionCookies(jar, session))
      promise(candidate !== "", "an empty value is not a session candidate")
    assertRoundTrip(jar.get(session) ?? header)
  },
}

/** A written cookie is read back unchanged. With as many chunks as an app may allow: by default, a long value is refused. */
function assertRoundTrip(value: string): void {
  const written = writeSessionCookies({ name: session, value, options: {} }, readCookies(null), mostSessionChunks)
  promise(written.length <= maxCookies, "few cookies are set")
  const header = written.map((cookie) => `${cookie.name}=${encodeCookieValue(cookie.value)}`).join("; ")
  promise(/^[\x21-\x7e ]*$/.test(header), "a cookie is plain ASCII")
  for (const pair of header.split("; ")) promise(pair.length <= 4_096, "a cookie fits into the limit of browsers")
  const [read = ""] = readSessionCookies(readCookies(header), session)
  promise(read === value, "a value is read back unchanged")
}
