import type { FuzzTarget } from "../engine/target.js"
import { emailAddresses, hosts, networks, paths } from "./addresses.js"
import { forms, jsonBodies } from "./bodies.js"
import { callbackAddresses } from "./callback-urls.js"
import { configurations } from "./configurations.js"
import { cookies } from "./cookies.js"
import { assertions, authenticatorData, cbor, registrations, signatures } from "./passkeys.js"
import { providerAnswers } from "./provider-answers.js"
import { requests, userRequests } from "./requests.js"
import { storedRecords } from "./stored-records.js"
import { claims, sealedTokens } from "./tokens.js"

/** Every parser of untrusted input. */
export const targets: readonly FuzzTarget[] = [
  cookies,
  sealedTokens,
  claims,
  forms,
  jsonBodies,
  callbackAddresses,
  hosts,
  networks,
  paths,
  emailAddresses,
  cbor,
  authenticatorData,
  registrations,
  assertions,
  signatures,
  requests,
  userRequests,
  providerAnswers,
  storedRecords,
  configurations,
]
