import { origin, secret, sessionCookieName, toClaims } from "../../fixtures/host.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import type { ContractLibrary } from "./library.ts"

const salt = sessionCookieName
const params = { token: toClaims(person), secret, salt }

export async function openEncode({ encode }: ContractLibrary): Promise<Subject<object, string>> {
  return { prepare: (count) => Array.from({ length: count }, () => params), act: () => encode(params) }
}

export async function openDecode({ encode, decode }: ContractLibrary): Promise<Subject> {
  const token = await encode(params)
  return {
    prepare: (count) => Array.from({ length: count }, () => token),
    act: () => decode({ token, secret, salt }),
  }
}

export async function openGetToken({ encode, getToken }: ContractLibrary): Promise<Subject<Request>> {
  const headers = { cookie: `${sessionCookieName}=${await encode(params)}` }
  return {
    prepare: (count) => createRequests(count, origin, { headers }),
    act: (req) => getToken({ req, secret, secureCookie: true }),
  }
}
